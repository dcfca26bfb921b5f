use std::fmt;

use crate::IllegalMove;

/// Rows, and columns, of the grid.
pub const SIZE: u8 = 10;

/// A cell of the 10 x 10 grid: row 1 is the top, column 1 the left.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Cell(u8);

impl Cell {
    /// In the top-left corner.
    pub(super) const FIRST: Self = Self(0);

    /// The cell in `row` and `column`, each 1-10, if there is one.
    #[must_use]
    pub const fn new(row: u32, column: u32) -> Option<Self> {
        if row < 1 || row > SIZE as u32 || column < 1 || column > SIZE as u32 {
            return None;
        }
        Some(Self((row as u8 - 1) * SIZE + column as u8 - 1))
    }

    /// The cell in `row` and `column` as a player named them.
    ///
    /// # Errors
    /// [`IllegalMove::OffGrid`] unless both are 1-10.
    pub const fn named(row: u32, column: u32) -> Result<Self, IllegalMove> {
        match Self::new(row, column) {
            Some(cell) => Ok(cell),
            None => Err(IllegalMove::OffGrid { row, column }),
        }
    }

    /// The cell with this [`number`](Self::number), 1-100, if there is one.
    #[must_use]
    pub const fn from_number(number: u32) -> Option<Self> {
        if number < 1 || number > (SIZE as u32) * (SIZE as u32) {
            return None;
        }
        Some(Self(number as u8 - 1))
    }

    /// 1-10, from the top.
    #[must_use]
    pub const fn row(self) -> u8 {
        self.0 / SIZE + 1
    }

    /// 1-10, from the left.
    #[must_use]
    pub const fn column(self) -> u8 {
        self.0 % SIZE + 1
    }

    /// 1-100, row by row: 10 * (row - 1) + column.
    #[must_use]
    pub const fn number(self) -> u8 {
        self.0 + 1
    }

    /// Every cell, row by row.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..SIZE * SIZE).map(Self)
    }

    /// 0-99: the cell's bit in a [`CellSet`](super::CellSet).
    pub(super) const fn index(self) -> u8 {
        self.0
    }

    /// The inverse of [`index`](Self::index); the caller vouches that it is below 100.
    pub(super) const fn from_index(index: u8) -> Self {
        debug_assert!(index < SIZE * SIZE);
        Self(index)
    }
}

impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "(row {}, column {})", self.row(), self.column())
    }
}

impl fmt::Debug for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "({}, {})", self.row(), self.column())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_grid_has_its_four_edges_and_nothing_beyond() {
        for (row, column) in [(1, 1), (1, 10), (10, 1), (10, 10)] {
            let cell = Cell::new(row, column).unwrap();
            assert_eq!(
                (u32::from(cell.row()), u32::from(cell.column())),
                (row, column)
            );
        }
        for (row, column) in [(0, 5), (5, 0), (11, 5), (5, 11), (u32::MAX, 1), (257, 1)] {
            assert_eq!(
                Cell::named(row, column),
                Err(IllegalMove::OffGrid { row, column })
            );
        }
    }

    #[test]
    fn numbers_go_row_by_row_from_1_to_100() {
        assert_eq!(Cell::from_number(0), None);
        assert_eq!(Cell::from_number(101), None);
        assert_eq!(Cell::from_number(257), None);
        assert_eq!(Cell::new(2, 10).unwrap().number(), 20);
        for (cell, number) in Cell::all().zip(1..) {
            assert_eq!(Cell::from_number(number), Some(cell));
            assert_eq!(u32::from(cell.number()), number);
        }
        assert_eq!(Cell::all().count(), 100);
    }
}
