//! The arena as a server: bound, running, stopping.

use std::{future::Future, net::SocketAddr, sync::Arc, time::Duration};

use anyhow::Context;
use broadside_proto::v1::{
    self, catalog_service_server::CatalogServiceServer,
    gateway_service_server::GatewayServiceServer, match_service_server::MatchServiceServer,
};
use broadside_record::signature::Signatory;
use futures_util::future::join_all;
use tokio::sync::Semaphore;
use tokio_stream::Stream;
use tokio_util::{
    sync::CancellationToken,
    task::{AbortOnDropHandle, TaskTracker},
};
use tonic::transport::Server;
use tonic_health::ServingStatus;
use tower::util::MapResponseLayer;

use crate::{
    auth::{Tokens, layer::AuthLayer},
    busy_poll::BusyPoll,
    dial::Dialer,
    dialled::Dialling,
    gateway::{self, Gateway, ResumeKey},
    listener::{Door, FrontLayer, Io, Listener, refuse_exposure},
    meters::{self, Meters},
    play::{Inbox, Input, Surroundings, limits, platform_fault},
    request,
    roster::Roster,
    runner::Runner,
    seed,
    services::{Catalog, GatewayEndpoint, Matches},
    settings::Settings,
    stall::Stalls,
    store::{self, Store},
    time::{WallClock, duration_us},
};

/// How long streams and calls may take to end once every match has.
const CLOSING: Duration = Duration::from_secs(5);

/// The services, as clients ask for them.
const SERVED: [&str; 5] = [
    v1::gateway_service_server::SERVICE_NAME,
    v1::match_service_server::SERVICE_NAME,
    v1::catalog_service_server::SERVICE_NAME,
    "grpc.health.v1.Health",
    "grpc.reflection.v1.ServerReflection",
];

/// Largest list of headers of a call, in bytes.
pub(crate) const MAX_HEADERS: u32 = 8 * 1024;

/// An arena that listens, and serves once it is [run](Self::run).
pub struct Arena {
    door: Door,
    dialer: Dialer,
    settings: Arc<Settings>,
    store: Arc<dyn Store>,
    wall: WallClock,
    metrics: Option<meters::Endpoint>,
    busy_poll: BusyPoll,
}

impl Arena {
    /// Listens on the settings' address, with the settings' store.
    ///
    /// # Errors
    /// If the address cannot be listened on, is open to others without what that needs, a file of TLS is not right, or the
    /// store cannot be opened.
    pub async fn bind(settings: Settings) -> anyhow::Result<Self> {
        // Before anything is made.
        refuse_exposure(&settings)?;
        let store = store::open(&settings).await?;
        Self::bind_with(settings, store).await
    }

    /// Listens on the settings' address, with this store.
    ///
    /// # Errors
    /// As [`bind`](Self::bind).
    pub async fn bind_with(settings: Settings, store: Arc<dyn Store>) -> anyhow::Result<Self> {
        refuse_exposure(&settings)?;
        let door = Door::Socket(Box::new(Listener::bind(&settings).await?));
        Self::behind(door, settings, store).await
    }

    /// Serves these connections, whatever they are made of, and listens on no socket: admission, TLS and their deadlines are left to
    /// whoever makes them.
    ///
    /// # Errors
    /// If a file of TLS for dialling is not right, or the metrics' address cannot be listened on.
    pub async fn on(
        settings: Settings,
        store: Arc<dyn Store>,
        connections: impl Stream<Item = impl Io> + Send + 'static,
    ) -> anyhow::Result<Self> {
        Self::behind(Door::given(connections), settings, store).await
    }

    async fn behind(door: Door, settings: Settings, store: Arc<dyn Store>) -> anyhow::Result<Self> {
        let dialer = Dialer::from(&settings)?;
        let metrics = meters::Endpoint::bind(&settings).await?;
        Ok(Self {
            door,
            dialer,
            settings: Arc::new(settings),
            store,
            wall: WallClock::default(),
            metrics,
            busy_poll: BusyPoll::default(),
        })
    }

    /// The same arena with another clock to tell the date by.
    #[must_use]
    pub fn with_wall_clock(self, wall: WallClock) -> Self {
        Self { wall, ..self }
    }

    /// The same arena, which keeps the runtime that it runs on awake by this.
    #[must_use]
    pub fn with_busy_poll(self, busy_poll: BusyPoll) -> Self {
        Self { busy_poll, ..self }
    }

    /// Where it listens; what the settings say if its connections come from elsewhere.
    pub fn address(&self) -> SocketAddr {
        self.door.address().unwrap_or(self.settings.listen)
    }

    /// Where metrics are served, if they are.
    pub fn metrics_address(&self) -> Option<SocketAddr> {
        self.metrics.as_ref().map(meters::Endpoint::address)
    }

