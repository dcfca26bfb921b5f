//! Classic: one shot at a time; hits name the ship, or do not.

use broadside_proto::v1::{ClassicMove, ClassicView, Shot, classic_move::Move};
use broadside_rules::naval::Options;
use rand::Rng;

use super::{told, wire};

pub(super) fn shot(view: &ClassicView, rng: &mut impl Rng) -> Option<ClassicMove> {
    let rules = Options::Classic {
        edition: wire::edition(view.ocean.as_ref()),
        name_ship_on_hit: true,
    }
    .ruleset();
    let targets = view.targets.as_ref()?;
    let grid = targets.grid.clone().unwrap_or_default();
    let classes: Vec<_> = targets.hit_classes().filter_map(wire::class).collect();
    let waters = if classes.len() == grid.hits.len() {
        told::named(rules, &grid, &classes, &targets.sunk)
    } else {
        told::unnamed(rules, &grid, &targets.sunk, 1)
    };
    let cell = waters.best_shot(rng).map(wire::to_cell)?;
    Some(ClassicMove {
        r#move: Some(Move::Shot(Shot { cell: Some(cell) })),
    })
}
