//! The six variants of Battleship: one referee, and a table for each variant.
//!
//! What a variant is stands in the file of its name, as a [`Ruleset`]; [`Game`] plays by it.

mod action;
mod arsenal;
mod battle;
mod berth;
mod cell;
mod cell_set;
mod deal;
mod deployment;
mod game;
mod knowledge;
mod legal;
mod notation;
mod options;
mod places;
mod route;
mod ruleset;
mod salvos_told;
mod ship;
mod shots_told;
mod side;
mod view;

pub mod advanced_salvo;
pub mod amiral;
pub mod amiral_advanced;
pub mod classic;
pub mod naumachia;
pub mod salvo;

pub use action::{Answer, Move, ShotAnswer, Sunk};
pub use arsenal::{Arsenal, Hunt, Torpedo};
pub use berth::{Berth, Line};
pub use cell::{Cell, SIZE};
pub use cell_set::CellSet;
pub use deal::deal;
pub use deployment::{Deployment, MAX_SHIPS};
pub use game::Game;
pub use knowledge::Knowledge;
pub use legal::LegalMoves;
pub use notation::{Alphabet, NotationError};
pub use options::{Edition, Options};
pub use route::Route;
pub use ruleset::{FleetEntry, Ruleset, Telling, Volley};
pub use salvos_told::SalvoReport;
pub use ship::{Orientation, PlacedShip, ShipClass};
pub use shots_told::Sinking;
pub use view::{OwnWaters, PublicView, View};
