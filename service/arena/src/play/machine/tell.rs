//! What a seat is told.

use broadside_proto::v1::{self, RejectedReason};
use broadside_rules::Seat;

use super::{Delivery, Machine};
use crate::{
    convert,
    play::hidden::Hidden,
    time::{Handover, Micros},
};

impl Machine {
    /// The seat's pending turn as a message, and the place where its hand-over is stamped.
    pub fn turn(
        &self,
        seat: Seat,
        wants_legal_moves: bool,
        now: Micros,
    ) -> Option<(v1::Turn, Handover)> {
        let state = &self.seats[seat.index()];
        let pending = state.pending.as_ref()?;
        let used = pending.used_us(now);
        let turn = v1::Turn {
            match_id: self.spec.match_id,
            turn_id: pending.turn_id,
            seat: convert::seat(seat).into(),
            phase: convert::phase(self.game.phase()).into(),
            view: Some(convert::view(&self.game, seat)),
            events: state.news.clone(),
            time_left_us: state.clock.allowance_us(pending.kind).saturating_sub(used),
            budget_left_us: state.clock.budget_left_us(),
            opponent_budget_left_us: self.seats[seat.other().index()].clock.budget_left_us(),
            last_answer_us: state.last_answer_us,
            refusals_left: self.spec.strikes.saturating_sub(state.refusals),
            refusal: pending.refusal.clone().map(|Hidden(why)| why),
            options: Some(convert::options(&self.spec.options)),
            legal_moves: wants_legal_moves
                .then(|| convert::legal_moves(&self.game, seat, || self.spec.dealt_fleet(seat))),
        };
        Some((turn, pending.handover.clone()))
    }

    /// What a seat is told when the match is over.
    pub fn match_end(&self, seat: Seat) -> v1::MatchEnd {
        v1::MatchEnd {
            match_id: self.spec.match_id,
            seat: convert::seat(seat).into(),
            outcome: self.outcome.clone(),
            events: self.seats[seat.index()].news.clone(),
            reveal: convert::reveal(&self.game),
        }
    }

    pub(super) fn reject(
        &mut self,
        to: Seat,
        turn_id: u32,
        reason: RejectedReason,
        message: String,
    ) {
        self.step.deliveries.push(Delivery::Rejected(
            to,
            v1::Rejected {
                match_id: self.spec.match_id,
                turn_id,
                reason: reason.into(),
                message,
            },
        ));
    }
}
