//! A gateway without an arena behind it: the test itself says what is sent on each stream.
#![allow(clippy::expect_used, reason = "a test's own gateway may stop the test")]

use std::time::Duration;

use broadside_proto::v1::{
    ConnectRequest, ConnectResponse, Hello, SessionLimits, Turn, Welcome, connect_request,
    connect_response::Message,
    gateway_service_server::{GatewayService, GatewayServiceServer},
};
use tokio::{net::TcpListener, sync::mpsc, time::timeout};
use tokio_stream::wrappers::ReceiverStream;
use tonic::{
    Request, Response, Status, Streaming,
    transport::{Server, server::TcpIncoming},
};

const PATIENCE: Duration = Duration::from_secs(10);

/// The gateway, and the streams that agents have opened.
pub(crate) struct Gateway {
    pub(crate) address: String,
    opened: mpsc::Receiver<Stream>,
}

/// One stream, as the arena's end of it.
pub(crate) struct Stream {
    inbound: Streaming<ConnectRequest>,
    outbound: mpsc::Sender<Result<ConnectResponse, Status>>,
}

impl Gateway {
    pub(crate) async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address");
        let (streams, opened) = mpsc::channel(8);
        let server = Server::builder()
            .add_service(GatewayServiceServer::new(Handler(streams)))
            .serve_with_incoming(TcpIncoming::from(listener).with_nodelay(Some(true)));
        tokio::spawn(server);
        Self {
            address: format!("http://{address}"),
            opened,
        }
    }

    /// The next stream that is opened, and its hello.
    pub(crate) async fn hello(&mut self) -> (Stream, Hello) {
        let opened = timeout(PATIENCE, self.opened.recv());
        let mut stream = opened.await.expect("in time").expect("the server runs");
        match stream.heard().await {
            Some(connect_request::Message::Hello(hello)) => (stream, hello),
            other => unreachable!("the first message is {other:?}"),
        }
    }

    /// As `hello`, and welcomes the agent.
    pub(crate) async fn welcome(&mut self, heartbeat_interval_ms: u32) -> (Stream, Hello) {
        let (mut stream, hello) = self.hello().await;
        let welcome = Welcome {
            protocol_version: 1,
            resume_token: "token".into(),
            resumed: !hello.resume_token.is_empty(),
            limits: Some(SessionLimits {
                heartbeat_interval_ms,
                ..SessionLimits::default()
            }),
            running_matches: Vec::new(),
        };
        stream.say(Message::Welcome(welcome)).await;
        (stream, hello)
    }

    /// Whether no agent opens a stream for a while.
    pub(crate) async fn stays_alone(&mut self) -> bool {
        timeout(Duration::from_millis(300), self.opened.recv())
            .await
            .is_err()
    }
}

impl Stream {
    pub(crate) async fn say(&mut self, message: Message) {
        self.say_raw(Some(message)).await;
    }

    pub(crate) async fn say_raw(&mut self, message: Option<Message>) {
        let sent = self.outbound.send(Ok(ConnectResponse { message })).await;
        sent.expect("the stream is open");
    }

    pub(crate) async fn turn(&mut self, match_id: u64, turn_id: u32) {
        let turn = Turn {
            match_id,
            turn_id,
            ..Turn::default()
        };
        self.say(Message::Turn(turn)).await;
    }

    pub(crate) async fn fail(self, status: Status) {
        let _ = self.outbound.send(Err(status)).await;
    }

    /// What the agent says next; none if it has closed the stream.
    pub(crate) async fn heard(&mut self) -> Option<connect_request::Message> {
        let heard = timeout(PATIENCE, self.inbound.message())
            .await
            .expect("in time");
        heard.ok().flatten()?.message
    }
}

struct Handler(mpsc::Sender<Stream>);

#[tonic::async_trait]
impl GatewayService for Handler {
    type ConnectStream = ReceiverStream<Result<ConnectResponse, Status>>;

    async fn connect(
        &self,
        request: Request<Streaming<ConnectRequest>>,
    ) -> Result<Response<Self::ConnectStream>, Status> {
        let (outbound, outgoing) = mpsc::channel(16);
        let stream = Stream {
            inbound: request.into_inner(),
            outbound,
        };
        self.0
            .send(stream)
            .await
            .map_err(|_| Status::unavailable("the test is over"))?;
        Ok(Response::new(ReceiverStream::new(outgoing)))
    }
}
