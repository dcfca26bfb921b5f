//! A message to a bot as it goes over the wire.

use broadside_proto::v1;
use prost::Message;

use crate::convert::Writer;

/// Bytes before each message of gRPC: whether it is compressed, and its length.
const PREFIX: usize = 5;

/// The number of `ConnectResponse.turn`.
const TURN: u32 = 3;

/// An encoded `ConnectResponse` in gRPC's frame. May be written again and again, without another allocation. Not to be printed.
#[derive(Default)]
pub struct Frame(Vec<u8>);

impl Frame {
    /// A message's frame.
    pub fn of(message: v1::connect_response::Message) -> Self {
        let mut frame = Self::default();
        frame.write(message);
        frame
    }

    /// Writes a message over what was there.
    pub fn write(&mut self, message: v1::connect_response::Message) {
        let message = v1::ConnectResponse {
            message: Some(message),
        };
        self.0.clear();
        self.0.extend([0; PREFIX]);
        // A Vec has room for whatever it is.
        let _ = message.encode(&mut self.0);
        self.close();
    }

    /// Writes a turn over what was there: its fields, by `fields`.
    pub fn write_turn(&mut self, fields: impl FnOnce(&mut Writer<'_>)) {
        self.0.clear();
        self.0.extend([0; PREFIX]);
        Writer::new(&mut self.0).nested(TURN, fields);
        self.close();
    }

    /// Puts the length of what has been written where it belongs.
    fn close(&mut self) {
        // The arena makes no message of 4 GiB.
        let length = u32::try_from(self.0.len() - PREFIX).unwrap_or(u32::MAX);
        self.0[1..PREFIX].copy_from_slice(&length.to_be_bytes());
    }

    /// All of it.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.0
    }
}
