//! Bots that are bad on purpose, each in one way, and bots that are good: each must be graded for what it does, and for nothing else.
#![allow(
    clippy::panic,
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test that fails panics"
)]

mod dialled;
mod dials_in;
mod harness;
mod mind;
mod outputs;
mod programs;
#[path = "../../src/raw.rs"]
mod raw;
