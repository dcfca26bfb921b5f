use std::{fmt, str::FromStr};

use thiserror::Error;

use super::{Cell, Marbles};
use crate::Seat;

/// The marbles on the board, those of each seat: no cell holds two.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Board {
    marbles: [Marbles; 2],
}

impl Board {
    /// No marble at all.
    pub const EMPTY: Self = Self {
        marbles: [Marbles::EMPTY; 2],
    };

    /// The board with these marbles of each seat, by [`Seat::index`]; the caller vouches that no
    /// cell holds two.
    pub(super) const fn vouched(marbles: [Marbles; 2]) -> Self {
        Self { marbles }
    }

    /// The board that nine rows show: the top row (i, White's side) first, `b` black, `w` white, `.`
    /// empty.
    ///
    /// # Errors
    /// [`BoardError`] if there are not nine rows, of 5 6 7 8 9 8 7 6 5 such characters.
    pub fn from_rows<S: AsRef<str>>(rows: &[S]) -> Result<Self, BoardError> {
        if rows.len() != 9 {
            return Err(BoardError::Rows(rows.len()));
        }
        let mut marbles = [Marbles::EMPTY; 2];
        for (text, row) in rows.iter().map(AsRef::as_ref).zip((1..=9).rev()) {
            let cells = row_cells(row);
            let (found, expected) = (text.chars().count(), cells.clone().count());
            if found != expected {
                return Err(BoardError::Length {
                    row: row_letter(row),
                    found,
                    expected,
                });
            }
            for (cell, character) in cells.zip(text.chars()) {
                let single = Marbles::only(cell);
                match character {
                    'b' => marbles[0] = marbles[0] | single,
                    'w' => marbles[1] = marbles[1] | single,
                    '.' => {}
                    _ => return Err(BoardError::Character { cell, character }),
                }
            }
        }
        Ok(Self { marbles })
    }

    /// The nine rows, as [`from_rows`](Self::from_rows) takes them.
    #[must_use]
    pub fn rows(&self) -> [String; 9] {
        std::array::from_fn(|down| {
            row_cells(9 - down as u32)
                .map(|cell| match self.at(cell) {
                    Some(Seat::One) => 'b',
                    Some(Seat::Two) => 'w',
                    None => '.',
                })
                .collect()
        })
    }

    /// The marbles of `seat`: black is seat 1.
    #[must_use]
    pub const fn marbles(&self, seat: Seat) -> Marbles {
        self.marbles[seat.index()]
    }

    /// Whose marble lies on `cell`, if any.
    #[must_use]
    pub fn at(&self, cell: Cell) -> Option<Seat> {
        Seat::ALL
            .into_iter()
            .find(|&seat| self.marbles(seat).contains(cell))
    }
}

fn row_cells(row: u32) -> impl Iterator<Item = Cell> + Clone {
    (1..=9).filter_map(move |number| Cell::new(row, number))
}

const fn row_letter(row: u32) -> char {
    (b'a' + row as u8 - 1) as char
}

/// The nine rows with slashes between them.
impl fmt::Display for Board {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.rows().join("/"))
    }
}

impl fmt::Debug for Board {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The nine rows with slashes between them.
impl FromStr for Board {
    type Err = BoardError;

    fn from_str(text: &str) -> Result<Self, BoardError> {
        Self::from_rows(&text.split('/').collect::<Vec<_>>())
    }
}

/// Rows that show no board.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum BoardError {
    /// Not nine rows.
    #[error("{0} rows are given: a board has nine, the top row (i) first")]
    Rows(usize),
    /// A row of the wrong length.
    #[error("row {row} has {found} characters: it must have {expected}")]
    Length {
        /// Letter of the row.
        row: char,
        /// Its characters.
        found: usize,
        /// Its cells.
        expected: usize,
    },
    /// Something else than `b`, `w` and `.`.
    #[error("{character:?} stands on {cell}: write b for black, w for white and . for empty")]
    Character {
        /// Where.
        cell: Cell,
        /// What.
        character: char,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_read_from_the_top_and_printed_alike() {
        let rows = ".w..w/.ww.../..ww.w./......b./..b.b.b../.b....../b.....w/b...ww/.b..w";
        let board: Board = rows.parse().unwrap();
        assert_eq!(board.to_string(), rows);
        assert_eq!(board.at("i6".parse().unwrap()), Some(Seat::Two));
        assert_eq!(board.at("a2".parse().unwrap()), Some(Seat::One));
        assert_eq!(board.at("a1".parse().unwrap()), None);
    }

    #[test]
    fn what_is_wrong_with_rows_is_said() {
        assert_eq!("".parse::<Board>(), Err(BoardError::Rows(1)));
        let rows = "...../....../......./......../........./......../......./....../....";
        let wrong = BoardError::Length {
            row: 'a',
            found: 4,
            expected: 5,
        };
        assert_eq!(rows.parse::<Board>(), Err(wrong));
        let wrong = BoardError::Character {
            cell: "a5".parse().unwrap(),
            character: 'W',
        };
        assert_eq!(format!("{rows}W").parse::<Board>(), Err(wrong));
        assert_eq!(
            format!("{rows}.").parse::<Board>().unwrap().rows()[4],
            "........."
        );
    }
}
