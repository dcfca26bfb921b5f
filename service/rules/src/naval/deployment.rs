use std::fmt;

use arrayvec::ArrayVec;

use super::{Berth, CellSet, PlacedShip, Ruleset};
use crate::{BerthFault, IllegalMove};

/// Room for the ships of the largest fleet, that of naumachia.
pub const MAX_SHIPS: usize = 10;

/// A legal deployment: whoever holds one need not check it again.
#[derive(Clone, PartialEq, Eq)]
pub struct Deployment {
    ships: ArrayVec<PlacedShip, MAX_SHIPS>,
    hulls: ArrayVec<CellSet, MAX_SHIPS>,
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
            hulls: ArrayVec::new(),
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
    #[must_use]
    pub fn hulls(&self) -> &[CellSet] {
        &self.hulls
    }

    /// Where the submarine lay at first; in amiral-advanced only.
    #[must_use]
    pub const fn berth(&self) -> Option<Berth> {
        self.berth
    }

    fn place(&mut self, rules: &Ruleset, ship: PlacedShip) -> Result<(), IllegalMove> {
        let hull = rules
            .entry(ship.class)
            .and_then(|entry| ship.cells(entry.length))
            .ok_or(IllegalMove::ShipOffGrid {
                class: ship.class,
                row: ship.cell.row().into(),
                column: ship.cell.column().into(),
            })?;
        for (other, &other_hull) in self.ships.iter().zip(&self.hulls) {
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
        self.ships.push(ship);
        self.hulls.push(hull);
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
