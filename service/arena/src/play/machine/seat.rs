//! One seat of a match: its clock, its strikes, and the turn that it has not answered.

use std::sync::Arc;

use broadside_proto::v1;
use broadside_rules::Seat;
use prost::Message;

use super::Fault;
use crate::{
    play::{SeatClock, TimeControl, TurnKind, hidden::Hidden},
    time::{Handover, Micros},
};

/// An accepted move, as both seats are told of it: encoded once, for however many turns hold it.
#[derive(Debug, PartialEq)]
pub struct News {
    /// The move and what was announced.
    pub event: v1::Event,
    pub(super) encoded: Vec<u8>,
}

impl From<v1::Event> for News {
    fn from(event: v1::Event) -> Self {
        Self {
            encoded: event.encode_to_vec(),
            event,
        }
    }
}

/// A turn that a seat has not answered.
#[derive(Debug)]
pub(super) struct Pending {
    pub(super) turn_id: u32,
    pub(super) kind: TurnKind,
    pub(super) asked: Micros,
    /// When it was last sent towards the transport.
    pub(super) sent: Micros,
    pub(super) handover: Handover,
    /// Used before the arena was started again, in microseconds.
    pub(super) carried_us: u64,
    /// In which the arena itself could not go on, in microseconds.
    pub(super) forgiven_us: u64,
    /// Used when that was last noted in the log, in microseconds.
    pub(super) noted_us: u64,
    /// Why its last answer was refused; may say where a ship lies.
    pub(super) refusal: Option<Hidden<v1::IllegalMove>>,
    /// Whether that refusal was disputed.
    pub(super) disputed: bool,
}

impl Pending {
    /// When its clock began, as if it had run without a break since; `None` if it does not run yet.
    pub(super) fn begun(&self) -> Option<Micros> {
        let handed = self.handover.at()?;
        Some(handed.plus(self.forgiven_us).minus(self.carried_us))
    }

    /// When it was handed over, if that was by `at`.
    fn handed_by(&self, at: Micros) -> Option<Micros> {
        self.handover.at().filter(|handed| *handed <= at)
    }

    /// How much of its time is used at a moment, in microseconds, the lag allowance not taken off.
    pub(super) fn used_us(&self, at: Micros) -> u64 {
        match self.handed_by(at) {
            Some(handed) => {
                (at.since(handed).saturating_add(self.carried_us)).saturating_sub(self.forgiven_us)
            }
            None => self.carried_us,
        }
    }
}

#[derive(Debug)]
pub(super) struct SeatState {
    pub(super) clock: SeatClock,
    pub(super) refusals: u32,
    pub(super) last_turn: Option<u32>,
    pub(super) pending: Option<Pending>,
    /// Since when its connection is lost.
    pub(super) lost: Option<Micros>,
    pub(super) last_answer_us: Option<u64>,
    /// Accepted moves that it has not been told of in a turn it answered.
    pub(super) news: Vec<Arc<News>>,
    /// In the deployment phase, until the other seat is done too.
    pub(super) fault: Option<Fault>,
}

impl SeatState {
    pub(super) fn new(time_control: TimeControl) -> Self {
        Self {
            clock: SeatClock::new(time_control),
            refusals: 0,
            last_turn: None,
            pending: None,
            lost: None,
            last_answer_us: None,
            news: Vec::new(),
            fault: None,
        }
    }

    /// What it has not been told, as messages of its own.
    pub(super) fn news(&self) -> Vec<v1::Event> {
        let news = self.news.iter();
        news.map(|news| news.event.clone()).collect()
    }

    /// Asks the seat for its next turn.
    pub(super) fn ask(&mut self, seat: Seat, kind: TurnKind, now: Micros) {
        let turn_id = self
            .last_turn
            .map_or_else(|| first_turn(seat), |last| last + 2);
        self.last_turn = Some(turn_id);
        self.pending = Some(Pending {
            turn_id,
            kind,
            asked: now,
            sent: now,
            handover: Handover::default(),
            carried_us: 0,
            forgiven_us: 0,
            noted_us: 0,
            refusal: None,
            disputed: false,
        });
    }

    /// Whether an answer to the pending turn, read off the transport at `received`, comes after its deadline.
    pub(super) fn is_late(&self, pending: &Pending, received: Micros) -> bool {
        self.clock.is_over(pending.kind, pending.used_us(received))
    }

    /// The stamps of a turn; `received` is absent if no answer came. Nothing is charged yet: that is for an accepted move.
    pub(super) fn timing(
        &self,
        pending: &Pending,
        received: Option<Micros>,
        created: Micros,
    ) -> v1::TurnTiming {
        let stamp = |at: Micros| at.since(created);
        let handed = match received {
            Some(received) => pending.handed_by(received),
            None => pending.handover.at(),
        };
        v1::TurnTiming {
            asked_us: stamp(pending.asked),
            handed_us: handed.map_or(0, stamp),
            answered_us: received.map_or(0, stamp),
            charged_us: 0,
            budget_left_us: self.clock.budget_left_us(),
            carried_us: pending.carried_us,
            forgiven_us: pending.forgiven_us,
        }
    }
}

/// Turn ids are odd for seat 1 and even for seat 2, so that an id names its seat and is unique in the match.
pub(super) fn seat_of(turn_id: u32) -> Seat {
    if turn_id % 2 == 1 {
        Seat::One
    } else {
        Seat::Two
    }
}

fn first_turn(seat: Seat) -> u32 {
    seat.number().into()
}
