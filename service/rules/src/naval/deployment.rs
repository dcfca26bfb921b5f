use std::fmt;

use arrayvec::ArrayVec;

use super::{Berth, Cell, CellSet, PlacedShip, Ruleset};
use crate::{BerthFault, IllegalMove};

/// Room for the ships of the largest fleet, that of naumachia.
pub const MAX_SHIPS: usize = 10;

/// A legal deployment: whoever holds one need not check it again.
#[derive(Clone, PartialEq, Eq)]
pub struct Deployment {
    ships: ArrayVec<PlacedShip, MAX_SHIPS>,
    /// The bottom-right cell of each ship. Which ones it covers is worked out when it is asked for:
    /// ten sets of cells would take more room than all else that a side has.
    lasts: [Cell; MAX_SHIPS],
    berth: Option<Berth>,
}

impl fmt::Debug for Deployment {
    /// Where the ships lie is nobody's to read in a log.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Deployment(hidden)")
    }
}

impl Deployment {
    /// Checks a deployment against the fleet of `rules` (rules.md, "Deployment").
    ///
    /// # Errors
    /// The [`IllegalMove`] that says what is wrong: `WrongFleet`, `ShipOffGrid`, `ShipsOverlap`,
    /// `ShipsTouch` or `BadBerth`.
    pub fn new(
        rules: &Ruleset,
        ships: &[PlacedShip],
        berth: Option<Berth>,
    ) -> Result<Self, IllegalMove> {
        check_fleet(rules, ships)?;
        check_berth(rules, berth)?;
        let mut deployment = Self {
            ships: ArrayVec::new(),
            lasts: [Cell::FIRST; MAX_SHIPS],
            berth,
        };
        for &ship in ships {
            deployment.place(rules, ship)?;
        }
        Ok(deployment)
    }

    /// The ships, in the order in which they were given.
    #[must_use]
    pub fn ships(&self) -> &[PlacedShip] {
        &self.ships
    }

    /// The cells of each ship, in the order of [`ships`](Self::ships).
    pub fn hulls(&self) -> impl ExactSizeIterator<Item = CellSet> {
        let ships = self.ships.iter().zip(&self.lasts);
        ships.map(|(ship, &last)| ship.hull(last))
    }

    /// The ship that covers `cell`, by its place in [`ships`](Self::ships).
    pub(super) fn ship_at(&self, cell: Cell) -> Option<usize> {
        let mut ships = self.ships.iter().zip(&self.lasts);
        ships.position(|(ship, &last)| ship.covers(last, cell))
    }

    /// The cells of one ship, by its place in [`ships`](Self::ships).
    pub(super) fn hull(&self, ship: usize) -> CellSet {
        self.ships[ship].hull(self.lasts[ship])
    }

    /// Where the submarine lay at first; in amiral-advanced only.
    #[must_use]
    pub const fn berth(&self) -> Option<Berth> {
        self.berth
    }

    fn place(&mut self, rules: &Ruleset, ship: PlacedShip) -> Result<(), IllegalMove> {
        let last = rules
            .entry(ship.class)
            .and_then(|entry| ship.last(entry.length))
            .ok_or(IllegalMove::ShipOffGrid {
                class: ship.class,
                row: ship.cell.row().into(),
                column: ship.cell.column().into(),
            })?;
        let hull = ship.hull(last);
        for (other, other_hull) in self.ships.iter().zip(self.hulls()) {
            let (first, second) = (other.class, ship.class);
            if let Some(cell) = (hull & other_hull).first() {
                return Err(IllegalMove::ShipsOverlap {
                    first,
                    second,
                    cell,
                });
            }
            let touching = (hull & other_hull.ring()).first();
            if let (false, Some(cell)) = (rules.ships_may_touch, touching) {
                return Err(IllegalMove::ShipsTouch {
                    first,
                    second,
                    cell,
                });
            }
        }
        self.lasts[self.ships.len()] = last;
        self.ships.push(ship);
        Ok(())
    }
}

/// The fleet must have exactly the ships of the table, so that it also fits a [`Deployment`].
fn check_fleet(rules: &Ruleset, ships: &[PlacedShip]) -> Result<(), IllegalMove> {
    let wanted = rules.fleet.iter().map(|entry| entry.class);
    for class in wanted.chain(ships.iter().map(|ship| ship.class)) {
        let placed = ships.iter().filter(|ship| ship.class == class).count();
        let required = rules.entry(class).map_or(0, |entry| entry.count.into());
        if placed != required {
            return Err(IllegalMove::WrongFleet {
                class,
                placed,
                required,
                variant: rules.variant,
            });
        }
    }
    Ok(())
}

fn check_berth(rules: &Ruleset, berth: Option<Berth>) -> Result<(), IllegalMove> {
    match (rules.submarine, berth) {
        (true, None) => Err(IllegalMove::BadBerth(BerthFault::Missing)),
        (false, Some(_)) => Err(IllegalMove::BadBerth(BerthFault::NotOfVariant(
            rules.variant,
        ))),
        _ => Ok(()),
    }
}
