//! A match as a state machine: what arrives, and when, goes in; entries for the log and messages for the seats come
//! out. No I/O, no clock of its own: it is told the time.

use std::{fmt, sync::Arc};

use broadside_proto::v1::{self, RejectedReason, Termination, log_entry::Entry};
use broadside_record::commitment::commitment;
use broadside_rules::{Game, Move, Phase, Seat, Seats};
use prost::Message;

mod dispute;
mod fault;
mod passing;
mod resume;
mod seat;
mod tell;

pub use resume::ResumeError;
pub use seat::News;
pub use tell::PendingTurn;

use self::seat::{SeatState, seat_of};
use super::{
    MatchSpec, TurnKind,
    hidden::Hidden,
    outcome::{self, Fault},
};
use crate::{
    convert::{self, Refusal},
    time::Micros,
};

/// Waits that hold for every match of an arena, in microseconds.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// A seat that is disconnected for longer loses.
    pub grace_us: u64,
    /// A seat that does not read a turn off its stream for longer loses.
    pub delivery_us: u64,
    /// How often the time of a turn that waits for its answer is noted in the log, at most.
    pub note_us: u64,
}

/// What one input leads to. The log comes first: nothing is delivered before it is kept.
#[derive(Default)]
pub struct Step {
    /// For the log, in order.
    pub log: Vec<v1::LogEntry>,
    /// For the seats, in order, once the log is kept.
    pub deliveries: Vec<Delivery>,
}

impl fmt::Debug for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Step")
            .field("log", &format_args!("{} entries", self.log.len()))
            .field("deliveries", &self.deliveries)
            .finish()
    }
}

/// A message for a seat.
#[derive(Debug, PartialEq)]
pub enum Delivery {
    /// The match begins for this seat, or again for a bot that lost its memory.
    Start(Seat),
    /// The seat's pending turn.
    Turn(Seat),
    /// The seat's move, for this turn, was accepted.
    Accepted(Seat, u32, Arc<News>),
    /// Something the seat's bot sent changed nothing.
    Rejected(Seat, v1::Rejected),
    /// The match is over, for both.
    End,
}

/// The referee and the clocks of one match.
#[derive(Debug)]
pub struct Machine {
    spec: MatchSpec,
    /// The spec's options, encoded: every turn holds them.
    options: Box<[u8]>,
    limits: Limits,
    created: Micros,
    game: Game,
    seats: [SeatState; 2],
    started: bool,
    outcome: Option<v1::Outcome>,
    last_logged: Micros,
    step: Step,
}

impl Machine {
    /// A match that has not started.
    pub fn new(spec: MatchSpec, limits: Limits, created: Micros) -> Self {
        Self {
            game: Game::new(&spec.options),
            options: convert::options(&spec.options).encode_to_vec().into(),
            seats: [(); 2].map(|()| SeatState::new(spec.time_control)),
            spec,
            limits,
            created,
            started: false,
            outcome: None,
            last_logged: created,
            step: Step::default(),
        }
    }

    /// The game as the referee has it.
    pub fn game(&self) -> &Game {
        &self.game
    }

    /// What the match is.
    pub fn spec(&self) -> &MatchSpec {
        &self.spec
    }

    /// Whether both agents have been there.
    pub fn is_started(&self) -> bool {
        self.started
    }

    /// How the match ended, if it did.
    pub fn outcome(&self) -> Option<&v1::Outcome> {
        self.outcome.as_ref()
    }

    /// What the inputs since the last call lead to.
    pub fn take_step(&mut self) -> Step {
        std::mem::take(&mut self.step)
    }

    /// Both agents are there.
    pub fn start(&mut self, now: Micros) {
        if self.started || self.outcome.is_some() {
            return;
        }
        self.started = true;
        self.log(now, Entry::Started(v1::MatchStarted {}));
        for seat in Seat::ALL {
            self.step.deliveries.push(Delivery::Start(seat));
        }
        self.proceed(now);
    }

