//! How a match ends, in the contract's words.

use broadside_proto::v1::{self, MatchResult, Termination};
use broadside_rules::{Outcome, Seat};

use crate::convert;

/// Why one seat may not go on, and loses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Fault {
    pub(super) termination: Termination,
    /// What the seat did, as the end of a sentence that begins with "seat 1".
    pub(super) what: String,
    /// The stamps of the turn that it did not answer or read in time, if it was that.
    pub(super) timing: Option<v1::TurnTiming>,
    /// For how long it was allowed to be disconnected or not to read, if it was that, in microseconds.
    pub(super) allowed_us: u64,
}

/// Where the fault lay that brought such an end.
fn lies_in(termination: Termination) -> v1::Fault {
    match termination {
        Termination::IllegalMoves | Termination::Time | Termination::Resigned => v1::Fault::Seat,
        Termination::NeverConnected | Termination::Disconnected => v1::Fault::Network,
        Termination::PlatformFault => v1::Fault::Platform,
        Termination::Unspecified
        | Termination::WonByPlay
        | Termination::DrawByRule
        | Termination::Cancelled => v1::Fault::Unspecified,
    }
}

fn wins(seat: Seat) -> MatchResult {
    match seat {
        Seat::One => MatchResult::SeatOneWins,
        Seat::Two => MatchResult::SeatTwoWins,
    }
}

/// The end that the game's own rules bring.
pub(super) fn by_play(outcome: Outcome) -> v1::Outcome {
    let ending = convert::ending(outcome.ending);
    let (result, termination, message) = match outcome.winner {
        Some(winner) => (
            wins(winner),
            Termination::WonByPlay,
            format!("{winner} wins: {}", by_what(ending)),
        ),
        None => (
            MatchResult::Draw,
            Termination::DrawByRule,
            format!("a draw: {}", by_what(ending)),
        ),
    };
    v1::Outcome {
        result: result.into(),
        termination: termination.into(),
        at_fault: v1::Seat::Unspecified.into(),
        ending: ending.into(),
        message,
        fault: lies_in(termination).into(),
    }
}

fn by_what(ending: v1::Ending) -> &'static str {
    match ending {
        v1::Ending::Unspecified => "the game is over",
        v1::Ending::FleetSunk => "the whole enemy fleet is sunk",
        v1::Ending::SixEjected => "six marbles are ejected",
        v1::Ending::MaxPlies => "the ply limit is reached, and marbles ejected decide",
        v1::Ending::Repetition => "the same position stood too often",
        v1::Ending::NoLegalMove => "the player to move has no legal move",
    }
}

/// The end by the fault of one seat.
pub(super) fn by_fault(seat: Seat, fault: &Fault) -> v1::Outcome {
    v1::Outcome {
        result: wins(seat.other()).into(),
        termination: fault.termination.into(),
        at_fault: convert::seat(seat).into(),
        ending: v1::Ending::Unspecified.into(),
        message: format!("{} wins: {seat} {}", seat.other(), fault.what),
        fault: lies_in(fault.termination).into(),
    }
}

/// The end by the fault of both seats: no result.
pub(super) fn by_both(faults: [&Fault; 2]) -> v1::Outcome {
    let [one, two] = faults;
    v1::Outcome {
        result: MatchResult::Void.into(),
        termination: one.termination.into(),
        at_fault: v1::Seat::Unspecified.into(),
        ending: v1::Ending::Unspecified.into(),
        message: format!(
            "no result: {} {}, and {} {}",
            Seat::One,
            one.what,
            Seat::Two,
            two.what
        ),
        fault: lies_in(one.termination).into(),
    }
}

fn void(termination: Termination, message: String) -> v1::Outcome {
    v1::Outcome {
        result: MatchResult::Void.into(),
        termination: termination.into(),
        at_fault: v1::Seat::Unspecified.into(),
        ending: v1::Ending::Unspecified.into(),
        message,
        fault: lies_in(termination).into(),
    }
}

/// The end of a match that was cancelled.
pub fn cancelled(reason: &str) -> v1::Outcome {
    void(
        Termination::Cancelled,
        if reason.is_empty() {
            "no result: cancelled".to_owned()
        } else {
            format!("no result: cancelled: {reason}")
        },
    )
}

/// The end of a match that the arena could not go on with: nobody's loss.
pub fn platform_fault(reason: &str) -> v1::Outcome {
    void(
        Termination::PlatformFault,
        format!("no result: the arena failed: {reason}"),
    )
}
