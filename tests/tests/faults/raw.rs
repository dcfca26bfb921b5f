//! A stream on which a bot sends whatever bytes it likes.

use anyhow::Context;
use broadside_proto::v1;
use broadside_tests::PATIENCE;
use bytes::{Buf, BufMut};
use prost::Message;
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;
use tonic::{
    Request, Status, Streaming,
    client::Grpc,
    codec::{Codec, DecodeBuf, Decoder, EncodeBuf, Encoder},
    transport::Channel,
};

/// Messages as bytes, unlooked at, one way; the arena's own the other way.
struct Bytes;

impl Encoder for Bytes {
    type Item = Vec<u8>;
    type Error = Status;

    fn encode(&mut self, item: Vec<u8>, into: &mut EncodeBuf<'_>) -> Result<(), Status> {
        into.put_slice(&item);
        Ok(())
    }
}

impl Decoder for Bytes {
    type Item = v1::ConnectResponse;
    type Error = Status;

    fn decode(&mut self, from: &mut DecodeBuf<'_>) -> Result<Option<Self::Item>, Status> {
        let bytes = from.copy_to_bytes(from.remaining());
        let decoded = v1::ConnectResponse::decode(bytes);
        decoded
            .map(Some)
            .map_err(|error| Status::internal(error.to_string()))
    }
}

impl Codec for Bytes {
    type Encode = Vec<u8>;
    type Decode = v1::ConnectResponse;
    type Encoder = Self;
    type Decoder = Self;

    fn encoder(&mut self) -> Self {
        Self
    }

    fn decoder(&mut self) -> Self {
        Self
    }
}

/// A stream of bytes.
pub(crate) struct RawBot {
    outgoing: mpsc::Sender<Vec<u8>>,
    incoming: Streaming<v1::ConnectResponse>,
}

impl RawBot {
    pub(crate) async fn open(channel: Channel) -> anyhow::Result<Self> {
        let (outgoing, queue) = mpsc::channel(64);
        let mut client = Grpc::new(channel);
        client.ready().await?;
        let path = http::uri::PathAndQuery::from_static("/broadside.v1.GatewayService/Connect");
        let stream = Request::new(ReceiverStream::new(queue));
        let incoming = client.streaming(stream, path, Bytes).await?.into_inner();
        Ok(Self { outgoing, incoming })
    }

    /// Opens a stream and says a good hello.
    pub(crate) async fn connect(
        channel: Channel,
        profile: v1::AgentProfile,
    ) -> anyhow::Result<Self> {
        let mut bot = Self::open(channel).await?;
        bot.send(hello(profile).encode_to_vec()).await?;
        bot.next().await?;
        Ok(bot)
    }

    pub(crate) async fn send(&self, bytes: Vec<u8>) -> anyhow::Result<()> {
        self.outgoing
            .send(bytes)
            .await
            .context("the stream is gone")
    }

    pub(crate) async fn next(&mut self) -> anyhow::Result<v1::connect_response::Message> {
        let next = tokio::time::timeout(PATIENCE, self.incoming.message()).await??;
        next.and_then(|response| response.message)
            .context("the stream ended, or said nothing")
    }

    pub(crate) async fn ended(&mut self) -> anyhow::Result<Status> {
        loop {
            match tokio::time::timeout(PATIENCE, self.incoming.message()).await? {
                Ok(Some(_)) => {}
                Ok(None) => anyhow::bail!("the stream ended well"),
                Err(status) => return Ok(status),
            }
        }
    }
}

/// A hello as a request.
pub(crate) fn hello(profile: v1::AgentProfile) -> v1::ConnectRequest {
    request(v1::connect_request::Message::Hello(v1::Hello {
        protocol_version: 1,
        profile: Some(profile),
        ..Default::default()
    }))
}

/// A message as a request.
pub(crate) fn request(message: v1::connect_request::Message) -> v1::ConnectRequest {
    v1::ConnectRequest {
        message: Some(message),
    }
}

/// A field of a newer schema, of so many bytes: number 1999, length-delimited.
pub(crate) fn unknown_field(bytes: usize) -> Vec<u8> {
    let mut field = Vec::new();
    prost::encoding::encode_key(
        1_999,
        prost::encoding::WireType::LengthDelimited,
        &mut field,
    );
    prost::encoding::encode_varint(bytes as u64, &mut field);
    field.resize(field.len() + bytes, 7);
    field
}

/// A field that holds a message.
pub(crate) fn message_field(number: u32, message: &[u8]) -> Vec<u8> {
    let mut field = Vec::new();
    prost::encoding::encode_key(
        number,
        prost::encoding::WireType::LengthDelimited,
        &mut field,
    );
    prost::encoding::encode_varint(message.len() as u64, &mut field);
    field.extend_from_slice(message);
    field
}
