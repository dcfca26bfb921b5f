//! Hunting with parity and targeting what was hit, where every shot is answered.

use broadside_rules::naval::{Cell, CellSet, Ruleset, ShipClass};
use rand::{Rng, RngExt};

use super::hulls::{Hull, index, of_length};

/// How much more a hull counts for each open hit that it covers: hits that line up are one ship, as a rule.
const WEIGHT: [u64; 6] = [1, 20, 400, 8_000, 160_000, 160_000];

/// The score of a cell that holds one ship for certain.
const CERTAIN: u64 = 1 << 40;

/// Where ships may not touch, what a hull counts for by how many cells around it may still hold a ship: each of them must
/// be water, for which the chance is about four in five, the share of water in the grid.
const RINGED: [u64; 15] = {
    let mut weights = [1 << 12; 15];
    let mut cells = 1;
    while cells < weights.len() {
        weights[cells] = weights[cells - 1] * 4 / 5;
        cells += 1;
    }
    weights
};

/// What is known of the enemy's waters, as far as it matters for the next shots.
#[derive(Clone, Debug)]
pub(super) struct Waters {
    /// Cells that may be fired at.
    pub(super) legal: CellSet,
    /// Those of them that may hold a ship afloat.
    pub(super) promising: CellSet,
    /// Hits on ships that may be afloat.
    pub(super) open: CellSet,
    /// The enemy's ships afloat.
    pub(super) afloat: Vec<Sought>,
    /// Whether ships may be in contact.
    pub(super) may_touch: bool,
}

/// An enemy ship afloat.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Sought {
    pub(super) class: ShipClass,
    pub(super) length: u8,
    /// Its hits, where hits name the ship.
    pub(super) hits: Option<CellSet>,
}

/// Of each cell, by its number less one, how much speaks for a ship there.
pub(super) type Scores = [u64; 100];

/// The ships of the fleet that are not among `sunk`.
pub(super) fn afloat(rules: &Ruleset, sunk: impl IntoIterator<Item = ShipClass>) -> Vec<Sought> {
    let fleet = rules.fleet.iter().flat_map(|entry| {
        let ship = Sought {
            class: entry.class,
            length: entry.length,
            hits: None,
        };
        std::iter::repeat_n(ship, entry.count.into())
    });
    let mut afloat: Vec<_> = fleet.collect();
    for class in sunk {
        if let Some(place) = afloat.iter().position(|ship| ship.class == class) {
            afloat.remove(place);
        }
    }
    afloat
}

impl Waters {
    /// The best `count` cells to fire at together, or all that there are.
    pub(super) fn best_shots(mut self, count: usize, rng: &mut impl Rng) -> Vec<Cell> {
        let mut shots = Vec::with_capacity(count);
        while shots.len() < count {
            let Some(cell) = self.best_shot(rng) else {
                break;
            };
            // The next shot of a salvo is for the case that this one misses.
            self.legal = self.legal - CellSet::only(cell);
            self.promising = self.promising - CellSet::only(cell);
            shots.push(cell);
        }
        shots
    }

    /// The best cell to fire at.
    pub(super) fn best_shot(&self, rng: &mut impl Rng) -> Option<Cell> {
        let on_target = self.target_scores();
        likeliest(self.promising, &on_target, rng)
            .or_else(|| {
                let scores = self.hunt_scores();
                likeliest(self.parity(&scores, rng), &scores, rng)
            })
            .or_else(|| any(self.legal, rng))
    }

    /// What speaks for a cell: open hits if there are any, else the room for ships.
    pub(super) fn scores(&self) -> Scores {
        let scores = self.target_scores();
        if scores.iter().any(|&score| score > 0) {
            scores
        } else {
            self.hunt_scores()
        }
    }

    /// Whether hits wait to be followed up.
    pub(super) fn on_target(&self) -> bool {
        self.target_scores().iter().any(|&score| score > 0)
    }

    /// In how many ways `ship` may lie where nothing is hit, and in how many of them on each cell; likelier ways count
    /// for more.
    pub(super) fn room(&self, ship: &Sought) -> (u64, Scores) {
        let mut scores = [0; 100];
        let mut ways = 0;
        for hull in self.hulls(ship) {
            if (hull.cells & self.open).is_empty() {
                let weight = self.weight(hull);
                ways += weight;
                add(&mut scores, hull, weight);
            }
        }
        (ways, scores)
    }