    /// An answer of a bot that has the seats `from`, read off the transport at `received`.
    pub fn answer(&mut self, from: Seats, answer: v1::TurnAnswer, received: Micros) {
        let v1::TurnAnswer {
            match_id: _,
            turn_id,
            r#move: raw,
        } = answer;
        let seat = seat_of(turn_id);
        if let Some(outcome) = &self.outcome {
            let overdue = outcome.termination() == Termination::Time
                && convert::seat_from(outcome.at_fault()) == Some(seat)
                && from.contains(seat)
                && self.seats[seat.index()].last_turn == Some(turn_id);
            let (reason, why) = if overdue {
                (RejectedReason::Late, "too late, ")
            } else {
                (RejectedReason::UnknownMatch, "")
            };
            let message = format!(
                "{why}match {} is over: {}",
                self.spec.match_id, outcome.message
            );
            let to = from.iter().next().unwrap_or(seat);
            return self.reject(to, turn_id, reason, message);
        }
        let state = &self.seats[seat.index()];
        let known = from.contains(seat) && state.last_turn.is_some_and(|last| turn_id <= last);
        if !known || turn_id == 0 {
            let to = from.iter().next().unwrap_or(seat);
            self.reject(
                to,
                turn_id,
                RejectedReason::UnknownTurn,
                format!("no turn of yours in this match has the id {turn_id}"),
            );
            return;
        }
        let pending = match &state.pending {
            // Who answers a turn before it is made has guessed its id.
            Some(pending) if pending.turn_id == turn_id && received < pending.asked => {
                let message = format!("turn {turn_id} was not made yet when its answer came");
                return self.reject(seat, turn_id, RejectedReason::UnknownTurn, message);
            }
            Some(pending) if pending.turn_id == turn_id => pending,
            _ => {
                let (reason, message) = match &state.fault {
                    Some(fault) if state.last_turn == Some(turn_id) => (
                        RejectedReason::Late,
                        format!(
                            "turn {turn_id} takes no more answers: {seat} {}",
                            fault.what
                        ),
                    ),
                    _ => (
                        RejectedReason::AlreadyAnswered,
                        format!("turn {turn_id} was answered before: that answer counts"),
                    ),
                };
                return self.reject(seat, turn_id, reason, message);
            }
        };

        // One verdict, in one order: (connection: a lost one cannot answer), deadline, decoding, legality.
        if state.is_late(pending, received) {
            self.reject(
                seat,
                turn_id,
                RejectedReason::Late,
                format!("the answer to turn {turn_id} came after its deadline"),
            );
            self.out_of_time(seat, Some(received), received);
            return;
        }
        let decoded = convert::move_from(self.spec.options.variant(), raw.clone());
        let played = decoded.and_then(|action| {
            let answer = self.game.play(seat, &action).map_err(Refusal::from)?;
            Ok((action, answer))
        });
        match played {
            Ok((action, answer)) => {
                let answer = convert::answer(self.spec.options.variant(), &answer);
                self.accept(seat, raw, &action, answer, received);
            }
            Err(refusal) => self.refuse(seat, raw, &refusal, received),
        }
    }

    /// A dialled bot answered its pending turn with an error: refused like a move that cannot be read.
    pub fn answer_failed(&mut self, seat: Seat, turn_id: u32, message: &str, received: Micros) {
        let state = &self.seats[seat.index()];
        let Some(pending) = &state.pending else {
            return;
        };
        if pending.turn_id != turn_id {
            return;
        }
        if state.is_late(pending, received) {
            self.out_of_time(seat, Some(received), received);
            return;
        }
        let refusal = Refusal {
            reason: v1::IllegalMoveReason::AgentError,
            message: format!("the agent answered with an error: {message}"),
        };
        self.refuse(seat, None, &refusal, received);
    }

