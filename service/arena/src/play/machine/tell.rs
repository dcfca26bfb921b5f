//! What a seat is told.

use broadside_proto::v1::{self, RejectedReason};
use broadside_rules::Seat;

use super::{
    Delivery, Machine,
    seat::{Pending, SeatState},
};
use crate::{
    convert::{self, Writer},
    play::hidden::Hidden,
    time::{Handover, Micros},
};

/// A seat's pending turn, to be told: as a message, or written straight into its encoding.
pub struct PendingTurn<'a> {
    machine: &'a Machine,
    seat: Seat,
    state: &'a SeatState,
    pending: &'a Pending,
    now: Micros,
}

impl PendingTurn<'_> {
    /// The place where its hand-over is stamped.
    pub fn handover(&self) -> Handover {
        self.pending.handover.clone()
    }

    fn time_left_us(&self) -> u64 {
        let allowed_us = self.state.clock.allowance_us(self.pending.kind);
        allowed_us.saturating_sub(self.pending.used_us(self.now))
    }

    fn opponent_budget_left_us(&self) -> Option<u64> {
        let opponent = &self.machine.seats[self.seat.other().index()];
        opponent.clock.budget_left_us()
    }

    fn refusals_left(&self) -> u32 {
        let strikes = self.machine.spec.strikes;
        strikes.saturating_sub(self.state.refusals)
    }

    fn legal_moves(&self) -> v1::LegalMoves {
        let Machine { spec, game, .. } = self.machine;
        convert::legal_moves(game, self.seat, || spec.dealt_fleet(self.seat))
    }

    /// As a message.
    pub fn message(&self, wants_legal_moves: bool) -> v1::Turn {
        let Machine { spec, game, .. } = self.machine;
        let refusal = self.pending.refusal.as_ref();
        v1::Turn {
            match_id: spec.match_id,
            turn_id: self.pending.turn_id,
            seat: convert::seat(self.seat).into(),
            phase: convert::phase(game.phase()).into(),
            view: Some(convert::view(game, self.seat)),
            events: self.state.news(),
            time_left_us: self.time_left_us(),
            budget_left_us: self.state.clock.budget_left_us(),
            opponent_budget_left_us: self.opponent_budget_left_us(),
            last_answer_us: self.state.last_answer_us,
            refusals_left: self.refusals_left(),
            refusal: refusal.map(|Hidden(why)| why.clone()),
            options: Some(convert::options(&spec.options)),
            legal_moves: wants_legal_moves.then(|| self.legal_moves()),
        }
    }

    /// Written as the fields of a `Turn`: the same as [`message`](Self::message).
    pub fn write(&self, wants_legal_moves: bool, to: &mut Writer<'_>) {
        let Machine { spec, game, .. } = self.machine;
        to.number(1, spec.match_id);
        to.number(2, self.pending.turn_id);
        to.number(3, self.seat.number());
        to.number(4, convert::phase(game.phase()) as u8);
        to.nested(5, |view| convert::write_view(game, self.seat, view));
        for news in &self.state.news {
            to.encoded(6, &news.encoded);
        }
        to.number(7, self.time_left_us());
        to.optional(8, self.state.clock.budget_left_us());
        to.optional(9, self.opponent_budget_left_us());
        to.optional(10, self.state.last_answer_us);
        to.number(11, self.refusals_left());
        if let Some(Hidden(why)) = &self.pending.refusal {
            to.message(12, why);
        }
        if wants_legal_moves {
            to.message(13, &self.legal_moves());
        }
        to.encoded(14, &self.machine.options);
    }
}

impl Machine {
    /// The seat's pending turn, as it is to be told now.
    pub fn pending_turn(&self, seat: Seat, now: Micros) -> Option<PendingTurn<'_>> {
        let state = &self.seats[seat.index()];
        Some(PendingTurn {
            machine: self,
            seat,
            state,
            pending: state.pending.as_ref()?,
            now,
        })
    }

    /// The seat's pending turn as a message, and the place where its hand-over is stamped.
    pub fn turn(
        &self,
        seat: Seat,
        wants_legal_moves: bool,
        now: Micros,
    ) -> Option<(v1::Turn, Handover)> {
        let turn = self.pending_turn(seat, now)?;
        Some((turn.message(wants_legal_moves), turn.handover()))
    }

    /// What a seat is told when the match is over.
    pub fn match_end(&self, seat: Seat) -> v1::MatchEnd {
        v1::MatchEnd {
            match_id: self.spec.match_id,
            seat: convert::seat(seat).into(),
            outcome: self.outcome.clone(),
            events: self.seats[seat.index()].news(),
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
