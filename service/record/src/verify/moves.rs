//! Accepted and refused moves: the referee's word, and the clocks'.

use broadside_proto::v1::{self, IllegalMoveReason as Reason, log_entry::Entry};
use broadside_rules::{Answer, Move, Seat};

use super::{
    Kind,
    entries::{Due, Verifier},
    finding::Wrong,
    seat::{Refusal, used},
};
use crate::{commitment::commitment_to_bytes, convert, written};

impl Verifier {
    /// A move was accepted: of the pending turn, in time, legal, answered and charged as it must be.
    pub(super) fn accepted(
        &mut self,
        accepted: &v1::MoveAccepted,
        body: &[u8],
        at_us: u64,
    ) -> Result<(), Wrong> {
        let v1::MoveAccepted {
            seat,
            turn_id,
            r#move: raw,
            answer,
            timing,
            commitment: committed,
        } = accepted;
        let control = self.terms.control;
        let (seat, state) = self.state(*seat)?;
        let deployment = state.turn(*turn_id)?.deployment;
        let timing = self.in_time(seat, *turn_id, timing.as_ref(), at_us)?;

        let announced = self
            .referee(seat, raw)
            .map_err(|refusal| Kind::Move.wrong(format!("the move is illegal: {refusal}")))?;
        if answer.as_ref() != Some(&announced) {
            return Err(Kind::Answer.wrong(format!(
                "the answer is {answer:?}: it must be {announced:?}"
            )));
        }

        let expected = match deployment {
            true => {
                let key = &self.terms.commitment_key;
                commitment_to_bytes(key, *turn_id, &written::move_in(body)).to_vec()
            }
            false => Vec::new(),
        };
        if *committed != expected {
            return Err(Kind::Commitment.wrong(if deployment {
                "the commitment does not open to the deployment with the salt of this turn"
            } else {
                "there is a commitment: there must be none but for a deployment"
            }));
        }

        let state = &mut self.seats[seat.index()];
        let charge = match deployment {
            true => 0,
            false => used(&timing, timing.answered_us).saturating_sub(control.lag),
        };
        Kind::Clock.expect("charged_us", &timing.charged_us, &charge)?;
        if !deployment {
            state.spend(charge, &control);
        }
        Kind::Clock.expect("budget_left_us", &timing.budget_left_us, &state.budget_left)?;
        state.pending = None;
        self.moves += 1;
        self.go_on(timing.answered_us);
        Ok(())
    }

    /// A move was refused: of the pending turn, in time, and for a reason that the referee has too.
    pub(super) fn refused(
        &mut self,
        refused: &v1::MoveRefused,
        at_us: u64,
        rest: &[v1::LogEntry],
    ) -> Result<(), Wrong> {
        let v1::MoveRefused {
            seat,
            turn_id,
            r#move: raw,
            illegal_move,
            timing,
        } = refused;
        let strikes = self.terms.strikes;
        let (seat, state) = self.state(*seat)?;
        state.turn(*turn_id)?;
        let budget_left = state.budget_left;
        let timing = self.in_time(seat, *turn_id, timing.as_ref(), at_us)?;
        Kind::Clock.expect("charged_us", &timing.charged_us, &0)?;
        Kind::Clock.expect("budget_left_us", &timing.budget_left_us, &budget_left)?;

        let why = illegal_move
            .as_ref()
            .ok_or_else(|| Kind::Form.wrong("illegal_move is not set: it must be"))?;
        let refusal = match self.judge(seat, raw.as_ref(), why) {
            Ok(()) => Refusal::Right,
            // The arena found out itself.
            Err(_) if is_overturned(*turn_id, rest) => Refusal::Overturned,
            Err(wrong) => return Err(wrong),
        };
        let state = &mut self.seats[seat.index()];
        state.refusals = state.refusals.saturating_add(1);
        let refusals = state.refusals;
        let pending = state.turn(*turn_id)?;
        pending.goes_on(&timing);
        pending.refusal = refusal;
        self.refusals += 1;
        if refusals > strikes {
            self.due = Some(Due::Strikes(seat));
        }
        Ok(())
    }

