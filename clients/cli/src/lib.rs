//! The command line of Broadside.
//!
//! A thin client: it knows the contract (`broadside-proto`) and draws what it is told, but it holds no rules. Whether
//! a move is legal is the arena's business; how a move is written and how a position looks is this crate's. The one exception is
//! `broadside verify`, which asks the referee of `broadside-record` whether a record can be believed; and `broadside check` brings
//! an arena of its own (`broadside-check`).
//!
//! [`board`] and [`describe`] are useful to other programs that show matches; [`notation`] to those that read moves;
//! [`history`] to those that go through a record.

pub mod args;
pub mod board;
mod client;
mod commands;
pub mod describe;
pub mod error;
pub mod history;
pub mod names;
pub mod notation;
mod options;
mod output;
pub mod text;

pub use commands::run;