    /// A bot that has the seats `from` gives up.
    pub fn resign(&mut self, from: Seats, seat: v1::Seat, now: Micros) {
        if self.outcome.is_some() {
            return;
        }
        let named = convert::seat_from(seat);
        let seat = match named {
            Some(seat) if from.contains(seat) => Some(seat),
            None if seat == v1::Seat::Unspecified && from.len() == 1 => from.iter().next(),
            _ => None,
        };
        match seat {
            Some(seat) => {
                self.seats[seat.index()].fault = Some(Fault {
                    termination: Termination::Resigned,
                    what: "resigned".to_owned(),
                    timing: None,
                    allowed_us: 0,
                });
                // At once, but if the other is at fault already it does not win by this.
                self.conclude_by_faults(now);
            }
            None => {
                if let Some(to) = from.iter().next() {
                    self.reject(
                        to,
                        0,
                        RejectedReason::WrongSeat,
                        format!("name a seat that is yours: you have {from}"),
                    );
                }
            }
        }
    }

    /// A seat's connection was lost.
    pub fn disconnected(&mut self, seat: Seat, message: &str, now: Micros) {
        let state = &self.seats[seat.index()];
        let counts = self.started && self.outcome.is_none();
        if !counts || state.lost.is_some() || state.fault.is_some() {
            return;
        }
        self.seats[seat.index()].lost = Some(now);
        self.log(
            now,
            Entry::Disconnected(v1::SeatDisconnected {
                seat: convert::seat(seat).into(),
                message: message.to_owned(),
            }),
        );
    }

    /// A seat has a connection again, or another one: its pending turn is sent again. A bot that is `new` to the
    /// match is told of its start first.
    pub fn reconnected(&mut self, seat: Seat, new: bool, now: Micros) {
        if self.outcome.is_some() || !self.started {
            return;
        }
        if self.seats[seat.index()].lost.take().is_some() {
            self.log(
                now,
                Entry::Reconnected(v1::SeatReconnected {
                    seat: convert::seat(seat).into(),
                }),
            );
        }
        let deploys =
            self.game.phase() == Phase::Deployment && self.seats[seat.index()].pending.is_some();
        if self.seats[seat.other().index()].fault.is_some() && !deploys {
            // The other seat is gone for good, and only waited for this one.
            return self.conclude_by_faults(now);
        }
        if new {
            self.step.deliveries.push(Delivery::Start(seat));
        }
        self.sent(seat, now);
        if self.seats[seat.index()].pending.is_some() {
            self.step.deliveries.push(Delivery::Turn(seat));
        }
    }

    /// The seat's pending turn was sent towards the transport: its time to be read off it begins. Until this is called it
    /// counts from when the turn was made.
    pub fn sent(&mut self, seat: Seat, now: Micros) {
        if let Some(pending) = &mut self.seats[seat.index()].pending {
            pending.sent = now;
        }
    }

