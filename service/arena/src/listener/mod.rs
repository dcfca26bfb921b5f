//! The arena's front door: accepts connections, and hands those on that are worth it.
//!
//! A connection is admitted ([`admission`]), sets up TLS if the arena has it ([`tls`], [`rotation`]) and begins with
//! HTTP/2 ([`doorstep`]), each before a deadline of its own; only then does the server see it ([`connection`]), and only
//! calls that are gRPC reach a service ([`front`]). What is turned away here is told in the log, a little at a time
//! ([`quiet`]).

mod admission;
mod connection;
mod doorstep;
mod exposure;
mod front;
mod given;
pub(crate) mod pem;
mod quiet;
mod rotation;
mod tls;

use std::{
    io,
    net::SocketAddr,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};

use anyhow::Context as _;
use tokio::{
    net::{TcpListener, TcpStream},
    sync::{mpsc, watch},
};
use tokio_stream::{Stream, StreamExt, wrappers::ReceiverStream};
use tokio_util::sync::{CancellationToken, DropGuard};

use self::{admission::Admission, doorstep::Doorstep, quiet::Quiet, rotation::Rotation};
pub(crate) use self::{
    admission::most_connections, connection::Connection, exposure::refuse_exposure,
    front::FrontLayer,
};
pub use self::{admission::raise_descriptor_limit, given::Io};
use crate::settings::Settings;

/// First wait after the system refused to accept; doubled each time.
const FIRST_WAIT: Duration = Duration::from_millis(5);
/// Longest such wait.
const LONGEST_WAIT: Duration = Duration::from_millis(500);
/// How many connections may wait for the server to take them.
const READY: usize = 64;

/// A socket that listens, and what it asks of connections.
pub(crate) struct Listener {
    socket: TcpListener,
    address: SocketAddr,
    admission: Admission,
    doorstep: Doorstep,
    rotation: Option<Rotation>,
    short: watch::Sender<bool>,
}

impl Listener {
    /// Listens on the settings' address.
    ///
    /// # Errors
    /// If that address cannot be listened on, or the files of TLS are not right: names the file and the reason.
    pub(crate) async fn bind(settings: &Settings) -> anyhow::Result<Self> {
        let rotation = Rotation::from(settings)?;
        let socket = TcpListener::bind(settings.listen)
            .await
            .with_context(|| format!("cannot listen on {}", settings.listen))?;
        Ok(Self {
            address: socket.local_addr()?,
            socket,
            admission: Admission::new(
                settings.max_connections,
                settings.max_connections_per_address,
            ),
            doorstep: Doorstep {
                tls: rotation.as_ref().map(Rotation::current),
                handshake_timeout: settings.handshake_timeout,
                preface_timeout: settings.preface_timeout,
                first_call_timeout: settings.first_call_timeout,
            },
            rotation,
            short: watch::Sender::new(false),
        })
    }

    /// Where it listens.
    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// Whether the system refuses to accept connections at present: it is short of descriptors or memory.
    pub(crate) fn short(&self) -> watch::Receiver<bool> {
        self.short.subscribe()
    }

    /// Begins to accept; ends, and closes the socket, when the stream is dropped.
    pub(crate) fn incoming(self) -> Incoming {
        let (ready, queue) = mpsc::channel(READY);
        let stop = CancellationToken::new();
        if let Some(rotation) = self.rotation {
            tokio::spawn(stop.clone().run_until_cancelled_owned(rotation.watch()));
        }
        let accepting = Accepting {
            socket: self.socket,
            admission: self.admission,
            doorstep: Arc::new(self.doorstep),
            short: self.short,
            quiet: Arc::new(Quiet::default()),
            ready,
            stop: stop.clone(),
        };
        tokio::spawn(stop.clone().run_until_cancelled_owned(accepting.run()));
        Incoming {
            ready: Box::pin(ReceiverStream::new(queue)),
            _stop: Some(stop.drop_guard()),
        }
    }
}