    /// What speaks for ships over open hits: how many of their ways lead over each cell.
    fn target_scores(&self) -> Scores {
        let mut scores = [0; 100];
        if self.open.is_empty() {
            return scores;
        }
        for (ship, count) in self.kinds() {
            for hull in self.hulls(&ship) {
                let covered = (hull.cells & self.open).len();
                if covered > 0 {
                    add(
                        &mut scores,
                        hull,
                        count * WEIGHT[covered] * self.weight(hull),
                    );
                }
            }
        }
        scores
    }

    /// What speaks for ships where nothing is hit: how likely each of them is to lie on each cell.
    fn hunt_scores(&self) -> Scores {
        let mut scores = [0; 100];
        for (ship, count) in self.kinds() {
            let (ways, room) = self.room(&ship);
            if let Some(weight) = (count * CERTAIN).checked_div(ways) {
                for (score, way) in scores.iter_mut().zip(room) {
                    *score += way * weight;
                }
            }
        }
        scores
    }

    /// The ships afloat, those of a kind together, and how many they are.
    fn kinds(&self) -> impl Iterator<Item = (Sought, u64)> + '_ {
        self.afloat
            .chunk_by(|one, two| one == two)
            .map(|kind| (kind[0], kind.len() as u64))
    }

    /// How likely a ship is to lie like this, as far as others may not lie beside it.
    fn weight(&self, hull: &Hull) -> u64 {
        if self.may_touch {
            return 1;
        }
        RINGED[(hull.ring & self.promising).len()]
    }

    /// The hulls that `ship` may have.
    fn hulls(&self, ship: &Sought) -> impl Iterator<Item = &'static Hull> {
        let hits = ship.hits.unwrap_or(self.open);
        let room = self.promising | hits;
        let own = ship.hits.unwrap_or(CellSet::EMPTY);
        let (open, may_touch) = (self.open, self.may_touch);
        of_length(ship.length).iter().filter(move |hull| {
            hull.cells.is_subset(room)
                && own.is_subset(hull.cells)
                && (may_touch || (hull.ring & open).is_empty())
        })
    }

    /// One cell in so many as the shortest ship afloat is long: no ship lies between them. Of the patterns that do,
    /// the one with the fewest cells left.
    fn parity(&self, scores: &Scores, rng: &mut impl Rng) -> CellSet {
        let shortest = self.afloat.iter().map(|ship| ship.length).min();
        let modulus = shortest.unwrap_or(1).max(1);
        let room: CellSet = self
            .promising
            .iter()
            .filter(|&cell| scores[index(cell)] > 0)
            .collect();
        let patterns = (0..modulus).map(|rest| -> CellSet {
            room.iter()
                .filter(|cell| (cell.row() + cell.column()) % modulus == rest)
                .collect()
        });
        let first = rng.random_range(0..modulus);
        let mut patterns: Vec<_> = patterns.filter(|pattern| !pattern.is_empty()).collect();
        let turn = usize::from(first) % patterns.len().max(1);
        patterns.rotate_left(turn);
        patterns
            .into_iter()
            .min_by_key(|pattern| pattern.len())
            .unwrap_or(room)
    }
}

fn add(scores: &mut Scores, hull: &Hull, weight: u64) {
    for index in hull.indices() {
        scores[index] += weight;
    }
}

/// A cell of `among` with the highest score above 0; equals are drawn from.
fn likeliest(among: CellSet, scores: &Scores, rng: &mut impl Rng) -> Option<Cell> {
    let mut best = CellSet::EMPTY;
    let mut highest = 1;
    for cell in among.iter() {
        let score = scores[index(cell)];
        if score > highest {
            highest = score;
            best = CellSet::EMPTY;
        }
        if score == highest {
            best.insert(cell);
        }
    }
    any(best, rng)
}

/// A cell of `among`, drawn uniformly.
pub(super) fn any(among: CellSet, rng: &mut impl Rng) -> Option<Cell> {
    if among.is_empty() {
        return None;
    }
    among.iter().nth(rng.random_range(0..among.len()))
}
