//! An arena on a free port of loopback, in this process.

use std::{net::SocketAddr, sync::Arc, time::Duration};

use anyhow::{Context, bail};
use broadside_arena::{
    Arena, Settings,
    dial::Allowed,
    store::{Store, StorePlace},
    time::WallClock,
};
use broadside_proto::v1::{
    self, catalog_service_client::CatalogServiceClient, match_service_client::MatchServiceClient,
    watch_match_response::Update,
};
use tokio::task::JoinHandle;
use tokio_util::sync::{CancellationToken, DropGuard};
use tonic::{
    Streaming,
    transport::{Channel, Endpoint},
};

use crate::PATIENCE;

/// A running arena. Stops when dropped; [`stop`](Self::stop) also waits for it.
pub struct TestArena {
    address: SocketAddr,
    metrics: Option<SocketAddr>,
    channel: Channel,
    stop: DropGuard,
    task: JoinHandle<anyhow::Result<()>>,
}

impl TestArena {
    /// An arena with the default settings, but for a store in memory, a short drain, and leave to dial loopback.
    ///
    /// # Errors
    /// If it cannot be started.
    pub async fn start() -> anyhow::Result<Self> {
        Self::start_with(|_| {}).await
    }

    /// An arena with settings of one's own; it listens where it can, if they do not say where.
    ///
    /// # Errors
    /// If it cannot be started.
    pub async fn start_with(change: impl FnOnce(&mut Settings)) -> anyhow::Result<Self> {
        let settings = settings(change);
        let secure = settings.tls_cert.is_some();
        let arena = Arena::bind(settings).await?;
        Self::run(arena, secure).await
    }

    /// An arena with settings and a store of one's own.
    ///
    /// # Errors
    /// If it cannot be started.
    pub async fn start_on(
        store: Arc<dyn Store>,
        change: impl FnOnce(&mut Settings),
    ) -> anyhow::Result<Self> {
        let settings = settings(change);
        let secure = settings.tls_cert.is_some();
        let arena = Arena::bind_with(settings, store).await?;
        Self::run(arena, secure).await
    }

    /// An arena with settings of one's own, and a clock to tell the date by.
    ///
    /// # Errors
    /// If it cannot be started.
    pub async fn start_at(
        wall: WallClock,
        change: impl FnOnce(&mut Settings),
    ) -> anyhow::Result<Self> {
        let arena = Arena::bind(settings(change)).await?;
        Self::run(arena.with_wall_clock(wall), false).await
    }

    async fn run(arena: Arena, secure: bool) -> anyhow::Result<Self> {
        let address = arena.address();
        let metrics = arena.metrics_address();
        let stop = CancellationToken::new();
        let task = tokio::spawn(arena.run(stop.clone().cancelled_owned()));
        let endpoint = Endpoint::from_shared(format!("http://{address}"))?.tcp_nodelay(true);
        let channel = if secure {
            // Of no use: such a test makes connections of its own.
            endpoint.connect_lazy()
        } else {
            endpoint.connect().await?
        };
        Ok(Self {
            address,
            metrics,
            channel,
            stop: stop.drop_guard(),
            task,
        })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Where it serves metrics, if it does.
    pub fn metrics_address(&self) -> Option<SocketAddr> {
        self.metrics
    }

    /// Where it listens, as clients want to have it.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// A connection to it.
    pub fn channel(&self) -> Channel {
        self.channel.clone()
    }

    /// Its matches.
    pub fn matches(&self) -> MatchServiceClient<Channel> {
        MatchServiceClient::new(self.channel()).max_decoding_message_size(16 << 20)
    }

    /// Its variants and agents.
    pub fn catalog(&self) -> CatalogServiceClient<Channel> {
        CatalogServiceClient::new(self.channel())
    }

    /// Creates a match.
    ///
    /// # Errors
    /// What the arena says.
    pub async fn create(&self, request: v1::CreateMatchRequest) -> Result<u64, tonic::Status> {
        let response = self.matches().create_match(request).await?.into_inner();
        Ok(response.r#match.unwrap_or_default().match_id)
    }

    /// Waits until a match is over.
    ///
    /// # Errors
    /// If it does not end within [`PATIENCE`], or the arena says so.
    pub async fn ended(&self, match_id: u64) -> anyhow::Result<v1::GetMatchResponse> {
        let request = v1::WatchMatchRequest { match_id };
        let updates = self.matches().watch_match(request).await?.into_inner();
        ended(updates)
            .await
            .with_context(|| format!("match {match_id}"))
    }

    /// Waits until a match is over, and says how.
    ///
    /// # Errors
    /// As [`ended`](Self::ended).
    pub async fn outcome(&self, match_id: u64) -> anyhow::Result<v1::Outcome> {
        let ended = self.ended(match_id).await?;
        ended
            .r#match
            .and_then(|played| played.outcome)
            .context("a match that is over has an outcome")
    }

    /// The record of a match that is over, verified.
    ///
    /// # Errors
    /// What the arena says, or what is wrong with the record.
    pub async fn record(&self, match_id: u64) -> Result<v1::MatchRecord, tonic::Status> {
        let request = v1::GetMatchRecordRequest { match_id };
        let response = self.matches().get_match_record(request).await?;
        let record = response.into_inner().record.unwrap_or_default();
        match broadside_record::verify(&record, None) {
            Ok(_) => Ok(record),
            Err(finding) => Err(tonic::Status::data_loss(format!(
                "the record of match {match_id} does not verify: {finding}"
            ))),
        }
    }

    /// Stops it, and waits until it is closed.
    ///
    /// # Errors
    /// As the arena ends.
    pub async fn stop(self) -> anyhow::Result<()> {
        let Self { stop, task, .. } = self;
        drop(stop);
        tokio::time::timeout(PATIENCE, task)
            .await
            .context("the arena did not stop")??
    }
}

/// Waits until a match that is watched is over.
///
/// # Errors
/// If it does not end within [`PATIENCE`], or the arena says so.
pub async fn ended(
    mut updates: Streaming<v1::WatchMatchResponse>,
) -> anyhow::Result<v1::GetMatchResponse> {
    let watched = async {
        while let Some(update) = updates.message().await? {
            if let Some(Update::Ended(ended)) = update.update {
                return Ok(ended);
            }
        }
        bail!("the watch ended before the match")
    };
    tokio::time::timeout(PATIENCE, watched)
        .await
        .context("it did not end")?
}

fn settings(change: impl FnOnce(&mut Settings)) -> Settings {
    let mut settings = Settings {
        // A test that stops an arena with a match in play does not mean to wait for it.
        drain_timeout: Duration::from_secs(2),
        listen: SocketAddr::from(([127, 0, 0, 1], 0)),
        store: StorePlace::Memory,
        // Everybody comes from one address.
        max_connections_per_address: 10_000,
        // Where the tests' bots are dialled.
        dial_allow: vec![Allowed::Loopback],
        ..Settings::default()
    };
    change(&mut settings);
    settings
}
