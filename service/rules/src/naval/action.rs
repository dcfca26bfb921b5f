use arrayvec::ArrayVec;

use super::{Berth, Cell, PlacedShip, Route, ShipClass, deployment::MAX_SHIPS};
use crate::MoveKind;

/// One move. It holds only coordinates that exist; whether it is legal is the game's to say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Move {
    /// The whole fleet, and in amiral-advanced the submarine's berth.
    Deploy {
        /// The ships, in any order; they are shown back in this order.
        ships: Vec<PlacedShip>,
        /// The berth, in amiral-advanced only.
        berth: Option<Berth>,
    },
    /// One shot.
    Shot(Cell),
    /// All shots of a turn, called together.
    Salvo(Vec<Cell>),
    /// A torpedo from the letter's end of a route.
    Torpedo(Route),
    /// A hunt for the enemy's submarine at one end of its latest torpedo's route.
    Hunt(Berth),
    /// Where one's submarine lies after a hunt in vain: the same berth means that it stays.
    Relocate(Berth),
    /// An air strike, named by the top-left cell of its four.
    AirStrike(Cell),
}

impl Move {
    /// What kind of move it is.
    #[must_use]
    pub const fn kind(&self) -> MoveKind {
        match self {
            Self::Deploy { .. } => MoveKind::Deploy,
            Self::Shot(_) => MoveKind::Shot,
            Self::Salvo(_) => MoveKind::Salvo,
            Self::Torpedo(_) => MoveKind::Torpedo,
            Self::Hunt(_) => MoveKind::Hunt,
            Self::Relocate(_) => MoveKind::Relocate,
            Self::AirStrike(_) => MoveKind::AirStrike,
        }
    }
}

/// What is said aloud of a move: the mover, the opponent and spectators hear the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// A fleet is placed.
    Deployed,
    /// One shot.
    Shot {
        /// Whether it hit.
        hit: bool,
        /// The class of the ship hit, where the variant names it.
        class: Option<ShipClass>,
        /// The ship that it sank.
        sunk: Option<Sunk>,
    },
    /// A salvo answered shot by shot.
    Salvo {
        /// One for each cell, in the order called.
        shots: ArrayVec<ShotAnswer, MAX_SHIPS>,
        /// The ships sunk, in the order in which the last cell of each was called.
        sunk: ArrayVec<ShipClass, MAX_SHIPS>,
    },
    /// A salvo of which only the sum is told.
    SalvoCount {
        /// How many cells hit.
        hits: u8,
        /// Ships of the other side that are afloat after it.
        enemy_afloat: u8,
    },
    /// A torpedo.
    Torpedo {
        /// The ship that it sank, if it met one.
        sunk: Option<ShipClass>,
    },
    /// A submarine hunt.
    Hunt {
        /// Whether the submarine lay there; it is then out of play.
        found: bool,
    },
    /// The submarine's owner has named a berth; whether it moved is not told.
    Relocated,
    /// An air strike.
    AirStrike {
        /// The cells of the four that had not been fired at, row by row, and whether each hit.
        struck: ArrayVec<(Cell, bool), 4>,
        /// The ships sunk, in the order of the cells.
        sunk: ArrayVec<ShipClass, 4>,
    },
}

/// What is told of one shot of a salvo.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShotAnswer {
    /// Whether it hit.
    pub hit: bool,
    /// The class of the ship hit, where the variant names it.
    pub class: Option<ShipClass>,
}

/// What is told of a ship sunk by a single shot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sunk {
    /// Its class.
    pub class: ShipClass,
    /// Where it lay: in naumachia only.
    pub placement: Option<PlacedShip>,
}
