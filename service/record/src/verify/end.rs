//! The outcome: it follows from play, or from the faults that the record shows.

use broadside_proto::v1::{self, MatchResult, Termination};
use broadside_rules::Seat;

use super::{
    Kind,
    entries::{Due, Verifier, seat_from},
    fault::termination_from,
    finding::Wrong,
    seat::AtFault,
};
use crate::convert;

impl Verifier {
    pub(super) fn ended(&mut self, ended: &v1::MatchEnded, at_us: u64) -> Result<(), Wrong> {
        let v1::MatchEnded {
            outcome,
            seat_one_timing,
            seat_two_timing,
            seat_one_allowed_us,
            seat_two_allowed_us,
        } = ended;
        let outcome = outcome
            .as_ref()
            .ok_or_else(|| Kind::Form.wrong("outcome is not set: it must be"))?;
        let v1::Outcome {
            result,
            termination,
            at_fault,
            ending,
            message,
            fault,
        } = outcome;
        let termination = termination_from(*termination)?;
        if message.is_empty() {
            return Err(Kind::Form.wrong("the outcome's message is not set: it must be"));
        }
        let result = MatchResult::try_from(*result)
            .map_err(|_| Kind::Form.wrong(format!("result is {result}, which is unknown")))?;
        let expect =
            |what: &str, found: i32, expected: i32| Kind::Outcome.expect(what, &found, &expected);
        expect("fault", *fault, lies_in(termination).into())?;

        let shown = Shown {
            timing: [*seat_one_timing, *seat_two_timing],
            allowed_us: [*seat_one_allowed_us, *seat_two_allowed_us],
        };
        match termination {
            Termination::WonByPlay | Termination::DrawByRule => {
                shown.nothing(Seat::ALL)?;
                expect("at_fault", *at_fault, v1::Seat::Unspecified.into())?;
                self.by_play(termination, result, *ending)?;
            }
            _ => expect("ending", *ending, v1::Ending::Unspecified.into())?,
        }
        self.check_due_of_end(termination)?;
        match termination {
            Termination::WonByPlay | Termination::DrawByRule => {}
            Termination::Cancelled | Termination::PlatformFault => {
                shown.nothing(Seat::ALL)?;
                is_result(result, MatchResult::Void)?;
                expect("at_fault", *at_fault, v1::Seat::Unspecified.into())?;
            }
            Termination::NeverConnected => {
                if self.started {
                    return Err(Kind::Outcome
                        .wrong("a seat is said never to have connected: the match was started"));
                }
                shown.nothing(Seat::ALL)?;
                if result == MatchResult::Void {
                    expect("at_fault", *at_fault, v1::Seat::Unspecified.into())?;
                } else {
                    is_result(result, win_of(seat_from(*at_fault)?.other()))?;
                }
            }
            _ if result == MatchResult::Void => {
                expect("at_fault", *at_fault, v1::Seat::Unspecified.into())?;
                self.by_both(termination, &shown, at_us)?;
            }
            _ => {
                let seat = seat_from(*at_fault)?;
                is_result(result, win_of(seat.other()))?;
                self.by_fault(seat, termination, &shown, at_us)?;
            }
        }
        self.outcome = Some(outcome.clone());
        Ok(())
    }

    /// The game's own rules brought the end.
    fn by_play(
        &self,
        termination: Termination,
        result: MatchResult,
        ending: i32,
    ) -> Result<(), Wrong> {
        let Some(end) = self.game.outcome() else {
            return Err(Kind::Outcome.wrong(format!(
                "the match ended by {}: the game is not over",
                termination.as_str_name()
            )));
        };
        if !self.started {
            return Err(Kind::Outcome.wrong("the match ended by play: it was not started"));
        }
        let (expected, by) = match end.winner {
            Some(winner) => (win_of(winner), Termination::WonByPlay),
            None => (MatchResult::Draw, Termination::DrawByRule),
        };
        is_result(result, expected)?;
        is_termination(termination, by)?;
        Kind::Outcome.expect("ending", &ending, &convert::ending(end.ending).into())
    }

    /// If something had to come, the end must be that.
    fn check_due_of_end(&self, termination: Termination) -> Result<(), Wrong> {
        match self.due {
            None => Ok(()),
            Some(Due::ByPlay) => match termination {
                Termination::WonByPlay | Termination::DrawByRule => Ok(()),
                _ => Err(Kind::Outcome.wrong(format!(
                    "the match ended by {}: the game was over before",
                    termination.as_str_name()
                ))),
            },
            Some(Due::Platform) => is_termination(termination, Termination::PlatformFault),
            Some(Due::Strikes(seat) | Due::Fault(seat)) => match termination {
                Termination::IllegalMoves
                | Termination::Time
                | Termination::Disconnected
                | Termination::Resigned => Ok(()),
                _ => Err(Kind::Outcome.wrong(format!(
                    "the match ended by {}: it must end by the fault of {seat}",
                    termination.as_str_name()
                ))),
            },
        }
    }

