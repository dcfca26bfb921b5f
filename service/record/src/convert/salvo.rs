//! salvo, in the contract's words.

use broadside_proto::v1::{self, salvo_move};
use broadside_rules::naval::{Answer, Knowledge, Move, PublicView, View};

use super::{Refusal, naval};

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

pub(super) fn public_view(view: &PublicView<'_>) -> v1::SalvoPublicView {
    let [one, two] = view.told;
    v1::SalvoPublicView {
        seat_one_targets: Some(targets(one)),
        seat_two_targets: Some(targets(two)),
    }
}
