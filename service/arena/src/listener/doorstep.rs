//! What a new connection must do before the server sees it.

use std::{io, net::SocketAddr, time::Duration};

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    time::timeout,
};
use tokio_rustls::TlsAcceptor;

use super::{
    admission::Place,
    connection::{Connection, Wire},
    rotation::Current,
};

/// With what every HTTP/2 connection begins (RFC 9113, 3.4).
pub(super) const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/// How long a connection that is closed may take to notice.
const LINGER: Duration = Duration::from_secs(1);
/// How much of what it still sends is read meanwhile.
const LINGER_BYTES: u64 = 64 * 1024;

/// What is asked of new connections.
#[derive(Debug)]
pub(super) struct Doorstep {
    /// What to serve TLS with, if at all.
    pub(super) tls: Option<Current>,
    pub(super) handshake_timeout: Duration,
    pub(super) preface_timeout: Duration,
    pub(super) first_call_timeout: Duration,
}

/// Why a connection is not for the server.
#[derive(Debug, thiserror::Error)]
pub(super) enum Refused {
    #[error("no TLS handshake within {0:?} (setting handshake_timeout)")]
    HandshakeTimeout(Duration),
    #[error("no TLS handshake: {0}")]
    Handshake(io::Error),
    #[error("no HTTP/2 within {0:?} (setting preface_timeout)")]
    PrefaceTimeout(Duration),
    #[error("{0}")]
    NotHttp2(&'static str),
    #[error("it went away: {0}")]
    Gone(io::Error),
}

impl Refused {
    /// A word for the kind.
    pub(super) fn name(&self) -> &'static str {
        match self {
            Self::HandshakeTimeout(_) => "handshake timeout",
            Self::Handshake(_) => "handshake",
            Self::PrefaceTimeout(_) => "preface timeout",
            Self::NotHttp2(what) => what,
            Self::Gone(_) => "gone",
        }
    }
}

impl Doorstep {
    /// Takes a connection through TLS, if the arena has it, and to the beginning of HTTP/2.
    pub(super) async fn receive(
        &self,
        stream: TcpStream,
        peer: SocketAddr,
        place: Place,
    ) -> Result<Connection, Refused> {
        // A connection that has gone already fails below.
        let _ = stream.set_nodelay(true);
        let local = stream.local_addr().ok();
        let mut wire = match &self.tls {
            None => Wire::Plain(stream),
            Some(current) => {
                let handshake = TlsAcceptor::from(current.config()).accept(stream);
                let stream = timeout(self.handshake_timeout, handshake)
                    .await
                    .map_err(|_| Refused::HandshakeTimeout(self.handshake_timeout))?
                    .map_err(Refused::Handshake)?;
                Wire::Tls(Box::new(stream))
            }
        };
        let read = timeout(self.preface_timeout, read_preface(&mut wire))
            .await
            .unwrap_or(Err(Refused::PrefaceTimeout(self.preface_timeout)));
        if let Err(refused) = read {
            // Its place stays taken for as long as this takes.
            let _ = timeout(LINGER, close(wire)).await;
            return Err(refused);
        }
        Ok(Connection::new(
            wire,
            local,
            peer,
            self.first_call_timeout,
            place,
        ))
    }
}

async fn read_preface(wire: &mut Wire) -> Result<(), Refused> {
    let mut got = [0; PREFACE.len()];
    let mut length = 0;
    while length < PREFACE.len() {
        match wire.read(&mut got[length..]).await {
            Ok(0) => return Err(Refused::Gone(io::ErrorKind::UnexpectedEof.into())),
            Ok(read) => length += read,
            Err(error) => return Err(Refused::Gone(error)),
        }
        if got[..length] != PREFACE[..length] {
            return Err(Refused::NotHttp2(looks_like(&got[..length])));
        }
    }
    Ok(())
}

/// What the beginning of something that is not HTTP/2 looks like.
fn looks_like(beginning: &[u8]) -> &'static str {
    const METHODS: [&[u8]; 6] = [b"GET", b"POS", b"PUT", b"HEA", b"OPT", b"CON"];
    if beginning.starts_with(&[0x16, 3]) {
        "it began with TLS, and this arena has none (settings tls_cert and tls_key)"
    } else if METHODS.iter().any(|method| beginning.starts_with(method)) {
        "it began with HTTP/1, and gRPC needs HTTP/2"
    } else {
        "it did not begin with HTTP/2"
    }
}

/// Closes, and reads what is on its way: a socket that is closed with bytes unread resets the connection instead.
async fn close(mut wire: Wire) {
    if wire.shutdown().await.is_ok() {
        let _ = tokio::io::copy(&mut wire.take(LINGER_BYTES), &mut tokio::io::sink()).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_http2_is_named() {
        assert!(looks_like(&[0x16, 3, 1, 0]).contains("tls_cert"));
        assert!(looks_like(b"GET / HTTP/1.1").contains("HTTP/1"));
        assert!(looks_like(&[0, 255]).contains("did not begin"));
    }
}
