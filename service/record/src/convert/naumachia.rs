//! naumachia, in the contract's words.

use arrayvec::ArrayVec;
use broadside_proto::v1::{self, naumachia_move};
use broadside_rules::naval::{Answer, Cell, Knowledge, Move, PublicView, Sinking, View};

use super::{Refusal, Writer, naval};

pub(super) fn move_from(message: v1::NaumachiaMove) -> Result<Move, Refusal> {
    let v1::NaumachiaMove { r#move } = message;
    match r#move.ok_or_else(|| Refusal::unset("naumachia.move"))? {
        naumachia_move::Move::Deployment(deployment) => naval::deploy_from(deployment),
        naumachia_move::Move::Shot(shot) => naval::shot_from(shot),
    }
}

pub(super) fn deployment(deployment: v1::Deployment) -> v1::NaumachiaMove {
    v1::NaumachiaMove {
        r#move: Some(naumachia_move::Move::Deployment(deployment)),
    }
}

pub(super) fn shot(cell: v1::Cell) -> v1::NaumachiaMove {
    v1::NaumachiaMove {
        r#move: Some(naumachia_move::Move::Shot(v1::Shot { cell: Some(cell) })),
    }
}

pub(super) fn answer(answer: &Answer) -> v1::NaumachiaAnswer {
    match answer {
        Answer::Shot { hit, sunk, .. } => v1::NaumachiaAnswer {
            hit: *hit,
            sunk: sunk.and_then(|sunk| sunk.placement).map(naval::placed_ship),
        },
        _ => v1::NaumachiaAnswer::default(),
    }
}

fn targets(told: &Knowledge) -> v1::NaumachiaTargets {
    v1::NaumachiaTargets {
        grid: Some(naval::target_grid(told)),
        sunk: told
            .sinkings()
            .iter()
            .filter_map(Sinking::placement)
            .map(naval::placed_ship)
            .collect(),
        marked: told.marked().iter().map(naval::number).collect(),
        afloat: told.enemy_afloat().into(),
    }
}

pub(super) fn view(view: &View<'_>) -> v1::NaumachiaView {
    v1::NaumachiaView {
        ocean: Some(naval::ocean(view.own, view.incoming)),
        targets: Some(targets(view.target)),
    }
}

fn write_targets(told: &Knowledge, to: &mut Writer<'_>) {
    to.nested(1, |grid| naval::write_target_grid(told, grid));
    for placed in told.sinkings().iter().filter_map(Sinking::placement) {
        to.nested(2, |to| naval::write_placed_ship(placed, to));
    }
    let marked: ArrayVec<u8, 100> = told.marked().iter().map(Cell::number).collect();
    to.bytes(3, marked.into_iter());
    to.number(4, told.enemy_afloat());
}

pub(super) fn write_view(view: &View<'_>, to: &mut Writer<'_>) {
    to.nested(1, |ocean| {
        naval::write_ocean(view.own, view.incoming, ocean)
    });
    to.nested(2, |targets| write_targets(view.target, targets));
}

pub(super) fn public_view(view: &PublicView<'_>) -> v1::NaumachiaPublicView {
    let [one, two] = view.told;
    v1::NaumachiaPublicView {
        seat_one_targets: Some(targets(one)),
        seat_two_targets: Some(targets(two)),
    }
}
