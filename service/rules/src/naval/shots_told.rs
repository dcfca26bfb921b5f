use arrayvec::ArrayVec;

use super::{Cell, Orientation, PlacedShip, ShipClass, deployment::MAX_SHIPS, places::Places};

/// Cells of the largest fleet, that of naumachia.
const MAX_HITS: usize = 20;

/// What was told of the cells called, where each shot is answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ShotsTold {
    /// Which of the cells called were told to be hits; the others are misses.
    hits: Places,
    /// The class that each hit named; `None` where a hit names none.
    hit_classes: Option<ArrayVec<ShipClass, MAX_HITS>>,
    sinkings: ArrayVec<Sinking, MAX_SHIPS>,
}

/// A sinking, as it was announced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sinking {
    /// The class of the ship.
    pub class: ShipClass,
    /// How many hits the shooter had when it was told, those of the same salvo or strike included:
    /// if shots sank the ship, its cells are all among the first so many of
    /// [`Knowledge::hits`](super::Knowledge::hits).
    pub hits: u8,
    /// Its top-left cell and which way it lay.
    lay: Option<(Cell, Orientation)>,
}

impl Sinking {
    /// Where the ship lay: in naumachia only.
    #[must_use]
    pub fn placement(&self) -> Option<PlacedShip> {
        let (cell, orientation) = self.lay?;
        Some(PlacedShip {
            class: self.class,
            cell,
            orientation,
        })
    }
}

impl ShotsTold {
    /// Nothing yet.
    pub(super) fn new(hit_names_ship: bool) -> Self {
        Self {
            hits: Places::NONE,
            hit_classes: hit_names_ship.then(ArrayVec::new),
            sinkings: ArrayVec::new(),
        }
    }

    /// The places of the hits among the cells called.
    pub(super) const fn hits(&self) -> Places {
        self.hits
    }

    /// The places of the misses, if so many cells were called.
    pub(super) fn misses(&self, called: usize) -> Places {
        Places::first(called) - self.hits
    }

    pub(super) fn hit_classes(&self) -> &[ShipClass] {
        self.hit_classes.as_deref().unwrap_or_default()
    }

    pub(super) fn sinkings(&self) -> &[Sinking] {
        &self.sinkings
    }

    /// The cell called at `place` hit a ship, of this class where the variant names it.
    pub(super) fn record_hit(&mut self, place: usize, class: Option<ShipClass>) {
        self.hits.insert(place);
        if let Some(classes) = &mut self.hit_classes {
            classes.extend(class);
        }
    }

    pub(super) fn record_sinking(&mut self, class: ShipClass, placement: Option<PlacedShip>) {
        self.sinkings.push(Sinking {
            class,
            hits: self.hits.len() as u8,
            lay: placement.map(|ship| (ship.cell, ship.orientation)),
        });
    }
}