    /// Serves until `stop` resolves; then takes no more matches, lets running ones finish up to a limit, leaves the rest in a store that
    /// lasts, to be resumed, or else ends them, each as nobody's loss, and closes.
    ///
    /// # Errors
    /// If the server fails.
    pub async fn run(self, stop: impl Future<Output = ()>) -> anyhow::Result<()> {
        let address = self.address();
        let Self {
            door,
            dialer,
            settings,
            store,
            wall,
            metrics,
            busy_poll,
        } = self;
        let roster = Arc::new(Roster::new());
        let draining = CancellationToken::new();
        let stopping = CancellationToken::new();
        let running = TaskTracker::new();
        let leaving = CancellationToken::new();
        let stalls = Arc::new(Stalls::default());
        let _watched = stopping.clone().drop_guard();
        tokio::spawn({
            let (stalls, stop) = (stalls.clone(), stopping.clone());
            async move { stalls.watch(stop).await }
        });
        tokio::spawn({
            let (busy_poll, stop) = (busy_poll.clone(), stopping.clone());
            stop.run_until_cancelled_owned(busy_poll.run())
        });
        let meters = metrics.as_ref().map_or_else(
            || Arc::new(Meters::off()),
            |metrics| metrics.meters().clone(),
        );
        if let Some(metrics) = metrics {
            let sampled = meters::Sampled {
                roster: roster.clone(),
                store: store.clone(),
                stalls: stalls.clone(),
            };
            tokio::spawn(metrics.serve(sampled, stopping.clone()));
        }
        let gateway = Gateway {
            meters: meters.clone(),
            busy_poll: busy_poll.clone(),
            roster: roster.clone(),
            store: store.clone(),
            resume_key: ResumeKey::new(secret(&*store, "resume").await?),
            max_messages_per_second: settings.max_messages_per_second,
            hello_timeout: settings.hello_timeout,
            heartbeat_interval: settings.heartbeat_interval,
            grace: settings.grace,
            max_matches: settings.max_matches_per_agent,
            max_message_bytes: settings.max_message_bytes,
            stopping: stopping.clone(),
        };
        let around = Arc::new(Surroundings {
            store: store.clone(),
            roster: roster.clone(),
            limits: limits(settings.grace, settings.delivery_timeout),
            connect_us: duration_us(settings.connect_timeout),
            queue_us: duration_us(settings.queue_timeout),
            signatory: Arc::new(Signatory::new(&secret(&*store, "signature").await?)),
            stalls: stalls.clone(),
            wall: wall.clone(),
            meters: meters.clone(),
            draining: draining.clone(),
            leaving: leaving.clone(),
        });
        let runner = Runner {
            around: around.clone(),
            dialling: Dialling {
                dialer,
                seats_per_connection: settings.dial_seats_per_connection,
                timeout: settings.dial_timeout,
                retry_min: Duration::from_millis(100),
                retry_max: Duration::from_secs(2),
                max_matches: settings.max_matches_per_agent,
                max_message_bytes: settings.max_message_bytes,
                busy_poll,
            },
            places: Arc::new(Semaphore::new(settings.max_matches)),
            running: running.clone(),
        };
        let resumed = runner.resume_all().await.context("the store failed")?;
        if resumed > 0 {
            tracing::info!(resumed, "matches are resumed");
        }
        let matches = Matches {
            around,
            runner,
            settings: settings.clone(),
            stopping: stopping.clone(),
        };
        let tokens = Tokens::load(store.clone(), settings.require_tokens, wall, meters)
            .await
            .context("the store failed")?;
        if settings.require_tokens && !tokens.has_operator() {
            tracing::warn!(
                "no operator has a token: make one with `broadside-arena --store {} token create --operator`",
                settings.store
            );
        }
        tokio::spawn({
            let (tokens, stop) = (tokens.clone(), stopping.clone());
            async move { tokens.refresh(stop).await }
        });
        let catalog = Catalog {
            roster: roster.clone(),
            default_time_control: request::default_time_control(&settings),
            settings: settings.clone(),
        };
        let (health, health_service) = tonic_health::server::health_reporter();
        health
            .set_serving::<GatewayServiceServer<GatewayEndpoint>>()
            .await;
        health.set_serving::<MatchServiceServer<Matches>>().await;
        health.set_serving::<CatalogServiceServer<Catalog>>().await;
        let reflection = || {
            let described = tonic_reflection::server::Builder::configure()
                .register_encoded_file_descriptor_set(v1::FILE_DESCRIPTOR_SET)
                .register_encoded_file_descriptor_set(tonic_health::pb::FILE_DESCRIPTOR_SET)
                // The details of statuses, so that clients can show them.
                .register_encoded_file_descriptor_set(tonic_types::pb::FILE_DESCRIPTOR_SET);
            // The contract also describes what bots serve: that is not to be called here.
            SERVED.iter().fold(described, |described, service| {
                described.with_service_name(*service)
            })
        };

        let closing = CancellationToken::new();
        // Whoever is connected already can learn that others are not let in.
        let mut short = door.short();
        let whole = health.clone();
        tokio::spawn(closing.clone().run_until_cancelled_owned(async move {
            while short.changed().await.is_ok() {
                let status = if *short.borrow_and_update() {
                    ServingStatus::NotServing
                } else {
                    ServingStatus::Serving
                };
                whole.set_service_status("", status).await;
            }
        }));
        let server = transport(&settings)
            .layer(FrontLayer)
            .layer(MapResponseLayer::new(gateway::in_place))
            .layer(AuthLayer::new(tokens))
            .add_service(health_service)
            .add_service(reflection().build_v1()?)
            // What clients of several languages still ask for.
            .add_service(reflection().build_v1alpha()?)
            .add_service(
                GatewayServiceServer::new(GatewayEndpoint(gateway))
                    .max_decoding_message_size(settings.max_message_bytes),
            )
            .add_service(
                MatchServiceServer::new(matches)
                    .max_decoding_message_size(settings.max_message_bytes),
            )
            .add_service(
                CatalogServiceServer::new(catalog)
                    .max_decoding_message_size(settings.max_message_bytes),
            )
            .serve_with_incoming_shutdown(door.incoming(), closing.clone().cancelled_owned());
        // A task of its own, and not a part of whatever runs the arena: connections that a worker's task begins are polled next, while those
        // that come from another thread are queued behind all that is ready, which is much when thousands of matches run.
        let server = AbortOnDropHandle::new(tokio::spawn(server));
        let server = async {
            let ended = server.await.context("the server's task failed")?;
            ended.context("the server failed")
        };
        tracing::info!(%address, "the arena is open");

        tokio::pin!(server);
        tokio::select! {
            ended = &mut server => return ended,
            () = stop => {}
        }
        tracing::info!("stopping: no more matches are taken");
        draining.cancel();
        health
            .set_not_serving::<MatchServiceServer<Matches>>()
            .await;
        running.close();
        // What outlasts this process is left to be resumed; the rest ends.
        let durable = store.is_durable();
        let drain = async {
            if !durable {
                tell(roster.waiting_inboxes(), stopped).await;
            }
            if tokio::time::timeout(settings.drain_timeout, running.wait())
                .await
                .is_err()
            {
                tracing::warn!(
                    open = roster.open_matches(),
                    durable,
                    "leaving the matches that are not over"
                );
                let left = async {
                    if durable {
                        leaving.cancel();
                        tell(roster.inboxes(), || Input::Leave).await;
                    } else {
                        tell(roster.inboxes(), stopped).await;
                    }
                    running.wait().await;
                };
                if tokio::time::timeout(CLOSING, left).await.is_err() {
                    tracing::warn!(
                        open = roster.open_matches(),
                        "closing with matches still open"
                    );
                }
            }
            stopping.cancel();
            closing.cancel();
        };
        tokio::select! {
            ended = &mut server => return ended,
            () = drain => {}
        }
        // A stream that its peer keeps open, or a half-made handshake, must not keep the arena from stopping.
        match tokio::time::timeout(CLOSING, server).await {
            Ok(ended) => ended?,
            Err(_) => tracing::warn!("closed with connections still open"),
        }
        tracing::info!("the arena is closed");
        Ok(())
    }
}

