//! How a match ended.

use super::*;

pub(super) const OUTCOMES: &[Change] = &[
    ("the loser wins", "classic-won", Kind::Outcome, |it| {
        outcome(it).result = 3 - outcome(it).result
    }),
    ("a win told as a draw", "classic-won", Kind::Outcome, |it| {
        outcome(it).result = MatchResult::Draw.into();
        outcome(it).termination = Termination::DrawByRule.into();
    }),
    ("another ending", "abalone-won", Kind::Outcome, |it| {
        outcome(it).ending = v1::Ending::NoLegalMove.into()
    }),
    (
        "a win with a seat at fault",
        "classic-won",
        Kind::Outcome,
        |it| outcome(it).at_fault = 1,
    ),
    ("a win cancelled", "classic-won", Kind::Outcome, |it| {
        *outcome(it) = v1::Outcome {
            result: MatchResult::Void.into(),
            termination: Termination::Cancelled.into(),
            message: "oh".to_owned(),
            ..v1::Outcome::default()
        };
    }),
    (
        "a win before the game is over",
        "classic-won",
        Kind::Outcome,
        |it| {
            let last = it.entries.len() - 1;
            it.entries.remove(last - 1);
        },
    ),
    (
        "a move after the game is over",
        "classic-won",
        Kind::Outcome,
        |it| {
            let last = it.entries.len() - 2;
            insert(
                it,
                last,
                Entry::Disconnected(v1::SeatDisconnected {
                    seat: 1,
                    message: String::new(),
                }),
            );
        },
    ),
    ("a win with stamps", "classic-won", Kind::Outcome, |it| {
        the::Ended(it, 0).seat_one_timing = Some(v1::TurnTiming::default());
    }),
    (
        "another fault than the termination's",
        "time",
        Kind::Outcome,
        |it| outcome(it).fault = v1::Fault::Network.into(),
    ),
    (
        "an ending that play did not bring",
        "time",
        Kind::Outcome,
        |it| outcome(it).ending = v1::Ending::FleetSunk.into(),
    ),
    ("the seat at fault wins", "time", Kind::Outcome, |it| {
        outcome(it).result = 3 - outcome(it).result
    }),
    ("a time loss without result", "time", Kind::Outcome, |it| {
        outcome(it).result = MatchResult::Void.into();
        outcome(it).at_fault = 0;
    }),
    ("a draw by time", "time", Kind::Outcome, |it| {
        outcome(it).result = MatchResult::Draw.into()
    }),
    (
        "both at fault and one wins",
        "void-time",
        Kind::Outcome,
        |it| {
            let first = the::AtFault(it, 0).seat;
            outcome(it).result = first;
            outcome(it).at_fault = 3 - first;
            let ended = the::Ended(it, 0);
            if first == 1 {
                ended.seat_one_timing = None;
            } else {
                ended.seat_two_timing = None;
            }
        },
    ),
    ("never connected and started", "time", Kind::Outcome, |it| {
        outcome(it).termination = Termination::NeverConnected.into();
        outcome(it).fault = v1::Fault::Network.into();
    }),
    (
        "who never connected wins",
        "never-connected",
        Kind::Outcome,
        |it| {
            outcome(it).result = outcome(it).at_fault;
        },
    ),
    (
        "a win by the arena's failure",
        "void-platform-fault",
        Kind::Outcome,
        |it| {
            outcome(it).result = MatchResult::SeatOneWins.into();
        },
    ),
    (
        "a seat at fault for the arena's failure",
        "void-platform-fault",
        Kind::Outcome,
        |it| outcome(it).at_fault = 1,
    ),
    (
        "a seat at fault for being cancelled",
        "void-cancelled",
        Kind::Outcome,
        |it| outcome(it).at_fault = 2,
    ),
    (
        "a resignation of the winner",
        "resigned",
        Kind::Outcome,
        |it| outcome(it).at_fault = 3 - outcome(it).at_fault,
    ),
    (
        "a seat that wins by its own absence",
        "disconnected",
        Kind::Outcome,
        |it| {
            outcome(it).result = 3 - outcome(it).result;
        },
    ),
];
