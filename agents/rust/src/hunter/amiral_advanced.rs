//! Amiral advanced: the guns of amiral; a strike as soon as one may be flown; torpedoes while nothing is hit, since
//! they sink what they meet; a hunt whenever the enemy has torpedoes left.

use broadside_proto::v1::{
    self, AirStrike, AmiralAdvancedMove, AmiralAdvancedTargets, AmiralAdvancedView, Hunt,
    Relocation, Shot, Torpedo, amiral_advanced_move::Move,
};
use broadside_rules::naval::{
    Berth, Cell, CellSet, PlacedShip, Route, Ruleset, ShipClass, amiral_advanced,
};
use rand::{Rng, RngExt};

use super::{
    hulls::index,
    naval::{Sought, Waters, afloat, any},
    sunk::{explained, places},
    told, wire,
};

const RULES: Ruleset = amiral_advanced::RULES;

/// A torpedo is worth a turn if it meets a ship with at least this chance: what it sinks would take several shots.
const TORPEDO_CHANCE: f64 = 0.25;
/// Berths are drawn from those nearly as good as the best, so that the enemy cannot tell which end to hunt at.
const NEARLY: f64 = 0.8;

/// A turn in battle.
pub(super) fn battle(view: &AmiralAdvancedView, rng: &mut impl Rng) -> Option<AmiralAdvancedMove> {
    let targets = view.targets.as_ref()?;
    let waters = waters(targets);
    let chosen = air_strike(view, &waters, rng)
        .or_else(|| hunt(view, rng))
        .or_else(|| torpedo(view, &waters, rng))
        .or_else(|| {
            let cell = waters.best_shot(rng).map(wire::to_cell)?;
            Some(Move::Shot(Shot { cell: Some(cell) }))
        })?;
    Some(AmiralAdvancedMove {
        r#move: Some(chosen),
    })
}

/// Where the submarine goes after it was hunted in vain.
pub(super) fn relocation(
    view: &AmiralAdvancedView,
    rng: &mut impl Rng,
) -> Option<AmiralAdvancedMove> {
    let targets = view.targets.as_ref()?;
    let berth = Some(wire::to_berth(berth(&waters(targets), rng)?));
    Some(AmiralAdvancedMove {
        r#move: Some(Move::Relocation(Relocation { berth })),
    })
}

/// Where the submarine lies at first.
pub(super) fn first_berth(rng: &mut impl Rng) -> Option<Berth> {
    berth(&waters(&AmiralAdvancedTargets::default()), rng)
}

fn waters(targets: &AmiralAdvancedTargets) -> Waters {
    let grid = targets.grid.clone().unwrap_or_default();
    let hits = wire::cells(&grid.hits);
    let all: CellSet = hits.iter().copied().collect();
    let wrecks = wrecks(targets, &hits);
    let legal = told::untried(&grid);
    // A torpedo that missed has shown its whole route to hold no ship that is afloat now.
    let crossed = targets
        .torpedoes
        .iter()
        .filter(|run| run.sunk.is_none())
        .filter_map(|run| wire::route(run.route?))
        .flat_map(Route::cells)
        .collect();
    Waters {
        legal,
        promising: legal - crossed,
        open: all - wrecks,
        afloat: afloat(&RULES, told::classes(&targets.sunk)),
        may_touch: RULES.ships_may_touch,
    }
}

/// The hits on ships that shots have sunk. What torpedoes sank had no hits: they are fired while nothing is hit.
fn wrecks(targets: &AmiralAdvancedTargets, hits: &[Cell]) -> CellSet {
    let together = if targets.air_strike_spent { 4 } else { 1 };
    let mut sinkings: Vec<_> = targets
        .sunk
        .iter()
        .filter_map(|sinking| Some((sinking.ship_class, told::wreck(&RULES, sinking, together)?)))
        .collect();
    for class in targets.torpedoes.iter().filter_map(|run| run.sunk) {
        // Of two sinkings of one class, the torpedo's is the one that the hits cannot explain.
        let torpedoed = sinkings
            .iter()
            .enumerate()
            .filter(|(_, (sunk, _))| *sunk == class)
            .min_by_key(|(_, (_, wreck))| places(hits, wreck).len())
            .map(|(place, _)| place);
        if let Some(place) = torpedoed {
            sinkings.remove(place);
        }
    }
    let wrecks: Vec<_> = sinkings.into_iter().map(|(_, wreck)| wreck).collect();
    explained(hits, &wrecks)
}