/// The transport: what a connection and a call may do before any service is asked.
fn transport(settings: &Settings) -> Server {
    Server::builder()
        // Liveness of peers: off by default.
        .http2_keepalive_interval(Some(settings.http2_keepalive_interval))
        .http2_keepalive_timeout(Some(settings.http2_keepalive_timeout))
        // Both are unlimited by tonic's default.
        .max_concurrent_streams(settings.max_streams_per_connection)
        .http2_max_local_error_reset_streams(Some(128))
        .http2_max_pending_accept_reset_streams(Some(20))
        .http2_max_header_list_size(MAX_HEADERS)
        // A bot has little under way: the default of 1 MiB each is memory for nothing.
        .initial_stream_window_size(64 * 1024)
        .initial_connection_window_size(256 * 1024)
        // Streams are exempt as soon as they begin.
        .timeout(settings.call_timeout)
        // A call too many is refused, and does not wait.
        .concurrency_limit_per_connection(settings.max_calls_per_connection)
        .load_shed(true)
        .trace_fn(|request| tracing::info_span!("call", method = request.uri().path()))
}

/// A secret of the arena's own, which is drawn when its store is new.
async fn secret(store: &dyn Store, name: &str) -> anyhow::Result<[u8; 32]> {
    let fresh = seed::fresh_key().context("the system has no randomness to give")?;
    store.secret(name, fresh).await.context("the store failed")
}

/// A match ends because the arena stops: nobody's loss.
fn stopped() -> Input {
    Input::Abandon(platform_fault("it was stopped"))
}

async fn tell(inboxes: Vec<Inbox>, input: impl Fn() -> Input) {
    // All at once: one that does not take it must not keep the others from hearing of it. A match that is over meanwhile wants nothing more.
    join_all(inboxes.iter().map(|inbox| inbox.send(input()))).await;
}
