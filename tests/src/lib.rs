//! What the end-to-end tests and the showcase share: an arena on loopback, bots that do as they are told, and matches
//! between them. Everything goes over real sockets.

mod arena;
mod bot;
pub mod proxy;
mod request;
mod table;

pub use arena::TestArena;
pub use bot::{Bot, DialledBot, PATIENCE};
pub use request::{VARIANTS, dialled, fast, named, options, request};
pub use table::{Table, classic, shot};
