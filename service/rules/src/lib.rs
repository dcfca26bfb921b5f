//! The referees of Broadside's seven variants: six of Battleship, and Abalone.
//!
//! Everything here is a pure function of the moves: no I/O, no clock, no randomness of its own. A
//! [`Game`] is asked who is [to act](Game::to_act), is given a [`Move`], and returns an [`Answer`]
//! (what the mover and everybody else is told) or an [`IllegalMove`], in which case nothing has
//! changed. Strikes, clocks and the rule of naumachia that a fault loses lie above this crate.
//!
//! ```
//! use broadside_rules::{Game, Options, Phase, Seat, Variant};
//!
//! let game = Game::new(&Options::default_of(Variant::Classic));
//! assert_eq!(game.phase(), Phase::Deployment);
//! assert!(game.to_act().contains(Seat::Two));
//! ```

#![forbid(unsafe_code)]

pub mod abalone;
pub mod naval;

mod game;
mod illegal_move;
mod outcome;
mod seat;
mod variant;

pub use game::{Answer, Game, Move, Options};
pub use illegal_move::{BerthFault, IllegalMove, MoveKind};
pub use outcome::{Ending, Outcome, Phase};
pub use seat::{Seat, Seats};
pub use variant::{UnknownVariant, Variant};
