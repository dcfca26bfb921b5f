use std::{io, sync::Arc, time::Duration};

use broadside_proto::v1::{
    self, ChooseMoveRequest, ChooseMoveResponse, EndMatchRequest, EndMatchResponse,
    GetProfileRequest, GetProfileResponse, Resignation, StartMatchRequest, StartMatchResponse,
    agent_service_server::{AgentService, AgentServiceServer},
    choose_move_response::Decision,
};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;
use tonic::{
    Request, Response, Status,
    transport::{Identity, Server, ServerTlsConfig, server::TcpIncoming},
};
use tracing::{debug, info};

use crate::{
    Agent, Pace, Profile,
    dial_in::{KEEPALIVE_INTERVAL, KEEPALIVE_TIMEOUT},
};

/// How long connections that are still open may delay the end after a shutdown.
const DRAIN: Duration = Duration::from_secs(1);
/// How long a TLS handshake may take.
const HANDSHAKE: Duration = Duration::from_secs(5);

/// Why serving failed.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The listener has no address.
    #[error("the listener is not usable")]
    Listener(#[from] io::Error),
    /// The server ended by itself.
    #[error("the server failed")]
    Transport(#[from] tonic::transport::Error),
}

/// Serves `agent` to arenas that dial it, until `shutdown` is cancelled.
///
/// # Errors
/// [`ServeError`] if the listener cannot be served.
pub async fn serve(
    listener: TcpListener,
    profile: impl Into<Profile>,
    agent: Arc<dyn Agent>,
    shutdown: CancellationToken,
) -> Result<(), ServeError> {
    run(Server::builder(), listener, profile.into(), agent, shutdown).await
}

/// As [`serve`], with TLS: arenas dial it at https://.
///
/// # Errors
/// [`ServeError`] if the listener cannot be served, or the certificate not be used.
pub async fn serve_tls(
    listener: TcpListener,
    profile: impl Into<Profile>,
    agent: Arc<dyn Agent>,
    identity: Identity,
    shutdown: CancellationToken,
) -> Result<(), ServeError> {
    let tls = ServerTlsConfig::new().identity(identity).timeout(HANDSHAKE);
    let server = Server::builder().tls_config(tls)?;
    run(server, listener, profile.into(), agent, shutdown).await
}

async fn run(
    server: Server,
    listener: TcpListener,
    profile: Profile,
    agent: Arc<dyn Agent>,
    shutdown: CancellationToken,
) -> Result<(), ServeError> {
    info!(address = %listener.local_addr()?, name = profile.name, "serves");
    // Both seats of every match may be asked at once, and each match's start and end on top of it.
    let streams = profile.max_matches.saturating_mul(4).clamp(64, 1 << 16);
    let served = server
        .max_concurrent_streams(streams)
        .http2_keepalive_interval(Some(KEEPALIVE_INTERVAL))
        .http2_keepalive_timeout(Some(KEEPALIVE_TIMEOUT))
        .add_service(AgentServiceServer::new(Served { profile, agent }))
        .serve_with_incoming_shutdown(
            TcpIncoming::from(listener).with_nodelay(Some(true)),
            shutdown.cancelled(),
        );
    // tonic waits for every open connection, however long it stays open.
    let drained = async {
        shutdown.cancelled().await;
        tokio::time::sleep(DRAIN).await;
    };
    tokio::select! {
        served = served => Ok(served?),
        () = drained => Ok(()),
    }
}

struct Served {
    profile: Profile,
    agent: Arc<dyn Agent>,
}

#[tonic::async_trait]
impl AgentService for Served {
    async fn get_profile(
        &self,
        _request: Request<GetProfileRequest>,
    ) -> Result<Response<GetProfileResponse>, Status> {
        Ok(Response::new(GetProfileResponse {
            profile: Some(self.profile.clone()),
        }))
    }

    async fn start_match(
        &self,
        request: Request<StartMatchRequest>,
    ) -> Result<Response<StartMatchResponse>, Status> {
        if let Some(start) = request.into_inner().match_start {
            debug!(start.match_id, opponent = start.opponent, "match begins");
            self.agent.match_started(&start);
        }
        Ok(Response::new(StartMatchResponse {}))
    }

    async fn choose_move(
        &self,
        request: Request<ChooseMoveRequest>,
    ) -> Result<Response<ChooseMoveResponse>, Status> {
        let turn = request.into_inner().turn.ok_or_else(|| {
            Status::invalid_argument("no turn is set: there is nothing to decide")
        })?;
        let (match_id, seat) = (turn.match_id, turn.seat);
        let chosen = self.decide(turn).await?;
        let decision = chosen.map_or(
            Decision::Resignation(Resignation { match_id, seat }),
            Decision::Move,
        );
        Ok(Response::new(ChooseMoveResponse {
            decision: Some(decision),
        }))
    }

    async fn end_match(
        &self,
        request: Request<EndMatchRequest>,
    ) -> Result<Response<EndMatchResponse>, Status> {
        if let Some(end) = request.into_inner().match_end {
            debug!(end.match_id, "match is over");
            self.agent.match_ended(&end);
        }
        Ok(Response::new(EndMatchResponse {}))
    }
}

impl Served {
    async fn decide(&self, turn: v1::Turn) -> Result<Option<v1::Move>, Status> {
        match self.agent.pace() {
            Pace::Quick => Ok(self.agent.choose(&turn)),
            Pace::Slow => {
                let agent = Arc::clone(&self.agent);
                tokio::task::spawn_blocking(move || agent.choose(&turn))
                    .await
                    .map_err(|error| Status::internal(format!("the agent failed: {error}")))
            }
        }
    }
}
