//! Where bots dial in: `GatewayService`, with everything that is said handed to the bench.

use std::{
    convert::Infallible,
    net::SocketAddr,
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    task::{Context, Poll},
    time::{Duration, Instant},
};

use broadside_proto::v1::ConnectRequest;
use bytes::Bytes;
use prost::Message;
use tokio::{
    net::{TcpListener, TcpStream},
    sync::{mpsc, oneshot},
};
use tokio_stream::{Stream, StreamExt, wrappers::TcpListenerStream};
use tokio_util::sync::{CancellationToken, DropGuard};
use tonic::{
    Request, Response, Status, Streaming, body::Body, server::NamedService, transport::Server,
};

use super::Event;
use crate::{
    cut::{Cuttable, Shears},
    raw::Raw,
};

const CONNECT: &str = "/broadside.v1.GatewayService/Connect";
/// As much as the arena reads in one message.
const LARGEST_MESSAGE: usize = 64 * 1024;
/// Far more than the turns that a bot is sent: the transcript must not fill the memory.
const MOST_MESSAGES: usize = 20_000;
const SECOND: Duration = Duration::from_secs(1);

/// Something to say to a bot.
pub(super) struct Out {
    pub(super) item: Result<Bytes, Status>,
    /// Told when the transport takes it.
    pub(super) taken: Option<oneshot::Sender<()>>,
}

/// A server that bots dial. Stops when dropped.
pub(super) struct Gateway {
    pub(super) address: SocketAddr,
    pub(super) shears: Shears,
    _stop: DropGuard,
}

impl Gateway {
    pub(super) async fn listen(
        address: SocketAddr,
        events: mpsc::UnboundedSender<Event>,
    ) -> std::io::Result<Self> {
        let listener = TcpListener::bind(address).await?;
        let address = listener.local_addr()?;
        let shears = Shears::default();
        let stop = CancellationToken::new();
        let incoming = {
            let shears = shears.clone();
            TcpListenerStream::new(listener)
                .map(move |stream| stream.map(|stream| cuttable(&shears, stream)))
        };
        let service = Front {
            events,
            connections: Arc::default(),
        };
        let server = Server::builder()
            .add_service(service)
            .serve_with_incoming_shutdown(incoming, stop.clone().cancelled_owned());
        let stopped = stop.clone().cancelled_owned();
        tokio::spawn(async move {
            tokio::select! {
                biased;
                // Bots that stay are not waited for.
                () = stopped => {}
                _ = server => {}
            }
        });
        Ok(Self {
            address,
            shears,
            _stop: stop.drop_guard(),
        })
    }
}

fn cuttable(shears: &Shears, stream: TcpStream) -> Cuttable {
    // Without it messages are late, and nothing else.
    let _ = stream.set_nodelay(true);
    shears.under(stream)
}

#[derive(Clone)]
struct Front {
    events: mpsc::UnboundedSender<Event>,
    connections: Arc<AtomicU64>,
}

impl NamedService for Front {
    const NAME: &'static str = "broadside.v1.GatewayService";
}

type Answering<T, E> = Pin<Box<dyn Future<Output = Result<T, E>> + Send>>;

impl tower::Service<http::Request<Body>> for Front {
    type Response = http::Response<Body>;
    type Error = Infallible;
    type Future = Answering<Self::Response, Infallible>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: http::Request<Body>) -> Self::Future {
        let front = self.clone();
        Box::pin(async move {
            if request.uri().path() != CONNECT {
                return Ok(Status::unimplemented("the checker serves Connect alone").into_http());
            }
            let mut grpc = tonic::server::Grpc::new(Raw).max_decoding_message_size(LARGEST_MESSAGE);
            Ok(grpc.streaming(front, request).await)
        })
    }
}

impl tower::Service<Request<Streaming<Bytes>>> for Front {
    type Response = Response<Speech>;
    type Error = Status;
    type Future = Answering<Self::Response, Status>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Status>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<Streaming<Bytes>>) -> Self::Future {
        let connection = self.connections.fetch_add(1, Ordering::Relaxed) + 1;
        let (speaker, speech) = mpsc::unbounded_channel();
        let events = self.events.clone();
        Box::pin(async move {
            // Without a bench there is nobody to talk to: the stream then ends at once.
            let _ = events.send(Event::Dial {
                connection,
                speaker,
                at: Instant::now(),
            });
            tokio::spawn(listen(connection, request.into_inner(), events));
            Ok(Response::new(Speech(speech)))
        })
    }
}

async fn listen(
    connection: u64,
    mut incoming: Streaming<Bytes>,
    events: mpsc::UnboundedSender<Event>,
) {
    let (mut second, mut count) = (Instant::now(), 0);
    loop {
        if second.elapsed() > SECOND {
            (second, count) = (Instant::now(), 0);
        }
        count += 1;
        let said = match incoming.message().await {
            Ok(Some(_)) if count > MOST_MESSAGES => Err(Status::resource_exhausted(format!(
                "more than {MOST_MESSAGES} messages in a second"
            ))),
            Ok(Some(bytes)) => match ConnectRequest::decode(bytes) {
                Ok(request) => Ok(Some(request)),
                Err(error) => Err(Status::invalid_argument(format!(
                    "the message cannot be read: {error}"
                ))),
            },
            Ok(None) => Ok(None),
            Err(status) => Err(status),
        };
        let last = !matches!(said, Ok(Some(_)));
        let said = Event::Said {
            connection,
            said,
            at: Instant::now(),
        };
        if events.send(said).is_err() || last {
            return;
        }
    }
}

/// What is said to a bot, as the transport takes it.
struct Speech(mpsc::UnboundedReceiver<Out>);

impl Stream for Speech {
    type Item = Result<Bytes, Status>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.0.poll_recv(context).map(|out| {
            let Out { item, taken } = out?;
            if let Some(taken) = taken {
                // Whoever asked may have stopped to wait.
                let _ = taken.send(());
            }
            Some(item)
        })
    }
}