    /// One seat is at fault, and the other wins.
    fn by_fault(
        &self,
        seat: Seat,
        termination: Termination,
        shown: &Shown,
        at_us: u64,
    ) -> Result<(), Wrong> {
        let other = seat.other();
        shown.nothing([other])?;
        if self.seats[other.index()].fault.is_some() {
            return Err(Kind::Outcome.wrong(format!(
                "{other} wins by the fault of {seat}: it is at fault too, and there must be no result"
            )));
        }
        if let Some(Due::Strikes(due) | Due::Fault(due)) = self.due
            && due != seat
        {
            return Err(Kind::Outcome.wrong(format!(
                "the match ended by the fault of {seat}: it must end by that of {due}"
            )));
        }
        self.check_strikes_due(seat, termination)?;
        let fault = shown.fault(seat, termination);
        match (&self.seats[seat.index()].fault, termination) {
            (
                Some(before),
                Termination::IllegalMoves | Termination::Time | Termination::Disconnected,
            ) => {
                same(seat, before, &fault)?;
                // What was waited for has come, or is still to come.
                if self.due != Some(Due::Fault(seat)) {
                    return Err(still_waits(seat));
                }
                Ok(())
            }
            _ => {
                self.evidence(seat, &fault, at_us)?;
                if termination != Termination::Resigned && self.waits(seat, termination) {
                    return Err(still_waits(seat));
                }
                Ok(())
            }
        }
    }

    /// Both seats are at fault: the one whose fault was put down, and then the other.
    fn by_both(&self, termination: Termination, shown: &Shown, at_us: u64) -> Result<(), Wrong> {
        let Some(first) = self.first_at_fault() else {
            return Err(Kind::Outcome.wrong(
                "there is no result, as if both seats were at fault: neither was at fault before",
            ));
        };
        let second = first.other();
        if let Some(Due::Fault(due)) = self.due {
            return Err(Kind::Outcome.wrong(format!(
                "there is no result: it must end by the fault of {due} alone"
            )));
        }
        let before = &self.seats[first.index()].fault;
        let of = |seat: Seat| match seat {
            // The outcome names how seat 1 is at fault.
            Seat::One => shown.fault(Seat::One, termination),
            Seat::Two => match before {
                Some(before) if first == Seat::Two => shown.fault(Seat::Two, before.termination),
                _ => shown.fault(Seat::Two, self.likely(Seat::Two, shown)),
            },
        };
        if let Some(before) = before {
            same(first, before, &of(first))?;
        }
        let fault = of(second);
        self.check_strikes_due(second, fault.termination)?;
        self.evidence(second, &fault, at_us)
    }

    /// What a seat is at fault for, where the outcome does not name it.
    fn likely(&self, seat: Seat, shown: &Shown) -> Termination {
        match shown.timing[seat.index()] {
            Some(timing) if timing.handed_us == 0 && timing.answered_us == 0 => {
                Termination::Disconnected
            }
            Some(_) => Termination::Time,
            None if shown.allowed_us[seat.index()] != 0 => Termination::Disconnected,
            None if self.seats[seat.index()].refusals > self.terms.strikes => {
                Termination::IllegalMoves
            }
            None => Termination::Resigned,
        }
    }
}

/// What the end shows of the seats at fault.
struct Shown {
    timing: [Option<v1::TurnTiming>; 2],
    allowed_us: [u64; 2],
}

impl Shown {
    fn fault(&self, seat: Seat, termination: Termination) -> AtFault {
        AtFault {
            termination,
            timing: self.timing[seat.index()],
            allowed_us: self.allowed_us[seat.index()],
        }
    }

    /// These seats are not at fault, and nothing may be shown of them.
    fn nothing<const N: usize>(&self, seats: [Seat; N]) -> Result<(), Wrong> {
        for seat in seats {
            let shown = self.fault(seat, Termination::Unspecified);
            if shown.timing.is_some() || shown.allowed_us != 0 {
                return Err(Kind::Outcome.wrong(format!(
                    "there are stamps or an allowed time of {seat}, which is not at fault for them"
                )));
            }
        }
        Ok(())
    }
}

/// The end must show a fault as it was put down before.
fn same(seat: Seat, before: &AtFault, shown: &AtFault) -> Result<(), Wrong> {
    is_termination(shown.termination, before.termination)?;
    if shown.timing != before.timing || shown.allowed_us != before.allowed_us {
        return Err(Kind::Fault.wrong(format!(
            "the stamps or the allowed time of {seat} are not those that were put down when it was at fault"
        )));
    }
    Ok(())
}

fn still_waits(seat: Seat) -> Wrong {
    Kind::Fault.wrong(format!(
        "the match ended by the fault of {seat}: it must wait for {} first",
        seat.other()
    ))
}

fn is_result(found: MatchResult, expected: MatchResult) -> Result<(), Wrong> {
    Kind::Outcome.expect("result", &found.as_str_name(), &expected.as_str_name())
}

fn is_termination(found: Termination, expected: Termination) -> Result<(), Wrong> {
    Kind::Outcome.expect("termination", &found.as_str_name(), &expected.as_str_name())
}

const fn win_of(seat: Seat) -> MatchResult {
    match seat {
        Seat::One => MatchResult::SeatOneWins,
        Seat::Two => MatchResult::SeatTwoWins,
    }
}

/// Where the fault lies that brings such an end.
const fn lies_in(termination: Termination) -> v1::Fault {
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
