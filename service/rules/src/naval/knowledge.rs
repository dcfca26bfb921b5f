use arrayvec::ArrayVec;

use super::{
    Arsenal, Cell, CellSet, PlacedShip, Ruleset, ShipClass, Telling,
    salvos_told::{SalvoReport, SalvosTold},
    shots_told::{ShotsTold, Sinking},
};

const CELLS: usize = 100;

/// What one seat has done to the enemy's waters and was told of it.
///
/// Each fact is written down as it is said aloud, so that nothing is here that the opponent and
/// spectators have not heard too. The fleets themselves are never looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Knowledge {
    called: ArrayVec<Cell, CELLS>,
    fired: CellSet,
    marked: CellSet,
    told: Told,
    enemy_afloat: u8,
    arsenal: Option<Arsenal>,
}

/// What was told of the cells called: see [`Telling`].
#[derive(Clone, Debug, PartialEq, Eq)]
enum Told {
    Shots(ShotsTold),
    Salvos(SalvosTold),
}

impl Knowledge {
    pub(super) fn new(rules: &Ruleset) -> Self {
        Self {
            called: ArrayVec::new(),
            fired: CellSet::EMPTY,
            marked: CellSet::EMPTY,
            told: match rules.telling {
                Telling::EachShot => Told::Shots(ShotsTold::new(rules.hit_names_ship)),
                Telling::Count => Told::Salvos(SalvosTold::default()),
            },
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
        let hits = self.shots().map(ShotsTold::hits);
        hits.unwrap_or_default().of(&self.called)
    }

    /// The cells told to be misses, in the order called; none in advanced salvo.
    pub fn misses(&self) -> impl ExactSizeIterator<Item = Cell> {
        let shots = self.shots();
        let misses = shots.map(|told| told.misses(self.called.len()));
        misses.unwrap_or_default().of(&self.called)
    }

    /// The class of the ship of each of [`hits`](Self::hits), where a hit names it; empty otherwise.
    #[must_use]
    pub fn hit_classes(&self) -> &[ShipClass] {
        self.shots().map_or(&[], ShotsTold::hit_classes)
    }

    /// The salvos of advanced salvo, in order; none in other variants.
    pub fn salvos(&self) -> impl Iterator<Item = SalvoReport<'_>> {
        let told = match &self.told {
            Told::Salvos(told) => Some(told),
            Told::Shots(_) => None,
        };
        let reports = told.map(|told| told.reports(&self.called, self.enemy_afloat));
        reports.into_iter().flatten()
    }

    /// The sinkings, in the order announced; none in advanced salvo.
    #[must_use]
    pub fn sinkings(&self) -> &[Sinking] {
        self.shots().map_or(&[], ShotsTold::sinkings)
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

    const fn shots(&self) -> Option<&ShotsTold> {
        match &self.told {
            Told::Shots(told) => Some(told),
            Told::Salvos(_) => None,
        }
    }

    pub(super) fn record_shot(&mut self, cell: Cell, hit: bool, class: Option<ShipClass>) {
        if let (true, Told::Shots(told)) = (hit, &mut self.told) {
            told.record_hit(self.called.len(), class);
        }
        self.called.push(cell);
        self.fired.insert(cell);
    }

    pub(super) fn record_sinking(&mut self, class: ShipClass, placement: Option<PlacedShip>) {
        self.enemy_afloat -= 1;
        if let Told::Shots(told) = &mut self.told {
            told.record_sinking(class, placement);
        }
    }

    /// Marks the ring of a sunk ship as water, but for cells fired at before.
    pub(super) fn mark(&mut self, ring: CellSet) {
        self.marked |= ring - self.fired;
    }

    pub(super) fn record_salvo(&mut self, cells: &[Cell], hits: u8, enemy_afloat: u8) {
        if let Told::Salvos(told) = &mut self.told {
            told.record(self.called.len(), hits, self.enemy_afloat - enemy_afloat);
        }
        self.called.extend(cells.iter().copied());
        self.fired |= cells.iter().copied().collect();
        self.enemy_afloat = enemy_afloat;
    }
}
