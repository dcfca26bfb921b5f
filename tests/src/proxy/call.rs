//! A proxy that speaks `AgentService` on both sides.

use std::{
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use broadside_proto::v1::{
    self,
    agent_service_client::AgentServiceClient,
    agent_service_server::{AgentService, AgentServiceServer},
};
use rand::RngExt;
use tokio::net::TcpListener;
use tokio_util::sync::{CancellationToken, DropGuard};
use tonic::{
    Request, Response, Status,
    transport::{Channel, Endpoint, Server, server::TcpIncoming},
};

use super::rng;

/// What is done to the calls for a decision.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CallMischief {
    /// How many of a hundred reach the bot twice.
    pub duplicate: u32,
    /// Of how many of a hundred the answer is lost: the bot has decided, and the arena sees a broken connection.
    pub lose: u32,
    /// The longest that a call is held up.
    pub delay: Duration,
}

/// A proxy for a bot that the arena dials.
pub struct CallProxy {
    address: SocketAddr,
    _stop: DropGuard,
}

impl CallProxy {
    /// Relays to the bot at `bot`.
    ///
    /// # Errors
    /// If there is no port.
    pub async fn start(bot: SocketAddr, seed: u64, mischief: CallMischief) -> anyhow::Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
        let address = listener.local_addr()?;
        let stop = CancellationToken::new();
        let endpoint = Endpoint::from_shared(format!("http://{bot}"))?.tcp_nodelay(true);
        let relay = Relay {
            bot: AgentServiceClient::new(endpoint.connect_lazy()),
            seed,
            mischief,
            calls: Arc::default(),
        };
        let server = Server::builder()
            .add_service(AgentServiceServer::new(relay))
            .serve_with_incoming_shutdown(
                TcpIncoming::from(listener).with_nodelay(Some(true)),
                stop.clone().cancelled_owned(),
            );
        tokio::spawn(server);
        Ok(Self {
            address,
            _stop: stop.drop_guard(),
        })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }
}

struct Relay {
    bot: AgentServiceClient<Channel>,
    seed: u64,
    mischief: CallMischief,
    calls: Arc<AtomicU64>,
}

#[tonic::async_trait]
impl AgentService for Relay {
    async fn get_profile(
        &self,
        request: Request<v1::GetProfileRequest>,
    ) -> Result<Response<v1::GetProfileResponse>, Status> {
        let request = request.into_inner();
        self.bot.clone().get_profile(request).await
    }

    async fn start_match(
        &self,
        request: Request<v1::StartMatchRequest>,
    ) -> Result<Response<v1::StartMatchResponse>, Status> {
        let request = request.into_inner();
        self.bot.clone().start_match(request).await
    }

    async fn choose_move(
        &self,
        request: Request<v1::ChooseMoveRequest>,
    ) -> Result<Response<v1::ChooseMoveResponse>, Status> {
        let request = request.into_inner();
        let mut rng = rng(self.seed, self.calls.fetch_add(1, Ordering::Relaxed), 0);
        let duplicate = rng.random_range(0..100) < self.mischief.duplicate;
        let lose = rng.random_range(0..100) < self.mischief.lose;
        let delay = rng.random_range(Duration::ZERO..=self.mischief.delay);
        tokio::time::sleep(delay).await;
        if duplicate {
            self.bot.clone().choose_move(request.clone()).await?;
        }
        let answer = self.bot.clone().choose_move(request).await?;
        if lose {
            return Err(Status::unavailable("the answer was lost on its way"));
        }
        Ok(answer)
    }

    async fn end_match(
        &self,
        request: Request<v1::EndMatchRequest>,
    ) -> Result<Response<v1::EndMatchResponse>, Status> {
        let request = request.into_inner();
        self.bot.clone().end_match(request).await
    }
}
