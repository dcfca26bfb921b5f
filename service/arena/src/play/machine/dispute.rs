//! A refusal is disputed: what the replay of the log has said about it, comes back here.

use broadside_proto::v1::{self, RejectedReason, log_entry::Entry};
use broadside_rules::{Seat, Seats};

use super::{Delivery, Machine, outcome, seat::seat_of};
use crate::{convert, time::Micros};

impl Machine {
    /// A bot that has the seats `from` disputes the last refusal of this turn. Returns the seat whose move must be judged again.
    pub fn dispute(&mut self, from: Seats, turn_id: u32) -> Option<Seat> {
        let seat = seat_of(turn_id);
        let refused = self.seats[seat.index()]
            .pending
            .as_mut()
            .filter(|pending| pending.turn_id == turn_id)
            .filter(|pending| pending.refusal.is_some() && !pending.disputed);
        match refused {
            Some(pending) if from.contains(seat) => {
                pending.disputed = true;
                Some(seat)
            }
            _ => {
                let to = from.iter().next().unwrap_or(seat);
                self.reject(
                    to,
                    turn_id,
                    RejectedReason::NothingToDispute,
                    format!(
                        "no turn {turn_id} of yours is pending with a refusal that was not disputed before"
                    ),
                );
                None
            }
        }
    }

    /// The move was judged again: does the refusal stand?
    pub fn disputed(&mut self, seat: Seat, turn_id: u32, stands: bool, now: Micros) {
        if self.outcome.is_some() {
            return;
        }
        self.log(
            now,
            Entry::Disputed(v1::RefusalDisputed {
                seat: convert::seat(seat).into(),
                turn_id,
                stands,
            }),
        );
        if stands {
            self.sent(seat, now);
            self.step.deliveries.push(Delivery::Turn(seat));
        } else {
            let why = format!("{seat} disputed a refusal, and its move is legal");
            self.conclude(outcome::platform_fault(&why), [None, None], now);
        }
    }
}
