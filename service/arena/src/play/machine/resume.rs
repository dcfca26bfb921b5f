//! A match taken up where its log ends: the log is gone through as it was written, and must come out the same.

use broadside_proto::v1::{self, log_entry::Entry};
use broadside_rules::{Seat, Seats};

use super::{Fault, Limits, Machine, seat::seat_of};
use crate::{
    convert::{self, Refusal},
    play::MatchSpec,
    time::{Handover, Micros},
};

/// A log that this machine would not have written.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("its log cannot be resumed at entry {index}: {why}")]
pub struct ResumeError {
    /// The entry, counted from 0.
    pub index: usize,
    /// Why.
    pub why: String,
}

impl Machine {
    /// A match whose log ends here, without its end. `created` is when it was created on this process's clock: long ago, and before it, if
    /// need be. The arena was away until `now`; no clock ran meanwhile, and both seats count as disconnected from now on.
    ///
    /// # Errors
    /// If the log is none of this machine's.
    pub fn resume(
        spec: MatchSpec,
        limits: Limits,
        log: &[v1::LogEntry],
        created: Micros,
        now: Micros,
    ) -> Result<Self, ResumeError> {
        let mut machine = Self::new(spec, limits, created);
        // The first is what the match is, and in its spec.
        for (index, entry) in log.iter().enumerate().skip(1) {
            machine
                .again(entry)
                .map_err(|why| ResumeError { index, why })?;
        }
        if !machine.step.log.is_empty() {
            return Err(ResumeError {
                index: log.len(),
                why: "more must have happened than it says".to_owned(),
            });
        }
        machine.step.deliveries.clear();
        if machine.started {
            machine.interrupt(now);
        }
        Ok(machine)
    }

    /// Everything is left as it is: how much time the pending turns have used is put down, and nobody is told anything.
    pub fn suspend(&mut self, now: Micros) {
        for seat in Seat::ALL {
            if self.seats[seat.index()]
                .pending
                .as_ref()
                .is_some_and(|pending| pending.begun().is_some())
            {
                self.note(seat, now);
            }
        }
    }

    /// The arena was away.
    fn interrupt(&mut self, now: Micros) {
        for state in &mut self.seats {
            if state.fault.is_none() {
                state.lost = Some(now);
            }
            if let Some(pending) = &mut state.pending {
                pending.carried_us = pending.noted_us.max(pending.carried_us);
                pending.forgiven_us = 0;
                pending.handover = Handover::default();
                pending.sent = now;
            }
        }
        self.log(now, Entry::Resumed(v1::MatchResumed {}));
    }

    /// Does again what led to this entry.
    fn again(&mut self, entry: &v1::LogEntry) -> Result<(), String> {
        if self.outcome.is_some() {
            return Err("the match is over before it".to_owned());
        }
        // It may come of the one before.
        if self.step.log.is_empty() {
            self.repeat(entry)?;
        }
        if self.step.log.is_empty() {
            return Err("nothing comes of it".to_owned());
        }
        let came = self.step.log.remove(0);
        if came != *entry {
            // Not what they say: it may be hidden.
            return Err("it is not what comes of the entries before it".to_owned());
        }
        Ok(())
    }

    fn repeat(&mut self, entry: &v1::LogEntry) -> Result<(), String> {
        let at = self.created.plus(entry.at_us);
        match entry.entry.as_ref().ok_or("it is empty")? {
            Entry::Created(_) => return Err("the match is created twice".to_owned()),
            Entry::Started(_) => self.start(at),
            Entry::Accepted(accepted) => {
                let seat = seat_from(accepted.seat)?;
                let received = self.stamp_again(seat, accepted.turn_id, accepted.timing)?;
                let action =
                    convert::move_from(self.spec.options.variant(), accepted.r#move.clone())
                        .map_err(|refusal| refusal.message)?;
                let answer = self
                    .game
                    .play(seat, &action)
                    .map_err(|illegal| illegal.to_string())?;
                let answer = convert::answer(self.spec.options.variant(), &answer);
                self.accept(seat, accepted.r#move.clone(), &action, answer, received);
            }
            Entry::Refused(refused) => {
                let seat = seat_from(refused.seat)?;
                let received = self.stamp_again(seat, refused.turn_id, refused.timing)?;
                let illegal = refused.illegal_move.as_ref().ok_or("it has no reason")?;
                let refusal = Refusal {
                    reason: illegal.reason(),
                    message: illegal.message.clone(),
                };
                self.refuse(seat, refused.r#move.clone(), &refusal, received);
            }
            Entry::Disconnected(disconnected) => {
                self.disconnected(seat_from(disconnected.seat)?, &disconnected.message, at);
            }
            Entry::Reconnected(reconnected) => {
                self.reconnected(seat_from(reconnected.seat)?, false, at);
            }
            Entry::AtFault(at_fault) => {
                let fault = Fault {
                    termination: at_fault.termination(),
                    what: at_fault.message.clone(),
                    timing: at_fault.timing,
                    allowed_us: at_fault.allowed_us,
                };
                self.fault(seat_from(at_fault.seat)?, fault, at);
            }
            Entry::Noted(noted) => {
                let seat = seat_from(noted.seat)?;
                if let Some(pending) = &mut self.seats[seat.index()].pending {
                    // Whatever was forgiven until then is in what was used.
                    pending.handover = Handover::default();
                    pending.handover.stamp(at);
                    pending.forgiven_us = 0;
                    pending.carried_us = noted.used_us;
                }
                self.note(seat, at);
            }
            Entry::Resumed(_) => self.interrupt(at),
            Entry::Disputed(disputed) => {
                let seat = seat_from(disputed.seat)?;
                if self.dispute(Seats::only(seat), disputed.turn_id) != Some(seat) {
                    return Err("there is nothing to dispute".to_owned());
                }
                self.disputed(seat, disputed.turn_id, disputed.stands, at);
            }
            Entry::Ended(_) => return Err("the match is over, and is not listed so".to_owned()),
        }
        Ok(())
    }

    /// Puts the stamps of an answer on the turn that is pending. Returns when it was read.
    fn stamp_again(
        &mut self,
        seat: Seat,
        turn_id: u32,
        timing: Option<v1::TurnTiming>,
    ) -> Result<Micros, String> {
        let timing = timing.ok_or("it has no stamps")?;
        let v1::TurnTiming {
            asked_us,
            handed_us,
            answered_us,
            charged_us: _,
            budget_left_us: _,
            carried_us,
            forgiven_us,
        } = timing;
        let created = self.created;
        let pending = self.seats[seat_of(turn_id).index()]
            .pending
            .as_mut()
            .filter(|pending| pending.turn_id == turn_id && seat == seat_of(turn_id))
            .ok_or_else(|| format!("turn {turn_id} is not pending"))?;
        pending.asked = created.plus(asked_us);
        pending.handover = Handover::default();
        if handed_us != 0 {
            pending.handover.stamp(created.plus(handed_us));
        }
        pending.carried_us = carried_us;
        pending.forgiven_us = forgiven_us;
        Ok(created.plus(answered_us))
    }
}

fn seat_from(seat: i32) -> Result<Seat, String> {
    v1::Seat::try_from(seat)
        .ok()
        .and_then(convert::seat_from)
        .ok_or_else(|| "it names no seat".to_owned())
}
