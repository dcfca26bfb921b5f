//! The command line of Broadside.
//!
//! A thin client: it knows the contract (`broadside-proto`) and draws what it is told, but it holds no rules. Whether
//! a move is legal is the arena's business; how a move is written and how a position looks is this crate's.
//!
//! [`board`] and [`describe`] are useful to other programs that show matches; [`notation`] to those that read moves.

pub mod board;
pub mod describe;
pub mod names;
pub mod notation;
pub mod text;
