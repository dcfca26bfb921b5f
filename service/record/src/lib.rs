//! Records: what a match's log says, and whether it can be trusted.
//!
//! [`convert`] is the edge between the contract and the rules; [`Replay`] and [`Summary`] are what a log amounts to; [`chain`],
//! [`signature`] and [`commitment`] make it tamper-evident.

#![forbid(unsafe_code)]

pub mod chain;
pub mod commitment;
pub mod convert;
pub mod replay;
pub mod seed;
pub mod signature;
mod summary;

pub use replay::Replay;
pub use summary::Summary;
