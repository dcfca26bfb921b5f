//! A message to a bot as it goes over the wire.

use broadside_proto::v1;
use prost::Message;

use crate::convert::Writer;

/// Bytes before each message of gRPC: whether it is compressed, and its length.
const PREFIX: usize = 5;

/// The number of `ConnectResponse.turn`.
const TURN: u32 = 3;

/// Room for a turn, in bytes: few are larger, unless they hold legal moves.
const TYPICAL: usize = 448;

/// An encoded `ConnectResponse` in gRPC's frame. Not to be printed.
pub struct Frame(Vec<u8>);

impl Frame {
    /// A message's frame.
    pub fn of(message: v1::connect_response::Message) -> Self {
        let message = v1::ConnectResponse {
            message: Some(message),
        };
        let mut frame = Self::open(message.encoded_len());
        // A Vec has room for whatever it is.
        let _ = message.encode(&mut frame.0);
        frame.close()
    }

    /// A turn's frame: its fields are written by `fields`.
    ///
    /// One is made for each turn, and not one kept for each match: memory that has just been used by another match is near, and that of
    /// this match's last turn is far away.
    pub fn of_turn(fields: impl FnOnce(&mut Writer<'_>)) -> Self {
        let mut frame = Self::open(TYPICAL);
        Writer::new(&mut frame.0).nested(TURN, fields);
        frame.close()
    }

    fn open(capacity: usize) -> Self {
        let mut bytes = Vec::with_capacity(PREFIX + capacity);
        bytes.extend([0; PREFIX]);
        Self(bytes)
    }

    /// Puts the length of what has been written where it belongs.
    fn close(mut self) -> Self {
        // The arena makes no message of 4 GiB.
        let length = u32::try_from(self.0.len() - PREFIX).unwrap_or(u32::MAX);
        self.0[1..PREFIX].copy_from_slice(&length.to_be_bytes());
        self
    }

    /// All of it.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.0
    }
}
