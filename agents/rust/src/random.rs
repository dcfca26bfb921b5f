use broadside_proto::v1::{
    self, AdvancedSalvoMove, Cell, Move, Phase, Salvo, SalvoChoice, SalvoMove, advanced_salvo_move,
    r#move, salvo_move, view,
};
use rand::seq::{IndexedRandom, IteratorRandom};
use tracing::warn;

use crate::{Agent, Seed};

/// Plays a legal move drawn uniformly: it knows no rules and needs a profile that asks for legal moves.
#[derive(Clone, Copy, Debug)]
pub struct Random {
    seed: Seed,
}

impl Random {
    /// An agent that draws from `seed`.
    #[must_use]
    pub const fn new(seed: Seed) -> Self {
        Self { seed }
    }
}

impl Agent for Random {
    fn choose(&self, turn: &v1::Turn) -> Option<Move> {
        let mut rng = self.seed.rng(turn);
        let Some(legal) = &turn.legal_moves else {
            warn!(
                turn.match_id,
                "resigns: the turn lists no legal moves; the profile must ask for them"
            );
            return None;
        };
        if let Some(choice) = &legal.salvo
            && turn.phase() == Phase::Battle
        {
            return salvo(turn, choice, &mut rng);
        }
        legal.moves.choose(&mut rng).cloned()
    }
}

fn salvo(turn: &v1::Turn, choice: &SalvoChoice, rng: &mut impl rand::Rng) -> Option<Move> {
    let size = choice.cells.len().min(choice.size as usize);
    let mut cells = vec![Cell::default(); size];
    choice.cells.iter().copied().sample_fill(rng, &mut cells);
    let salvo = Salvo { cells };
    let variant = match turn.view.as_ref()?.variant.as_ref()? {
        view::Variant::Salvo(_) => r#move::Variant::Salvo(SalvoMove {
            r#move: Some(salvo_move::Move::Salvo(salvo)),
        }),
        view::Variant::AdvancedSalvo(_) => r#move::Variant::AdvancedSalvo(AdvancedSalvoMove {
            r#move: Some(advanced_salvo_move::Move::Salvo(salvo)),
        }),
        _ => return None,
    };
    Some(Move {
        variant: Some(variant),
    })
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use broadside_proto::v1::{
        AdvancedSalvoView, ClassicMove, LegalMoves, Shot, View, classic_move,
    };

    use super::*;

    fn shot(column: u32) -> Move {
        Move {
            variant: Some(r#move::Variant::Classic(ClassicMove {
                r#move: Some(classic_move::Move::Shot(Shot {
                    cell: Some(Cell { row: 1, column }),
                })),
            })),
        }
    }

    #[test]
    fn every_listed_move_is_played_sooner_or_later() {
        let moves: Vec<_> = (1..=10).map(shot).collect();
        let mut played = HashSet::new();
        for turn_id in 0..500 {
            let turn = v1::Turn {
                turn_id,
                legal_moves: Some(LegalMoves {
                    moves: moves.clone(),
                    salvo: None,
                }),
                ..v1::Turn::default()
            };
            let chosen = Random::new(Seed(1)).choose(&turn).unwrap();
            played.insert(moves.iter().position(|listed| *listed == chosen).unwrap());
        }
        assert_eq!(played.len(), moves.len());
    }

    #[test]
    fn a_salvo_has_as_many_distinct_cells_as_asked() {
        let cells: Vec<_> = (1..=7).map(|column| Cell { row: 3, column }).collect();
        for turn_id in 0..100 {
            let turn = v1::Turn {
                turn_id,
                phase: Phase::Battle.into(),
                view: Some(View {
                    variant: Some(view::Variant::AdvancedSalvo(AdvancedSalvoView::default())),
                }),
                legal_moves: Some(LegalMoves {
                    moves: Vec::new(),
                    salvo: Some(SalvoChoice {
                        cells: cells.clone(),
                        size: 5,
                    }),
                }),
                ..v1::Turn::default()
            };
            let chosen = Random::new(Seed(1)).choose(&turn).unwrap();
            let Some(r#move::Variant::AdvancedSalvo(chosen)) = chosen.variant else {
                panic!("not of the variant: {chosen:?}");
            };
            let Some(advanced_salvo_move::Move::Salvo(salvo)) = chosen.r#move else {
                panic!("no salvo: {chosen:?}");
            };
            let columns: HashSet<_> = salvo.cells.iter().map(|cell| cell.column).collect();
            assert_eq!((salvo.cells.len(), columns.len()), (5, 5));
        }
    }

    #[test]
    fn without_a_list_it_resigns() {
        assert_eq!(Random::new(Seed(1)).choose(&v1::Turn::default()), None);
    }
}
