use std::fmt;

use crate::Seat;

/// Where a game stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Phase {
    /// Fleets are being placed, by both seats at once. Not in abalone.
    Deployment,
    /// One seat is to make a turn.
    Battle,
    /// The owner of a submarine that was hunted in vain is to name its berth (amiral-advanced).
    Relocation,
    /// Nobody is to act any more.
    Over,
}

impl fmt::Display for Phase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Deployment => "deployment",
            Self::Battle => "battle",
            Self::Relocation => "relocation",
            Self::Over => "over",
        })
    }
}

/// How a game ended by its own rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Outcome {
    /// Who won; nobody if it is drawn.
    pub winner: Option<Seat>,
    /// Why it ended.
    pub ending: Ending,
}

/// Why a game ended by its own rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Ending {
    /// Every ship of the loser is sunk.
    FleetSunk,
    /// The winner has pushed six marbles off the board.
    SixEjected,
    /// The last ply of the match was played: more ejections win, equal ones draw.
    MaxPlies,
    /// The same position stood once too often: a draw.
    Repetition,
    /// The loser is to move and cannot.
    NoLegalMove,
}

impl Ending {
    /// The name used in records, such as `six_ejected`.
    #[must_use]
    pub const fn slug(self) -> &'static str {
        match self {
            Self::FleetSunk => "fleet_sunk",
            Self::SixEjected => "six_ejected",
            Self::MaxPlies => "max_plies",
            Self::Repetition => "repetition",
            Self::NoLegalMove => "no_legal_move",
        }
    }
}
