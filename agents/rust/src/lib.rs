//! Reference agents for every variant, over both directions.
//!
//! An [`Agent`] decides one [`Turn`](broadside_proto::v1::Turn) at a time. [`Random`] picks from the
//! legal moves that a turn lists; [`Hunter`] knows the rules and plays soundly. Either is brought to an
//! arena by [`dial_in`](fn@dial_in), which connects to the arena, or by [`serve`](fn@serve), which the
//! arena connects to.
//!
//! ```no_run
//! use std::sync::Arc;
//! use broadside_agents::{Config, Random, Seed, dial_in, profile};
//!
//! # async fn play() -> Result<(), broadside_agents::DialInError> {
//! let agent = Arc::new(Random::new(Seed(7)));
//! let profile = profile::every_variant("lucky", 16).with_legal_moves();
//! dial_in(Config::new("http://127.0.0.1:4600", profile), agent).await
//! # }
//! ```

// The README's example is compiled by the tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

mod agent;
mod hunter;
mod random;
mod serve;

pub mod dial_in;
pub mod profile;

pub use agent::{Agent, Pace, Seed, Slow};
pub use broadside_access::{Access, AccessArgs, AccessError};
pub use dial_in::{Config, DialIn, DialInError, Retry, Session, dial_in};
pub use hunter::Hunter;
pub use profile::Profile;
pub use random::Random;
pub use serve::{ServeError, serve, serve_tls};
