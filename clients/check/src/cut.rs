//! Connections that can be cut.

use std::{
    io,
    pin::Pin,
    sync::{Arc, Mutex, PoisonError},
    task::{Context, Poll, ready},
};

use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    net::TcpStream,
};
use tokio_util::sync::{CancellationToken, WaitForCancellationFutureOwned};
use tonic::transport::server::Connected;

/// Cuts every connection that was made under it so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct Shears(Arc<Mutex<CancellationToken>>);

impl Shears {
    pub(crate) fn cut(&self) {
        let mut current = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut *current).cancel();
    }

    pub(crate) fn under(&self, stream: TcpStream) -> Cuttable {
        let current = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        Cuttable {
            stream,
            cut: Box::pin(current.clone().cancelled_owned()),
        }
    }
}

/// A connection that ends, for both sides, when it is cut.
pub(crate) struct Cuttable {
    stream: TcpStream,
    cut: Pin<Box<WaitForCancellationFutureOwned>>,
}

impl Cuttable {
    fn poll_cut(&mut self, context: &mut Context<'_>) -> Poll<io::Error> {
        ready!(self.cut.as_mut().poll(context));
        // The next poll must not find a finished future.
        self.cut = Box::pin(cancelled().cancelled_owned());
        Poll::Ready(io::Error::new(
            io::ErrorKind::ConnectionReset,
            "cut by the checker",
        ))
    }
}

fn cancelled() -> CancellationToken {
    let token = CancellationToken::new();
    token.cancel();
    token
}

impl AsyncRead for Cuttable {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if let Poll::Ready(error) = self.poll_cut(context) {
            return Poll::Ready(Err(error));
        }
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl AsyncWrite for Cuttable {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        if let Poll::Ready(error) = self.poll_cut(context) {
            return Poll::Ready(Err(error));
        }
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

impl Connected for Cuttable {
    type ConnectInfo = ();

    fn connect_info(&self) {}
}
