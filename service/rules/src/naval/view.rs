use super::{Berth, Cell, CellSet, Deployment, Knowledge, PlacedShip, Route, side::Side};
use crate::{Phase, Seat, Seats};

/// All that one player may know; a bot that gets it needs no memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct View<'a> {
    /// Whose view it is.
    pub seat: Seat,
    /// Where the game stands.
    pub phase: Phase,
    /// Who is to act.
    pub to_act: Seats,
    /// This seat's own fleet and submarine, once it has placed them.
    pub own: Option<OwnWaters<'a>>,
    /// What this seat has done to the enemy's waters, and was told.
    pub target: &'a Knowledge,
    /// What the enemy has done to this seat's waters, and was told.
    pub incoming: &'a Knowledge,
    /// Cells that a salvo must name now; only when it is this seat's turn to fire one.
    pub salvo_size: Option<usize>,
}

impl View<'_> {
    /// The enemy's latest route, if this seat may hunt at its ends (on its own turn).
    #[must_use]
    pub fn huntable(&self) -> Option<Route> {
        self.incoming.arsenal()?.huntable()
    }

    /// Every enemy shot, in the order called, and whether it hit this seat's fleet. The owner sees
    /// this also where the shooter is not told it.
    pub fn incoming_shots(&self) -> impl Iterator<Item = (Cell, bool)> {
        let hits = self.own.map_or(CellSet::EMPTY, |own| own.hits);
        let called = self.incoming.called().iter();
        called.map(move |&cell| (cell, hits.contains(cell)))
    }
}

/// A player's own fleet, as its owner sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OwnWaters<'a> {
    /// The fleet as it was placed.
    pub deployment: &'a Deployment,
    /// Its cells that shots have hit.
    pub hits: CellSet,
    /// Ships afloat.
    pub afloat: u8,
    /// Where the submarine lies, or last lay; in amiral-advanced only.
    pub berth: Option<Berth>,
    lost: &'a [u8],
}

impl<'a> OwnWaters<'a> {
    pub(super) fn placed(deployment: &'a Deployment) -> Self {
        Self {
            deployment,
            hits: CellSet::EMPTY,
            afloat: deployment.ships().len() as u8,
            berth: deployment.berth(),
            lost: &[],
        }
    }

    pub(super) fn fighting(side: &'a Side) -> Self {
        Self {
            deployment: side.deployment(),
            hits: side.hits(),
            afloat: side.afloat(),
            berth: side.berth(),
            lost: side.lost(),
        }
    }

    /// The ships in the order in which they were placed, and whether each is sunk.
    pub fn ships(self) -> impl Iterator<Item = (PlacedShip, bool)> + 'a {
        let ships = (0..).zip(self.deployment.ships());
        ships.map(move |(place, &ship)| (ship, self.lost.contains(&place)))
    }

    /// The ships sunk, in the order in which they sank.
    pub fn lost(self) -> impl Iterator<Item = PlacedShip> + 'a {
        let ships = self.deployment.ships();
        let lost = self.lost.iter();
        lost.filter_map(move |&place| ships.get(usize::from(place)).copied())
    }
}

/// All that was said aloud: what spectators may see while a game runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PublicView<'a> {
    /// Where the game stands.
    pub phase: Phase,
    /// Who is to act.
    pub to_act: Seats,
    /// What each seat has done to the other's waters and was told, by [`Seat::index`].
    pub told: [&'a Knowledge; 2],
}
