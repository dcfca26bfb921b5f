use std::{fmt, str::FromStr};

use thiserror::Error;

use super::Direction;
use crate::IllegalMove;

/// Cells of the board.
pub(super) const CELLS: usize = 61;

/// A cell of the hexagon: a row, 1 (a, Black's side) to 9 (i), and the number of a diagonal, 1-9.
///
/// # Numbering
/// Cell (row, number) has index 13 (row - 1) + number - 1, modulo 61. Hexagons of this size tile the
/// plane, and that makes all 61 indices differ, and a step in one direction the same rotation of the
/// indices from every cell: +1 to the east, +13 to the north-west, +14 to the north-east.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Cell(u8);

/// (row, number) of each index.
const PLACES: [(u8, u8); CELLS] = {
    let mut places = [(0, 0); CELLS];
    let mut row = 1;
    while row <= 9 {
        let mut number = 1;
        while number <= 9 {
            if let Some(cell) = Cell::new(row, number) {
                places[cell.0 as usize] = (row as u8, number as u8);
            }
            number += 1;
        }
        row += 1;
    }
    places
};

impl Cell {
    /// The cell in `row` (a is 1) on diagonal `number`, if the board has it.
    #[must_use]
    pub const fn new(row: u32, number: u32) -> Option<Self> {
        if row < 1 || row > 9 || number < 1 || number > 9 || row.abs_diff(number) > 4 {
            return None;
        }
        Some(Self(((13 * (row - 1) + number - 1) % CELLS as u32) as u8))
    }

    /// The cell as a player named it.
    ///
    /// # Errors
    /// [`IllegalMove::OffBoard`] if the board has no such cell.
    pub const fn named(row: u32, number: u32) -> Result<Self, IllegalMove> {
        match Self::new(row, number) {
            Some(cell) => Ok(cell),
            None => Err(IllegalMove::OffBoard { row, number }),
        }
    }

    /// 1 (a, Black's side) to 9 (i).
    #[must_use]
    pub const fn row(self) -> u8 {
        PLACES[self.0 as usize].0
    }

    /// 1-9, the diagonal.
    #[must_use]
    pub const fn number(self) -> u8 {
        PLACES[self.0 as usize].1
    }

    /// The next cell that way, if the board does not end.
    #[must_use]
    pub const fn step(self, direction: Direction) -> Option<Self> {
        let (rows, numbers) = direction.step();
        let row = self.row() as i32 + rows;
        let number = self.number() as i32 + numbers;
        // A negative coordinate becomes one far too large.
        Self::new(row as u32, number as u32)
    }

    /// Every cell, from row a to row i, each by number.
    pub fn all() -> impl Iterator<Item = Self> {
        (1..=9).flat_map(|row| (1..=9).filter_map(move |number| Self::new(row, number)))
    }

    /// 0-60: the cell's bit in [`Marbles`](super::Marbles).
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// The inverse of [`index`](Self::index); the caller vouches that it is below 61.
    pub(super) const fn from_index(index: u32) -> Self {
        debug_assert!(index < CELLS as u32);
        Self(index as u8)
    }
}

impl PartialOrd for Cell {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

/// By row, and then by number.
impl Ord for Cell {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        (self.row(), self.number()).cmp(&(other.row(), other.number()))
    }
}

impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", char::from(b'a' + self.row() - 1), self.number())
    }
}

impl fmt::Debug for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A cell is written as its row's letter and its number: `a1`. Capital letters are read too.
impl FromStr for Cell {
    type Err = NotationError;

    fn from_str(text: &str) -> Result<Self, NotationError> {
        let cell = match *text.as_bytes() {
            [row, number @ b'1'..=b'9'] if row.is_ascii_alphabetic() => Self::new(
                u32::from(row.to_ascii_lowercase() - b'a') + 1,
                u32::from(number - b'0'),
            ),
            _ => None,
        };
        cell.ok_or_else(|| NotationError::Cell(text.to_owned()))
    }
}

/// A text that names no cell or direction.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum NotationError {
    /// No cell.
    #[error("{0:?} is no cell: write a row a-i and a number that the row has, such as a1 or i9")]
    Cell(String),
    /// No direction.
    #[error("{0:?} is no direction: write e, w, nw, ne, se or sw")]
    Direction(String),
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn the_board_has_61_cells_and_no_two_share_an_index() {
        assert_eq!(Cell::all().count(), CELLS);
        let indices: HashSet<_> = Cell::all().map(Cell::index).collect();
        assert_eq!(indices.len(), CELLS);
        for cell in Cell::all() {
            assert_eq!(Cell::from_index(cell.index() as u32), cell);
            assert_eq!(
                Cell::new(cell.row().into(), cell.number().into()),
                Some(cell)
            );
            assert_eq!(cell.to_string().parse(), Ok(cell));
        }
    }

    #[test]
    fn rows_have_the_lengths_of_the_rules() {
        let lengths: Vec<_> = (1..=9)
            .map(|row| (0..20).filter_map(|n| Cell::new(row, n)).count())
            .collect();
        assert_eq!(lengths, [5, 6, 7, 8, 9, 8, 7, 6, 5]);
        assert_eq!(
            Cell::named(6, 1),
            Err(IllegalMove::OffBoard { row: 6, number: 1 })
        );
        for (row, number) in [
            (0, 1),
            (1, 0),
            (10, 9),
            (9, 10),
            (1, 6),
            (9, 4),
            (u32::MAX, 1),
        ] {
            assert_eq!(Cell::new(row, number), None);
        }
    }

    #[test]
    fn nothing_but_a_letter_and_a_digit_of_the_board_is_a_cell() {
        for text in [
            "", "a", "1", "a0", "a6", "f1", "i4", "j5", "a01", "a1 ", "a+1", "ａ1", "α1",
        ] {
            assert!(text.parse::<Cell>().is_err(), "{text:?}");
        }
        assert_eq!("E9".parse(), Ok(Cell::new(5, 9).unwrap()));
    }
}
