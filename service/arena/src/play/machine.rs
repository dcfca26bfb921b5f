//! A match as a state machine: what arrives, and when, goes in; entries for the log and messages for the seats come
//! out. No I/O, no clock of its own: it is told the time.

use broadside_proto::v1::{self, RejectedReason, Termination, log_entry::Entry};
use broadside_rules::{Game, Move, Phase, Seat, Seats};

use super::{
    MatchSpec, SeatClock, TurnKind,
    outcome::{self, Fault},
};
use crate::{
    convert::{self, Refusal},
    time::{Handover, Micros},
};

/// How long after a deadline an answer that was read in time may still be on its way through the arena's own queues, in
/// microseconds. An answer is judged by its stamp, so that this delays a verdict and changes none.
const SETTLING_US: u64 = 20_000;

/// Waits that hold for every match of an arena, in microseconds.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// A seat that is disconnected for longer loses.
    pub grace_us: u64,
    /// A seat that does not read a turn off its stream for longer loses.
    pub delivery_us: u64,
}

/// What one input leads to. The log comes first: nothing is delivered before it is kept.
#[derive(Debug, Default)]
pub struct Step {
    /// For the log, in order.
    pub log: Vec<v1::LogEntry>,
    /// For the seats, in order, once the log is kept.
    pub deliveries: Vec<Delivery>,
}

/// A message for a seat.
#[derive(Debug, PartialEq)]
pub enum Delivery {
    /// The match begins for this seat, or again for a bot that lost its memory.
    Start(Seat),
    /// The seat's pending turn.
    Turn(Seat),
    /// The seat's move was accepted.
    Accepted(Seat, v1::Accepted),
    /// Something the seat's bot sent changed nothing.
    Rejected(Seat, v1::Rejected),
    /// The match is over, for both.
    End,
}

/// A turn that a seat has not answered.
#[derive(Debug)]
struct Pending {
    turn_id: u32,
    kind: TurnKind,
    asked: Micros,
    handover: Handover,
    refusal: Option<v1::IllegalMove>,
}

#[derive(Debug)]
struct SeatState {
    clock: SeatClock,
    refusals: u32,
    last_turn: Option<u32>,
    pending: Option<Pending>,
    /// Since when its connection is lost.
    lost: Option<Micros>,
    last_answer_us: Option<u64>,
    /// Accepted moves that it has not been told of in a turn it answered.
    news: Vec<v1::Event>,
    /// In the deployment phase, until the other seat is done too.
    fault: Option<Fault>,
}

/// The referee and the clocks of one match.
#[derive(Debug)]
pub struct Machine {
    spec: MatchSpec,
    limits: Limits,
    created: Micros,
    game: Game,
    seats: [SeatState; 2],
    started: bool,
    outcome: Option<v1::Outcome>,
    step: Step,
}

impl Machine {
    /// A match that has not started.
    pub fn new(spec: MatchSpec, limits: Limits, created: Micros) -> Self {
        let seat = || SeatState {
            clock: SeatClock::new(spec.time_control),
            refusals: 0,
            last_turn: None,
            pending: None,
            lost: None,
            last_answer_us: None,
            news: Vec::new(),
            fault: None,
        };
        Self {
            game: Game::new(&spec.options),
            seats: [seat(), seat()],
            spec,
            limits,
            created,
            started: false,
            outcome: None,
            step: Step::default(),
        }
    }

    /// What the match is.
    pub fn spec(&self) -> &MatchSpec {
        &self.spec
    }

    /// How the match ended, if it did.
    pub fn outcome(&self) -> Option<&v1::Outcome> {
        self.outcome.as_ref()
    }

    /// What the inputs since the last call lead to.
    pub fn take_step(&mut self, into: &mut Step) {
        into.log.clear();
        into.deliveries.clear();
        std::mem::swap(&mut self.step, into);
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
            Some(pending) if pending.turn_id == turn_id => pending,
            _ => {
                self.reject(
                    seat,
                    turn_id,
                    RejectedReason::AlreadyAnswered,
                    format!("turn {turn_id} was answered before: that answer counts"),
                );
                return;
            }
        };

