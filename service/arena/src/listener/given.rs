//! Connections that come from elsewhere than a socket of the arena's own.

use tokio::io::{AsyncRead, AsyncWrite};

/// A connection of any kind.
pub trait Io: AsyncRead + AsyncWrite + Send + Unpin + 'static {}

impl<T: AsyncRead + AsyncWrite + Send + Unpin + 'static> Io for T {}
