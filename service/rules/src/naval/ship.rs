use std::fmt;

use super::{Cell, CellSet, cell::SIZE};
use crate::IllegalMove;

/// The classes of ship, over all variants. How long one is depends on the variant's fleet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ShipClass {
    /// Aircraft carrier.
    Carrier,
    /// Battleship.
    Battleship,
    /// Cruiser.
    Cruiser,
    /// Destroyer.
    Destroyer,
    /// The submarine on the grid (classic); that of amiral-advanced is no ship of the fleet.
    Submarine,
    /// Patrol boat.
    PatrolBoat,
    /// Assault boat.
    AssaultBoat,
    /// Torpedo boat.
    TorpedoBoat,
}

impl ShipClass {
    /// Every class.
    pub const ALL: [Self; 8] = [
        Self::Carrier,
        Self::Battleship,
        Self::Cruiser,
        Self::Destroyer,
        Self::Submarine,
        Self::PatrolBoat,
        Self::AssaultBoat,
        Self::TorpedoBoat,
    ];

    /// The name used in records, such as `patrol_boat`.
    #[must_use]
    pub const fn slug(self) -> &'static str {
        match self {
            Self::Carrier => "carrier",
            Self::Battleship => "battleship",
            Self::Cruiser => "cruiser",
            Self::Destroyer => "destroyer",
            Self::Submarine => "submarine",
            Self::PatrolBoat => "patrol_boat",
            Self::AssaultBoat => "assault_boat",
            Self::TorpedoBoat => "torpedo_boat",
        }
    }
}

impl fmt::Display for ShipClass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::PatrolBoat => "patrol boat",
            Self::AssaultBoat => "assault boat",
            Self::TorpedoBoat => "torpedo boat",
            _ => self.slug(),
        })
    }
}

/// Which way a ship lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Orientation {
    /// Along its row, to the right of its top-left cell.
    Horizontal,
    /// Along its column, downwards from its top-left cell.
    Vertical,
}

/// A ship and where it lies. Whether it fits the grid depends on the variant's fleet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PlacedShip {
    /// Its class.
    pub class: ShipClass,
    /// Its top-left cell.
    pub cell: Cell,
    /// Which way it lies from there. Of no account for a ship of length 1.
    pub orientation: Orientation,
}

impl PlacedShip {
    /// A ship as a player placed it.
    ///
    /// # Errors
    /// [`IllegalMove::ShipOffGrid`] unless `row` and `column`, of its top-left cell, are 1-10.
    pub const fn named(
        class: ShipClass,
        row: u32,
        column: u32,
        orientation: Orientation,
    ) -> Result<Self, IllegalMove> {
        match Cell::new(row, column) {
            Some(cell) => Ok(Self {
                class,
                cell,
                orientation,
            }),
            None => Err(IllegalMove::ShipOffGrid { class, row, column }),
        }
    }

    /// The cells that it covers if it is `length` long, unless it reaches over the edge.
    #[must_use]
    pub fn cells(self, length: u8) -> Option<CellSet> {
        if length == 0 {
            return Some(CellSet::EMPTY);
        }
        Some(self.hull(self.last(length)?))
    }

    /// Its bottom-right cell if it is `length` long, unless it reaches over the edge.
    pub(super) fn last(self, length: u8) -> Option<Cell> {
        let (row, column) = (u32::from(self.cell.row()), u32::from(self.cell.column()));
        let more = u32::from(length.checked_sub(1)?);
        match self.orientation {
            Orientation::Horizontal => Cell::new(row, column + more),
            Orientation::Vertical => Cell::new(row + more, column),
        }
    }

    /// The cells that it covers if its bottom-right cell is `last`.
    pub(super) const fn hull(self, last: Cell) -> CellSet {
        CellSet::line(self.orientation, self.cell, last)
    }

    /// Whether `cell` is in its [`hull`](Self::hull). To ask one ship after the other where a cell
    /// belongs is faster than to make a set of each.
    pub(super) const fn covers(self, last: Cell, cell: Cell) -> bool {
        let horizontal = matches!(self.orientation, Orientation::Horizontal);
        // Out of reach if the cell comes first.
        let steps = cell.index().wrapping_sub(self.cell.index());
        let reach = last.index().wrapping_sub(self.cell.index());
        (steps <= reach) & (horizontal | steps.is_multiple_of(SIZE))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ship_covers_a_run_of_cells_that_ends_before_the_edge() {
        for cell in Cell::all() {
            for (orientation, down, right) in [
                (Orientation::Horizontal, 0, 1),
                (Orientation::Vertical, 1, 0),
            ] {
                let class = ShipClass::Carrier;
                let ship = PlacedShip {
                    class,
                    cell,
                    orientation,
                };
                let (row, column) = (u32::from(cell.row()), u32::from(cell.column()));
                for length in 0..=11 {
                    let slow: Option<CellSet> = (0..u32::from(length))
                        .map(|step| Cell::new(row + down * step, column + right * step))
                        .collect();
                    assert_eq!(ship.cells(length), slow, "{ship:?} {length}");
                    let Some((hull, last)) = slow.zip(ship.last(length)) else {
                        continue;
                    };
                    assert!(Cell::all().all(|c| ship.covers(last, c) == hull.contains(c)));
                }
            }
        }
    }
}
