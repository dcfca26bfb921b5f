//! salvo, in the contract's words.

use broadside_proto::v1::{self, salvo_move};
use broadside_rules::naval::{Answer, Knowledge, Move, PublicView, View};

use super::{Refusal, Writer, naval};

pub(super) fn move_from(message: v1::SalvoMove) -> Result<Move, Refusal> {
    let v1::SalvoMove { r#move } = message;
    match r#move.ok_or_else(|| Refusal::unset("salvo.move"))? {
        salvo_move::Move::Deployment(deployment) => naval::deploy_from(deployment),
        salvo_move::Move::Salvo(salvo) => naval::salvo_from(salvo),
    }
}

pub(super) fn deployment(deployment: v1::Deployment) -> v1::SalvoMove {
    v1::SalvoMove {
        r#move: Some(salvo_move::Move::Deployment(deployment)),
    }
}

pub(super) fn answer(answer: &Answer) -> v1::SalvoAnswer {
    match answer {
        Answer::Salvo { shots, sunk } => v1::SalvoAnswer {
            shots: shots
                .iter()
                .map(|shot| v1::ShotAnswer {
                    hit: shot.hit,
                    ship_class: naval::optional_class(shot.class),
                })
                .collect(),
            sunk: naval::classes(sunk),
        },
        _ => v1::SalvoAnswer::default(),
    }
}

fn targets(told: &Knowledge) -> v1::SalvoTargets {
    v1::SalvoTargets {
        grid: Some(naval::target_grid(told)),
        hit_classes: naval::classes(told.hit_classes()),
        sunk: naval::sinkings(told),
        afloat: told.enemy_afloat().into(),
    }
}

pub(super) fn view(view: &View<'_>) -> v1::SalvoView {
    v1::SalvoView {
        ocean: Some(naval::ocean(view.own, view.incoming)),
        targets: Some(targets(view.target)),
        salvo_size: view.salvo_size.map_or(0, |size| size as u32),
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
    to.number(3, view.salvo_size.map_or(0, |size| size as u64));
}

pub(super) fn public_view(view: &PublicView<'_>) -> v1::SalvoPublicView {
    let [one, two] = view.told;
    v1::SalvoPublicView {
        seat_one_targets: Some(targets(one)),
        seat_two_targets: Some(targets(two)),
    }
}
