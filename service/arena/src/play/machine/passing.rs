//! Time passes: whoever's time is over loses.

use broadside_proto::v1::{self, Termination, log_entry::Entry};
use broadside_rules::Seat;

use super::{
    Fault, Machine,
    seat::{Pending, SeatState},
};
use crate::{convert, time::Micros};

/// How long after a deadline an answer that was read in time may still be on its way through the arena's own queues, in
/// microseconds. An answer is judged by its stamp, so that this delays a verdict and changes none.
const SETTLING_US: u64 = 20_000;

/// How often the time of a turn is noted at most, however long it may take.
const NOTES: u64 = 32;

impl Machine {
    /// Time has passed: whoever's time is over loses.
    pub fn tick(&mut self, now: Micros) {
        for seat in Seat::ALL {
            if self.outcome.is_some() {
                return;
            }
            let state = &self.seats[seat.index()];
            if let Some(lost) = state.lost
                && lost.plus(self.limits.grace_us) <= now
            {
                self.gone(seat, now);
                continue;
            }
            let Some(pending) = &state.pending else {
                continue;
            };
            match pending.begun() {
                Some(begun) => {
                    let deadline = state.clock.deadline(pending.kind, begun);
                    if deadline.plus(SETTLING_US) <= now {
                        self.out_of_time(seat, None, now);
                    } else if begun.plus(self.next_note_us(state, pending)) <= now {
                        self.note(seat, now);
                    }
                }
                None if state.lost.is_none()
                    && pending.sent.plus(self.limits.delivery_us) <= now =>
                {
                    let fault = Fault {
                        termination: Termination::Disconnected,
                        what: format!(
                            "did not read a turn off its connection within {} ms",
                            self.limits.delivery_us / 1_000
                        ),
                        timing: Some(state.timing(pending, None, self.created)),
                        allowed_us: self.limits.delivery_us,
                    };
                    self.fault(seat, fault, now);
                }
                None => {}
            }
        }
    }

    /// When [`tick`](Self::tick) may next have something to do, as far as can be said at `now`. Never later than that,
    /// maybe earlier, and after `now` for a turn that has yet to be handed over.
    pub fn next_tick(&self, now: Micros) -> Option<Micros> {
        let waits = self.seats.iter().filter_map(|state| {
            let grace = state.lost.map(|lost| lost.plus(self.limits.grace_us));
            let turn = self.turn_tick(state, now);
            [grace, turn].into_iter().flatten().min()
        });
        waits.min()
    }

    fn turn_tick(&self, state: &SeatState, now: Micros) -> Option<Micros> {
        let pending = state.pending.as_ref()?;
        let next = |begun: Micros| {
            let verdict = state.clock.deadline(pending.kind, begun).plus(SETTLING_US);
            verdict.min(begun.plus(self.next_note_us(state, pending)))
        };
        match pending.begun() {
            Some(begun) => Some(next(begun)),
            // Handed over now at the earliest.
            None => {
                let earliest = next(now.minus(pending.carried_us)).max(now.plus(1));
                Some(match state.lost {
                    Some(_) => earliest,
                    None => earliest.min(pending.sent.plus(self.limits.delivery_us)),
                })
            }
        }
    }

    /// The time of a seat's turn is over; `late` is when its answer came after all.
    pub(super) fn out_of_time(&mut self, seat: Seat, late: Option<Micros>, now: Micros) {
        let state = &self.seats[seat.index()];
        let Some(pending) = &state.pending else {
            return;
        };
        let fault = Fault {
            termination: Termination::Time,
            what: format!(
                "did not answer turn {} within {} ms",
                pending.turn_id,
                state.clock.allowance_us(pending.kind) / 1_000
            ),
            timing: Some(state.timing(pending, late, self.created)),
            allowed_us: 0,
        };
        self.fault(seat, fault, now);
    }

    /// A seat's grace is over.
    fn gone(&mut self, seat: Seat, now: Micros) {
        let fault = Fault {
            termination: Termination::Disconnected,
            what: format!(
                "was disconnected for longer than {} ms",
                self.limits.grace_us / 1_000
            ),
            timing: None,
            allowed_us: self.limits.grace_us,
        };
        self.fault(seat, fault, now);
    }

    /// Puts down how much of the time of a seat's pending turn is used for certain: an answer may be on its way through the
    /// arena's own queues, and if it is lost there the seat must have the time to give it again.
    pub(super) fn note(&mut self, seat: Seat, now: Micros) {
        let Some(pending) = &mut self.seats[seat.index()].pending else {
            return;
        };
        let used_us = pending.used_us(now.minus(SETTLING_US));
        pending.noted_us = used_us.max(pending.noted_us);
        let noted = v1::TurnNoted {
            seat: convert::seat(seat).into(),
            turn_id: pending.turn_id,
            used_us: pending.noted_us,
        };
        self.log(now, Entry::Noted(noted));
    }

    /// How much of a turn's time is to be over when that is noted next, in microseconds.
    fn next_note_us(&self, state: &SeatState, pending: &Pending) -> u64 {
        let every = (state.clock.allowance_us(pending.kind) / NOTES).max(self.limits.note_us);
        pending
            .noted_us
            .max(pending.carried_us)
            .saturating_add(every)
            .saturating_add(SETTLING_US)
    }
}