fn air_strike(view: &AmiralAdvancedView, waters: &Waters, rng: &mut impl Rng) -> Option<Move> {
    let targets = view.targets.as_ref()?;
    if targets.air_strike_spent
        || targets.sunk.len() < amiral_advanced::SUNK_BEFORE_AIR_STRIKE
        || !carrier_unhit(view.ocean.as_ref()?)
    {
        return None;
    }
    let scores = waters.scores();
    let blocks = Cell::all().filter_map(|corner| {
        let mut gain = 0;
        let mut fresh = false;
        for (down, right) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
            let row = u32::from(corner.row()) + down;
            let cell = Cell::new(row, u32::from(corner.column()) + right)?;
            if waters.legal.contains(cell) {
                fresh = true;
                gain += scores[index(cell)];
            }
        }
        fresh.then_some((corner, gain))
    });
    let blocks: Vec<_> = blocks.collect();
    let most = blocks.iter().map(|&(_, gain)| gain).max()?;
    let best = blocks.iter().filter(|&&(_, gain)| gain == most);
    let cell = any(best.map(|&(corner, _)| corner).collect(), rng)?;
    Some(Move::AirStrike(AirStrike {
        cell: Some(wire::to_cell(cell)),
    }))
}

fn carrier_unhit(ocean: &v1::OceanGrid) -> bool {
    let fired_at = wire::cell_set(&ocean.fired_at);
    ocean.ships.iter().all(|own| {
        let Some(ship) = &own.ship else { return false };
        wire::class(ship.ship_class()) != Some(ShipClass::Carrier)
            || !own.sunk
                && wire::hull(&RULES, ship).is_some_and(|hull| (hull & fired_at).is_empty())
    })
}

fn hunt(view: &AmiralAdvancedView, rng: &mut impl Rng) -> Option<Move> {
    let targets = view.targets.as_ref()?;
    let enemy = view.enemy_targets.as_ref()?;
    let latest = wire::route(targets.huntable?)?;
    if enemy.torpedoes_left == 0 {
        return None;
    }
    let mut ends = latest.ends().to_vec();
    // Until it has been hunted the submarine cannot have moved: it lies at an end of every route so far.
    if targets.hunts.is_empty() {
        let routes = enemy
            .torpedoes
            .iter()
            .filter_map(|run| wire::route(run.route?));
        for route in routes {
            if ends.iter().any(|end| route.ends().contains(end)) {
                ends.retain(|end| route.ends().contains(end));
            }
        }
    }
    let end = ends.get(rng.random_range(0..ends.len()))?;
    Some(Move::Hunt(Hunt {
        end: Some(wire::to_berth(*end)),
    }))
}

fn torpedo(view: &AmiralAdvancedView, waters: &Waters, rng: &mut impl Rng) -> Option<Move> {
    let targets = view.targets.as_ref()?;
    if targets.torpedoes_left == 0
        || !targets.submarine_in_play
        || !targets.shot_since_torpedo
        || waters.on_target()
    {
        return None;
    }
    let odds = Odds::new(waters);
    let mut routes = wire::berth(view.berth.as_ref()?)?.routes();
    if rng.random_range(0..2u8) == 0 {
        routes.reverse();
    }
    let (route, chance) = routes
        .map(|route| (route, odds.of(route)))
        .into_iter()
        .max_by(|(_, one), (_, two)| one.total_cmp(two))?;
    (chance >= TORPEDO_CHANCE).then(|| {
        Move::Torpedo(Torpedo {
            route: Some(wire::to_route(route)),
        })
    })
}

/// A berth from which a torpedo is nearly as likely to meet a ship as from the best one.
fn berth(waters: &Waters, rng: &mut impl Rng) -> Option<Berth> {
    let odds = Odds::new(waters);
    let berths: Vec<_> = Berth::all()
        .map(|berth| {
            let [one, two] = berth.routes().map(|route| odds.of(route));
            (berth, one.max(two))
        })
        .collect();
    let best = berths.iter().map(|&(_, chance)| chance).fold(0.0, f64::max);
    let mut good = berths;
    good.retain(|&(_, chance)| chance >= NEARLY * best);
    let (berth, _) = good.get(rng.random_range(0..good.len()))?;
    Some(*berth)
}

/// How likely each cell is to hold each ship afloat, one ship at a time.
struct Odds(Vec<[f64; 100]>);

impl Odds {
    fn new(waters: &Waters) -> Self {
        let of = |ship: &Sought| {
            let (ways, scores) = waters.room(ship);
            scores.map(|score| score as f64 / ways.max(1) as f64)
        };
        Self(waters.afloat.iter().map(of).collect())
    }

    /// The chance that a torpedo meets a ship: no ship crosses a diagonal twice.
    fn of(&self, route: Route) -> f64 {
        let cells = route.cells();
        let missed = self.0.iter().map(|ship| {
            let meets: f64 = cells.iter().map(|&cell| ship[index(cell)]).sum();
            1.0 - meets.min(1.0)
        });
        1.0 - missed.product::<f64>()
    }
}

/// The fleet and the berth.
pub(super) fn deployment(
    ships: &[PlacedShip],
    rng: &mut impl Rng,
) -> Option<v1::AmiralAdvancedDeployment> {
    Some(v1::AmiralAdvancedDeployment {
        fleet: Some(v1::Deployment {
            ships: ships.iter().copied().map(wire::to_ship).collect(),
        }),
        berth: Some(wire::to_berth(first_berth(rng)?)),
    })
}
