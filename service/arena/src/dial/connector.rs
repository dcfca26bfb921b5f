use std::{
    future::Future,
    io,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};

use http::Uri;
use hyper_util::rt::TokioIo;
use tokio::net::{TcpStream, lookup_host};
use tower::Service;

use super::{
    address::host,
    network::{self, Allowed},
};

/// Most addresses of a name that are looked at.
const MOST: usize = 32;

/// Resolves a name once, and connects to what was checked: a name that means something else a moment later changes
/// nothing.
#[derive(Clone, Debug)]
pub(super) struct Connector(Arc<[Allowed]>);

impl Connector {
    pub(super) fn new(allow: Arc<[Allowed]>) -> Self {
        Self(allow)
    }
}

impl Service<Uri> for Connector {
    type Response = TokioIo<TcpStream>;
    type Error = io::Error;
    type Future = Pin<Box<dyn Future<Output = io::Result<Self::Response>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, uri: Uri) -> Self::Future {
        let allow = self.0.clone();
        Box::pin(async move { connect(&uri, &allow).await.map(TokioIo::new) })
    }
}

async fn connect(uri: &Uri, allow: &[Allowed]) -> io::Result<TcpStream> {
    let (Some(host), Some(port)) = (host(uri), uri.port_u16()) else {
        return Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            "there is no host and port in the address",
        ));
    };
    let addresses: Vec<_> = lookup_host((host, port)).await?.take(MOST).collect();
    // All of them: a name that has one address of its own and one of ours is up to no good.
    for address in &addresses {
        network::check(address.ip(), allow)
            .map_err(|why| io::Error::new(io::ErrorKind::PermissionDenied, why))?;
    }
    let mut failed = io::Error::new(io::ErrorKind::NotFound, "the name has no address");
    for address in addresses {
        match TcpStream::connect(address).await {
            Ok(stream) => {
                stream.set_nodelay(true)?;
                return Ok(stream);
            }
            Err(error) => failed = error,
        }
    }
    Err(failed)
}
