//! Seats at fault, by what the record shows.

use broadside_proto::v1::{self, Termination};
use broadside_rules::Seat;

use super::{
    Kind,
    entries::{Due, Verifier, seat_from},
    finding::Wrong,
    seat::{AtFault, used},
};

impl Verifier {
    /// A seat is at fault, and the match waits for the other.
    pub(super) fn at_fault(&mut self, at_fault: &v1::SeatAtFault, at_us: u64) -> Result<(), Wrong> {
        let v1::SeatAtFault {
            seat,
            termination,
            message: _,
            timing,
            allowed_us,
        } = at_fault;
        let seat = seat_from(*seat)?;
        let termination = termination_from(*termination)?;
        let fault = AtFault {
            termination,
            timing: *timing,
            allowed_us: *allowed_us,
        };
        if let Some(first) = self.first_at_fault() {
            return Err(Kind::Fault.wrong(format!(
                "{first} is at fault already: with {seat} at fault too the match must end"
            )));
        }
        if !matches!(
            termination,
            Termination::IllegalMoves | Termination::Time | Termination::Disconnected
        ) {
            return Err(Kind::Fault.wrong(format!(
                "no match waits after {}",
                termination.as_str_name()
            )));
        }
        self.check_strikes_due(seat, termination)?;
        self.evidence(seat, &fault, at_us)?;
        if !self.waits(seat, termination) {
            return Err(Kind::Fault.wrong(format!(
                "the match does not wait for {}: it must end by the fault of {seat}",
                seat.other()
            )));
        }
        let state = &mut self.seats[seat.index()];
        state.pending = None;
        state.lost_us = None;
        state.fault = Some(fault);
        self.due = None;
        Ok(())
    }

    /// If a seat must be at fault for its refusals, it must be for them.
    pub(super) fn check_strikes_due(
        &self,
        seat: Seat,
        termination: Termination,
    ) -> Result<(), Wrong> {
        match self.due {
            Some(Due::Strikes(due)) if due == seat && termination != Termination::IllegalMoves => {
                Err(Kind::Fault.wrong(format!(
                    "{seat} is at fault by {}: it must be by {}, since it had a refusal too many",
                    termination.as_str_name(),
                    Termination::IllegalMoves.as_str_name()
                )))
            }
            _ => Ok(()),
        }
    }

    /// Whether the record shows this fault of a seat, at this moment.
    pub(super) fn evidence(&self, seat: Seat, fault: &AtFault, at_us: u64) -> Result<(), Wrong> {
        let AtFault {
            termination,
            timing,
            allowed_us,
        } = fault;
        let termination = *termination;
        let state = &self.seats[seat.index()];
        let wrong = |message: String| Err(Kind::Fault.wrong(message));
        if termination != Termination::Disconnected && *allowed_us != 0 {
            return wrong(format!(
                "{allowed_us} us are said to have been allowed {seat}: that is for a seat that was disconnected"
            ));
        }
        match (termination, timing) {
            (Termination::IllegalMoves | Termination::Resigned, Some(_)) => wrong(format!(
                "{seat} has stamps: they are for a turn that was not answered in time or not read"
            )),
            (Termination::Resigned, None) => Ok(()),
            (Termination::IllegalMoves, None) if state.refusals > self.terms.strikes => Ok(()),
            (Termination::IllegalMoves, None) => wrong(format!(
                "{seat} is said to have had too many refusals: it had {}, with {} allowed",
                state.refusals, self.terms.strikes
            )),
            (Termination::Time, None) => wrong(format!(
                "{seat} is said to be out of time: it has no stamps"
            )),
            (Termination::Time, Some(timing)) => self.out_of_time(seat, timing, at_us),
            (Termination::Disconnected, None) => match state.lost_us {
                None => wrong(format!(
                    "{seat} is said to have been disconnected for too long: it is not disconnected"
                )),
                Some(lost) if at_us.saturating_sub(lost) < *allowed_us => wrong(format!(
                    "{seat} was disconnected at {lost}, for {} us: {allowed_us} us were allowed",
                    at_us.saturating_sub(lost)
                )),
                Some(_) => Ok(()),
            },
            (Termination::Disconnected, Some(timing)) => {
                self.unread(seat, timing, *allowed_us, at_us)
            }
            _ => wrong(format!(
                "no seat is at fault by {}",
                termination.as_str_name()
            )),
        }
    }

    /// The seat's turn was answered too late, or not until it was too late.
    fn out_of_time(&self, seat: Seat, timing: &v1::TurnTiming, at_us: u64) -> Result<(), Wrong> {
        let state = &self.seats[seat.index()];
        let Some(pending) = &state.pending else {
            return Err(Kind::Fault.wrong(format!(
                "{seat} is said to be out of time: it has no turn to answer"
            )));
        };
        pending.check(timing)?;
        Kind::Clock.expect("charged_us", &timing.charged_us, &0)?;
        Kind::Clock.expect("budget_left_us", &timing.budget_left_us, &state.budget_left)?;
        if timing.answered_us > at_us {
            return Err(Kind::Clock.wrong(format!(
                "answered_us is {}: it must not be after the entry, at {at_us}",
                timing.answered_us
            )));
        }
        let until_us = match timing.answered_us {
            0 => at_us,
            answered_us => answered_us,
        };
        let used_us = used(timing, until_us);
        let limit_us = state.limit(pending, &self.terms.control);
        if used_us <= limit_us {
            return Err(Kind::Fault.wrong(format!(
                "{seat} is said to be out of time in turn {}: it had used {used_us} us of {limit_us} us, lag allowance included",
                pending.turn_id
            )));
        }
        Ok(())
    }

    /// The seat's turn was not read off its connection.
    fn unread(
        &self,
        seat: Seat,
        timing: &v1::TurnTiming,
        allowed_us: u64,
        at_us: u64,
    ) -> Result<(), Wrong> {
        let state = &self.seats[seat.index()];
        let wrong = |message: String| Err(Kind::Fault.wrong(message));
        let Some(pending) = &state.pending else {
            return wrong(format!(
                "{seat} is said not to have read its turn: it has none to answer"
            ));
        };
        pending.check(timing)?;
        Kind::Clock.expect("charged_us", &timing.charged_us, &0)?;
        Kind::Clock.expect("budget_left_us", &timing.budget_left_us, &state.budget_left)?;
        if timing.handed_us != 0 || timing.answered_us != 0 {
            return wrong(format!(
                "{seat} is said not to have read its turn: it was handed over"
            ));
        }
        if state.lost_us.is_some() {
            return wrong(format!(
                "{seat} is said not to have read its turn: it was disconnected"
            ));
        }
        let unread_us = pending.unread_us(state.reached_us, at_us);
        if unread_us < allowed_us {
            return wrong(format!(
                "{seat} did not read its turn for {unread_us} us at most: {allowed_us} us were allowed"
            ));
        }
        Ok(())
    }
}

pub(super) fn termination_from(termination: i32) -> Result<Termination, Wrong> {
    match Termination::try_from(termination) {
        Ok(Termination::Unspecified) => Err(Kind::Form.wrong("termination is not set: it must be")),
        Ok(termination) => Ok(termination),
        Err(_) => Err(Kind::Form.wrong(format!("termination is {termination}, which is unknown"))),
    }
}