    fn accept(
        &mut self,
        seat: Seat,
        raw: Option<v1::Move>,
        action: &Move,
        answer: v1::Answer,
        received: Micros,
    ) {
        let state = &mut self.seats[seat.index()];
        let Some(mut pending) = state.pending.take() else {
            return;
        };
        // The transport may still be putting down its stamp, if the bot guessed: all that follows is of one moment.
        pending.handover = pending.handover.frozen();
        let used_us = pending.used_us(received);
        let charged_us = state.clock.charge_us(used_us);
        state.clock.spend(pending.kind, charged_us);
        state.last_answer_us = Some(used_us);
        state.news.clear();
        let timing = v1::TurnTiming {
            charged_us: match pending.kind {
                TurnKind::Move => charged_us,
                TurnKind::Deployment => 0,
            },
            ..state.timing(&pending, Some(received), self.created)
        };

        let news = Arc::new(News::from(v1::Event {
            seat: convert::seat(seat).into(),
            r#move: if convert::is_secret(action) {
                None
            } else {
                raw.clone()
            },
            answer: Some(answer.clone()),
        }));
        let commitment = match (&raw, pending.kind) {
            (Some(deployment), TurnKind::Deployment) => {
                commitment(&self.spec.commitment_key, pending.turn_id, deployment).to_vec()
            }
            _ => Vec::new(),
        };
        self.log(
            received,
            Entry::Accepted(v1::MoveAccepted {
                seat: convert::seat(seat).into(),
                turn_id: pending.turn_id,
                r#move: raw,
                answer: Some(answer),
                timing: Some(timing),
                commitment,
            }),
        );
        // That both have deployed is plain from the battle.
        if pending.kind != TurnKind::Deployment {
            for told in Seat::ALL {
                self.seats[told.index()].news.push(news.clone());
            }
        }
        let turn_id = pending.turn_id;
        (self.step.deliveries).push(Delivery::Accepted(seat, turn_id, news));
        self.proceed(received);
    }

    fn refuse(&mut self, seat: Seat, raw: Option<v1::Move>, refusal: &Refusal, received: Micros) {
        let state = &mut self.seats[seat.index()];
        state.refusals += 1;
        let refusals = state.refusals;
        let Some(pending) = &mut state.pending else {
            return;
        };
        let message = refusal.to_message();
        // If the arena is started again, its time goes on from here.
        pending.noted_us = pending.used_us(received).max(pending.noted_us);
        pending.refusal = Some(Hidden(message.clone()));
        pending.disputed = false;
        let turn_id = pending.turn_id;
        let state = &self.seats[seat.index()];
        let timing = state
            .pending
            .as_ref()
            .map(|pending| state.timing(pending, Some(received), self.created));
        self.log(
            received,
            Entry::Refused(v1::MoveRefused {
                seat: convert::seat(seat).into(),
                turn_id,
                r#move: raw,
                illegal_move: Some(message),
                timing,
            }),
        );
        if refusals > self.spec.strikes {
            let fault = Fault {
                termination: Termination::IllegalMoves,
                what: format!(
                    "had {refusals} illegal moves, with {} allowed; the last: {refusal}",
                    self.spec.strikes
                ),
                timing: None,
                allowed_us: 0,
            };
            self.fault(seat, fault, received);
        } else {
            self.step.deliveries.push(Delivery::Turn(seat));
        }
    }

    /// After an accepted move, and at the start: ends the match, or asks whoever is to act.
    fn proceed(&mut self, now: Micros) {
        if let Some(ended) = self.game.outcome() {
            self.conclude(outcome::by_play(ended), [None, None], now);
            return;
        }
        // A seat has deployed while the other never will.
        self.conclude_by_faults(now);
        if self.outcome.is_some() {
            return;
        }
        let kind = match self.game.phase() {
            Phase::Deployment => TurnKind::Deployment,
            _ => TurnKind::Move,
        };
        for seat in self.game.to_act().iter() {
            let state = &mut self.seats[seat.index()];
            if state.pending.is_some() {
                continue;
            }
            state.ask(seat, kind, now);
            self.step.deliveries.push(Delivery::Turn(seat));
        }
    }

    /// For so long the arena could not go on until now: that is charged to no turn.
    pub fn forgive(&mut self, us: u64, now: Micros) {
        for state in &mut self.seats {
            if let Some(pending) = &mut state.pending
                && let Some(begun) = pending.begun()
            {
                pending.forgiven_us += us.min(now.since(begun));
            }
            // Nor is it anybody's fault that it was not heard of meanwhile.
            state.lost = state.lost.map(|lost| lost.plus(us).min(now));
        }
    }

    fn log(&mut self, at: Micros, entry: Entry) {
        // A move is logged at the stamp of its answer, which may be older than what was logged meanwhile.
        self.last_logged = self.last_logged.max(at);
        self.step.log.push(v1::LogEntry {
            at_us: self.last_logged.since(self.created),
            entry: Some(entry),
        });
    }
}
