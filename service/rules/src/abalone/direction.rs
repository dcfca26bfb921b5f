use std::{fmt, str::FromStr};

use super::NotationError;

/// The six directions, seen from Black's side.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    /// One number up, in the row.
    East,
    /// One row up and one number up.
    NorthEast,
    /// One row up, on the diagonal.
    NorthWest,
    /// One number down, in the row.
    West,
    /// One row down and one number down.
    SouthWest,
    /// One row down, on the diagonal.
    SouthEast,
}

impl Direction {
    /// All six, against the clock from the east.
    pub const ALL: [Self; 6] = [
        Self::East,
        Self::NorthEast,
        Self::NorthWest,
        Self::West,
        Self::SouthWest,
        Self::SouthEast,
    ];

    /// The opposite direction.
    #[must_use]
    pub const fn opposite(self) -> Self {
        Self::ALL[(self as usize + 3) % 6]
    }

    /// The step as (rows, numbers).
    #[must_use]
    pub const fn step(self) -> (i32, i32) {
        match self {
            Self::East => (0, 1),
            Self::NorthEast => (1, 1),
            Self::NorthWest => (1, 0),
            Self::West => (0, -1),
            Self::SouthWest => (-1, -1),
            Self::SouthEast => (-1, 0),
        }
    }

    /// The name on the wire of records: `e`, `ne`, `nw`, `w`, `sw` or `se`.
    #[must_use]
    pub const fn slug(self) -> &'static str {
        match self {
            Self::East => "e",
            Self::NorthEast => "ne",
            Self::NorthWest => "nw",
            Self::West => "w",
            Self::SouthWest => "sw",
            Self::SouthEast => "se",
        }
    }
}

impl fmt::Display for Direction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.slug())
    }
}

impl FromStr for Direction {
    type Err = NotationError;

    fn from_str(text: &str) -> Result<Self, NotationError> {
        Self::ALL
            .into_iter()
            .find(|direction| direction.slug() == text)
            .ok_or_else(|| NotationError::Direction(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directions_round_trip_and_have_opposites() {
        for direction in Direction::ALL {
            assert_eq!(direction.to_string().parse(), Ok(direction));
            let (rows, numbers) = direction.step();
            assert_eq!(direction.opposite().step(), (-rows, -numbers));
        }
        assert!("E".parse::<Direction>().is_err());
        assert!("n".parse::<Direction>().is_err());
    }
}
