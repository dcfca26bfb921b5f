//! The contract grows, and what was written before plays on: one end speaks a schema that has more of everything, the other this one.
#![allow(
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test that fails panics"
)]

mod matches;
mod messages;
mod records;
mod services;
