//! A connection that the server serves.

use std::{
    io,
    net::SocketAddr,
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context, Poll},
    time::Duration,
};

use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    net::TcpStream,
    time::{Sleep, sleep},
};
use tokio_rustls::server::TlsStream;
use tonic::transport::server::{Connected, TcpConnectInfo};

use super::{admission::Place, doorstep::PREFACE, given::Io};

/// Bytes of a connection, in the clear or not.
pub(super) enum Wire {
    Plain(TcpStream),
    Tls(Box<TlsStream<TcpStream>>),
    Given(Box<dyn Io>),
}

/// A connection whose peer has begun with HTTP/2. It ends if no call comes in time.
pub(crate) struct Connection {
    wire: Wire,
    /// How much of the preface, which was read on the doorstep, the server is still to read.
    preface: &'static [u8],
    /// Until the first call: how long it may still take.
    patience: Option<Pin<Box<Sleep>>>,
    caller: Caller,
    _place: Option<Place>,
}

/// Who calls, for the layers above.
#[derive(Clone, Debug)]
pub(crate) struct Caller {
    /// Both ends of the connection.
    pub(super) ends: TcpConnectInfo,
    called: Arc<AtomicBool>,
}

impl Caller {
    /// Notes that the connection has made a call.
    pub(super) fn calls(&self) {
        self.called.store(true, Ordering::Relaxed);
    }
}

impl Connection {
    /// A connection of which the preface has been read.
    pub(super) fn new(
        wire: Wire,
        local: Option<SocketAddr>,
        peer: SocketAddr,
        patience: Duration,
        place: Place,
    ) -> Self {
        Self {
            wire,
            preface: PREFACE,
            patience: Some(Box::pin(sleep(patience))),
            caller: Caller {
                ends: TcpConnectInfo {
                    local_addr: local,
                    remote_addr: Some(peer),
                },
                called: Arc::default(),
            },
            _place: Some(place),
        }
    }

    /// A connection from elsewhere than a socket, of which nothing has been read. Nothing is known of its ends.
    pub(super) fn given(connection: Box<dyn Io>) -> Self {
        Self {
            wire: Wire::Given(connection),
            preface: &[],
            patience: None,
            caller: Caller {
                ends: TcpConnectInfo {
                    local_addr: None,
                    remote_addr: None,
                },
                called: Arc::default(),
            },
            _place: None,
        }
    }

    /// Whether the peer has let its time for a first call go by.
    fn is_idle(&mut self, context: &mut Context<'_>) -> bool {
        let Some(patience) = &mut self.patience else {
            return false;
        };
        if self.caller.called.load(Ordering::Relaxed) {
            self.patience = None;
            return false;
        }
        patience.as_mut().poll(context).is_ready()
    }
}

impl Connected for Connection {
    type ConnectInfo = Caller;

    fn connect_info(&self) -> Caller {
        self.caller.clone()
    }
}

impl AsyncRead for Wire {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Plain(stream) => Pin::new(stream).poll_read(context, buffer),
            Self::Tls(stream) => Pin::new(stream).poll_read(context, buffer),
            Self::Given(stream) => Pin::new(stream).poll_read(context, buffer),
        }
    }
}

impl AsyncWrite for Wire {
    fn poll_write(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        match self.get_mut() {
            Self::Plain(stream) => Pin::new(stream).poll_write(context, bytes),
            Self::Tls(stream) => Pin::new(stream).poll_write(context, bytes),
            Self::Given(stream) => Pin::new(stream).poll_write(context, bytes),
        }
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        match self.get_mut() {
            Self::Plain(stream) => Pin::new(stream).poll_write_vectored(context, slices),
            Self::Tls(stream) => Pin::new(stream).poll_write_vectored(context, slices),
            Self::Given(stream) => Pin::new(stream).poll_write_vectored(context, slices),
        }
    }

    fn is_write_vectored(&self) -> bool {
        match self {
            Self::Plain(stream) => stream.is_write_vectored(),
            Self::Tls(stream) => stream.is_write_vectored(),
            Self::Given(stream) => stream.is_write_vectored(),
        }
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Plain(stream) => Pin::new(stream).poll_flush(context),
            Self::Tls(stream) => Pin::new(stream).poll_flush(context),
            Self::Given(stream) => Pin::new(stream).poll_flush(context),
        }
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Plain(stream) => Pin::new(stream).poll_shutdown(context),
            Self::Tls(stream) => Pin::new(stream).poll_shutdown(context),
            Self::Given(stream) => Pin::new(stream).poll_shutdown(context),
        }
    }
}

impl AsyncRead for Connection {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if self.is_idle(context) {
            return Poll::Ready(Err(io::Error::new(
                io::ErrorKind::TimedOut,
                "no call was made in time",
            )));
        }
        if !self.preface.is_empty() {
            let (now, later) = self
                .preface
                .split_at(self.preface.len().min(buffer.remaining()));
            buffer.put_slice(now);
            self.preface = later;
            return Poll::Ready(Ok(()));
        }
        Pin::new(&mut self.wire).poll_read(context, buffer)
    }
}

impl AsyncWrite for Connection {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.wire).poll_write(context, bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.wire).poll_write_vectored(context, slices)
    }

    fn is_write_vectored(&self) -> bool {
        self.wire.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.wire).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.wire).poll_shutdown(context)
    }
}
