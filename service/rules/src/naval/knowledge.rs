use arrayvec::ArrayVec;

use super::{
    Berth, Cell, CellSet, PlacedShip, Route, Ruleset, ShipClass, amiral_advanced::TORPEDOES,
    deployment::MAX_SHIPS,
};

const CELLS: usize = 100;
/// Cells of the largest fleet, that of naumachia.
const MAX_HITS: usize = 20;

/// What one seat has done to the enemy's waters and was told of it.
///
/// Each fact is written down as it is said aloud, so that nothing is here that the opponent and
/// spectators have not heard too. The fleets themselves are never looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Knowledge {
    called: ArrayVec<Cell, CELLS>,
    fired: CellSet,
    hits: ArrayVec<Cell, MAX_HITS>,
    misses: ArrayVec<Cell, CELLS>,
    hit_classes: ArrayVec<ShipClass, MAX_HITS>,
    salvos: ArrayVec<SalvoCount, CELLS>,
    sinkings: ArrayVec<Sinking, MAX_SHIPS>,
    marked: CellSet,
    enemy_afloat: u8,
    arsenal: Option<Arsenal>,
}

/// A sinking, as it was announced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sinking {
    /// The class of the ship.
    pub class: ShipClass,
    /// How many hits the shooter had when it was told, those of the same salvo or strike included:
    /// if shots sank the ship, its cells are all among the first so many of [`Knowledge::hits`].
    pub hits: u8,
    /// Where the ship lay: in naumachia only.
    pub placement: Option<PlacedShip>,
}

/// A salvo of advanced salvo, and all that was told of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SalvoReport<'a> {
    /// The cells in the order called.
    pub cells: &'a [Cell],
    /// How many of them hit.
    pub hits: u8,
    /// Enemy ships afloat after it.
    pub enemy_afloat: u8,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct SalvoCount {
    cells: u8,
    hits: u8,
    enemy_afloat: u8,
}

impl Knowledge {
    pub(super) fn new(rules: &Ruleset) -> Self {
        Self {
            called: ArrayVec::new(),
            fired: CellSet::EMPTY,
            hits: ArrayVec::new(),
            misses: ArrayVec::new(),
            hit_classes: ArrayVec::new(),
            salvos: ArrayVec::new(),
            sinkings: ArrayVec::new(),
            marked: CellSet::EMPTY,
            enemy_afloat: rules.fleet_size() as u8,
            arsenal: rules.submarine.then(Arsenal::default),
        }
    }

    /// Every cell fired at, in the order called.
    #[must_use]
    pub fn called(&self) -> &[Cell] {
        &self.called
    }

    /// Every cell fired at.
    #[must_use]
    pub const fn fired(&self) -> CellSet {
        self.fired
    }

    /// The cells that may be fired at: neither fired at nor marked.
    #[must_use]
    pub fn targets(&self) -> CellSet {
        !(self.fired | self.marked)
    }

    /// The cells told to be hits, in the order called; none in advanced salvo.
    pub fn hits(&self) -> impl ExactSizeIterator<Item = Cell> {
        self.hits.iter().copied()
    }

    /// The cells told to be misses, in the order called; none in advanced salvo.
    pub fn misses(&self) -> impl ExactSizeIterator<Item = Cell> {
        self.misses.iter().copied()
    }

    /// The class of the ship of each of [`hits`](Self::hits), where a hit names it; empty otherwise.
    #[must_use]
    pub fn hit_classes(&self) -> &[ShipClass] {
        &self.hit_classes
    }

