//! Amiral: one shot at a time; hits do not name the ship.

use broadside_proto::v1::{AmiralMove, AmiralView, Shot, amiral_move::Move};
use broadside_rules::naval::amiral;
use rand::Rng;

use super::{told, wire};

pub(super) fn shot(view: &AmiralView, rng: &mut impl Rng) -> Option<AmiralMove> {
    let targets = view.targets.as_ref()?;
    let grid = targets.grid.clone().unwrap_or_default();
    let waters = told::unnamed(&amiral::RULES, &grid, &targets.sunk, 1);
    let cell = waters.best_shot(rng).map(wire::to_cell)?;
    Some(AmiralMove {
        r#move: Some(Move::Shot(Shot { cell: Some(cell) })),
    })
}
