//! A move held against the legal moves that came with the turn, so that nobody is struck for a slip of the finger.

use broadside_proto::v1::{
    AbaloneCell, AbaloneMove, Cell, LegalMoves, Move, SalvoChoice, Variant, advanced_salvo_move,
    r#move, salvo_move,
};

use crate::{
    notation::{Coordinates, abalone_cell, direction, move_text},
    text::count,
};

/// Whether a move is one of the legal ones; if not, in one sentence what is wrong with it.
pub(super) fn check(variant: Variant, legal: &LegalMoves, played: &Move) -> Result<(), String> {
    if let Some(choice) = &legal.salvo {
        return salvo(choice, cells(played));
    }
    if legal.moves.is_empty() {
        return Ok(());
    }
    match &played.variant {
        Some(r#move::Variant::Abalone(played)) => abalone(legal, played),
        _ if legal.moves.contains(played) => Ok(()),
        _ => Err(not_listed(variant, legal, played)),
    }
}

fn cells(played: &Move) -> &[Cell] {
    match &played.variant {
        Some(r#move::Variant::Salvo(played)) => match &played.r#move {
            Some(salvo_move::Move::Salvo(salvo)) => &salvo.cells,
            _ => &[],
        },
        Some(r#move::Variant::AdvancedSalvo(played)) => match &played.r#move {
            Some(advanced_salvo_move::Move::Salvo(salvo)) => &salvo.cells,
            _ => &[],
        },
        _ => &[],
    }
}

fn salvo(choice: &SalvoChoice, cells: &[Cell]) -> Result<(), String> {
    let name = |cell: &Cell| Coordinates::LetterNumber.cell(*cell);
    let spent: Vec<String> = cells
        .iter()
        .filter(|cell| !choice.cells.contains(cell))
        .map(name)
        .collect();
    if !spent.is_empty() {
        return Err(format!("You have fired at {} before.", spent.join(" ")));
    }
    let size = usize::try_from(choice.size).unwrap_or(usize::MAX);
    if cells.len() != size {
        return Err(format!(
            "This salvo has {}, not {}.",
            count(size, "cell"),
            cells.len()
        ));
    }
    Ok(())
}

fn abalone(legal: &LegalMoves, played: &AbaloneMove) -> Result<(), String> {
    let moves = || {
        legal.moves.iter().filter_map(|legal| match &legal.variant {
            Some(r#move::Variant::Abalone(legal)) => Some(legal),
            _ => None,
        })
    };
    let group = sorted(&played.group);
    let same: Vec<&AbaloneMove> = moves().filter(|it| sorted(&it.group) == group).collect();
    if same.iter().any(|it| it.direction == played.direction) {
        return Ok(());
    }
    let names: Vec<String> = group
        .into_iter()
        .map(|(row, number)| abalone_cell(AbaloneCell { row, number }))
        .collect();
    let names = names.join(" ");
    let directions: Vec<&str> = same.iter().map(|it| direction(it.direction())).collect();
    Err(if directions.is_empty() {
        format!("{names} cannot move: type moves for all that can.")
    } else {
        format!(
            "{names} cannot move {}; it can move {}.",
            direction(played.direction()),
            directions.join(", ")
        )
    })
}

fn sorted(group: &[AbaloneCell]) -> Vec<(u32, u32)> {
    let mut cells: Vec<(u32, u32)> = group.iter().map(|cell| (cell.row, cell.number)).collect();
    cells.sort_unstable();
    cells
}

/// What is wrong with a shot, or with another move whose like may be legal.
fn not_listed(variant: Variant, legal: &LegalMoves, played: &Move) -> String {
    let text = move_text(played);
    let Some((kind, _)) = text.split_once(' ') else {
        return match variant {
            Variant::Naumachia => {
                format!(
                    "{text} is no target: you have fired at it before, or it is known to be water."
                )
            }
            _ => format!("You have fired at {text} before."),
        };
    };
    let like: Vec<String> = legal
        .moves
        .iter()
        .map(move_text)
        .filter(|legal| legal.split_once(' ').is_some_and(|(it, _)| it == kind))
        .collect();
    if like.is_empty() {
        format!("{text} is not legal now, and no other {kind} is.")
    } else {
        format!("{text} is not legal now; these are: {}.", like.join(", "))
    }
}
