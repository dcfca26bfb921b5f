use std::{
    fmt,
    ops::{BitAnd, BitOr, BitXor, Not},
};

use super::{Cell, Direction, cell::CELLS};

/// A set of cells of the board: one bit each, by [`Cell::index`].
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Marbles(u64);

impl Marbles {
    /// No cell.
    pub const EMPTY: Self = Self(0);
    /// The whole board.
    pub const ALL: Self = Self((1 << CELLS) - 1);

    /// The set of one cell.
    #[must_use]
    pub const fn only(cell: Cell) -> Self {
        Self(1 << cell.index())
    }

    /// Whether `cell` is in the set.
    #[must_use]
    pub const fn contains(self, cell: Cell) -> bool {
        self.0 >> cell.index() & 1 != 0
    }

    /// Whether no cell is in the set.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// How many cells are in the set.
    #[must_use]
    pub const fn len(self) -> u32 {
        self.0.count_ones()
    }

    /// The cells of either set.
    #[must_use]
    pub const fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// The set as 61 bits.
    #[must_use]
    pub const fn bits(self) -> u64 {
        self.0
    }

    /// The cells next to those of the set, that way; those beyond the edge are lost.
    #[must_use]
    pub const fn shifted(self, direction: Direction) -> Self {
        match direction {
            Direction::East => self.shift::<EAST>(),
            Direction::NorthEast => self.shift::<NORTH_EAST>(),
            Direction::NorthWest => self.shift::<NORTH_WEST>(),
            Direction::West => self.shift::<WEST>(),
            Direction::SouthWest => self.shift::<SOUTH_WEST>(),
            Direction::SouthEast => self.shift::<SOUTH_EAST>(),
        }
    }

    /// [`shifted`](Self::shifted) for a direction known at compile time, given as its number: a
    /// rotation of 61 bits, less what came round from beyond the edge.
    #[inline(always)]
    pub(super) const fn shift<const D: usize>(self) -> Self {
        self.turned(const { TURNS[D] }, const { WITH_NEIGHBOUR[(D + 3) % 6] })
    }

    /// [`shift`](Self::shift) the opposite way.
    #[inline(always)]
    pub(super) const fn shift_back<const D: usize>(self) -> Self {
        self.turned(const { TURNS[(D + 3) % 6] }, const { WITH_NEIGHBOUR[D] })
    }

    #[inline(always)]
    const fn turned(self, turn: u32, reached: u64) -> Self {
        Self((self.0 << turn | self.0 >> (CELLS as u32 - turn)) & reached)
    }

    /// The cells at the board's edge that way.
    pub(super) const fn edge<const D: usize>() -> Self {
        Self(const { Self::ALL.0 & !WITH_NEIGHBOUR[D] })
    }

    /// The cells of the set, in no particular order.
    pub fn iter(self) -> impl Iterator<Item = Cell> {
        self.singles()
            .map(|single| Cell::from_index(single.0.trailing_zeros()))
    }

    /// The sets of one cell that make up this one.
    #[inline(always)]
    pub(super) fn singles(self) -> impl Iterator<Item = Self> {
        let mut rest = self.0;
        std::iter::from_fn(move || {
            let lowest = rest & rest.wrapping_neg();
            rest ^= lowest;
            (lowest != 0).then_some(Self(lowest))
        })
    }

    /// The only cell of a set that has one.
    pub(super) const fn sole(self) -> Option<Cell> {
        if self.0.is_power_of_two() {
            Some(Cell::from_index(self.0.trailing_zeros()))
        } else {
            None
        }
    }
}

// The directions by number, for use as const parameters.
pub(super) const EAST: usize = Direction::East as usize;
pub(super) const NORTH_EAST: usize = Direction::NorthEast as usize;
pub(super) const NORTH_WEST: usize = Direction::NorthWest as usize;
pub(super) const WEST: usize = Direction::West as usize;
pub(super) const SOUTH_WEST: usize = Direction::SouthWest as usize;
pub(super) const SOUTH_EAST: usize = Direction::SouthEast as usize;

/// By how much each direction turns the 61 indices (see [`Cell`]).
const TURNS: [u32; 6] = {
    let mut turns = [0; 6];
    let mut d = 0;
    while d < 6 {
        let (rows, numbers) = Direction::ALL[d].step();
        turns[d] = (13 * rows + numbers).rem_euclid(CELLS as i32) as u32;
        d += 1;
    }
    turns
};

/// For each direction, the cells that have a neighbour that way.
const WITH_NEIGHBOUR: [u64; 6] = {
    let mut sets = [0; 6];
    let mut d = 0;
    while d < 6 {
        let mut index = 0;
        while index < CELLS as u32 {
            if Cell::from_index(index).step(Direction::ALL[d]).is_some() {
                sets[d] |= 1 << index;
            }
            index += 1;
        }
        d += 1;
    }
    sets
};

impl BitAnd for Marbles {
    type Output = Self;

    #[inline(always)]
    fn bitand(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }
}

impl BitOr for Marbles {
    type Output = Self;

    #[inline(always)]
    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl BitXor for Marbles {
    type Output = Self;

    #[inline(always)]
    fn bitxor(self, other: Self) -> Self {
        Self(self.0 ^ other.0)
    }
}

impl Not for Marbles {
    type Output = Self;

    #[inline(always)]
    fn not(self) -> Self {
        Self(!self.0 & Self::ALL.0)
    }
}

impl FromIterator<Cell> for Marbles {
    fn from_iter<I: IntoIterator<Item = Cell>>(cells: I) -> Self {
        cells
            .into_iter()
            .fold(Self::EMPTY, |set, cell| set | Self::only(cell))
    }
}

impl fmt::Debug for Marbles {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shift_is_a_step_of_each_cell() {
        for direction in Direction::ALL {
            for cell in Cell::all() {
                let stepped: Marbles = cell.step(direction).into_iter().collect();
                assert_eq!(
                    Marbles::only(cell).shifted(direction),
                    stepped,
                    "{cell} {direction}"
                );
            }
            let stepped = Cell::all()
                .filter_map(|cell| cell.step(direction))
                .collect();
            assert_eq!(Marbles::ALL.shifted(direction), stepped, "{direction}");
        }
    }
}
