//! Advanced salvo: only the number of hits is told, and how many ships are afloat.
//!
//! Each ship has a probability for every hull that it may have. They are made to agree, in a few rounds, with what was
//! told: a hull counts for more or less by how well it and what is believed of the other ships together give the number of
//! hits of each salvo, and the sinkings after it. (Belief propagation over ships and salvos, each ship
//! taken for independent of the others.)

use broadside_proto::v1::{
    AdvancedSalvoMove, AdvancedSalvoTargets, AdvancedSalvoView, Salvo, advanced_salvo_move::Move,
};
use broadside_rules::naval::{CellSet, Options};
use rand::{Rng, RngExt};

use super::{
    hulls::{Hull, LONGEST, index, of_length},
    wire,
};

const ROUNDS: usize = 6;
/// What is left of the old belief in each round, so that ships do not chase one another to and fro.
const INERTIA: f32 = 0.3;
/// What is thought impossible is only very unlikely: beliefs are rough.
const FLOOR: f32 = 1e-4;

pub(super) fn salvo(view: &AdvancedSalvoView, rng: &mut impl Rng) -> Option<AdvancedSalvoMove> {
    let rules = Options::AdvancedSalvo {
        edition: wire::edition(view.ocean.as_ref()),
    }
    .ruleset();
    let targets = view.targets.as_ref()?;
    let fleet: Vec<_> = rules
        .fleet
        .iter()
        .flat_map(|entry| std::iter::repeat_n(entry.length, entry.count.into()))
        .collect();
    let told = Told::new(targets, fleet.len());
    let likely = likely(&told, &fleet);
    let mut cells: Vec<_> = (!told.fired)
        .iter()
        // Equals are taken in a random order.
        .map(|cell| (cell, likely[index(cell)], rng.random::<u32>()))
        .collect();
    cells.sort_by(|one, two| two.1.total_cmp(&one.1).then(one.2.cmp(&two.2)));
    cells.truncate(view.salvo_size as usize);
    Some(AdvancedSalvoMove {
        r#move: Some(Move::Salvo(Salvo {
            cells: cells
                .into_iter()
                .map(|(cell, ..)| wire::to_cell(cell))
                .collect(),
        })),
    })
}

/// How many ships are to be expected on each cell, by its number less one.
fn likely(told: &Told, fleet: &[u8]) -> [f32; 100] {
    let mut beliefs: Vec<_> = fleet
        .iter()
        .map(|&length| Belief::new(told, length))
        .collect();
    for _ in 0..ROUNDS {
        for ship in 0..beliefs.len() {
            let others = Others::of(&beliefs, ship, told);
            beliefs[ship].update(&others);
        }
    }
    let mut likely = [0.0; 100];
    for belief in &beliefs {
        for (sum, chance) in likely.iter_mut().zip(belief.on_cell) {
            *sum += chance;
        }
    }
    likely
}

/// What was told of the salvos.
struct Told {
    fired: CellSet,
    /// Of each cell, the salvo that it was fired at in.
    salvo_of: [Option<u8>; 100],
    /// Of each salvo, how many of its cells hit, and how many ships it sank.
    results: Vec<(u8, u8)>,
}

impl Told {
    fn new(targets: &AdvancedSalvoTargets, ships: usize) -> Self {
        let mut told = Self {
            fired: CellSet::EMPTY,
            salvo_of: [None; 100],
            results: Vec::with_capacity(targets.salvos.len()),
        };
        let mut afloat = ships as u32;
        for (place, salvo) in targets.salvos.iter().enumerate() {
            for cell in wire::cells(&salvo.cells) {
                told.fired.insert(cell);
                told.salvo_of[index(cell)] = Some(place as u8);
            }
            let sunk = afloat.saturating_sub(salvo.afloat);
            afloat = salvo.afloat;
            told.results.push((salvo.hits as u8, sunk as u8));
        }
        told
    }

    /// What `hull` would have given; none if that contradicts what was told.
    fn trace(&self, hull: &'static Hull) -> Option<Trace> {
        let mut trace = Trace {
            hull,
            hits: [(0, 0); LONGEST],
            salvos: 0,
            sunk_in: None,
            weight: 1.0,
        };
        let mut last = 0;
        for cell in hull.indices() {
            let Some(salvo) = self.salvo_of[cell] else {
                continue;
            };
            last = last.max(salvo);
            trace.count(salvo);
        }
        let over = trace
            .hits()
            .any(|(salvo, hits)| hits > self.results[salvo].0);
        if over {
            return None;
        }
        if hull.cells.is_subset(self.fired) {
            if self.results[usize::from(last)].1 == 0 {
                return None;
            }
            trace.sunk_in = Some(last);
        }
        Some(trace)
    }
}

/// One hull that a ship may have, and how likely it is to be the one.
struct Trace {
    hull: &'static Hull,
    /// Salvos that hit it and how often; the first `salvos` of them.
    hits: [(u8, u8); LONGEST],
    salvos: u8,
    sunk_in: Option<u8>,
    weight: f32,
}

