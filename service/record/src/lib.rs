//! Records: what a match's log says, and whether it can be trusted.
//!
//! [`convert`] is the edge between the contract and the rules; [`Replay`] and [`Summary`] are what a log amounts to; [`chain`],
//! [`signature`] and [`commitment`] make it tamper-evident, and [`mod@verify`] checks all of it again.

#![forbid(unsafe_code)]

pub mod chain;
pub mod commitment;
pub mod convert;
pub mod replay;
pub mod seed;
pub mod signature;
mod summary;
pub mod verify;
mod written;

pub use replay::Replay;
pub use summary::Summary;
pub use verify::{Finding, Verified, verify, verify_written};
pub use written::Written;
