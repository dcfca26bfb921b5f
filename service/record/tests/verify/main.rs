//! What verification finds: real records, and what is not right about them after one thing was changed.
#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test fails by panicking"
)]

mod forged;
mod kept;
mod tampered;
