//! One seat, as far as the log has been read.

use broadside_proto::v1;
use broadside_rules::Seat;

use super::{Kind, finding::Wrong, terms::Control};

/// A turn that a seat was asked and has not answered.
#[derive(Debug)]
pub(super) struct Pending {
    pub(super) turn_id: u32,
    pub(super) deployment: bool,
    asked_us: u64,
    /// Nothing of it happened before, as far as this life of the arena knows.
    since_us: u64,
    /// As the turn's first answer had it.
    handed_us: Option<u64>,
    carried_us: u64,
    noted_us: u64,
    forgiven_us: u64,
    pub(super) refusal: Refusal,
}

/// What became of a turn's last refusal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Refusal {
    /// There was none.
    None,
    /// The referee refuses the move too.
    Right,
    /// The referee accepts the move, and the arena says so later on.
    Overturned,
    /// It was disputed already.
    Disputed,
}

/// Why a seat loses, while the match waits for the other.
#[derive(Clone, Debug)]
pub(super) struct AtFault {
    pub(super) termination: v1::Termination,
    pub(super) timing: Option<v1::TurnTiming>,
    pub(super) allowed_us: u64,
}

#[derive(Debug)]
pub(super) struct SeatState {
    seat: Seat,
    last_turn: Option<u32>,
    pub(super) pending: Option<Pending>,
    pub(super) budget_left: Option<u64>,
    pub(super) refusals: u32,
    pub(super) lost_us: Option<u64>,
    /// When it was last found again, or could be.
    pub(super) reached_us: u64,
    pub(super) fault: Option<AtFault>,
}

impl SeatState {
    pub(super) fn new(seat: Seat, control: &Control) -> Self {
        Self {
            seat,
            last_turn: None,
            pending: None,
            budget_left: control.budget,
            refusals: 0,
            lost_us: None,
            reached_us: 0,
            fault: None,
        }
    }

    /// Turn ids are odd for seat 1 and even for seat 2, from 1 and 2 on.
    pub(super) fn ask(&mut self, deployment: bool, asked_us: u64) {
        let turn_id = match self.last_turn {
            None => u32::from(self.seat.number()),
            // The log would have to be longer than any memory.
            Some(last) => last.saturating_add(2),
        };
        self.last_turn = Some(turn_id);
        self.pending = Some(Pending {
            turn_id,
            deployment,
            asked_us,
            since_us: asked_us,
            handed_us: None,
            carried_us: 0,
            noted_us: 0,
            forgiven_us: 0,
            refusal: Refusal::None,
        });
    }

    /// The turn that an entry names.
    pub(super) fn turn(&mut self, turn_id: u32) -> Result<&mut Pending, Wrong> {
        let asked = self.pending.as_ref().map(|pending| pending.turn_id);
        let what = match asked {
            None => "has no turn to answer".to_owned(),
            Some(asked) => format!("is to answer turn {asked}"),
        };
        self.pending
            .as_mut()
            .filter(|pending| pending.turn_id == turn_id)
            .ok_or_else(|| Kind::Turn.wrong(format!("turn_id is {turn_id}: {} {what}", self.seat)))
    }

    /// How long the pending turn may take, the lag allowance included.
    pub(super) fn limit(&self, pending: &Pending, control: &Control) -> u64 {
        let allowed = if pending.deployment {
            control.deployment
        } else {
            let cap = control.cap.unwrap_or(u64::MAX);
            self.budget_left.unwrap_or(u64::MAX).min(cap)
        };
        allowed.saturating_add(control.lag)
    }

    /// Takes the charge for a move off the budget, and adds the increment.
    pub(super) fn spend(&mut self, charge_us: u64, control: &Control) {
        self.budget_left = self.budget_left.map(|left| {
            left.saturating_sub(charge_us)
                .saturating_add(control.increment)
        });
    }

    /// The arena was away until then.
    pub(super) fn interrupt(&mut self, at_us: u64) {
        self.reached_us = at_us;
        if self.fault.is_none() {
            self.lost_us = Some(at_us);
        }
        if let Some(pending) = &mut self.pending {
            pending.carried_us = pending.noted_us.max(pending.carried_us);
            pending.forgiven_us = 0;
            pending.handed_us = None;
            pending.since_us = at_us;
        }
    }
}

impl Pending {
    /// Checks the stamps of this turn, all but what was charged and what is left of the budget.
    pub(super) fn check(&self, timing: &v1::TurnTiming) -> Result<(), Wrong> {
        let wrong = |message: String| Err(Kind::Clock.wrong(message));
        let v1::TurnTiming {
            asked_us,
            handed_us,
            answered_us,
            carried_us,
            forgiven_us,
            charged_us: _,
            budget_left_us: _,
        } = *timing;
        Kind::Clock.expect("asked_us", &asked_us, &self.asked_us)?;
        Kind::Clock.expect("carried_us", &carried_us, &self.carried_us)?;
        for (what, stamp) in [("handed_us", handed_us), ("answered_us", answered_us)] {
            if stamp != 0 && stamp < self.since_us {
                return wrong(format!(
                    "{what} is {stamp}: it must not be before {}, when the turn was made or the arena started again",
                    self.since_us
                ));
            }
        }
        if handed_us != 0 && answered_us != 0 && answered_us < handed_us {
            return wrong(format!(
                "answered_us is {answered_us}: it must not be before handed_us, {handed_us}"
            ));
        }
        if let Some(before) = self.handed_us {
            Kind::Clock.expect("handed_us", &handed_us, &before)?;
        }
        if forgiven_us < self.forgiven_us {
            return wrong(format!(
                "forgiven_us is {forgiven_us}: {} was forgiven in this turn before",
                self.forgiven_us
            ));
        }
        Ok(())
    }

    /// The turn goes on after an answer with these stamps.
    pub(super) fn goes_on(&mut self, timing: &v1::TurnTiming) {
        if timing.handed_us != 0 {
            self.handed_us = Some(timing.handed_us);
        }
        self.forgiven_us = timing.forgiven_us;
        self.noted_us = self.noted_us.max(used(timing, timing.answered_us));
    }

    /// Takes a note of the time used.
    pub(super) fn note(&mut self, used_us: u64, at_us: u64) -> Result<(), Wrong> {
        let most = self
            .carried_us
            .saturating_add(at_us.saturating_sub(self.handed_us.unwrap_or(self.since_us)));
        if used_us > most {
            return Err(Kind::Clock.wrong(format!(
                "used_us is {used_us}: no more than {most} can have passed"
            )));
        }
        self.noted_us = self.noted_us.max(used_us);
        Ok(())
    }

    /// For how long it has certainly not been read, if it has not, by a seat that was last found again at `reached_us`.
    pub(super) fn unread_us(&self, reached_us: u64, at_us: u64) -> u64 {
        at_us.saturating_sub(self.asked_us.max(reached_us))
    }
}

/// How much of a turn's time was used at a moment, by its stamps, the lag allowance not taken off.
pub(super) fn used(timing: &v1::TurnTiming, at_us: u64) -> u64 {
    if timing.handed_us == 0 {
        return timing.carried_us;
    }
    at_us
        .saturating_sub(timing.handed_us)
        .saturating_add(timing.carried_us)
        .saturating_sub(timing.forgiven_us)
}
