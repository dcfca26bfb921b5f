//! Time passes: whoever's time is over loses.

use broadside_proto::v1::Termination;
use broadside_rules::Seat;

use super::{Fault, Machine, seat::SeatState};
use crate::time::Micros;

/// How long after a deadline an answer that was read in time may still be on its way through the arena's own queues, in
/// microseconds. An answer is judged by its stamp, so that this delays a verdict and changes none.
const SETTLING_US: u64 = 20_000;

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
            match pending.handover.at() {
                Some(handed) => {
                    let deadline = state.clock.deadline(pending.kind, handed);
                    if deadline.plus(SETTLING_US) <= now {
                        self.out_of_time(seat, None, now);
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
                        timing: None,
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
        let verdict = |handed| state.clock.deadline(pending.kind, handed).plus(SETTLING_US);
        match pending.handover.at() {
            Some(handed) => Some(verdict(handed)),
            // Handed over now at the earliest.
            None if state.lost.is_some() => Some(verdict(now)),
            None => Some(verdict(now).min(pending.sent.plus(self.limits.delivery_us))),
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
        };
        self.fault(seat, fault, now);
    }
}
