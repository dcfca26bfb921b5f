//! gRPC over the simulated network.

use std::{io, time::Duration};

use futures_util::stream;
use http::Uri;
use hyper_util::rt::TokioIo;
use tokio_stream::Stream;
use tonic::transport::{Channel, Endpoint, Error};
use turmoil::net::{TcpListener, TcpStream};

/// The arena's name on the network.
pub(crate) const ARENA: &str = "arena";

/// Where it listens.
pub(crate) const PORT: u16 = 4600;

/// After how much silence a connection is pinged, and how long it then has: a lost segment is never sent again in this network, so
/// that a connection that lost one is as good as dead.
pub(crate) const KEEPALIVE: Duration = Duration::from_secs(1);

/// The connections that come to the arena.
pub(crate) async fn connections() -> io::Result<impl Stream<Item = TcpStream> + Send + 'static> {
    let listener = TcpListener::bind(("0.0.0.0", PORT)).await?;
    Ok(stream::unfold(listener, async |listener| {
        let (connection, _) = listener.accept().await.ok()?;
        Some((connection, listener))
    }))
}

/// A connection to the arena.
pub(crate) async fn connect() -> Result<Channel, Error> {
    let connector = tower::service_fn(|_: Uri| async {
        let stream = TcpStream::connect((ARENA, PORT)).await?;
        Ok::<_, io::Error>(TokioIo::new(stream))
    });
    Endpoint::from_static("http://arena:4600")
        .connect_timeout(KEEPALIVE)
        .http2_keep_alive_interval(KEEPALIVE)
        .keep_alive_timeout(KEEPALIVE)
        .keep_alive_while_idle(true)
        .connect_with_connector(connector)
        .await
}