/// Where connections come from.
pub(crate) enum Door {
    /// A socket.
    Socket(Box<Listener>),
    /// Elsewhere: nothing is asked of them before the server sees them.
    Given(Incoming),
}

impl Door {
    /// Connections from elsewhere.
    pub(crate) fn given(connections: impl Stream<Item = impl Io> + Send + 'static) -> Self {
        let ready = connections.map(|connection| Connection::given(Box::new(connection)));
        Self::Given(Incoming {
            ready: Box::pin(ready),
            _stop: None,
        })
    }

    /// Where it listens, if it is a socket.
    pub(crate) fn address(&self) -> Option<SocketAddr> {
        match self {
            Self::Socket(listener) => Some(listener.address()),
            Self::Given(_) => None,
        }
    }

    /// As [`Listener::short`].
    pub(crate) fn short(&self) -> watch::Receiver<bool> {
        match self {
            Self::Socket(listener) => listener.short(),
            Self::Given(_) => watch::Sender::new(false).subscribe(),
        }
    }

    /// As [`Listener::incoming`].
    pub(crate) fn incoming(self) -> Incoming {
        match self {
            Self::Socket(listener) => listener.incoming(),
            Self::Given(incoming) => incoming,
        }
    }
}

/// Connections that have begun with HTTP/2, for the server to serve.
pub(crate) struct Incoming {
    ready: Pin<Box<dyn Stream<Item = Connection> + Send>>,
    _stop: Option<DropGuard>,
}

impl Stream for Incoming {
    type Item = io::Result<Connection>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.ready
            .as_mut()
            .poll_next(context)
            .map(|connection| connection.map(Ok))
    }
}

struct Accepting {
    socket: TcpListener,
    admission: Admission,
    doorstep: Arc<Doorstep>,
    short: watch::Sender<bool>,
    quiet: Arc<Quiet>,
    ready: mpsc::Sender<Connection>,
    stop: CancellationToken,
}

impl Accepting {
    async fn run(self) {
        let mut wait = FIRST_WAIT;
        loop {
            match self.socket.accept().await {
                Ok((stream, peer)) => {
                    wait = FIRST_WAIT;
                    if self.short.send_if_modified(std::mem::take) {
                        tracing::info!("accepts connections again");
                    }
                    self.welcome(stream, peer);
                }
                Err(error) if is_the_peers(&error) => {}
                Err(error) => {
                    self.short
                        .send_if_modified(|short| !std::mem::replace(short, true));
                    self.quiet.say("accept", |untold| {
                        tracing::error!(%error, untold, "cannot accept connections: tries again until it can");
                    });
                    tokio::time::sleep(wait).await;
                    wait = (wait * 2).min(LONGEST_WAIT);
                }
            }
        }
    }

    /// Takes a connection to the doorstep, on a task of its own: none waits for another.
    fn welcome(&self, stream: TcpStream, peer: SocketAddr) {
        let place = match self.admission.admit(peer.ip()) {
            Ok(place) => place,
            Err(full) => {
                self.quiet.say(full.name(), |untold| {
                    tracing::warn!(%peer, untold, "connection refused: {full}");
                });
                return;
            }
        };
        let doorstep = self.doorstep.clone();
        let quiet = self.quiet.clone();
        let ready = self.ready.clone();
        let arrival = async move {
            match doorstep.receive(stream, peer, place).await {
                // The server is gone if it takes no more.
                Ok(connection) => drop(ready.send(connection).await),
                Err(refused) => quiet.say(refused.name(), |untold| {
                    tracing::info!(%peer, untold, "connection closed: {refused}");
                }),
            }
        };
        tokio::spawn(self.stop.clone().run_until_cancelled_owned(arrival));
    }
}

/// Whether accepting failed for a reason of the one connection, so that the next may come at once.
fn is_the_peers(error: &io::Error) -> bool {
    use io::ErrorKind;
    matches!(
        error.kind(),
        ErrorKind::ConnectionAborted
            | ErrorKind::ConnectionReset
            | ErrorKind::ConnectionRefused
            | ErrorKind::Interrupted
            | ErrorKind::TimedOut
    )
}
