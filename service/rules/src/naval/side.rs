use std::fmt;

use super::{Berth, Cell, CellSet, Deployment, Route, ShipClass, deployment::MAX_SHIPS};

/// One seat's waters: the truth about its fleet, which only that seat may see.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Side {
    deployment: Deployment,
    /// Cells of this fleet that shots have hit.
    hits: CellSet,
    /// The cells of the ships afloat, hit or not.
    afloat_cells: CellSet,
    /// Ships afloat.
    afloat: u8,
    /// The ships sunk, by their place in the deployment, in the order in which they sank; of no
    /// account beyond as many as are not afloat.
    lost: [u8; MAX_SHIPS],
    berth: Option<Berth>,
}

/// What a shot did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Impact {
    Miss,
    /// It hit the ship of this place in the deployment.
    Hit(usize),
    /// It hit the last cell of that ship.
    Sunk(usize),
}

impl fmt::Debug for Side {
    /// The truth about a fleet is nobody's to read in a log.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Side(hidden)")
    }
}

impl Side {
    pub(super) fn new(deployment: Deployment) -> Self {
        Self {
            hits: CellSet::EMPTY,
            afloat_cells: deployment
                .hulls()
                .fold(CellSet::EMPTY, |all, hull| all | hull),
            afloat: deployment.ships().len() as u8,
            lost: [0; MAX_SHIPS],
            berth: deployment.berth(),
            deployment,
        }
    }

    pub(super) const fn deployment(&self) -> &Deployment {
        &self.deployment
    }

    pub(super) const fn hits(&self) -> CellSet {
        self.hits
    }

    pub(super) const fn afloat(&self) -> u8 {
        self.afloat
    }

    pub(super) const fn berth(&self) -> Option<Berth> {
        self.berth
    }

    pub(super) const fn moor(&mut self, berth: Berth) {
        self.berth = Some(berth);
    }

    /// The ships sunk, by their place in the deployment, in the order in which they sank.
    pub(super) fn lost(&self) -> &[u8] {
        &self.lost[..self.sunk()]
    }

    /// Whether every ship of `class` is afloat and was never hit.
    pub(super) fn unhit(&self, class: ShipClass) -> bool {
        let sound = self.afloat_cells - self.hits;
        (0..)
            .zip(self.deployment.ships())
            .filter(|(_, ship)| ship.class == class)
            .all(|(place, _)| self.deployment.hull(place).is_subset(sound))
    }

    /// Takes a shot. Damage is a set of cells: the same cell twice is one hit.
    pub(super) fn strike(&mut self, cell: Cell) -> Impact {
        if !self.afloat_cells.contains(cell) {
            return Impact::Miss;
        }
        self.hits.insert(cell);
        match self.deployment.ship_at(cell) {
            Some(ship) if self.deployment.hull(ship).is_subset(self.hits) => {
                self.sink(ship);
                Impact::Sunk(ship)
            }
            Some(ship) => Impact::Hit(ship),
            None => Impact::Miss,
        }
    }

    /// Takes a torpedo: sinks the first ship afloat that it meets, and says which.
    pub(super) fn torpedo(&mut self, route: Route) -> Option<usize> {
        let met = route
            .cells()
            .into_iter()
            .find(|&cell| self.afloat_cells.contains(cell))?;
        let ship = self.deployment.ship_at(met)?;
        self.sink(ship);
        Some(ship)
    }

    fn sunk(&self) -> usize {
        self.deployment.ships().len() - usize::from(self.afloat)
    }

    fn sink(&mut self, ship: usize) {
        self.lost[self.sunk()] = ship as u8;
        self.afloat -= 1;
        self.afloat_cells = self.afloat_cells - self.deployment.hull(ship);
    }
}
