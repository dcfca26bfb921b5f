use std::{
    fmt,
    ops::{BitAnd, BitOr, BitOrAssign, Not, Sub},
};

use super::{Cell, Orientation, cell::SIZE};

/// A set of cells: one bit each, row by row.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct CellSet(u128);

impl CellSet {
    /// No cell.
    pub const EMPTY: Self = Self(0);
    /// The whole grid.
    pub const ALL: Self = Self((1 << (SIZE * SIZE)) - 1);

    const LEFT_COLUMN: u128 = Self::ALL.0 / ((1 << SIZE) - 1);
    const RIGHT_COLUMN: u128 = Self::LEFT_COLUMN << (SIZE - 1);

    /// The set of one cell.
    #[must_use]
    pub const fn only(cell: Cell) -> Self {
        Self(1 << cell.index())
    }

    /// Whether `cell` is in the set.
    #[must_use]
    pub const fn contains(self, cell: Cell) -> bool {
        // To look at one byte is faster than to shift sixteen.
        let index = cell.index();
        let byte = self.0.to_le_bytes()[index as usize / 8];
        byte >> (index % 8) & 1 != 0
    }

    /// Adds `cell`.
    pub const fn insert(&mut self, cell: Cell) {
        self.0 |= 1 << cell.index();
    }

    /// How many cells are in the set.
    #[must_use]
    pub const fn len(self) -> usize {
        self.0.count_ones() as usize
    }

    /// Whether no cell is in the set.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether every cell of this set is in `other`.
    #[must_use]
    pub const fn is_subset(self, other: Self) -> bool {
        self.0 & !other.0 == 0
    }

    /// The first cell of the set, row by row.
    #[must_use]
    pub const fn first(self) -> Option<Cell> {
        if self.is_empty() {
            return None;
        }
        Some(Cell::from_index(self.0.trailing_zeros() as u8))
    }

    /// The cells outside the set that touch it by side or corner.
    #[must_use]
    pub const fn ring(self) -> Self {
        let wide =
            self.0 | (self.0 & !Self::RIGHT_COLUMN) << 1 | (self.0 & !Self::LEFT_COLUMN) >> 1;
        let grown = wide | wide << SIZE | wide >> SIZE;
        Self(grown & Self::ALL.0 & !self.0)
    }

    /// The top-left cells of the 2 x 2 blocks that lie on the grid and hold a cell of this set.
    pub(super) const fn blocks(self) -> Self {
        let wide = self.0 | (self.0 & !Self::LEFT_COLUMN) >> 1;
        let grown = wide | wide >> SIZE;
        Self(grown & !Self::RIGHT_COLUMN & Self::ALL.0 >> SIZE)
    }

    /// The 2 x 2 block with this top-left cell, if it lies on the grid.
    pub(super) const fn block(top_left: Cell) -> Option<Self> {
        if top_left.row() == SIZE || top_left.column() == SIZE {
            return None;
        }
        Some(Self((0b11 | 0b11 << SIZE) << top_left.index()))
    }

    /// The cells from `first` on as far as `last`, which lies in its row or its column.
    pub(super) const fn line(orientation: Orientation, first: Cell, last: Cell) -> Self {
        let line = match orientation {
            Orientation::Horizontal => Self::ALL.0,
            Orientation::Vertical => Self::LEFT_COLUMN,
        };
        let upto_last = u128::MAX >> (u128::BITS - 1 - last.index() as u32);
        Self(line << first.index() & upto_last)
    }

    /// The cells of the set, row by row.
    pub fn iter(self) -> impl Iterator<Item = Cell> {
        let mut rest = self.0;
        std::iter::from_fn(move || {
            let cell = Self(rest).first()?;
            rest &= rest - 1;
            Some(cell)
        })
    }
}

impl BitAnd for CellSet {
    type Output = Self;

    fn bitand(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }
}

impl BitOr for CellSet {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl BitOrAssign for CellSet {
    fn bitor_assign(&mut self, other: Self) {
        self.0 |= other.0;
    }
}

impl Sub for CellSet {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }
}

impl Not for CellSet {
    type Output = Self;

    fn not(self) -> Self {
        Self(!self.0 & Self::ALL.0)
    }
}

impl FromIterator<Cell> for CellSet {
    fn from_iter<I: IntoIterator<Item = Cell>>(cells: I) -> Self {
        let mut set = Self::EMPTY;
        for cell in cells {
            set.insert(cell);
        }
        set
    }
}

impl fmt::Debug for CellSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(a: Cell, b: Cell) -> bool {
        a != b && a.row().abs_diff(b.row()) <= 1 && a.column().abs_diff(b.column()) <= 1
    }

    #[test]
    fn a_ring_is_the_cells_in_contact_also_at_edges_and_corners() {
        for cell in Cell::all() {
            let slow: CellSet = Cell::all().filter(|&other| near(cell, other)).collect();
            assert_eq!(CellSet::only(cell).ring(), slow, "{cell}");
        }
    }

    #[test]
    fn blocks_lie_wholly_on_the_grid_and_hold_a_cell_of_the_set() {
        for cell in Cell::all() {
            let slow: CellSet = Cell::all()
                .filter(|&corner| CellSet::block(corner).is_some_and(|block| block.contains(cell)))
                .collect();
            assert_eq!(CellSet::only(cell).blocks(), slow, "{cell}");
        }
        assert_eq!(CellSet::ALL.blocks().len(), 81);
    }

    #[test]
    fn a_set_gives_its_cells_back_row_by_row() {
        assert!(CellSet::ALL.iter().eq(Cell::all()));
        assert_eq!(!CellSet::ALL, CellSet::EMPTY);
        assert_eq!(CellSet::EMPTY.first(), None);
    }
}
