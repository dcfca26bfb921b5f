use std::fmt;

use arrayvec::ArrayVec;

use super::{Cell, Direction, Marbles};
use crate::IllegalMove;

/// Room for the legal moves of any position. With 14 marbles a side a search found 150 at most, and
/// 264 on a board crowded to that end.
pub type MoveList = ArrayVec<Move, 512>;

/// One of the three lines through a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Line {
    /// West to east.
    East,
    /// South-west to north-east.
    NorthEast,
    /// South-east to north-west.
    NorthWest,
}

impl Line {
    /// All three.
    pub const ALL: [Self; 3] = [Self::East, Self::NorthEast, Self::NorthWest];

    /// The direction along the line in which cells are counted: up, or to the east.
    #[must_use]
    pub const fn direction(self) -> Direction {
        Direction::ALL[self as usize]
    }
}

/// One, two or three cells side by side in a straight line. Equal sets of cells are equal groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Group {
    first: Cell,
    line: Line,
    size: u8,
}

impl Group {
    /// The group of these cells, given in any order.
    ///
    /// # Errors
    /// [`IllegalMove::NotAGroup`] if they are none.
    pub fn new(cells: &[Cell]) -> Result<Self, IllegalMove> {
        let not_a_group = IllegalMove::NotAGroup { named: cells.len() };
        let first = *cells.iter().min().ok_or(not_a_group)?;
        let size = match cells.len() {
            size @ 1..=3 => size as u8,
            _ => return Err(not_a_group),
        };
        let named: Marbles = cells.iter().copied().collect();
        Line::ALL
            .into_iter()
            .map(|line| Self { first, line, size })
            .find(|group| group.marbles() == named && named.len() == size.into())
            .ok_or(not_a_group)
    }

    /// A group of a size 1-3 that the caller vouches to lie on the board. Of a single cell the line
    /// is always east, so that equal sets are equal groups.
    pub(super) const fn vouched(first: Cell, line: Line, size: u8) -> Self {
        debug_assert!(size >= 1 && size <= 3);
        let line = if size == 1 { Line::East } else { line };
        Self { first, line, size }
    }

    /// How many cells: 1, 2 or 3.
    #[must_use]
    pub const fn size(self) -> u8 {
        self.size
    }

    /// The line that the cells are in; of no meaning for a single one.
    #[must_use]
    pub const fn line(self) -> Line {
        self.line
    }

    /// The cells, the lowest row first, and in a row the lowest number.
    pub fn cells(self) -> impl Iterator<Item = Cell> {
        let along = self.line.direction();
        std::iter::successors(Some(self.first), move |cell| cell.step(along)).take(self.size.into())
    }

    /// The cells as a set.
    #[must_use]
    pub const fn marbles(self) -> Marbles {
        let direction = self.line.direction();
        let one = Marbles::only(self.first);
        let two = one.shifted(direction);
        match self.size {
            1 => one,
            2 => one.union(two),
            _ => one.union(two).union(two.shifted(direction)),
        }
    }

    /// Whether a move that way is along the group's line, as every move of a single marble is.
    #[must_use]
    pub fn moves_in_line(self, direction: Direction) -> bool {
        let along = self.line.direction();
        self.size == 1 || direction == along || direction == along.opposite()
    }
}

/// A move: a group of one's own marbles, and where each of them steps. Every legal move has
/// exactly one such name.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Move {
    /// The marbles that are moved.
    pub group: Group,
    /// The way that they all go.
    pub direction: Direction,
}

impl Move {
    /// The move of these cells, given in any order.
    ///
    /// # Errors
    /// [`IllegalMove::NotAGroup`] if the cells are no group.
    pub fn new(cells: &[Cell], direction: Direction) -> Result<Self, IllegalMove> {
        let group = Group::new(cells)?;
        Ok(Self { group, direction })
    }
}

impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for cell in self.group.cells() {
            write!(f, "{cell} ")?;
        }
        write!(f, "{}", self.direction)
    }
}

impl fmt::Debug for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// What a move did to the enemy's marbles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Answer {
    /// Enemy marbles pushed, 0-2, with the one that fell.
    pub pushed: u8,
    /// Whether the last of them fell off the board.
    pub ejected: bool,
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    fn cell(text: &str) -> Cell {
        text.parse().unwrap()
    }

    #[test]
    fn there_are_61_singles_156_pairs_and_129_triples() {
        let mut sizes = [0; 4];
        let mut groups = HashSet::new();
        for first in Cell::all() {
            for line in Line::ALL {
                let next = |cell: &Cell| cell.step(line.direction());
                let run: Vec<_> = std::iter::successors(Some(first), next).take(3).collect();
                for size in 1..=run.len() {
                    let group = Group::new(&run[..size]).unwrap();
                    assert_eq!(group, Group::vouched(first, line, size as u8));
                    assert!(group.cells().eq(run[..size].iter().copied()));
                    assert_eq!(group.marbles(), run[..size].iter().copied().collect());
                    if groups.insert(group) {
                        sizes[size] += 1;
                    }
                }
            }
        }
        assert_eq!(sizes, [0, 61, 156, 129]);
    }

    #[test]
    fn the_order_in_which_cells_are_named_does_not_matter() {
        let forth = Group::new(&[cell("c3"), cell("d4"), cell("e5")]).unwrap();
        let mixed = Group::new(&[cell("d4"), cell("e5"), cell("c3")]).unwrap();
        assert_eq!(forth, mixed);
    }

    #[test]
    fn what_is_no_line_of_one_to_three_is_no_group() {
        for names in [
            &[][..],
            &["e3", "e5"],
            &["e4", "e4"],
            &["e4", "e4", "e5"],
            &["e4", "e5", "f5"],
            &["e3", "e4", "e6"],
            &["a1", "i9"],
            &["e2", "e3", "e4", "e5"],
            &["e4", "f3"],
        ] {
            let cells: Vec<_> = names.iter().map(|name| cell(name)).collect();
            let refused = Err(IllegalMove::NotAGroup { named: names.len() });
            assert_eq!(Group::new(&cells), refused, "{names:?}");
        }
    }
}
