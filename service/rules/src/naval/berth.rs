use std::fmt;

use super::{Route, cell::SIZE};
use crate::{BerthFault, IllegalMove};

/// One of the ten rows or columns, 1-10.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Line(u8);

impl Line {
    /// Line `number`, 1-10, if there is one.
    #[must_use]
    pub const fn new(number: u32) -> Option<Self> {
        if number < 1 || number > SIZE as u32 {
            return None;
        }
        Some(Self(number as u8))
    }

    /// 1-10.
    #[must_use]
    pub const fn number(self) -> u8 {
        self.0
    }

    /// The line as far from the other edge: 1 for 10, 2 for 9.
    pub(super) const fn mirrored(self) -> Self {
        Self(SIZE + 1 - self.0)
    }

    /// All ten, from 1.
    pub(super) fn all() -> impl Iterator<Item = Self> {
        (1..=SIZE).map(Self)
    }
}

/// Where a submarine lies, outside the grid (rules.md, amiral-advanced): 20 places.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Berth {
    /// At the edge of a row: 1 for A, 10 for J.
    Letter(Line),
    /// At the top of a column.
    Number(Line),
}

impl Berth {
    /// The berth at the edge of row `line`, as a player named it.
    ///
    /// # Errors
    /// [`IllegalMove::BadBerth`] unless it is 1-10.
    pub const fn letter(line: u32) -> Result<Self, IllegalMove> {
        match Line::new(line) {
            Some(line) => Ok(Self::Letter(line)),
            None => Err(IllegalMove::BadBerth(BerthFault::NoSuchLine(line))),
        }
    }

    /// The berth at the top of column `line`, as a player named it.
    ///
    /// # Errors
    /// [`IllegalMove::BadBerth`] unless it is 1-10.
    pub const fn number(line: u32) -> Result<Self, IllegalMove> {
        match Line::new(line) {
            Some(line) => Ok(Self::Number(line)),
            None => Err(IllegalMove::BadBerth(BerthFault::NoSuchLine(line))),
        }
    }

    /// All twenty, letters first.
    pub fn all() -> impl Iterator<Item = Self> {
        Line::all()
            .map(Self::Letter)
            .chain(Line::all().map(Self::Number))
    }

    /// The two routes that this berth is an end of.
    #[must_use]
    pub const fn routes(self) -> [Route; 2] {
        match self {
            Self::Letter(line) => [Route::rising_right(line), Route::rising_left(line)],
            Self::Number(line) => [
                Route::rising_right(line),
                Route::rising_left(line.mirrored()),
            ],
        }
    }
}

impl fmt::Display for Berth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Letter(line) => write!(f, "{}", char::from(b'A' + line.number() - 1)),
            Self::Number(line) => write!(f, "{}", line.number()),
        }
    }
}