    /// The salvos of advanced salvo, in order; none in other variants.
    pub fn salvos(&self) -> impl Iterator<Item = SalvoReport<'_>> {
        let mut rest = self.called.as_slice();
        self.salvos.iter().map_while(move |salvo| {
            let (cells, later) = rest.split_at_checked(salvo.cells.into())?;
            rest = later;
            Some(SalvoReport {
                cells,
                hits: salvo.hits,
                enemy_afloat: salvo.enemy_afloat,
            })
        })
    }

    /// The sinkings, in the order announced; none in advanced salvo.
    #[must_use]
    pub fn sinkings(&self) -> &[Sinking] {
        &self.sinkings
    }

    /// Cells not fired at that are known to be water, beside sunk ships (naumachia).
    #[must_use]
    pub const fn marked(&self) -> CellSet {
        self.marked
    }

    /// Enemy ships afloat.
    #[must_use]
    pub const fn enemy_afloat(&self) -> u8 {
        self.enemy_afloat
    }

    /// What this seat has beside its guns; in amiral-advanced only.
    #[must_use]
    pub const fn arsenal(&self) -> Option<&Arsenal> {
        self.arsenal.as_ref()
    }

    pub(super) const fn arsenal_mut(&mut self) -> Option<&mut Arsenal> {
        self.arsenal.as_mut()
    }

    pub(super) fn record_shot(&mut self, cell: Cell, hit: bool, class: Option<ShipClass>) {
        self.called.push(cell);
        self.fired.insert(cell);
        if hit {
            self.hits.push(cell);
            self.hit_classes.extend(class);
        } else {
            self.misses.push(cell);
        }
    }

    pub(super) fn record_sinking(&mut self, class: ShipClass, placement: Option<PlacedShip>) {
        self.enemy_afloat -= 1;
        self.sinkings.push(Sinking {
            class,
            hits: self.hits.len() as u8,
            placement,
        });
    }

    /// Marks the ring of a sunk ship as water, but for cells fired at before.
    pub(super) fn mark(&mut self, ring: CellSet) {
        self.marked |= ring - self.fired;
    }

    pub(super) fn record_salvo(&mut self, cells: &[Cell], hits: u8, enemy_afloat: u8) {
        self.called.extend(cells.iter().copied());
        self.fired |= cells.iter().copied().collect();
        self.enemy_afloat = enemy_afloat;
        self.salvos.push(SalvoCount {
            cells: cells.len() as u8,
            hits,
            enemy_afloat,
        });
    }
}

/// A torpedo, as everybody heard it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Torpedo {
    /// Its route.
    pub route: Route,
    /// The ship that it sank, if it met one.
    pub sunk: Option<ShipClass>,
}

/// A submarine hunt, as everybody heard it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hunt {
    /// Where it looked.
    pub end: Berth,
    /// Whether the submarine lay there.
    pub found: bool,
}

/// What a seat has beside its guns (rules.md, amiral-advanced), so far as it is public: all of it
/// but the berth.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arsenal {
    torpedoes: ArrayVec<Torpedo, TORPEDOES>,
    hunts: ArrayVec<Hunt, TORPEDOES>,
    submarine_in_play: bool,
    shot_since_torpedo: bool,
    latest_hunted: bool,
    air_strike_spent: bool,
}

impl Default for Arsenal {
    fn default() -> Self {
        Self {
            torpedoes: ArrayVec::new(),
            hunts: ArrayVec::new(),
            submarine_in_play: true,
            shot_since_torpedo: true,
            latest_hunted: false,
            air_strike_spent: false,
        }
    }
}

impl Arsenal {
    /// The torpedoes that this seat has fired, in order.
    #[must_use]
    pub fn torpedoes(&self) -> &[Torpedo] {
        &self.torpedoes
    }

    /// Torpedoes not fired, 0-3; of no use once the submarine is out of play.
    #[must_use]
    pub fn torpedoes_left(&self) -> u8 {
        self.torpedoes.remaining_capacity() as u8
    }

    /// The hunts that this seat has made for the enemy's submarine, in order.
    #[must_use]
    pub fn hunts(&self) -> &[Hunt] {
        &self.hunts
    }

    /// Whether this seat's submarine is neither sunk nor withdrawn.
    #[must_use]
    pub const fn submarine_in_play(&self) -> bool {
        self.submarine_in_play
    }

    /// Whether no plain shot is needed before the next torpedo: one was fired since the last
    /// torpedo, or there was none.
    #[must_use]
    pub const fn shot_since_torpedo(&self) -> bool {
        self.shot_since_torpedo
    }

    /// Whether this seat has made its air strike.
    #[must_use]
    pub const fn air_strike_spent(&self) -> bool {
        self.air_strike_spent
    }

    /// The route at either end of which the *enemy* may hunt this seat's submarine now.
    #[must_use]
    pub fn huntable(&self) -> Option<Route> {
        let latest = self.torpedoes.last()?;
        (self.submarine_in_play && !self.latest_hunted).then_some(latest.route)
    }

    pub(super) const fn record_plain_shot(&mut self) {
        self.shot_since_torpedo = true;
    }

    /// The submarine withdraws with its last torpedo.
    pub(super) fn record_torpedo(&mut self, route: Route, sunk: Option<ShipClass>) {
        self.torpedoes.push(Torpedo { route, sunk });
        self.shot_since_torpedo = false;
        self.latest_hunted = false;
        if self.torpedoes.is_full() {
            self.submarine_in_play = false;
        }
    }

    pub(super) fn record_hunt(&mut self, end: Berth, found: bool) {
        self.hunts.push(Hunt { end, found });
    }

    /// The enemy has hunted this seat's submarine.
    pub(super) const fn record_hunted(&mut self, found: bool) {
        self.latest_hunted = true;
        if found {
            self.submarine_in_play = false;
        }
    }

    pub(super) const fn record_air_strike(&mut self) {
        self.air_strike_spent = true;
    }
}