        // One verdict, in one order: (connection: a lost one cannot answer), deadline, decoding, legality.
        let handed = pending.handover.at().unwrap_or(received);
        if received > state.clock.deadline(pending.kind, handed) {
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
        let handed = pending.handover.at().unwrap_or(received);
        if received > state.clock.deadline(pending.kind, handed) {
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
                let fault = Fault {
                    termination: Termination::Resigned,
                    what: "resigned".to_owned(),
                };
                self.conclude(outcome::by_fault(seat, &fault), None, now);
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
        if self.outcome.is_some() || state.lost.is_some() || state.fault.is_some() {
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
        if new {
            self.step.deliveries.push(Delivery::Start(seat));
        }
        if self.seats[seat.index()].pending.is_some() {
            self.step.deliveries.push(Delivery::Turn(seat));
        }
    }

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
                    && pending.asked.plus(self.limits.delivery_us) <= now =>
                {
                    let what = format!(
                        "did not read a turn off its connection within {} ms",
                        self.limits.delivery_us / 1_000
                    );
                    self.fault(seat, Termination::Disconnected, what, None, now);
                }
                None => {}
            }
        }
    }

    /// When [`tick`](Self::tick) may next have something to do. Never later than that, maybe earlier.
    pub fn next_tick(&self) -> Option<Micros> {
        let wait = |state: &SeatState| {
            let grace = state.lost.map(|lost| lost.plus(self.limits.grace_us));
            let turn = state.pending.as_ref().and_then(|pending| {
                match pending.handover.at() {
                    Some(handed) => {
                        Some(state.clock.deadline(pending.kind, handed).plus(SETTLING_US))
                    }
                    // Handed over at the earliest when it was asked.
                    None if state.lost.is_none() => Some(
                        state
                            .clock
                            .deadline(pending.kind, pending.asked)
                            .plus(SETTLING_US)
                            .min(pending.asked.plus(self.limits.delivery_us)),
                    ),
                    None => None,
                }
            });
            [grace, turn].into_iter().flatten().min()
        };
        self.seats.iter().filter_map(wait).min()
    }

    /// The seat's pending turn as a message, and the place where its hand-over is stamped.
    pub fn turn(
        &self,
        seat: Seat,
        wants_legal_moves: bool,
        now: Micros,
    ) -> Option<(v1::Turn, Handover)> {
        let state = &self.seats[seat.index()];
        let pending = state.pending.as_ref()?;
        let used = pending.handover.at().map_or(0, |handed| now.since(handed));
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
            refusal: pending.refusal.clone(),
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

    fn accept(
        &mut self,
        seat: Seat,
        raw: Option<v1::Move>,
        action: &Move,
        answer: v1::Answer,
        received: Micros,
    ) {
        let state = &mut self.seats[seat.index()];
        let Some(pending) = state.pending.take() else {
            return;
        };
        let handed = pending.handover.at().unwrap_or(received);
        let charged_us = state.clock.charge_us(handed, received);
        state.clock.spend(pending.kind, charged_us);
        state.last_answer_us = Some(received.since(handed));
        state.news.clear();
        let timing = self.timing(seat, &pending, Some(received));

        let event = v1::Event {
            seat: convert::seat(seat).into(),
            r#move: if convert::is_secret(action) {
                None
            } else {
                raw.clone()
            },
            answer: Some(answer.clone()),
        };
        self.log(
            received,
            Entry::Accepted(v1::MoveAccepted {
                seat: convert::seat(seat).into(),
                turn_id: pending.turn_id,
                r#move: raw,
                answer: Some(answer),
                timing: Some(timing),
            }),
        );
        // That both have deployed is plain from the battle; who was first is nobody's business.
        if pending.kind != TurnKind::Deployment {
            for told in Seat::ALL {
                self.seats[told.index()].news.push(event.clone());
            }
        }
        self.step.deliveries.push(Delivery::Accepted(
            seat,
            v1::Accepted {
                match_id: self.spec.match_id,
                turn_id: pending.turn_id,
                event: Some(event),
            },
        ));
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
        pending.refusal = Some(message.clone());
        let turn_id = pending.turn_id;
        let timing = self.seats[seat.index()]
            .pending
            .as_ref()
            .map(|pending| self.timing(seat, pending, Some(received)));
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
            let what = format!(
                "had {refusals} illegal moves, with {} allowed; the last: {refusal}",
                self.spec.strikes
            );
            self.fault(seat, Termination::IllegalMoves, what, None, received);
        } else {
            self.step.deliveries.push(Delivery::Turn(seat));
        }
    }

    /// After an accepted move, and at the start: ends the match, or asks whoever is to act.
    fn proceed(&mut self, now: Micros) {
        if let Some(ended) = self.game.outcome() {
            self.conclude(outcome::by_play(ended), None, now);
            return;
        }
        if let Some((seat, fault)) = self.faulty() {
            // The other seat has deployed, and this one never will.
            let end = outcome::by_fault(seat, &fault);
            self.conclude(end, None, now);
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
            let turn_id = state
                .last_turn
                .map_or_else(|| first_turn(seat), |last| last + 2);
            state.last_turn = Some(turn_id);
            state.pending = Some(Pending {
                turn_id,
                kind,
                asked: now,
                handover: Handover::default(),
                refusal: None,
            });
            self.step.deliveries.push(Delivery::Turn(seat));
        }
    }

    /// The time of a seat's turn is over; `late` is when its answer came after all.
    fn out_of_time(&mut self, seat: Seat, late: Option<Micros>, now: Micros) {
        let state = &self.seats[seat.index()];
        let Some(pending) = &state.pending else {
            return;
        };
        let timing = self.timing(seat, pending, late);
        let what = format!(
            "did not answer turn {} within {} ms",
            pending.turn_id,
            state.clock.allowance_us(pending.kind) / 1_000
        );
        self.fault(seat, Termination::Time, what, Some(timing), now);
    }

    /// A seat's grace is over. If the other is lost too, nobody wins by it.
    fn gone(&mut self, seat: Seat, now: Micros) {
        let fault = Fault {
            termination: Termination::Disconnected,
            what: format!(
                "was disconnected for longer than {} ms",
                self.limits.grace_us / 1_000
            ),
        };
        if self.seats[seat.other().index()].lost.is_some() {
            let other = Fault {
                termination: Termination::Disconnected,
                what: "was disconnected too".to_owned(),
            };
            let end = match seat {
                Seat::One => outcome::by_both([&fault, &other]),
                Seat::Two => outcome::by_both([&other, &fault]),
            };
            self.conclude(end, None, now);
        } else {
            self.fault(seat, fault.termination, fault.what, None, now);
        }
    }

    /// A seat broke a rule for which it loses. Deployment is at the same time for both: there the other seat finishes
    /// its own first, and if it loses by it too there is no result (rules.md, naumachia).
    fn fault(
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

    fn faulty(&self) -> Option<(Seat, Fault)> {
        Seat::ALL.into_iter().find_map(|seat| {
            let fault = self.seats[seat.index()].fault.clone()?;
            Some((seat, fault))
        })
    }

    fn conclude(&mut self, end: v1::Outcome, timing: Option<v1::TurnTiming>, now: Micros) {
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

    fn reject(&mut self, to: Seat, turn_id: u32, reason: RejectedReason, message: String) {
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

    /// The stamps of a turn; `received` is absent if no answer came.
    fn timing(&self, seat: Seat, pending: &Pending, received: Option<Micros>) -> v1::TurnTiming {
        let clock = &self.seats[seat.index()].clock;
        let stamp = |at: Micros| at.since(self.created);
        let handed = pending.handover.at();
        v1::TurnTiming {
            asked_us: stamp(pending.asked),
            handed_us: handed.map_or(0, stamp),
            answered_us: received.map_or(0, stamp),
            charged_us: match (handed, received) {
                (Some(handed), Some(received)) => clock.charge_us(handed, received),
                _ => 0,
            },
            budget_left_us: clock.budget_left_us(),
        }
    }

    fn log(&mut self, at: Micros, entry: Entry) {
        self.step.log.push(v1::LogEntry {
            at_us: at.since(self.created),
            entry: Some(entry),
        });
    }
}

/// Turn ids are odd for seat 1 and even for seat 2, so that an id names its seat and is unique in the match.
fn seat_of(turn_id: u32) -> Seat {
    if turn_id % 2 == 1 {
        Seat::One
    } else {
        Seat::Two
    }
}

fn first_turn(seat: Seat) -> u32 {
    seat.number().into()
}
