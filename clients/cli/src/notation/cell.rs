//! Cells of the 10 x 10 grid, berths and torpedo routes.

use broadside_proto::v1::{Berth, Cell, Route, Variant, berth::Edge};

use super::{NotationError, number, quoted};

/// How the cells of a 10 x 10 grid are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Coordinates {
    /// Row as a letter A-J, column as a number.
    LetterNumber,
    /// Column as a Greek capital, row as a number.
    Greek,
}

const LATIN: [char; 10] = ['A', 'B', 'C', 'D', 'E', 'F', 'G', 'H', 'I', 'J'];
const GREEK: [char; 10] = ['Α', 'Β', 'Γ', 'Δ', 'Ε', 'Ζ', 'Η', 'Θ', 'Ι', 'Κ'];

impl Coordinates {
    /// The coordinates of a naval variant.
    pub fn of(variant: Variant) -> Self {
        match variant {
            Variant::Naumachia => Self::Greek,
            _ => Self::LetterNumber,
        }
    }

    /// The label of a row, 1-10: `A`, or `1` in Greek coordinates. Empty for any other row.
    pub fn row(self, row: u32) -> String {
        match self {
            Self::LetterNumber => letter(LATIN, row),
            Self::Greek => digits(row),
        }
    }

    /// The label of a column, 1-10: `1`, or `Α` in Greek coordinates. Empty for any other column.
    pub fn column(self, column: u32) -> String {
        match self {
            Self::LetterNumber => digits(column),
            Self::Greek => letter(GREEK, column),
        }
    }

    /// A cell; `?` for one that is not on the grid.
    pub fn cell(self, cell: Cell) -> String {
        let (row, column) = (self.row(cell.row), self.column(cell.column));
        if row.is_empty() || column.is_empty() {
            return "?".to_owned();
        }
        match self {
            Self::LetterNumber => row + &column,
            Self::Greek => column + &row,
        }
    }

    /// Reads a cell.
    ///
    /// # Errors
    /// If it is not one letter and one number of these coordinates.
    pub fn parse(self, text: &str) -> Result<Cell, NotationError> {
        let mut rest = text.chars();
        let first = rest.next().and_then(|letter| self.letter(letter));
        let second = number(rest.as_str(), 1, 10);
        match (self, first, second) {
            (Self::LetterNumber, Some(row), Some(column))
            | (Self::Greek, Some(column), Some(row)) => Ok(Cell { row, column }),
            _ => Err(NotationError::new(format!(
                "{} is not a cell: {}.",
                quoted(text),
                self.rule()
            ))),
        }
    }

    /// What a cell looks like, for a message.
    pub fn rule(self) -> &'static str {
        match self {
            Self::LetterNumber => {
                "a cell is a row's letter A-J and a column's number 1-10, such as B10"
            }
            Self::Greek => {
                "a cell is a column's letter (Α Β Γ Δ Ε Ζ Η Θ Ι Κ) and a row's number 1-10, such as Γ4"
            }
        }
    }

    fn letter(self, letter: char) -> Option<u32> {
        let letters = match self {
            Self::LetterNumber => LATIN,
            Self::Greek => GREEK,
        };
        // Only these two alphabets have another case here: the upper case of a Turkish ı would be an I.
        let capital = match letter {
            'α'..='ω' => letter.to_uppercase().next()?,
            _ => letter.to_ascii_uppercase(),
        };
        let capital = match (self, capital) {
            (Self::Greek, 'A') => 'Α',
            (Self::Greek, 'B') => 'Β',
            (Self::Greek, 'E') => 'Ε',
            (Self::Greek, 'Z') => 'Ζ',
            (Self::Greek, 'H') => 'Η',
            (Self::Greek, 'I') => 'Ι',
            (Self::Greek, 'K') => 'Κ',
            (_, other) => other,
        };
        let index = letters.iter().position(|&known| known == capital)?;
        u32::try_from(index + 1).ok()
    }
}

fn letter(letters: [char; 10], number: u32) -> String {
    (1..=10)
        .zip(letters)
        .find(|&(known, _)| known == number)
        .map(|(_, letter)| letter.to_string())
        .unwrap_or_default()
}

fn digits(number: u32) -> String {
    if (1..=10).contains(&number) {
        number.to_string()
    } else {
        String::new()
    }
}

/// A berth: `E`, or `5`; `?` for one that there is not.
pub fn berth(berth: &Berth) -> String {
    let text = match berth.edge {
        Some(Edge::Letter(letter)) => Coordinates::LetterNumber.row(letter),
        Some(Edge::Number(number)) => Coordinates::LetterNumber.column(number),
        None => String::new(),
    };
    if text.is_empty() {
        "?".to_owned()
    } else {
        text
    }
}

/// Reads a berth.
///
/// # Errors
/// If it is neither a letter A-J nor a number 1-10.
pub fn parse_berth(text: &str) -> Result<Berth, NotationError> {
    let mut characters = text.chars();
    let letter = match (characters.next(), characters.next()) {
        (Some(only), None) => Coordinates::LetterNumber.letter(only),
        _ => None,
    };
    let edge = letter
        .map(Edge::Letter)
        .or_else(|| number(text, 1, 10).map(Edge::Number));
    match edge {
        Some(edge) => Ok(Berth { edge: Some(edge) }),
        None => Err(NotationError::new(format!(
            "{} is not a berth: a berth is a letter A-J or a number 1-10.",
            quoted(text)
        ))),
    }
}

/// A torpedo's route, by its two ends: `E5`.
pub fn route(route: &Route) -> String {
    Coordinates::LetterNumber.cell(Cell {
        row: route.letter,
        column: route.number,
    })
}

/// Reads a torpedo's route.
///
/// # Errors
/// If it is not a letter and a number, or these are not the two ends of one diagonal.
pub fn parse_route(text: &str) -> Result<Route, NotationError> {
    let Ok(Cell { row, column }) = Coordinates::LetterNumber.parse(text) else {
        return Err(NotationError::new(format!(
            "{} is not a route: a route is a letter A-J and a number 1-10, the two ends of one diagonal, such as E5.",
            quoted(text)
        )));
    };
    if row != column && row + column != 11 {
        let letter = Coordinates::LetterNumber.row(row);
        return Err(NotationError::new(format!(
            "{} is not a route: {letter} and {column} are not the two ends of one diagonal. From {letter} there are {letter}{row} and {letter}{}.",
            quoted(text),
            11 - row
        )));
    }
    Ok(Route {
        letter: row,
        number: column,
    })
}