    /// Whether the referee refuses a move for this reason.
    fn judge(
        &mut self,
        seat: Seat,
        raw: Option<&v1::Move>,
        why: &v1::IllegalMove,
    ) -> Result<(), Wrong> {
        let v1::IllegalMove { reason, message: _ } = why;
        let reason = Reason::try_from(*reason)
            .map_err(|_| Kind::Form.wrong(format!("reason is {reason}, which is unknown")))?;
        if reason == Reason::AgentError {
            return match (raw, self.terms.dialled[seat.index()]) {
                (Some(_), _) => Err(Kind::Refusal
                    .wrong("the agent answered with an error: there must be no move")),
                (None, false) => Err(Kind::Refusal.wrong(format!(
                    "an agent that answered with an error must be one that is dialled: that of {seat} is not"
                ))),
                (None, true) => Ok(()),
            };
        }
        let action = convert::move_from(self.game.variant(), raw.cloned());
        let judged = action.and_then(|action| Ok(self.game.check(seat, &action)?));
        match judged {
            Ok(()) => Err(Kind::Refusal.wrong(format!(
                "the move was refused as {}: it is legal",
                reason.as_str_name()
            ))),
            Err(refusal) if refusal.reason != reason => Err(Kind::Refusal.wrong(format!(
                "the move was refused as {}: it must be {}: {refusal}",
                reason.as_str_name(),
                refusal.reason.as_str_name()
            ))),
            Err(_) => Ok(()),
        }
    }

    /// Plays a move, and says what is announced.
    fn referee(
        &mut self,
        seat: Seat,
        raw: &Option<v1::Move>,
    ) -> Result<v1::Answer, convert::Refusal> {
        let variant = self.game.variant();
        let action: Move = convert::move_from(variant, raw.clone())?;
        let answer: Answer = self.game.play(seat, &action)?;
        Ok(convert::answer(variant, &answer))
    }

    /// The stamps of an answer that was in time.
    fn in_time(
        &self,
        seat: Seat,
        turn_id: u32,
        timing: Option<&v1::TurnTiming>,
        at_us: u64,
    ) -> Result<v1::TurnTiming, Wrong> {
        let timing = timing.ok_or_else(|| Kind::Form.wrong("timing is not set: it must be"))?;
        let state = &self.seats[seat.index()];
        let Some(pending) = &state.pending else {
            return Err(Kind::Turn.wrong(format!("{seat} has no turn to answer")));
        };
        pending.check(timing)?;
        if timing.answered_us == 0 {
            return Err(Kind::Clock.wrong("answered_us is not set: it must be"));
        }
        // A move happens when its answer is read, and is put down after whatever was put down meanwhile.
        Kind::Clock.expect("at_us", &at_us, &timing.answered_us.max(self.at_us))?;
        let used_us = used(timing, timing.answered_us);
        let limit_us = state.limit(pending, &self.terms.control);
        if used_us > limit_us {
            return Err(Kind::Clock.wrong(format!(
                "turn {turn_id} was answered after {used_us} us: {limit_us} us were allowed, lag allowance included"
            )));
        }
        Ok(*timing)
    }
}

/// Whether a refusal was disputed and did not stand, before the same turn was refused again.
fn is_overturned(turn_id: u32, rest: &[v1::LogEntry]) -> bool {
    rest.iter()
        .find_map(|entry| match &entry.entry {
            Some(Entry::Disputed(disputed)) if disputed.turn_id == turn_id => {
                Some(!disputed.stands)
            }
            Some(Entry::Refused(refused)) if refused.turn_id == turn_id => Some(false),
            _ => None,
        })
        .unwrap_or(false)
}
