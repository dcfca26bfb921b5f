//! What a player was told, shot by shot, as [`Waters`].

use broadside_proto::v1;
use broadside_rules::naval::{CellSet, Ruleset, ShipClass};

use super::{
    naval::{Waters, afloat},
    sunk::{Wreck, explained},
    wire,
};

/// The waters where each hit names the ship: `hit_classes` goes with `grid.hits`.
pub(super) fn named(
    rules: &Ruleset,
    grid: &v1::TargetGrid,
    hit_classes: &[ShipClass],
    sunk: &[v1::Sinking],
) -> Waters {
    let sunk = classes(sunk);
    let hits = wire::cells(&grid.hits);
    let of = |class| -> CellSet {
        let named = hits.iter().zip(hit_classes);
        named
            .filter(|&(_, &hit)| hit == class)
            .map(|(&cell, _)| cell)
            .collect()
    };
    let mut afloat = afloat(rules, sunk.iter().copied());
    let mut open = CellSet::EMPTY;
    for ship in &mut afloat {
        let hits = of(ship.class);
        open |= hits;
        ship.hits = Some(hits);
    }
    let legal = untried(grid);
    Waters {
        legal,
        promising: legal,
        open,
        afloat,
        may_touch: rules.ships_may_touch,
    }
}

/// The waters where a hit does not name the ship. `together` is the largest number of shots that are answered at once.
pub(super) fn unnamed(
    rules: &Ruleset,
    grid: &v1::TargetGrid,
    sunk: &[v1::Sinking],
    together: usize,
) -> Waters {
    let hits = wire::cells(&grid.hits);
    let wrecks: Vec<_> = sunk
        .iter()
        .filter_map(|sinking| wreck(rules, sinking, together))
        .collect();
    let all: CellSet = hits.iter().copied().collect();
    let legal = untried(grid);
    Waters {
        legal,
        promising: legal,
        open: all - explained(&hits, &wrecks),
        afloat: afloat(rules, classes(sunk)),
        may_touch: rules.ships_may_touch,
    }
}

/// A sinking by shots, as something to be explained.
pub(super) fn wreck(rules: &Ruleset, sinking: &v1::Sinking, together: usize) -> Option<Wreck> {
    let class = wire::class(sinking.ship_class())?;
    Some(Wreck {
        length: rules.entry(class)?.length,
        hits: sinking.hits as usize,
        together,
    })
}

/// The cells not fired at.
pub(super) fn untried(grid: &v1::TargetGrid) -> CellSet {
    !(wire::cell_set(&grid.misses) | wire::cell_set(&grid.hits))
}

pub(super) fn classes(sunk: &[v1::Sinking]) -> Vec<ShipClass> {
    sunk.iter()
        .filter_map(|sinking| wire::class(sinking.ship_class()))
        .collect()
}
