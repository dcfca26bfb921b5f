//! What fuzzing feeds with bytes. Each function takes whatever bytes there are, and panics if something is not as it must be.
//!
//! `fuzz/targets` hands them what libFuzzer makes up; `tests/kept.rs` what was found interesting before.
#![forbid(unsafe_code)]
#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "what is found is told by panicking"
)]

mod decode_and_play;
mod hello;
mod record;

pub use decode_and_play::decode_and_play;
pub use hello::hello;
pub use record::record;

/// A target: its name, and the function.
pub type Target = (&'static str, fn(&[u8]));

/// All of them.
pub const TARGETS: [Target; 3] = [
    ("decode_and_play", decode_and_play),
    ("record", record),
    ("hello", hello),
];
