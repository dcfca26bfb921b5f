//! Naumachia: sunk ships are shown, and no ship lies beside another.

use broadside_proto::v1::{NaumachiaMove, NaumachiaView, Shot, naumachia_move::Move};
use broadside_rules::naval::{CellSet, naumachia};
use rand::Rng;

use super::{
    naval::{Waters, afloat},
    told, wire,
};

pub(super) fn shot(view: &NaumachiaView, rng: &mut impl Rng) -> Option<NaumachiaMove> {
    let rules = naumachia::RULES;
    let targets = view.targets.as_ref()?;
    let grid = targets.grid.clone().unwrap_or_default();
    let wrecks = targets
        .sunk
        .iter()
        .filter_map(|ship| wire::hull(&rules, ship))
        .fold(CellSet::EMPTY, |all, hull| all | hull);
    let sunk = targets
        .sunk
        .iter()
        .filter_map(|ship| wire::class(ship.ship_class()));
    let legal = told::untried(&grid) - wire::cell_set(&targets.marked);
    let waters = Waters {
        legal,
        promising: legal,
        open: wire::cell_set(&grid.hits) - wrecks,
        afloat: afloat(&rules, sunk),
        may_touch: rules.ships_may_touch,
    };
    let cell = waters.best_shot(rng).map(wire::to_cell)?;
    Some(NaumachiaMove {
        r#move: Some(Move::Shot(Shot { cell: Some(cell) })),
    })
}
