use std::str::FromStr;

use thiserror::Error;

use super::{Berth, Cell, Line, Route};

/// How cells are written (rules.md, "Notation").
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Alphabet {
    /// The row as a letter A-J, then the column: row 4, column 4 is `D4`.
    Latin,
    /// The column as a Greek capital, then the row: column 3, row 4 is `Γ4`.
    Greek,
}

const LATIN: [char; 10] = ['A', 'B', 'C', 'D', 'E', 'F', 'G', 'H', 'I', 'J'];
const GREEK: [char; 10] = ['Α', 'Β', 'Γ', 'Δ', 'Ε', 'Ζ', 'Η', 'Θ', 'Ι', 'Κ'];
const SMALL_GREEK: [char; 10] = ['α', 'β', 'γ', 'δ', 'ε', 'ζ', 'η', 'θ', 'ι', 'κ'];
/// The Latin letters that look like the Greek ones, where there is one.
const LOOK_ALIKES: [char; 10] = ['A', 'B', '-', '-', 'E', 'Z', 'H', '-', 'I', 'K'];

impl Alphabet {
    /// The cell in this notation, in capitals.
    #[must_use]
    pub fn write(self, cell: Cell) -> String {
        let (letters, letter, number) = match self {
            Self::Latin => (LATIN, cell.row(), cell.column()),
            Self::Greek => (GREEK, cell.column(), cell.row()),
        };
        format!("{}{number}", letters[usize::from(letter) - 1])
    }

    /// The cell that `text` names: a letter, capital or small, and a number from 1 to 10 in ASCII
    /// digits without sign, space or leading zero. In Greek a Latin look-alike does for a letter.
    ///
    /// # Errors
    /// [`NotationError`] if it is anything else.
    pub fn read(self, text: &str) -> Result<Cell, NotationError> {
        let cell = || {
            let mut rest = text.chars();
            let letter = self.line(rest.next()?)?.number().into();
            let number = read_number(rest.as_str())?.number().into();
            match self {
                Self::Latin => Cell::new(letter, number),
                Self::Greek => Cell::new(number, letter),
            }
        };
        cell().ok_or_else(|| NotationError::Cell(text.to_owned(), self))
    }

    fn line(self, letter: char) -> Option<Line> {
        let position = |letters: [char; 10], wanted| letters.iter().position(|&l| l == wanted);
        let capital = letter.to_ascii_uppercase();
        let index = match self {
            Self::Latin => position(LATIN, capital),
            Self::Greek => position(GREEK, letter)
                .or_else(|| position(SMALL_GREEK, letter))
                .or_else(|| position(LOOK_ALIKES, capital).filter(|_| letter != '-')),
        }?;
        Line::new(index as u32 + 1)
    }

    const fn example(self) -> &'static str {
        match self {
            Self::Latin => "a row A-J and then a column 1-10, such as D4",
            Self::Greek => "a column Α-Κ and then a row 1-10, such as Γ4",
        }
    }
}

fn read_number(text: &str) -> Option<Line> {
    let plain = text.bytes().all(|byte| byte.is_ascii_digit()) && !text.starts_with('0');
    if !plain || text.len() > 2 {
        return None;
    }
    Line::new(text.parse().ok()?)
}

/// A berth is written as its letter or its number: `E`, or `5`.
impl FromStr for Berth {
    type Err = NotationError;

    fn from_str(text: &str) -> Result<Self, NotationError> {
        let mut rest = text.chars();
        let letter = rest.next().and_then(|letter| Alphabet::Latin.line(letter));
        match (letter, rest.as_str()) {
            (Some(line), "") => Ok(Self::Letter(line)),
            _ => read_number(text)
                .map(Self::Number)
                .ok_or_else(|| NotationError::Berth(text.to_owned())),
        }
    }
}

/// A route is written as its letter and then its number: `E5`.
impl FromStr for Route {
    type Err = NotationError;

    fn from_str(text: &str) -> Result<Self, NotationError> {
        // A route's name has the form of a cell's: the letter is the row.
        Alphabet::Latin
            .read(text)
            .ok()
            .and_then(|cell| Self::named(cell.row().into(), cell.column().into()).ok())
            .ok_or_else(|| NotationError::Route(text.to_owned()))
    }
}

/// A text that names no cell, berth or route.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum NotationError {
    /// No cell.
    #[error("{0:?} is no cell: write {example}", example = .1.example())]
    Cell(String, Alphabet),
    /// No berth.
    #[error("{0:?} is no berth: write a letter A-J or a number 1-10")]
    Berth(String),
    /// No route.
    #[error("{0:?} is no route: write a letter A-J and the number at the other end, such as E5")]
    Route(String),
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell(row: u32, column: u32) -> Cell {
        Cell::new(row, column).unwrap()
    }

    #[test]
    fn cells_round_trip_in_both_alphabets() {
        for alphabet in [Alphabet::Latin, Alphabet::Greek] {
            for cell in Cell::all() {
                let text = alphabet.write(cell);
                assert_eq!(alphabet.read(&text), Ok(cell));
                assert_eq!(alphabet.read(&text.to_lowercase()), Ok(cell), "{text}");
            }
        }
    }

    #[test]
    fn the_examples_of_the_rules_hold() {
        assert_eq!(Alphabet::Latin.write(cell(4, 4)), "D4");
        assert_eq!(Alphabet::Latin.write(cell(2, 10)), "B10");
        assert_eq!(Alphabet::Greek.write(cell(4, 3)), "Γ4");
        assert_eq!(Alphabet::Greek.write(cell(1, 6)), "Ζ1");
        assert_eq!(Alphabet::Greek.write(cell(10, 10)), "Κ10");
    }

    #[test]
    fn latin_look_alikes_do_for_greek() {
        for (text, column) in [
            ("A7", 1),
            ("b7", 2),
            ("E7", 5),
            ("z7", 6),
            ("H7", 7),
            ("i7", 9),
            ("k7", 10),
        ] {
            assert_eq!(Alphabet::Greek.read(text), Ok(cell(7, column)), "{text}");
        }
        for text in ["C7", "D7", "F7", "G7", "J7", "-7", "Ϛ7", "ς7", "Λ7"] {
            assert!(Alphabet::Greek.read(text).is_err(), "{text}");
        }
    }

    #[test]
    fn nothing_but_the_grammar_is_read() {
        for text in [
            "", "A", "1", "A0", "A11", "A100", "A01", "A010", "A+1", "A-1", "A 1", " A1", "A1 ",
            "A1_0", "A١", "A１", "Α1", "K1", "1A", "AA1", "A1A", "A256", "A257",
        ] {
            assert!(Alphabet::Latin.read(text).is_err(), "{text:?}");
        }
    }

    #[test]
    fn berths_and_routes_round_trip() {
        for berth in Berth::all() {
            assert_eq!(berth.to_string().parse(), Ok(berth));
            for route in berth.routes() {
                assert_eq!(route.to_string().parse(), Ok(route));
            }
        }
        for text in ["", "K", "0", "11", "AA", "A1", "01", "+1", "Α"] {
            assert!(text.parse::<Berth>().is_err(), "{text:?}");
        }
        for text in ["A2", "E", "5", "E7", "J9", "E05"] {
            assert!(text.parse::<Route>().is_err(), "{text:?}");
        }
    }
}
