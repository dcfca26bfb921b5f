//! Peers that do not mean well: they write HTTP/2 by hand, right or wrong.

use std::{io, net::SocketAddr};

use anyhow::{Context, bail};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    time::timeout,
};

use crate::PATIENCE;

/// With what every HTTP/2 connection begins.
pub const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/// Types of frames.
pub mod kind {
    #![allow(missing_docs)]
    pub const DATA: u8 = 0;
    pub const HEADERS: u8 = 1;
    pub const RST_STREAM: u8 = 3;
    pub const SETTINGS: u8 = 4;
    pub const PING: u8 = 6;
    pub const GOAWAY: u8 = 7;
    pub const CONTINUATION: u8 = 9;
}

/// Flags of frames.
pub mod flag {
    #![allow(missing_docs)]
    pub const ACK: u8 = 1;
    pub const END_STREAM: u8 = 1;
    pub const END_HEADERS: u8 = 4;
}

/// Error codes of HTTP/2.
pub mod code {
    #![allow(missing_docs)]
    pub const REFUSED_STREAM: u32 = 7;
    pub const CANCEL: u32 = 8;
    pub const ENHANCE_YOUR_CALM: u32 = 11;
}

/// A frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    /// Its [kind].
    pub kind: u8,
    /// Its [flags](flag).
    pub flags: u8,
    /// The stream that it is of.
    pub stream: u32,
    /// What it carries.
    pub payload: Vec<u8>,
}

impl Frame {
    /// A frame.
    pub fn new(kind: u8, flags: u8, stream: u32, payload: impl Into<Vec<u8>>) -> Self {
        Self {
            kind,
            flags,
            stream,
            payload: payload.into(),
        }
    }

    /// The beginning of a call of a method, with headers besides those that it needs.
    pub fn call(stream: u32, flags: u8, path: &str, more: &[(&str, &str)]) -> Self {
        let mut block = Vec::new();
        let needed = [
            (":method", "POST"),
            (":scheme", "http"),
            (":path", path),
            (":authority", "arena"),
            ("content-type", "application/grpc"),
            ("te", "trailers"),
        ];
        for (name, value) in needed.iter().chain(more) {
            field(&mut block, name, value);
        }
        Self::new(kind::HEADERS, flags | flag::END_HEADERS, stream, block)
    }

    /// The end of a stream by this peer.
    pub fn reset(stream: u32) -> Self {
        Self::new(kind::RST_STREAM, 0, stream, code::CANCEL.to_be_bytes())
    }

    /// Why a stream or a connection ends, if that is what it says.
    pub fn error(&self) -> Option<u32> {
        let at = match self.kind {
            kind::RST_STREAM => 0,
            kind::GOAWAY => 4,
            _ => return None,
        };
        let bytes = self.payload.get(at..at + 4)?;
        Some(u32::from_be_bytes(bytes.try_into().ok()?))
    }

    /// As it goes over the wire.
    pub fn bytes(&self) -> Vec<u8> {
        let length = (self.payload.len() as u32).to_be_bytes();
        let mut bytes = vec![length[1], length[2], length[3], self.kind, self.flags];
        bytes.extend(self.stream.to_be_bytes());
        bytes.extend(&self.payload);
        bytes
    }
}

/// A header field, literal and without Huffman's code (RFC 7541, 6.2.2).
pub fn field(block: &mut Vec<u8>, name: &str, value: &str) {
    block.push(0);
    for text in [name, value] {
        let mut length = text.len();
        if length < 127 {
            block.push(length as u8);
        } else {
            block.push(127);
            length -= 127;
            while length >= 128 {
                block.push(length as u8 | 128);
                length >>= 7;
            }
            block.push(length as u8);
        }
        block.extend(text.as_bytes());
    }
}

/// A peer on a bare connection.
pub struct Peer(TcpStream);

impl Peer {
    /// Connects, and says nothing.
    ///
    /// # Errors
    /// If there is no connection.
    pub async fn connect(address: SocketAddr) -> io::Result<Self> {
        TcpStream::connect(address).await.map(Self)
    }

    /// Connects, and begins with HTTP/2 as it should.
    ///
    /// # Errors
    /// If there is no connection.
    pub async fn begin(address: SocketAddr) -> io::Result<Self> {
        let mut peer = Self::connect(address).await?;
        peer.write(PREFACE).await?;
        peer.send(&[Frame::new(kind::SETTINGS, 0, 0, [])]).await?;
        Ok(peer)
    }

    /// Writes bytes.
    ///
    /// # Errors
    /// If the connection is closed.
    pub async fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.0.write_all(bytes).await
    }

    /// Writes frames, all at once.
    ///
    /// # Errors
    /// If the connection is closed.
    pub async fn send(&mut self, frames: &[Frame]) -> io::Result<()> {
        let bytes: Vec<u8> = frames.iter().flat_map(Frame::bytes).collect();
        self.write(&bytes).await
    }

    /// The next frame; none if the connection is closed, in whatever way.
    ///
    /// # Errors
    /// If nothing happens within [`PATIENCE`].
    pub async fn next(&mut self) -> anyhow::Result<Option<Frame>> {
        timeout(PATIENCE, self.read())
            .await
            .context("neither a frame nor an end")
    }

    async fn read(&mut self) -> Option<Frame> {
        let mut head = [0; 9];
        self.0.read_exact(&mut head).await.ok()?;
        let [a, b, c, kind, flags, stream @ ..] = head;
        let mut payload = vec![0; u32::from_be_bytes([0, a, b, c]) as usize];
        self.0.read_exact(&mut payload).await.ok()?;
        Some(Frame::new(kind, flags, u32::from_be_bytes(stream), payload))
    }

    /// The first frame that is as wanted, others put aside; none if the connection is closed before.
    ///
    /// # Errors
    /// As [`next`](Self::next).
    pub async fn find(&mut self, wanted: impl Fn(&Frame) -> bool) -> anyhow::Result<Option<Frame>> {
        while let Some(frame) = self.next().await? {
            if wanted(&frame) {
                return Ok(Some(frame));
            }
        }
        Ok(None)
    }

    /// Everything that comes until the connection is closed.
    ///
    /// # Errors
    /// If it is not closed within [`PATIENCE`].
    pub async fn closed(mut self) -> anyhow::Result<Vec<u8>> {
        let mut got = Vec::new();
        let read = timeout(PATIENCE, self.0.read_to_end(&mut got))
            .await
            .context("the connection is not closed")?;
        match read {
            Ok(_) => Ok(got),
            // Closed as well, with bytes of ours unread.
            Err(error) if error.kind() == io::ErrorKind::ConnectionReset => Ok(got),
            Err(error) => bail!(error),
        }
    }
}
