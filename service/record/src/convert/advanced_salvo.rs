//! advanced-salvo, in the contract's words.

use broadside_proto::v1::{self, advanced_salvo_move};
use broadside_rules::naval::{Answer, Knowledge, Move, PublicView, View};

use super::{Refusal, Writer, naval};

pub(super) fn move_from(message: v1::AdvancedSalvoMove) -> Result<Move, Refusal> {
    let v1::AdvancedSalvoMove { r#move } = message;
    match r#move.ok_or_else(|| Refusal::unset("advanced_salvo.move"))? {
        advanced_salvo_move::Move::Deployment(deployment) => naval::deploy_from(deployment),
        advanced_salvo_move::Move::Salvo(salvo) => naval::salvo_from(salvo),
    }
}

pub(super) fn deployment(deployment: v1::Deployment) -> v1::AdvancedSalvoMove {
    v1::AdvancedSalvoMove {
        r#move: Some(advanced_salvo_move::Move::Deployment(deployment)),
    }
}

pub(super) fn answer(answer: &Answer) -> v1::AdvancedSalvoAnswer {
    match answer {
        Answer::SalvoCount { hits, enemy_afloat } => v1::AdvancedSalvoAnswer {
            hits: (*hits).into(),
            afloat: (*enemy_afloat).into(),
        },
        _ => v1::AdvancedSalvoAnswer::default(),
    }
}

fn targets(told: &Knowledge) -> v1::AdvancedSalvoTargets {
    v1::AdvancedSalvoTargets {
        salvos: told
            .salvos()
            .map(|salvo| v1::CountedSalvo {
                cells: salvo.cells.iter().copied().map(naval::number).collect(),
                hits: salvo.hits.into(),
                afloat: salvo.enemy_afloat.into(),
            })
            .collect(),
        afloat: told.enemy_afloat().into(),
    }
}

pub(super) fn view(view: &View<'_>) -> v1::AdvancedSalvoView {
    v1::AdvancedSalvoView {
        ocean: Some(naval::ocean(view.own, view.incoming)),
        targets: Some(targets(view.target)),
        salvo_size: view.salvo_size.map_or(0, |size| size as u32),
    }
}

fn write_targets(told: &Knowledge, to: &mut Writer<'_>) {
    for salvo in told.salvos() {
        to.nested(1, |to| {
            to.bytes(1, salvo.cells.iter().map(|cell| cell.number()));
            to.number(2, salvo.hits);
            to.number(3, salvo.enemy_afloat);
        });
    }
    to.number(2, told.enemy_afloat());
}

pub(super) fn write_view(view: &View<'_>, to: &mut Writer<'_>) {
    to.nested(1, |ocean| {
        naval::write_ocean(view.own, view.incoming, ocean)
    });
    to.nested(2, |targets| write_targets(view.target, targets));
    to.number(3, view.salvo_size.map_or(0, |size| size as u64));
}

pub(super) fn public_view(view: &PublicView<'_>) -> v1::AdvancedSalvoPublicView {
    let [one, two] = view.told;
    v1::AdvancedSalvoPublicView {
        seat_one_targets: Some(targets(one)),
        seat_two_targets: Some(targets(two)),
    }
}
