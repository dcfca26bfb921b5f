//! Salvo: as many shots at a time as there are ships afloat.

use broadside_proto::v1::{Salvo, SalvoMove, SalvoView, salvo_move::Move};
use broadside_rules::naval::Options;
use rand::Rng;

use super::{told, wire};

/// The largest salvo.
const TOGETHER: usize = 5;

pub(super) fn salvo(view: &SalvoView, rng: &mut impl Rng) -> Option<SalvoMove> {
    let rules = Options::Salvo {
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
        told::unnamed(rules, &grid, &targets.sunk, TOGETHER)
    };
    let cells = waters.best_shots(view.salvo_size as usize, rng);
    Some(SalvoMove {
        r#move: Some(Move::Salvo(Salvo {
            cells: cells.into_iter().map(wire::to_cell).collect(),
        })),
    })
}
