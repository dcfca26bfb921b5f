use std::{fmt, str::FromStr};

use thiserror::Error;

use super::{Board, BoardError, EJECTIONS_TO_WIN};
use crate::Seat;

/// How the marbles lie at the start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Layout {
    /// That of the source.
    #[default]
    Standard,
    /// Belgian daisy.
    BelgianDaisy,
    /// German daisy.
    GermanDaisy,
    /// Dutch daisy.
    DutchDaisy,
    /// Swiss daisy.
    SwissDaisy,
    /// The wall.
    TheWall,
    /// Alien attack.
    AlienAttack,
    /// Snakes.
    Snakes,
    /// Checkerboard.
    Checkerboard,
    /// Duel.
    Duel,
    /// Star.
    Star,
    /// Clearing.
    Clearing,
    /// Papillons.
    Papillons,
    /// One of one's own.
    Custom(CustomLayout),
}

impl Layout {
    /// Every layout that has a name.
    pub const NAMED: [Self; 13] = [
        Self::Standard,
        Self::BelgianDaisy,
        Self::GermanDaisy,
        Self::DutchDaisy,
        Self::SwissDaisy,
        Self::TheWall,
        Self::AlienAttack,
        Self::Snakes,
        Self::Checkerboard,
        Self::Duel,
        Self::Star,
        Self::Clearing,
        Self::Papillons,
    ];

    /// A layout of one's own, from rows as [`Board::from_rows`] takes them.
    ///
    /// # Errors
    /// [`LayoutError`] if the rows show no board, or a side has fewer than six marbles.
    pub fn custom<S: AsRef<str>>(rows: &[S]) -> Result<Self, LayoutError> {
        CustomLayout::new(Board::from_rows(rows)?).map(Self::Custom)
    }

    /// The name used in commands and records, such as `belgian_daisy`; `custom` for one's own.
    #[must_use]
    pub const fn slug(self) -> &'static str {
        match self {
            Self::Standard => "standard",
            Self::BelgianDaisy => "belgian_daisy",
            Self::GermanDaisy => "german_daisy",
            Self::DutchDaisy => "dutch_daisy",
            Self::SwissDaisy => "swiss_daisy",
            Self::TheWall => "the_wall",
            Self::AlienAttack => "alien_attack",
            Self::Snakes => "snakes",
            Self::Checkerboard => "checkerboard",
            Self::Duel => "duel",
            Self::Star => "star",
            Self::Clearing => "clearing",
            Self::Papillons => "papillons",
            Self::Custom(_) => "custom",
        }
    }

    /// The board at the start. Black moves first.
    #[must_use]
    pub fn board(self) -> Board {
        let rows = match self {
            Self::Custom(layout) => return layout.0,
            Self::Standard => {
                "wwwww/wwwwww/..www../......../........./......../..bbb../bbbbbb/bbbbb"
            }
            Self::BelgianDaisy => {
                "ww.bb/wwwbbb/.ww.bb./......../........./......../.bb.ww./bbbwww/bb.ww"
            }
            Self::GermanDaisy => {
                "...../ww..bb/www.bbb/.ww..bb./........./.bb..ww./bbb.www/bb..ww/....."
            }
            Self::DutchDaisy => {
                "ww.bb/wbwbwb/.ww.bb./......../........./......../.bb.ww./bwbwbw/bb.ww"
            }
            Self::SwissDaisy => {
                "...../ww..bb/wbw.bwb/.ww..bb./........./.bb..ww./bwb.wbw/bb..ww/....."
            }
            Self::TheWall => {
                "..w../....../.wwwww./wwwwwwww/........./bbbbbbbb/.bbbbb./....../..b.."
            }
            Self::AlienAttack => {
                "b.b.b/.bwwb./.bwbwb./...bb.../........./...ww.../.wbwbw./.wbbw./w.w.w"
            }
            Self::Snakes => "bbbbb/b...../b....../b.wwwww./.b.....w./.bbbbb.w/......w/.....w/wwwww",
            Self::Checkerboard => {
                "...../bwbwbw/......./wbwbwbwb/........./bwbwbwbw/......./wbwbwb/....."
            }
            Self::Duel => ".w.b./wwwbbb/..w.b../b......w/bb.....ww/b......w/..w.b../wwwbbb/.w.b.",
            Self::Star => "b...w/.w..b./w.b.w.b/...wb.../wbwb.wbwb/...wb.../w.b.w.b/.w..b./b...w",
            Self::Clearing => {
                "bwbwb/w....w/.b..w.b/bw.....w/w.......b/b.....bw/w.b..w./b....b/wbwbw"
            }
            Self::Papillons => {
                ".b.ww/b.wb.w/.w...bb/wb.....w/w.......b/b.....wb/ww...b./b.wb.w/bb.w."
            }
        };
        // Unreached: a test reads every one of them.
        rows.parse().unwrap_or(Board::EMPTY)
    }
}

impl fmt::Display for Layout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.slug())
    }
}

impl FromStr for Layout {
    type Err = UnknownLayout;

    fn from_str(text: &str) -> Result<Self, UnknownLayout> {
        Self::NAMED
            .into_iter()
            .find(|layout| layout.slug() == text)
            .ok_or_else(|| UnknownLayout(text.to_owned()))
    }
}

/// A board from which a game may start: each side has the six marbles that can be lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CustomLayout(Board);

impl CustomLayout {
    /// Checks a board as a layout.
    ///
    /// # Errors
    /// [`LayoutError::TooFewMarbles`] if a side has fewer than six.
    pub fn new(board: Board) -> Result<Self, LayoutError> {
        for seat in Seat::ALL {
            let marbles = board.marbles(seat).len();
            if marbles < u32::from(EJECTIONS_TO_WIN) {
                return Err(LayoutError::TooFewMarbles { seat, marbles });
            }
        }
        Ok(Self(board))
    }
}

/// A board from which no game may start.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum LayoutError {
    /// The rows show no board.
    #[error(transparent)]
    Board(#[from] BoardError),
    /// A side could not lose six.
    #[error("{seat} has {marbles} marbles: each side needs at least 6, since who loses 6 has lost")]
    TooFewMarbles {
        /// Whose marbles: black is seat 1.
        seat: Seat,
        /// How many there are.
        marbles: u32,
    },
}

/// A name that is no layout's.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(
    "no layout is called {0:?}: the layouts are {names}",
    names = Layout::NAMED.map(Layout::slug).join(", ")
)]
pub struct UnknownLayout(
    /// The name that was given.
    pub String,
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_named_layout_has_fourteen_marbles_a_side() {
        for layout in Layout::NAMED {
            let board = layout.board();
            assert_eq!(
                Seat::ALL.map(|seat| board.marbles(seat).len()),
                [14, 14],
                "{layout}"
            );
            assert_eq!(layout.to_string().parse(), Ok(layout));
        }
        assert!("custom".parse::<Layout>().is_err());
    }

    #[test]
    fn a_custom_layout_needs_six_marbles_a_side() {
        let mut rows = [
            "bbbbb",
            "......",
            ".......",
            "........",
            ".........",
            "........",
            ".......",
            "......",
            "wwwww",
        ];
        let wrong = LayoutError::TooFewMarbles {
            seat: Seat::One,
            marbles: 5,
        };
        assert_eq!(Layout::custom(&rows), Err(wrong));
        rows[4] = "b.......w";
        assert!(Layout::custom(&rows).is_ok());
        assert_eq!(
            Layout::custom(&rows[1..]),
            Err(LayoutError::Board(BoardError::Rows(8)))
        );
    }
}
