//! The match as a state machine: time is a number that the tests pass in, and nothing here waits, listens or sleeps.
#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test fails by panicking"
)]

mod clock;
mod connection;
mod deployment;
mod endings;
mod exactly_once;
mod kept;
mod moves;
mod record;
mod resume;
mod script;
mod simulation;
mod table;
mod ticks;
mod turns;
mod verdict;
mod world;
