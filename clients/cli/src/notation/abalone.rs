//! Cells, directions and moves of abalone.

use broadside_proto::v1::{AbaloneCell, AbaloneDirection, AbaloneMove};

use super::{NotationError, number, quoted};

const ROWS: [char; 9] = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i'];

const DIRECTIONS: [(AbaloneDirection, &str); 6] = [
    (AbaloneDirection::East, "e"),
    (AbaloneDirection::West, "w"),
    (AbaloneDirection::NorthWest, "nw"),
    (AbaloneDirection::NorthEast, "ne"),
    (AbaloneDirection::SouthEast, "se"),
    (AbaloneDirection::SouthWest, "sw"),
];

/// The first and the last diagonal of a row, 1-9.
pub(crate) fn numbers(row: u32) -> std::ops::RangeInclusive<u32> {
    row.saturating_sub(4).max(1)..=(row + 4).min(9)
}

/// Whether a cell is on the board.
pub(crate) fn on_board(cell: AbaloneCell) -> bool {
    (1..=9).contains(&cell.row) && numbers(cell.row).contains(&cell.number)
}

/// The letter of a row, 1-9: `a` is the bottom one.
pub(crate) fn row_letter(row: u32) -> Option<char> {
    let index = usize::try_from(row).ok()?.checked_sub(1)?;
    ROWS.get(index).copied()
}

/// A cell: `c4`; `?` for one that is not on the board.
pub fn abalone_cell(cell: AbaloneCell) -> String {
    match row_letter(cell.row) {
        Some(letter) if on_board(cell) => format!("{letter}{}", cell.number),
        _ => "?".to_owned(),
    }
}

/// Reads a cell.
///
/// # Errors
/// If it is not a row's letter and the number of a diagonal that this row has.
pub fn parse_abalone_cell(text: &str) -> Result<AbaloneCell, NotationError> {
    let mut rest = text.chars();
    let row = rest
        .next()
        .and_then(|letter| {
            (1..)
                .zip(ROWS)
                .find(|(_, known)| *known == letter.to_ascii_lowercase())
        })
        .map(|(row, _)| row);
    let (Some(row), Some(number)) = (row, number(rest.as_str(), 1, 9)) else {
        return Err(NotationError::new(format!(
            "{} is not a cell: a cell is a row's letter a-i and a diagonal's number 1-9, such as c4.",
            quoted(text)
        )));
    };
    let cell = AbaloneCell { row, number };
    if !on_board(cell) {
        let letter = row_letter(row).unwrap_or('?');
        let numbers = numbers(row);
        return Err(NotationError::new(format!(
            "{} is not on the board: row {letter} goes from {letter}{} to {letter}{}.",
            quoted(text),
            numbers.start(),
            numbers.end()
        )));
    }
    Ok(cell)
}

/// A direction: `ne`; `?` if it is none.
pub fn direction(direction: AbaloneDirection) -> &'static str {
    DIRECTIONS
        .iter()
        .find(|(known, _)| *known == direction)
        .map_or("?", |(_, text)| text)
}

/// Reads a direction.
///
/// # Errors
/// If it is none of the six.
pub fn parse_direction(text: &str) -> Result<AbaloneDirection, NotationError> {
    DIRECTIONS
        .iter()
        .find(|(_, known)| known.eq_ignore_ascii_case(text))
        .map(|(direction, _)| *direction)
        .ok_or_else(|| {
            NotationError::new(format!(
                "{} is not a direction: the directions are e, w, nw, ne, se and sw.",
                quoted(text)
            ))
        })
}

/// A move: its marbles in ascending order, then the direction.
pub(crate) fn abalone_move(played: &AbaloneMove) -> String {
    let mut group = played.group.clone();
    group.sort_by_key(|cell| (cell.row, cell.number));
    let mut words: Vec<String> = group.into_iter().map(abalone_cell).collect();
    words.push(direction(played.direction()).to_owned());
    words.join(" ")
}

/// Reads a move: one to three marbles, then the direction.
///
/// # Errors
/// If a word is no cell, the last one is no direction, or the number of marbles is wrong.
pub fn parse_abalone_move(text: &str) -> Result<AbaloneMove, NotationError> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let Some((last, cells)) = words.split_last() else {
        return Err(NotationError::new(
            "A move is one to three marbles and a direction, such as c3 c4 c5 ne.",
        ));
    };
    let direction = match parse_direction(last) {
        Ok(direction) => direction,
        Err(_) if parse_abalone_cell(last).is_ok() => {
            return Err(NotationError::new(format!(
                "The direction is missing after {last}: e, w, nw, ne, se or sw."
            )));
        }
        Err(error) => return Err(error),
    };
    if !(1..=3).contains(&cells.len()) {
        return Err(NotationError::new(format!(
            "A move names one to three marbles, not {}, and then the direction: c3 c4 c5 ne.",
            cells.len()
        )));
    }
    let group = cells
        .iter()
        .map(|cell| parse_abalone_cell(cell))
        .collect::<Result<Vec<_>, _>>()?;
    for (index, cell) in group.iter().enumerate() {
        if group.iter().skip(index + 1).any(|other| other == cell) {
            return Err(NotationError::new(format!(
                "{} is named twice.",
                abalone_cell(*cell)
            )));
        }
    }
    Ok(AbaloneMove {
        group,
        direction: direction.into(),
    })
}
