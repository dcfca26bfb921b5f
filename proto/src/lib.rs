//! The Broadside contract: messages, clients and servers, generated from `broadside/v1/*.proto`.
//!
//! The comments of the `.proto` files are the documentation of the types here. With the feature `json`, every message
//! reads and writes proto-JSON through serde.

/// Version 1 of the contract.
#[allow(
    clippy::all,
    clippy::doc_markdown,
    clippy::large_enum_variant,
    missing_docs,
    rustdoc::all
)]
pub mod v1 {
    tonic::include_proto!("broadside.v1");

    #[cfg(feature = "json")]
    include!(concat!(env!("OUT_DIR"), "/broadside.v1.serde.rs"));

    /// The contract as an encoded `FileDescriptorSet`, for gRPC reflection.
    pub const FILE_DESCRIPTOR_SET: &[u8] =
        include_bytes!(concat!(env!("OUT_DIR"), "/broadside.v1.bin"));
}

/// The version of the protocol that this crate speaks: the `protocol_version` of a hello.
pub const PROTOCOL_VERSION: u32 = 1;
