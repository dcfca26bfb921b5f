//! Bare tonic: a service that sends back what it is asked for, and a client that asks at once again.

pub(crate) mod client;
pub(crate) mod server;

use bytes::Bytes;
use tonic_prost::ProstCodec;

/// The streaming call.
const STREAM: &str = "/broadside.load.Echo/Stream";
/// The unary call.
const UNARY: &str = "/broadside.load.Echo/Unary";

/// Bytes of a parcel besides its body: two tags, a number and the body's length.
const OVERHEAD: usize = 6;

/// Some bytes, and how many shall come back.
#[derive(Clone, PartialEq, prost::Message)]
struct Parcel {
    #[prost(uint32, tag = "1")]
    reply: u32,
    #[prost(bytes = "bytes", tag = "2")]
    body: Bytes,
}

impl Parcel {
    /// A parcel of so many bytes, but for one or two, that asks for so many.
    fn new(size: usize, reply: usize) -> anyhow::Result<Self> {
        Ok(Self {
            reply: u32::try_from(reply)?,
            body: vec![7; size.saturating_sub(OVERHEAD)].into(),
        })
    }
}

fn codec() -> ProstCodec<Parcel, Parcel> {
    ProstCodec::default()
}
