//! classic, in the contract's words.

use broadside_proto::v1::{self, classic_move};
use broadside_rules::naval::{Answer, Knowledge, Move, PublicView, View};

use super::{Refusal, Writer, naval};

pub(super) fn move_from(message: v1::ClassicMove) -> Result<Move, Refusal> {
    let v1::ClassicMove { r#move } = message;
    match r#move.ok_or_else(|| Refusal::unset("classic.move"))? {
        classic_move::Move::Deployment(deployment) => naval::deploy_from(deployment),
        classic_move::Move::Shot(shot) => naval::shot_from(shot),
    }
}

pub(super) fn deployment(deployment: v1::Deployment) -> v1::ClassicMove {
    v1::ClassicMove {
        r#move: Some(classic_move::Move::Deployment(deployment)),
    }
}

pub(super) fn shot(cell: v1::Cell) -> v1::ClassicMove {
    v1::ClassicMove {
        r#move: Some(classic_move::Move::Shot(v1::Shot { cell: Some(cell) })),
    }
}

pub(super) fn answer(answer: &Answer) -> v1::ClassicAnswer {
    match answer {
        Answer::Shot { hit, class, sunk } => v1::ClassicAnswer {
            hit: *hit,
            ship_class: naval::optional_class(*class),
            sunk: naval::optional_class(sunk.map(|sunk| sunk.class)),
        },
        _ => v1::ClassicAnswer::default(),
    }
}

fn targets(told: &Knowledge) -> v1::ClassicTargets {
    v1::ClassicTargets {
        grid: Some(naval::target_grid(told)),
        hit_classes: naval::classes(told.hit_classes()),
        sunk: naval::sinkings(told),
        afloat: told.enemy_afloat().into(),
    }
}

pub(super) fn view(view: &View<'_>) -> v1::ClassicView {
    v1::ClassicView {
        ocean: Some(naval::ocean(view.own, view.incoming)),
        targets: Some(targets(view.target)),
    }
}

fn write_targets(told: &Knowledge, to: &mut Writer<'_>) {
    to.nested(1, |grid| naval::write_target_grid(told, grid));
    to.bytes(2, told.hit_classes().iter().copied().map(naval::class_byte));
    naval::write_sinkings(3, told, to);
    to.number(4, told.enemy_afloat());
}

pub(super) fn write_view(view: &View<'_>, to: &mut Writer<'_>) {
    to.nested(1, |ocean| {
        naval::write_ocean(view.own, view.incoming, ocean)
    });
    to.nested(2, |targets| write_targets(view.target, targets));
}

pub(super) fn public_view(view: &PublicView<'_>) -> v1::ClassicPublicView {
    let [one, two] = view.told;
    v1::ClassicPublicView {
        seat_one_targets: Some(targets(one)),
        seat_two_targets: Some(targets(two)),
    }
}
