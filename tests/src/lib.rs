//! What the end-to-end tests and the showcase share: an arena on loopback, bots that do as they are told, and matches
//! between them. Everything goes over real sockets.

mod arena;
mod bot;
mod certificates;
mod database;
pub mod hostile;
pub mod newer;
pub mod programs;
pub mod proxy;
mod request;
mod skipped;
mod store;
mod table;

pub use arena::{TestArena, ended};
pub use bot::{Bot, DialledBot, PATIENCE};
pub use certificates::{Authority, Pair, tls_channel};
pub use database::TestDatabase;
pub use request::{VARIANTS, dialled, fast, named, options, request};
pub use skipped::skipped;
pub use store::{Whims, WhimsicalStore};
pub use table::{Table, classic, shot};
