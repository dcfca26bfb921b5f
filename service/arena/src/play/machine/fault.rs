//! Ends that play does not bring.

use broadside_proto::v1::{self, Termination, log_entry::Entry};
use broadside_rules::{Phase, Seat, Seats};

use super::{Delivery, Fault, Machine, outcome};
use crate::time::Micros;

impl Machine {
    /// The match ends from outside: cancelled, or the arena cannot go on.
    pub fn abandon(&mut self, outcome: v1::Outcome, now: Micros) {
        self.conclude(outcome, None, now);
    }

    /// Neither started nor startable: the agents that never were there lose; both: no result.
    pub fn never_connected(&mut self, absent: Seats, why: [String; 2], now: Micros) {
        let [one, two] = why.map(|what| Fault {
            termination: Termination::NeverConnected,
            what,
        });
        let end = match (absent.contains(Seat::One), absent.contains(Seat::Two)) {
            (true, true) => outcome::by_both([&one, &two]),
            (true, false) => outcome::by_fault(Seat::One, &one),
            (false, true) => outcome::by_fault(Seat::Two, &two),
            (false, false) => return,
        };
        self.conclude(end, None, now);
    }

    /// A seat broke a rule for which it loses. Deployment is at the same time for both: there the other seat finishes
    /// its own first, and if it loses by it too there is no result (rules.md, naumachia).
    pub(super) fn fault(
        &mut self,
        seat: Seat,
        termination: Termination,
        what: String,
        timing: Option<v1::TurnTiming>,
        now: Micros,
    ) {
        let fault = Fault { termination, what };
        let other = &self.seats[seat.other().index()];
        let end = match &other.fault {
            Some(others) => match seat {
                Seat::One => outcome::by_both([&fault, others]),
                Seat::Two => outcome::by_both([others, &fault]),
            },
            None if self.game.phase() == Phase::Deployment && other.pending.is_some() => {
                let state = &mut self.seats[seat.index()];
                state.pending = None;
                state.lost = None;
                state.fault = Some(fault);
                return;
            }
            None => outcome::by_fault(seat, &fault),
        };
        self.conclude(end, timing, now);
    }

    pub(super) fn faulty(&self) -> Option<(Seat, Fault)> {
        Seat::ALL.into_iter().find_map(|seat| {
            let fault = self.seats[seat.index()].fault.clone()?;
            Some((seat, fault))
        })
    }

    pub(super) fn conclude(
        &mut self,
        end: v1::Outcome,
        timing: Option<v1::TurnTiming>,
        now: Micros,
    ) {
        if self.outcome.is_some() {
            return;
        }
        for state in &mut self.seats {
            state.pending = None;
            state.lost = None;
        }
        self.log(
            now,
            Entry::Ended(v1::MatchEnded {
                outcome: Some(end.clone()),
                timing,
            }),
        );
        self.outcome = Some(end);
        self.step.deliveries.push(Delivery::End);
    }
}
