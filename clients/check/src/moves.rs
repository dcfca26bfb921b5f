//! Moves that the checker makes, and what it can say of the bot's.

use broadside_agents::{Agent, Random, Seed};
use broadside_proto::v1::{
    self, Move, Turn, Variant, advanced_salvo_move, amiral_advanced_move, amiral_move,
    classic_move, r#move::Variant as Of, naumachia_move, options::Variant as Options, salvo_move,
    view::Variant as View,
};

/// The variant of a match.
pub(crate) fn variant(options: Option<&v1::Options>) -> Variant {
    match options.and_then(|options| options.variant.as_ref()) {
        Some(Options::Classic(_)) => Variant::Classic,
        Some(Options::Salvo(_)) => Variant::Salvo,
        Some(Options::AdvancedSalvo(_)) => Variant::AdvancedSalvo,
        Some(Options::Amiral(_)) => Variant::Amiral,
        Some(Options::AmiralAdvanced(_)) => Variant::AmiralAdvanced,
        Some(Options::Naumachia(_)) => Variant::Naumachia,
        Some(Options::Abalone(_)) => Variant::Abalone,
        None => Variant::Unspecified,
    }
}

/// The variant that a move is of.
pub(crate) fn variant_of(played: &Move) -> Variant {
    match &played.variant {
        Some(Of::Classic(_)) => Variant::Classic,
        Some(Of::Salvo(_)) => Variant::Salvo,
        Some(Of::AdvancedSalvo(_)) => Variant::AdvancedSalvo,
        Some(Of::Amiral(_)) => Variant::Amiral,
        Some(Of::AmiralAdvanced(_)) => Variant::AmiralAdvanced,
        Some(Of::Naumachia(_)) => Variant::Naumachia,
        Some(Of::Abalone(_)) => Variant::Abalone,
        None => Variant::Unspecified,
    }
}

/// Options with which a match is quick; `round` makes matches of one variant differ where the variant has it.
pub(crate) fn options(variant: Variant, round: usize) -> v1::Options {
    let edition = Some(if round.is_multiple_of(2) {
        v1::Edition::Edition2002.into()
    } else {
        v1::Edition::Edition1967.into()
    });
    let layout = [
        v1::AbaloneLayout::BelgianDaisy,
        v1::AbaloneLayout::Standard,
        v1::AbaloneLayout::GermanDaisy,
    ];
    v1::Options {
        variant: Some(match variant {
            Variant::Classic | Variant::Unspecified => Options::Classic(v1::ClassicOptions {
                edition,
                name_ship_on_hit: None,
            }),
            Variant::Salvo => Options::Salvo(v1::SalvoOptions {
                edition,
                name_ship_on_hit: None,
            }),
            Variant::AdvancedSalvo => Options::AdvancedSalvo(v1::AdvancedSalvoOptions { edition }),
            Variant::Amiral => Options::Amiral(v1::AmiralOptions {}),
            Variant::AmiralAdvanced => Options::AmiralAdvanced(v1::AmiralAdvancedOptions {}),
            Variant::Naumachia => Options::Naumachia(v1::NaumachiaOptions {}),
            Variant::Abalone => Options::Abalone(v1::AbaloneOptions {
                start: Some(v1::abalone_options::Start::Layout(
                    layout[round % layout.len()].into(),
                )),
                max_plies: Some(120),
                repetition_limit: None,
            }),
        }),
    }
}

/// A legal move: the turn must list them.
pub(crate) fn legal(turn: &Turn) -> Option<Move> {
    Random::new(Seed(0)).choose(turn)
}

/// Whether a turn lists a move. A deployment may be legal and not listed.
pub(crate) fn lists(turn: &Turn, played: &Move) -> bool {
    let Some(legal) = &turn.legal_moves else {
        return false;
    };
    let Some(choice) = &legal.salvo else {
        return legal.moves.contains(played);
    };
    let cells = match (&played.variant, view(turn)) {
        (
            Some(Of::Salvo(v1::SalvoMove {
                r#move: Some(salvo_move::Move::Salvo(salvo)),
            })),
            Variant::Salvo,
        )
        | (
            Some(Of::AdvancedSalvo(v1::AdvancedSalvoMove {
                r#move: Some(advanced_salvo_move::Move::Salvo(salvo)),
            })),
            Variant::AdvancedSalvo,
        ) => &salvo.cells,
        _ => return false,
    };
    cells.len() == choice.size as usize
        && cells
            .iter()
            .enumerate()
            .all(|(index, cell)| choice.cells.contains(cell) && !cells[..index].contains(cell))
}

/// The variant of a turn, by its view.
fn view(turn: &Turn) -> Variant {
    match turn.view.as_ref().and_then(|view| view.variant.as_ref()) {
        Some(View::Classic(_)) => Variant::Classic,
        Some(View::Salvo(_)) => Variant::Salvo,
        Some(View::AdvancedSalvo(_)) => Variant::AdvancedSalvo,
        Some(View::Amiral(_)) => Variant::Amiral,
        Some(View::AmiralAdvanced(_)) => Variant::AmiralAdvanced,
        Some(View::Naumachia(_)) => Variant::Naumachia,
        Some(View::Abalone(_)) => Variant::Abalone,
        None => Variant::Unspecified,
    }
}

/// A move that is legal in no battle: a shot beyond the grid, a salvo of nothing, a push of nothing.
pub(crate) fn illegal(variant: Variant) -> Move {
    let shot = v1::Shot {
        cell: Some(v1::Cell {
            row: 99,
            column: 99,
        }),
    };
    let salvo = v1::Salvo { cells: Vec::new() };
    Move {
        variant: Some(match variant {
            Variant::Classic | Variant::Unspecified => Of::Classic(v1::ClassicMove {
                r#move: Some(classic_move::Move::Shot(shot)),
            }),
            Variant::Salvo => Of::Salvo(v1::SalvoMove {
                r#move: Some(salvo_move::Move::Salvo(salvo)),
            }),
            Variant::AdvancedSalvo => Of::AdvancedSalvo(v1::AdvancedSalvoMove {
                r#move: Some(advanced_salvo_move::Move::Salvo(salvo)),
            }),
            Variant::Amiral => Of::Amiral(v1::AmiralMove {
                r#move: Some(amiral_move::Move::Shot(shot)),
            }),
            Variant::AmiralAdvanced => Of::AmiralAdvanced(v1::AmiralAdvancedMove {
                r#move: Some(amiral_advanced_move::Move::Shot(shot)),
            }),
            Variant::Naumachia => Of::Naumachia(v1::NaumachiaMove {
                r#move: Some(naumachia_move::Move::Shot(shot)),
            }),
            Variant::Abalone => Of::Abalone(v1::AbaloneMove {
                group: Vec::new(),
                direction: v1::AbaloneDirection::East.into(),
            }),
        }),
    }
}
