//! Why a move is refused, as the contract says it.

use broadside_proto::v1::{self, IllegalMoveReason as Reason};
use broadside_rules::IllegalMove;

/// A refused move: the reason for programs, and the sentence for people.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Refusal {
    /// Why, for programs.
    pub reason: Reason,
    /// Why, for people: what, where, and what would be right.
    pub message: String,
}

impl Refusal {
    /// A field that must be set is not.
    pub(super) fn unset(field: &str) -> Self {
        Self {
            reason: Reason::UnsetField,
            message: format!("{field} is not set: it must be"),
        }
    }

    /// An enum field holds no value that can be acted on.
    pub(super) fn enumeration(field: &str, value: i32) -> Self {
        if value == 0 {
            return Self::unset(field);
        }
        Self {
            reason: Reason::UnknownValue,
            message: format!("{field} is {value}, which this arena does not know"),
        }
    }

    /// The message as the contract has it.
    pub fn to_message(&self) -> v1::IllegalMove {
        v1::IllegalMove {
            reason: self.reason.into(),
            message: self.message.clone(),
        }
    }
}

impl From<IllegalMove> for Refusal {
    fn from(illegal: IllegalMove) -> Self {
        Self {
            reason: reason(illegal),
            message: illegal.to_string(),
        }
    }
}

fn reason(illegal: IllegalMove) -> Reason {
    match illegal {
        IllegalMove::GameOver => Reason::GameOver,
        IllegalMove::OutOfTurn { .. } => Reason::OutOfTurn,
        IllegalMove::MoveNotOfVariant { .. } => Reason::MoveNotOfVariant,
        IllegalMove::OffGrid { .. } => Reason::OffGrid,
        IllegalMove::WrongFleet { .. } => Reason::WrongFleet,
        IllegalMove::ShipOffGrid { .. } => Reason::ShipOffGrid,
        IllegalMove::ShipsOverlap { .. } => Reason::ShipsOverlap,
        IllegalMove::ShipsTouch { .. } => Reason::ShipsTouch,
        IllegalMove::BadBerth(_) => Reason::BadBerth,
        IllegalMove::AlreadyFired { .. } => Reason::AlreadyFired,
        IllegalMove::MarkedWater { .. } => Reason::MarkedWater,
        IllegalMove::WrongSalvoSize { .. } => Reason::WrongSalvoSize,
        IllegalMove::DuplicateCell { .. } => Reason::DuplicateCell,
        IllegalMove::NotARoute { .. } => Reason::NotARoute,
        IllegalMove::NoSubmarine => Reason::NoSubmarine,
        IllegalMove::NeedsShotFirst => Reason::NeedsShotFirst,
        IllegalMove::BerthNotOnRoute { .. } => Reason::BerthNotOnRoute,
        IllegalMove::NothingToHunt => Reason::NothingToHunt,
        IllegalMove::NotARouteEnd { .. } => Reason::NotARouteEnd,
        IllegalMove::StrikeSpent => Reason::StrikeSpent,
        IllegalMove::TooFewSunk { .. } => Reason::TooFewSunk,
        IllegalMove::CarrierHit => Reason::CarrierHit,
        IllegalMove::OffBoard { .. } => Reason::OffBoard,
        IllegalMove::NotAGroup { .. } => Reason::NotAGroup,
        IllegalMove::NotOwnMarble { .. } => Reason::NotOwnMarble,
        IllegalMove::OwnMarbleOffBoard { .. } => Reason::OwnMarbleOffBoard,
        IllegalMove::CellTaken { .. } => Reason::CellTaken,
        IllegalMove::TooWeak { .. } => Reason::TooWeak,
    }
}
