//! The arena: seats remote agents, keeps clocks and rules, hides what is hidden, records everything.
//!
//! A turn's path is a straight line: a bot's stream ([`gateway`]) or a call to it ([`dialled`]), the match
//! ([`play`]), its referee (`broadside_rules`), its log ([`store`]), and the next seat ([`roster::SeatLink`]). One task a match owns
//! referee and clocks; whatever else is known of a match is a function of its log ([`replay`]).

#![forbid(unsafe_code)]

pub mod auth;
pub mod busy_poll;
pub mod catalog;
pub mod dial;
pub mod dialled;
pub mod field;
pub mod gateway;
pub mod limits;
mod listener;
pub mod meters;
pub mod panics;
pub mod play;
pub mod request;
pub mod roster;
pub mod runner;
mod server;
pub mod services;
pub mod settings;
pub mod stall;
pub mod store;
pub mod telemetry;
pub mod time;

pub use broadside_record::{convert, replay, seed};
pub use listener::{Io, raise_descriptor_limit};
pub use server::Arena;
pub use settings::Settings;
