//! Abalone: the board, the moves, and the referee.
//!
//! [`Position`] is for those who search: it knows the board and who is to move. [`Game`] adds what
//! a match needs: plies, repetitions and the end.

mod action;
mod board;
mod cell;
mod direction;
mod game;
mod generate;
mod layout;
mod marbles;
mod options;
mod perft;
mod position;

pub use action::{Answer, Group, Line, Move, MoveList};
pub use board::{Board, BoardError};
pub use cell::{Cell, NotationError};
pub use direction::Direction;
pub use game::{Game, View};
pub use layout::{CustomLayout, Layout, LayoutError, UnknownLayout};
pub use marbles::Marbles;
pub use options::{Options, OptionsError};
pub use position::{EJECTIONS_TO_WIN, Position};
