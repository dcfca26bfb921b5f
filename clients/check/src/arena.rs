//! The arena that the bot meets: the real one, in this process, with an opponent in it.

use std::{net::SocketAddr, path::PathBuf, sync::Arc, time::Duration};

use broadside_agents::{Config, DialIn, Random, Seed, profile};
use broadside_arena::{Arena, Settings, dial::Allowed, store::StorePlace};
use broadside_proto::v1::{
    self, ConnectRequest, ConnectResponse, gateway_service_client::GatewayServiceClient,
    match_service_client::MatchServiceClient,
};
use tokio::sync::mpsc;
use tokio_stream::wrappers::UnboundedReceiverStream;
use tokio_util::sync::{CancellationToken, DropGuard};
use tonic::{
    Request, Status,
    transport::{Channel, Endpoint},
};

use crate::CheckError;

/// How long anything of the checker's own may take.
pub(crate) const OWN: Duration = Duration::from_secs(20);

/// Files with which the arena dials a bot at an https:// address.
#[derive(Clone, Debug, Default)]
pub struct DialFiles {
    /// An authority to trust besides the public ones, in PEM.
    pub ca: Option<PathBuf>,
    /// The certificate to show, in PEM.
    pub cert: Option<PathBuf>,
    /// Its private key.
    pub key: Option<PathBuf>,
}

pub(crate) struct Embedded {
    channel: Channel,
    address: SocketAddr,
    /// The opponent's name: one that no bot has.
    pub(crate) opponent: String,
    playing: DialIn,
    _stop: DropGuard,
}

impl Embedded {
    pub(crate) async fn start(files: &DialFiles) -> Result<Self, CheckError> {
        let settings = Settings {
            listen: SocketAddr::from(([127, 0, 0, 1], 0)),
            store: StorePlace::Memory,
            heartbeat_interval: Duration::from_secs(5),
            grace: Duration::from_secs(120),
            drain_timeout: Duration::ZERO,
            max_connections_per_address: 10_000,
            // Whoever runs the checker names the bot.
            dial_allow: vec![Allowed::Any],
            dial_ca: files.ca.clone(),
            dial_cert: files.cert.clone(),
            dial_key: files.key.clone(),
            ..Settings::default()
        };
        let failed = |error: &dyn std::fmt::Display| CheckError::Arena(error.to_string());
        let arena = Arena::bind(settings)
            .await
            .map_err(|error| failed(&format!("{error:#}")))?;
        let address = arena.address();
        let stop = CancellationToken::new();
        tokio::spawn(arena.run(stop.clone().cancelled_owned()));
        let stop = stop.drop_guard();
        let channel = connect(address).await.map_err(|error| failed(&error))?;
        let opponent = format!("the-checker-{:08x}", rand::random::<u32>());
        let profile = profile::every_variant(&opponent, 4_096).with_legal_moves();
        let config = Config::new(format!("http://{address}"), profile);
        let mut playing = DialIn::spawn(config, Arc::new(Random::new(Seed(1))));
        if playing.welcomed().await.is_none() {
            return Err(CheckError::Arena("its opponent is not let in".to_owned()));
        }
        Ok(Self {
            channel,
            address,
            opponent,
            playing,
            _stop: stop,
        })
    }

    /// Leaves nothing behind.
    pub(crate) async fn stop(self) {
        // It ends with the arena in any case.
        let _ = tokio::time::timeout(OWN, self.playing.leave()).await;
    }

    fn matches(&self) -> MatchServiceClient<Channel> {
        MatchServiceClient::new(self.channel.clone()).max_decoding_message_size(64 << 20)
    }

    pub(crate) async fn create(&self, request: v1::CreateMatchRequest) -> Result<u64, Status> {
        let mut matches = self.matches();
        let created = within(matches.create_match(request)).await?.into_inner();
        Ok(created.r#match.unwrap_or_default().match_id)
    }

    pub(crate) async fn cancel(&self, match_id: u64) -> Result<(), Status> {
        let request = v1::CancelMatchRequest {
            match_id,
            reason: "the checker has seen enough".to_owned(),
        };
        within(self.matches().cancel_match(request))
            .await
            .map(|_| ())
    }

    pub(crate) async fn match_state(&self, match_id: u64) -> Result<v1::Match, Status> {
        let request = v1::GetMatchRequest { match_id };
        let mut matches = self.matches();
        let got = within(matches.get_match(request)).await?.into_inner();
        Ok(got.r#match.unwrap_or_default())
    }

    /// Follows a match to its end.
    pub(crate) async fn outcome(&self, match_id: u64) -> Result<v1::Outcome, Status> {
        let request = v1::WatchMatchRequest { match_id };
        let mut updates = self.matches().watch_match(request).await?.into_inner();
        while let Some(update) = updates.message().await? {
            if let Some(v1::watch_match_response::Update::Ended(ended)) = update.update {
                return Ok(ended.r#match.and_then(|it| it.outcome).unwrap_or_default());
            }
        }
        Err(Status::unknown("the match was not followed to its end"))
    }

    /// A bot's stream to the arena. What the arena says goes to `hear`, until that returns false.
    pub(crate) fn converse(
        &self,
        said: mpsc::UnboundedReceiver<ConnectRequest>,
        mut hear: impl FnMut(Result<Option<ConnectResponse>, Status>) -> bool + Send + 'static,
    ) -> CancellationToken {
        let address = self.address;
        let stop = CancellationToken::new();
        let stopped = stop.clone().cancelled_owned();
        let talk = async move {
            let opened = async {
                let channel = connect(address)
                    .await
                    .map_err(|error| Status::from_error(Box::new(error)))?;
                let request = Request::new(UnboundedReceiverStream::new(said));
                let mut client =
                    GatewayServiceClient::new(channel).max_decoding_message_size(16 << 20);
                Ok::<_, Status>(client.connect(request).await?.into_inner())
            };
            let mut incoming = match opened.await {
                Ok(incoming) => incoming,
                Err(status) => {
                    hear(Err(status));
                    return;
                }
            };
            loop {
                let message = incoming.message().await;
                let last = !matches!(message, Ok(Some(_)));
                if !hear(message) || last {
                    return;
                }
            }
        };
        tokio::spawn(async move {
            tokio::select! {
                () = talk => {}
                () = stopped => {}
            }
        });
        stop
    }
}

/// An answer of the arena, which is quick: without one the check could not even be interrupted.
async fn within<T>(call: impl Future<Output = Result<T, Status>>) -> Result<T, Status> {
    tokio::time::timeout(OWN, call).await.unwrap_or_else(|_| {
        Err(Status::deadline_exceeded(format!(
            "the checker's own arena says nothing within {} ms",
            OWN.as_millis()
        )))
    })
}

async fn connect(address: SocketAddr) -> Result<Channel, tonic::transport::Error> {
    Endpoint::from_shared(format!("http://{address}"))?
        .tcp_nodelay(true)
        .connect()
        .await
}
