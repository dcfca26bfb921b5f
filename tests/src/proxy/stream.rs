//! A proxy that speaks `GatewayService` on both sides.

use std::{
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use broadside_proto::v1::{
    self, connect_request, connect_response,
    gateway_service_client::GatewayServiceClient,
    gateway_service_server::{GatewayService, GatewayServiceServer},
};
use tokio::{net::TcpListener, sync::mpsc};
use tokio_stream::{StreamExt, wrappers::ReceiverStream};
use tokio_util::sync::{CancellationToken, DropGuard};
use tonic::{
    Request, Response, Status, Streaming,
    transport::{Endpoint, Server, server::TcpIncoming},
};

use super::{
    meddler::{Mischief, meddle},
    rng,
};

/// How many messages may be on their way.
const IN_FLIGHT: usize = 1024;

/// A proxy for bots that dial in: each of their streams goes on to the arena on a connection of its own.
pub struct StreamProxy {
    address: SocketAddr,
    _stop: DropGuard,
}

impl StreamProxy {
    /// Relays to `arena`, with one mischief for what bots send and one for what they are sent.
    ///
    /// # Errors
    /// If there is no port.
    pub async fn start(
        arena: SocketAddr,
        seed: u64,
        to_arena: Mischief,
        to_bot: Mischief,
    ) -> anyhow::Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
        let address = listener.local_addr()?;
        let stop = CancellationToken::new();
        let relay = Relay(Arc::new(Ways {
            arena: Endpoint::from_shared(format!("http://{arena}"))?.tcp_nodelay(true),
            seed,
            to_arena,
            to_bot,
            streams: AtomicU64::new(0),
        }));
        let server = Server::builder()
            .add_service(GatewayServiceServer::new(relay))
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

    /// Where it listens, as clients want to have it.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }
}

struct Ways {
    arena: Endpoint,
    seed: u64,
    to_arena: Mischief,
    to_bot: Mischief,
    streams: AtomicU64,
}

struct Relay(Arc<Ways>);

#[tonic::async_trait]
impl GatewayService for Relay {
    type ConnectStream = ReceiverStream<Result<v1::ConnectResponse, Status>>;

    async fn connect(
        &self,
        request: Request<Streaming<v1::ConnectRequest>>,
    ) -> Result<Response<Self::ConnectStream>, Status> {
        let ways = &self.0;
        let stream = ways.streams.fetch_add(1, Ordering::Relaxed);
        let broken = |error: tonic::transport::Error| Status::unavailable(error.to_string());
        let channel = ways.arena.connect().await.map_err(broken)?;
        let (to_arena, outgoing) = mpsc::channel(IN_FLIGHT);
        // A bot's stream that breaks is for the arena one that ends.
        let said = request.into_inner().map_while(Result::ok);
        tokio::spawn(meddle(
            said,
            to_arena,
            ways.to_arena,
            is_hello,
            rng(ways.seed, stream, 0),
        ));
        let heard = GatewayServiceClient::new(channel)
            .connect(ReceiverStream::new(outgoing))
            .await?
            .into_inner();
        let (to_bot, incoming) = mpsc::channel(IN_FLIGHT);
        tokio::spawn(meddle(
            heard,
            to_bot,
            ways.to_bot,
            frames_the_session,
            rng(ways.seed, stream, 1),
        ));
        Ok(Response::new(ReceiverStream::new(incoming)))
    }
}

fn is_hello(request: &v1::ConnectRequest) -> bool {
    matches!(request.message, Some(connect_request::Message::Hello(_)))
}

fn frames_the_session(response: &Result<v1::ConnectResponse, Status>) -> bool {
    use connect_response::Message;
    match response {
        Ok(response) => matches!(
            response.message,
            Some(Message::Welcome(_) | Message::SessionEnd(_))
        ),
        Err(_) => true,
    }
}
