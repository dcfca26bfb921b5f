//! amiral, in the contract's words.

use broadside_proto::v1::{self, amiral_move};
use broadside_rules::naval::{Answer, Knowledge, Move, PublicView, View};

use super::{Refusal, Writer, naval};

pub(super) fn move_from(message: v1::AmiralMove) -> Result<Move, Refusal> {
    let v1::AmiralMove { r#move } = message;
    match r#move.ok_or_else(|| Refusal::unset("amiral.move"))? {
        amiral_move::Move::Deployment(deployment) => naval::deploy_from(deployment),
        amiral_move::Move::Shot(shot) => naval::shot_from(shot),
    }
}

pub(super) fn deployment(deployment: v1::Deployment) -> v1::AmiralMove {
    v1::AmiralMove {
        r#move: Some(amiral_move::Move::Deployment(deployment)),
    }
}

pub(super) fn shot(cell: v1::Cell) -> v1::AmiralMove {
    v1::AmiralMove {
        r#move: Some(amiral_move::Move::Shot(v1::Shot { cell: Some(cell) })),
    }
}

pub(super) fn answer(answer: &Answer) -> v1::AmiralAnswer {
    match answer {
        Answer::Shot { hit, sunk, .. } => v1::AmiralAnswer {
            hit: *hit,
            sunk: naval::optional_class(sunk.map(|sunk| sunk.class)),
        },
        _ => v1::AmiralAnswer::default(),
    }
}

fn targets(told: &Knowledge) -> v1::AmiralTargets {
    v1::AmiralTargets {
        grid: Some(naval::target_grid(told)),
        sunk: naval::sinkings(told),
        afloat: told.enemy_afloat().into(),
    }
}

pub(super) fn view(view: &View<'_>) -> v1::AmiralView {
    v1::AmiralView {
        ocean: Some(naval::ocean(view.own, view.incoming)),
        targets: Some(targets(view.target)),
    }
}

fn write_targets(told: &Knowledge, to: &mut Writer<'_>) {
    to.nested(1, |grid| naval::write_target_grid(told, grid));
    naval::write_sinkings(2, told, to);
    to.number(3, told.enemy_afloat());
}

pub(super) fn write_view(view: &View<'_>, to: &mut Writer<'_>) {
    to.nested(1, |ocean| {
        naval::write_ocean(view.own, view.incoming, ocean)
    });
    to.nested(2, |targets| write_targets(view.target, targets));
}

pub(super) fn public_view(view: &PublicView<'_>) -> v1::AmiralPublicView {
    let [one, two] = view.told;
    v1::AmiralPublicView {
        seat_one_targets: Some(targets(one)),
        seat_two_targets: Some(targets(two)),
    }
}
