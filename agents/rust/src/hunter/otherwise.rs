//! What it plays once a move of a turn was refused: any other legal one. It plays soundly, so that this is for an arena that knows
//! better, and the same move again would only be refused again.

use broadside_proto::v1::{
    self, AdvancedSalvoMove, AmiralAdvancedMove, AmiralMove, ClassicMove, Move, NaumachiaMove,
    Salvo, SalvoMove, Shot, TargetGrid, advanced_salvo_move, amiral_advanced_move, amiral_move,
    classic_move, r#move::Variant as Chosen, naumachia_move, salvo_move, view::Variant as Seen,
};
use broadside_rules::naval::{Cell, CellSet};
use rand::Rng;

use super::{abalone, naval::any, told, wire};

/// A move other than `refused`, if there is one that a shot, a salvo or a push can be.
pub(super) fn otherwise(
    turn: &v1::Turn,
    seen: &Seen,
    refused: &Move,
    rng: &mut impl Rng,
) -> Option<Move> {
    let refused = refused.variant.as_ref()?;
    let variant = match (seen, refused) {
        (Seen::Classic(view), Chosen::Classic(ClassicMove { r#move })) => {
            let fired = match r#move {
                Some(classic_move::Move::Shot(shot)) => Some(*shot),
                _ => None,
            };
            let legal = untried(view.targets.as_ref()?.grid.as_ref());
            Chosen::Classic(ClassicMove {
                r#move: Some(classic_move::Move::Shot(shot(legal, fired, rng)?)),
            })
        }
        (Seen::Amiral(view), Chosen::Amiral(AmiralMove { r#move })) => {
            let fired = match r#move {
                Some(amiral_move::Move::Shot(shot)) => Some(*shot),
                _ => None,
            };
            let legal = untried(view.targets.as_ref()?.grid.as_ref());
            Chosen::Amiral(AmiralMove {
                r#move: Some(amiral_move::Move::Shot(shot(legal, fired, rng)?)),
            })
        }
        (Seen::AmiralAdvanced(view), Chosen::AmiralAdvanced(AmiralAdvancedMove { r#move })) => {
            let fired = match r#move {
                Some(amiral_advanced_move::Move::Shot(shot)) => Some(*shot),
                _ => None,
            };
            let legal = untried(view.targets.as_ref()?.grid.as_ref());
            Chosen::AmiralAdvanced(AmiralAdvancedMove {
                r#move: Some(amiral_advanced_move::Move::Shot(shot(legal, fired, rng)?)),
            })
        }
        (Seen::Naumachia(view), Chosen::Naumachia(NaumachiaMove { r#move })) => {
            let fired = match r#move {
                Some(naumachia_move::Move::Shot(shot)) => Some(*shot),
                _ => None,
            };
            let targets = view.targets.as_ref()?;
            let legal = untried(targets.grid.as_ref()) - wire::cell_set(&targets.marked);
            Chosen::Naumachia(NaumachiaMove {
                r#move: Some(naumachia_move::Move::Shot(shot(legal, fired, rng)?)),
            })
        }
        (Seen::Salvo(view), _) => {
            let legal = untried(view.targets.as_ref()?.grid.as_ref());
            Chosen::Salvo(SalvoMove {
                r#move: Some(salvo_move::Move::Salvo(salvo(legal, view.salvo_size, rng))),
            })
        }
        (Seen::AdvancedSalvo(view), _) => {
            let salvos = &view.targets.as_ref()?.salvos;
            let fired = salvos.iter().map(|salvo| wire::cell_set(&salvo.cells));
            let legal = !fired.fold(CellSet::EMPTY, |all, salvo| all | salvo);
            let salvo = salvo(legal, view.salvo_size, rng);
            Chosen::AdvancedSalvo(AdvancedSalvoMove {
                r#move: Some(advanced_salvo_move::Move::Salvo(salvo)),
            })
        }
        (Seen::Abalone(view), Chosen::Abalone(refused)) => {
            Chosen::Abalone(abalone::any_other(turn, view, refused, rng)?)
        }
        _ => return None,
    };
    Some(Move {
        variant: Some(variant),
    })
}

fn untried(grid: Option<&TargetGrid>) -> CellSet {
    grid.map_or(!CellSet::EMPTY, told::untried)
}

fn shot(legal: CellSet, refused: Option<Shot>, rng: &mut impl Rng) -> Option<Shot> {
    let refused = refused.and_then(|shot| shot.cell);
    let others = legal
        .iter()
        .filter(|cell| Some(wire::to_cell(*cell)) != refused);
    let others = others.fold(CellSet::EMPTY, |all, cell| all | CellSet::only(cell));
    let cell = any(others, rng).map(wire::to_cell);
    cell.map(|cell| Shot { cell: Some(cell) })
}

fn salvo(mut legal: CellSet, size: u32, rng: &mut impl Rng) -> Salvo {
    let draw = || -> Option<Cell> {
        let cell = any(legal, rng)?;
        legal = legal - CellSet::only(cell);
        Some(cell)
    };
    let cells = std::iter::from_fn(draw).take(size as usize);
    Salvo {
        cells: cells.map(wire::to_cell).collect(),
    }
}
