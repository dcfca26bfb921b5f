//! What a turn asks of a person, in words.

use broadside_proto::v1::{IllegalMove, LegalMoves, Move, Phase, Turn, Variant, r#move, view};

use super::draft::Draft;
use crate::{
    describe,
    notation::{Coordinates, berth, move_text, parse_move},
    text::count,
};

/// What can be typed besides moves.
pub(super) const HELP: &str = "Also: moves (what is legal), board (show it again), undo and clear (while you place \
    ships), resign (give up), quit (give up and leave), help.";

/// What is asked, and how the answer is written.
pub(super) fn instruction(variant: Variant, turn: &Turn, draft: Option<&Draft>) -> String {
    match turn.phase() {
        Phase::Deployment => format!(
            "{}, such as {}: {}.",
            match dealt(turn) {
                Some(_) => "Enter takes it; or place your own",
                None => "Place your fleet",
            },
            match variant {
                Variant::Naumachia => "battleship Γ4 horizontal (or 3:4)",
                _ => "carrier A1 horizontal",
            },
            draft.map(Draft::still_missing).unwrap_or_default()
        ),
        Phase::Relocation => "The enemy hunted your submarine in vain. Say where it goes, such as berth E; Enter: it \
            stays."
            .to_owned(),
        _ => battle(variant, turn),
    }
}

fn battle(variant: Variant, turn: &Turn) -> String {
    match variant {
        Variant::Salvo | Variant::AdvancedSalvo => format!(
            "Fire your salvo of {}, such as D4 E5 F6.",
            count(salvo_size(turn), "cell")
        ),
        Variant::AmiralAdvanced => {
            "Your move: a shot (E5), torpedo E5, hunt E or hunt 5, or strike B1.".to_owned()
        }
        Variant::Naumachia => "Fire at a cell, such as Γ4 (or 3:4: column 3, row 4).".to_owned(),
        Variant::Abalone => {
            "Your move: one to three marbles and a direction, such as c3 c4 c5 ne.".to_owned()
        }
        Variant::Classic | Variant::Amiral | Variant::Unspecified => {
            "Fire at a cell, such as B10.".to_owned()
        }
    }
}

/// How many cells the turn's salvo has.
fn salvo_size(turn: &Turn) -> usize {
    let size = match turn.view.as_ref().and_then(|view| view.variant.as_ref()) {
        Some(view::Variant::Salvo(view)) => view.salvo_size,
        Some(view::Variant::AdvancedSalvo(view)) => view.salvo_size,
        _ => 0,
    };
    usize::try_from(size).unwrap_or(usize::MAX)
}

/// Why the arena refused, and what is left.
pub(super) fn refused(refusal: &IllegalMove, refusals_left: u32) -> String {
    let left = match refusals_left {
        0 => "one more refusal loses the match".to_owned(),
        more => format!("{more} more may be refused"),
    };
    let why = describe::refusal(refusal);
    format!("The arena refuses: {why} ({left}.)")
}

/// The legal moves of a turn that is due.
pub(super) fn legal_moves(turn: Option<&Turn>) -> String {
    let Some(turn) = turn else {
        return "It is not your turn.".to_owned();
    };
    if turn.phase() == Phase::Deployment {
        return "Any fleet that lies on the grid as the rules say.".to_owned();
    }
    match &turn.legal_moves {
        None => "The arena does not say which moves are legal.".to_owned(),
        Some(legal) => list(legal),
    }
}

fn list(legal: &LegalMoves) -> String {
    if let Some(choice) = &legal.salvo {
        let cell = |cell: &_| Coordinates::LetterNumber.cell(*cell);
        let cells: Vec<String> = choice.cells.iter().map(cell).collect();
        return format!("Any {} of: {}", choice.size, cells.join(" "));
    }
    let several_words = matches!(
        legal.moves.first().and_then(|it| it.variant.as_ref()),
        Some(r#move::Variant::Abalone(_) | r#move::Variant::AmiralAdvanced(_))
    );
    let moves: Vec<String> = legal.moves.iter().map(move_text).collect();
    moves.join(if several_words { ", " } else { " " })
}

/// The fleet that the arena deals.
pub(super) fn dealt(turn: &Turn) -> Option<&Move> {
    turn.legal_moves.as_ref()?.moves.first()
}

/// The move that leaves the submarine where it is.
pub(super) fn stay(turn: &Turn) -> Option<Move> {
    let Some(view::Variant::AmiralAdvanced(view)) = &turn.view.as_ref()?.variant else {
        return None;
    };
    let text = berth(view.berth.as_ref()?);
    parse_move(Variant::AmiralAdvanced, Phase::Relocation, &text).ok()
}
