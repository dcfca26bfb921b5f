use arrayvec::ArrayVec;
use rand::{Rng, RngExt};

use super::{
    Berth, Cell, CellSet, Deployment, FleetEntry, Line, Orientation, PlacedShip, Ruleset,
    cell::SIZE, deployment::MAX_SHIPS,
};

/// Fleets tried before giving up. A naumachia fleet takes some four thousand on average, so that
/// a fleet that can be placed at all is missed with a chance far below one in 10^100.
const MAX_TRIES: u32 = 2_000_000;

/// Draws a deployment, uniformly over all that are legal by `rules`; the berth too, where there is
/// one. `None` if the cap on tries was met.
///
/// Every ship is drawn independently of the others, and the whole fleet is thrown away when two
/// clash: drawing only the one that clashes again would favour some fleets over others.
#[must_use]
pub fn deal(rules: &Ruleset, rng: &mut impl Rng) -> Option<Deployment> {
    let ships = (0..MAX_TRIES).find_map(|_| draw_fleet(rules, rng))?;
    let berth = rules.submarine.then(|| draw_berth(rng)).flatten();
    Deployment::new(rules, &ships, berth).ok()
}

fn draw_fleet(rules: &Ruleset, rng: &mut impl Rng) -> Option<ArrayVec<PlacedShip, MAX_SHIPS>> {
    let mut ships = ArrayVec::new();
    let mut closed = CellSet::EMPTY;
    for &entry in rules.fleet {
        for _ in 0..entry.count {
            let (ship, hull) = draw_ship(entry, rng)?;
            if !(hull & closed).is_empty() {
                return None;
            }
            closed |= hull;
            if !rules.ships_may_touch {
                closed |= hull.ring();
            }
            ships.try_push(ship).ok()?;
        }
    }
    Some(ships)
}

/// One ship, uniformly over its placements. A ship of one cell has one placement a cell, not two.
fn draw_ship(entry: FleetEntry, rng: &mut impl Rng) -> Option<(PlacedShip, CellSet)> {
    let starts = u32::from(SIZE.checked_sub(entry.length)? + 1);
    let lines = u32::from(SIZE);
    let orientations = if entry.length == 1 { 1 } else { 2 };
    let draw = rng.random_range(0..orientations * lines * starts);
    let (line, start) = (draw / starts % lines + 1, draw % starts + 1);
    let (orientation, cell) = if draw < lines * starts {
        (Orientation::Horizontal, Cell::new(line, start)?)
    } else {
        (Orientation::Vertical, Cell::new(start, line)?)
    };
    let ship = PlacedShip {
        class: entry.class,
        cell,
        orientation,
    };
    Some((ship, ship.cells(entry.length)?))
}

fn draw_berth(rng: &mut impl Rng) -> Option<Berth> {
    let line = Line::new(rng.random_range(1..=u32::from(SIZE)))?;
    Some(if rng.random_range(0..2u8) == 0 {
        Berth::Letter(line)
    } else {
        Berth::Number(line)
    })
}
