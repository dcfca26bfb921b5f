//! What a bot reads of the arena's messages: of a turn only what it decides by, as a bot that is written for speed would. What it does not
//! read costs it next to nothing, and the bench is about the arena.

use broadside_proto::v1;
use prost::{Message, Oneof, bytes::Buf};
use tonic::{
    Status,
    codec::{Codec, DecodeBuf, Decoder},
};
use tonic_prost::{ProstCodec, ProstEncoder};

/// A `ConnectResponse`.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct Heard {
    #[prost(oneof = "Said", tags = "1, 3, 6")]
    pub(crate) said: Option<Said>,
}

#[derive(Clone, PartialEq, Oneof)]
pub(crate) enum Said {
    #[prost(message, tag = "1")]
    Welcome(v1::Welcome),
    #[prost(message, tag = "3")]
    Turn(Turn),
    #[prost(message, tag = "6")]
    MatchEnd(v1::MatchEnd),
}

/// A `Turn`.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct Turn {
    #[prost(uint64, tag = "1")]
    pub(crate) match_id: u64,
    #[prost(uint32, tag = "2")]
    pub(super) turn_id: u32,
    #[prost(enumeration = "v1::Seat", tag = "3")]
    pub(super) seat: i32,
    #[prost(enumeration = "v1::Phase", tag = "4")]
    pub(super) phase: i32,
    #[prost(message, optional, tag = "5")]
    pub(super) view: Option<View>,
}

/// A `View`.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct View {
    #[prost(message, optional, tag = "2")]
    pub(super) salvo: Option<SalvoView>,
}

/// A `SalvoView`.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct SalvoView {
    #[prost(uint32, tag = "3")]
    pub(super) salvo_size: u32,
}

/// The codec of a bot's stream: what is heard comes with its size in bytes.
#[derive(Default)]
pub(super) struct BotCodec(ProstCodec<v1::ConnectRequest, Heard>);

impl Codec for BotCodec {
    type Encode = v1::ConnectRequest;
    type Decode = (Heard, usize);
    type Encoder = ProstEncoder<v1::ConnectRequest>;
    type Decoder = Reader;

    fn encoder(&mut self) -> Self::Encoder {
        self.0.encoder()
    }

    fn decoder(&mut self) -> Self::Decoder {
        Reader
    }
}

pub(super) struct Reader;

impl Decoder for Reader {
    type Item = (Heard, usize);
    type Error = Status;

    fn decode(&mut self, from: &mut DecodeBuf<'_>) -> Result<Option<Self::Item>, Status> {
        let size = from.remaining();
        let heard = Heard::decode(from.copy_to_bytes(size))
            .map_err(|error| Status::internal(error.to_string()))?;
        Ok(Some((heard, size)))
    }
}
