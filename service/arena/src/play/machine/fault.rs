//! Ends that play does not bring.

use broadside_proto::v1::{self, Termination, log_entry::Entry};
use broadside_rules::{Phase, Seat, Seats};

use super::{Delivery, Fault, Machine, outcome};
use crate::{convert, time::Micros};

impl Machine {
    /// The match ends from outside: cancelled, or the arena cannot go on.
    pub fn abandon(&mut self, outcome: v1::Outcome, now: Micros) {
        self.conclude(outcome, [None, None], now);
    }

    /// The end that was decided could not be kept: another one takes its place.
    pub fn overrule(&mut self, outcome: v1::Outcome, now: Micros) {
        self.outcome = None;
        self.conclude(outcome, [None, None], now);
    }

    /// Neither started nor startable: the agents that never were there lose; both: no result.
    pub fn never_connected(&mut self, absent: Seats, why: [String; 2], now: Micros) {
        if self.started {
            return;
        }
        let [one, two] = why.map(|what| Fault {
            termination: Termination::NeverConnected,
            what,
            timing: None,
            allowed_us: 0,
        });
        let end = match (absent.contains(Seat::One), absent.contains(Seat::Two)) {
            (true, true) => outcome::by_both([&one, &two]),
            (true, false) => outcome::by_fault(Seat::One, &one),
            (false, true) => outcome::by_fault(Seat::Two, &two),
            (false, false) => return,
        };
        self.conclude(end, [None, None], now);
    }

    /// A seat did something for which it loses. Two things are at the same time for both, and there the match waits for
    /// the other seat, which may do the same, so that there is no result: deploying (rules.md, naumachia), and being
    /// disconnected.
    pub(super) fn fault(&mut self, seat: Seat, fault: Fault, now: Micros) {
        let other = &self.seats[seat.other().index()];
        let waits = match fault.termination {
            Termination::Disconnected if other.lost.is_some() => true,
            _ => self.game.phase() == Phase::Deployment && other.pending.is_some(),
        };
        let decided = other.fault.is_some() || !waits;
        let state = &mut self.seats[seat.index()];
        state.pending = None;
        state.lost = None;
        if decided {
            state.fault = Some(fault);
            self.conclude_by_faults(now);
        } else {
            let at_fault = v1::SeatAtFault {
                seat: convert::seat(seat).into(),
                termination: fault.termination.into(),
                message: fault.what.clone(),
                timing: fault.timing,
                allowed_us: fault.allowed_us,
            };
            state.fault = Some(fault);
            self.log(now, Entry::AtFault(at_fault));
        }
    }

    /// Ends the match if a seat is at fault: the other wins, if it is not at fault too.
    pub(super) fn conclude_by_faults(&mut self, now: Micros) {
        let [one, two] = &self.seats;
        let end = match (&one.fault, &two.fault) {
            (None, None) => return,
            (Some(one), None) => outcome::by_fault(Seat::One, one),
            (None, Some(two)) => outcome::by_fault(Seat::Two, two),
            (Some(one), Some(two)) => outcome::by_both([one, two]),
        };
        let faults = [one, two].map(|state| state.fault.clone());
        self.conclude(end, faults, now);
    }

    pub(super) fn conclude(&mut self, end: v1::Outcome, faults: [Option<Fault>; 2], now: Micros) {
        if self.outcome.is_some() {
            return;
        }
        for state in &mut self.seats {
            state.pending = None;
            state.lost = None;
        }
        let [seat_one_timing, seat_two_timing] = faults
            .each_ref()
            .map(|fault| fault.as_ref().and_then(|fault| fault.timing));
        let [seat_one_allowed_us, seat_two_allowed_us] =
            faults.map(|fault| fault.map_or(0, |fault| fault.allowed_us));
        self.log(
            now,
            Entry::Ended(v1::MatchEnded {
                outcome: Some(end.clone()),
                seat_one_timing,
                seat_two_timing,
                seat_one_allowed_us,
                seat_two_allowed_us,
            }),
        );
        self.outcome = Some(end);
        self.step.deliveries.push(Delivery::End);
    }
}