impl Trace {
    fn hits(&self) -> impl Iterator<Item = (usize, u8)> + '_ {
        self.hits[..usize::from(self.salvos)]
            .iter()
            .map(|&(salvo, hits)| (usize::from(salvo), hits))
    }

    fn count(&mut self, salvo: u8) {
        let known = usize::from(self.salvos);
        for (hit_by, hits) in &mut self.hits[..known] {
            if *hit_by == salvo {
                *hits += 1;
                return;
            }
        }
        self.hits[known] = (salvo, 1);
        self.salvos += 1;
    }
}

/// The chance of each number of hits in one salvo, 0-5.
type Distribution = [f32; LONGEST + 1];

/// What is believed of one ship.
struct Belief {
    traces: Vec<Trace>,
    on_cell: [f32; 100],
    /// Of each salvo, how often it hit the ship.
    hits: Vec<Distribution>,
    /// Of each salvo, the chance that it sank the ship.
    sunk: Vec<f32>,
}

impl Belief {
    fn new(told: &Told, length: u8) -> Self {
        let traces = of_length(length).iter().filter_map(|hull| told.trace(hull));
        let mut belief = Self {
            traces: traces.collect(),
            on_cell: [0.0; 100],
            hits: vec![[0.0; LONGEST + 1]; told.results.len()],
            sunk: vec![0.0; told.results.len()],
        };
        let even = 1.0 / belief.traces.len().max(1) as f32;
        for trace in &mut belief.traces {
            trace.weight = even;
        }
        belief.sum_up();
        belief
    }

    fn update(&mut self, others: &Others) {
        let mut total = 0.0;
        let fitting: Vec<_> = self
            .traces
            .iter()
            .map(|trace| {
                let fit = others.fit(trace);
                total += fit;
                fit
            })
            .collect();
        if total <= 0.0 {
            return;
        }
        for (trace, fit) in self.traces.iter_mut().zip(fitting) {
            trace.weight = INERTIA * trace.weight + (1.0 - INERTIA) * fit / total;
        }
        self.sum_up();
    }

    fn sum_up(&mut self) {
        self.on_cell = [0.0; 100];
        self.sunk.fill(0.0);
        self.hits.fill([1.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
        for trace in &self.traces {
            for cell in trace.hull.indices() {
                self.on_cell[cell] += trace.weight;
            }
            for (salvo, hits) in trace.hits() {
                self.hits[salvo][usize::from(hits)] += trace.weight;
                self.hits[salvo][0] -= trace.weight;
            }
            if let Some(salvo) = trace.sunk_in {
                self.sunk[usize::from(salvo)] += trace.weight;
            }
        }
    }
}

/// What all ships but one leave for that one.
struct Others {
    /// Of each cell, the chance that no other ship is there.
    free: [f32; 100],
    /// Of each salvo and each number of hits, how much better it fits than no hit.
    hits: Vec<Distribution>,
    /// Of each salvo, how much better it fits that it sank the ship than that it did not.
    sunk: Vec<f32>,
}

impl Others {
    fn of(beliefs: &[Belief], ship: usize, told: &Told) -> Self {
        let others = || {
            let all = beliefs.iter().enumerate();
            all.filter(move |&(other, _)| other != ship)
                .map(|(_, belief)| belief)
        };
        let mut free = [1.0; 100];
        for other in others() {
            for (free, taken) in free.iter_mut().zip(other.on_cell) {
                *free *= (1.0 - taken).max(FLOOR);
            }
        }
        let results = told.results.iter().enumerate();
        let (hits, sunk) = results
            .map(|(salvo, &(hit, sunk))| {
                let hits = sum(others().map(|other| other.hits[salvo]));
                let sinkings = sum(others().map(|other| {
                    let sunk = other.sunk[salvo];
                    [1.0 - sunk, sunk, 0.0, 0.0, 0.0, 0.0]
                }));
                (left_for_one(&hits, hit), left_for_one(&sinkings, sunk)[1])
            })
            .unzip();
        Self { free, hits, sunk }
    }

    fn fit(&self, trace: &Trace) -> f32 {
        let free: f32 = trace.hull.indices().map(|cell| self.free[cell]).product();
        let hits: f32 = trace
            .hits()
            .map(|(salvo, hits)| self.hits[salvo][usize::from(hits)])
            .product();
        let sunk = trace
            .sunk_in
            .map_or(1.0, |salvo| self.sunk[usize::from(salvo)]);
        free * hits * sunk
    }
}

/// The distribution of a sum of independent numbers, cut off above five.
fn sum(parts: impl Iterator<Item = Distribution>) -> Distribution {
    let mut sum = [1.0, 0.0, 0.0, 0.0, 0.0, 0.0];
    for part in parts {
        let mut next = [0.0; LONGEST + 1];
        for (one, chance) in sum.iter().enumerate() {
            for (two, other) in part.iter().enumerate().take(LONGEST + 1 - one) {
                next[one + two] += chance * other;
            }
        }
        sum = next;
    }
    sum
}

/// Of each number for one ship, how well it makes up `all` together with the others, against none.
fn left_for_one(others: &Distribution, all: u8) -> Distribution {
    let all = usize::from(all).min(LONGEST);
    let without = others[all].max(FLOOR);
    std::array::from_fn(|own| {
        all.checked_sub(own)
            .map_or(0.0, |rest| others[rest].max(FLOOR) / without)
    })
}
