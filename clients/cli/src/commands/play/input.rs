//! What a person types.

use std::io::{BufRead, stdin};

use broadside_proto::v1::{Cell, Variant};
use tokio::sync::mpsc;

use crate::notation::Coordinates;

/// A line, understood as far as it goes without the position.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Line {
    Help,
    /// List the legal moves.
    Moves,
    /// Show the position again.
    Board,
    Resign,
    Quit,
    /// Take back the last ship placed.
    Undo,
    /// Take back all ships placed.
    Clear,
    /// `random`, or nothing.
    Dealt,
    /// A move, or something that is meant as one.
    Move(String),
}

impl Line {
    pub(super) fn of(variant: Variant, text: &str) -> Self {
        let text = text.trim();
        match text.to_ascii_lowercase().as_str() {
            "help" | "?" => Self::Help,
            "moves" => Self::Moves,
            "board" => Self::Board,
            "resign" => Self::Resign,
            "quit" | "exit" => Self::Quit,
            "undo" => Self::Undo,
            "clear" => Self::Clear,
            "random" | "" => Self::Dealt,
            _ if variant == Variant::Naumachia => Self::Move(with_letters(text)),
            _ => Self::Move(text.to_owned()),
        }
    }
}

/// Not every keyboard has Greek letters: `3:4` is column 3, row 4, `Γ4`.
fn with_letters(text: &str) -> String {
    let word = |word: &str| -> Option<String> {
        let (column, row) = word.split_once(':')?;
        let (column, row) = (digits(column)?, digits(row)?);
        Some(Coordinates::Greek.cell(Cell { row, column })).filter(|cell| cell != "?")
    };
    let words = text
        .split_whitespace()
        .map(|text| word(text).unwrap_or_else(|| text.to_owned()));
    words.collect::<Vec<_>>().join(" ")
}

fn digits(text: &str) -> Option<u32> {
    let plain = text.bytes().all(|byte| byte.is_ascii_digit()) && !text.starts_with('0');
    plain.then(|| text.parse().ok()).flatten()
}

/// Standard input, line by line, read by a thread of its own; closed where it ends.
pub(super) fn lines() -> mpsc::Receiver<String> {
    let (sender, receiver) = mpsc::channel(16);
    std::thread::spawn(move || {
        let mut input = stdin().lock();
        let mut bytes = Vec::new();
        loop {
            bytes.clear();
            match input.read_until(b'\n', &mut bytes) {
                Ok(0) | Err(_) => return,
                Ok(_) => {
                    let line = String::from_utf8_lossy(&bytes).into_owned();
                    if sender.blocking_send(line).is_err() {
                        return;
                    }
                }
            }
        }
    });
    receiver
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_moves_are_told_apart() {
        let read = |text| Line::of(Variant::Classic, text);
        assert_eq!(read(" Resign \n"), Line::Resign);
        assert_eq!(read("\n"), Line::Dealt);
        assert_eq!(read("B10\n"), Line::Move("B10".to_owned()));
        assert_eq!(read("3:4"), Line::Move("3:4".to_owned()));
    }

    #[test]
    fn naumachia_can_be_typed_without_greek_letters() {
        let read = |text| Line::of(Variant::Naumachia, text);
        assert_eq!(read("3:4"), Line::Move("Γ4".to_owned()));
        assert_eq!(
            read("cruiser 10:1 vertical"),
            Line::Move("cruiser Κ1 vertical".to_owned())
        );
        assert_eq!(read("11:1"), Line::Move("11:1".to_owned()));
    }
}
