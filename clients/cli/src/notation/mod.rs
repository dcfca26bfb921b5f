//! How cells, ships and moves are written, each variant in its own notation: one strict grammar, read and printed.
//!
//! - classic, salvo, advanced-salvo, amiral, amiral-advanced: row A-J, then column: `B10` is row 2, column 10.
//! - naumachia: column as a Greek capital, then row: `Γ4` is column 3, row 4.
//! - abalone: row a-i, then the diagonal's number: `c4`; a move is its marbles and a direction: `c3 c4 c5 ne`.
//!
//! Everything that is printed reads back as the same thing. What is read may besides be in the other case, and in
//! naumachia a Latin letter that looks like the Greek one. Numbers are ASCII digits without sign or leading zero.

mod abalone;
mod cell;
mod moves;
mod ships;

pub use abalone::{
    abalone_cell, direction, parse_abalone_cell, parse_abalone_move, parse_direction,
};
pub(crate) use abalone::{numbers, on_board, row_letter};
pub use cell::{Coordinates, berth, parse_berth, parse_route, route};
pub(crate) use moves::{after, deployed, deployment_move};
pub use moves::{move_text, parse_move};
pub use ships::{deployment, parse_deployment, parse_ship, ship};

/// What was typed is not in the notation: one sentence that says what was found and what would be right.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct NotationError(String);

impl NotationError {
    fn new(message: impl Into<String>) -> Self {
        Self(message.into())
    }
}

/// Reads a number from `lowest` to `highest` in plain digits: no sign, no leading zero, nothing else.
fn number(text: &str, lowest: u32, highest: u32) -> Option<u32> {
    let plain = !text.is_empty()
        && text.len() <= 3
        && !text.starts_with('0')
        && text.bytes().all(|byte| byte.is_ascii_digit());
    let number = plain.then(|| text.parse().ok()).flatten()?;
    (lowest..=highest).contains(&number).then_some(number)
}

/// What somebody typed, quoted for a message.
fn quoted(text: &str) -> String {
    format!("\"{}\"", crate::text::escape(text))
}
