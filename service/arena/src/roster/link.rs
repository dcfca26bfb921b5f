//! How a seat's bot is reached. A match sends through it and cannot tell which way it goes.

use std::sync::Arc;

use broadside_proto::v1::{self, connect_response::Message};
use broadside_rules::Seat;

use crate::{
    dialled::{DialledAgent, DialledSeat},
    gateway::{Frame, Session},
    play::{Inbox, PendingTurn},
};

/// How an agent is reached.
#[derive(Clone, Debug)]
pub enum Reach {
    /// It dialled in, and has a stream.
    Session(Arc<Session>),
    /// The arena dials it.
    Dialled(Arc<DialledAgent>),
}

impl Reach {
    /// The link for a seat of a match.
    pub fn open(&self, match_id: u64, seat: Seat, inbox: &Inbox) -> SeatLink {
        match self {
            Self::Session(session) => SeatLink::Stream(session.clone()),
            Self::Dialled(agent) => {
                SeatLink::Dialled(agent.take_seat(match_id, seat, inbox.clone()))
            }
        }
    }
}

/// How a seat's bot is reached. Sending never waits.
#[derive(Clone, Debug)]
pub enum SeatLink {
    /// On the stream by which it dialled in.
    Stream(Arc<Session>),
    /// By calls to the address where it serves.
    Dialled(DialledSeat),
}

impl SeatLink {
    /// The match begins.
    pub fn start(&self, start: v1::MatchStart) {
        match self {
            Self::Stream(session) => session.send(Message::MatchStart(start)),
            Self::Dialled(seat) => seat.start(start),
        }
    }

    /// A decision is due.
    pub fn turn(&self, turn: &PendingTurn<'_>) {
        match self {
            Self::Stream(session) => {
                let legal_moves = session.profile().wants_legal_moves;
                let frame = Frame::of_turn(|to| turn.write(legal_moves, to));
                session.put(&frame, Some(turn.handover()));
            }
            Self::Dialled(seat) => {
                seat.turn(turn.message(seat.wants_legal_moves()), turn.handover());
            }
        }
    }

    /// A move was accepted. Told only to a bot on a stream that wants to know.
    pub fn accepted(&self, match_id: u64, turn_id: u32, event: &v1::Event) {
        if let Self::Stream(session) = self
            && session.profile().wants_accepted
        {
            session.send(Message::Accepted(v1::Accepted {
                match_id,
                turn_id,
                event: Some(event.clone()),
            }));
        }
    }

    /// Something the bot sent changed nothing. A dialled bot is not told: its calls are answered.
    pub fn rejected(&self, rejected: v1::Rejected) {
        if let Self::Stream(session) = self {
            session.send(Message::Rejected(rejected));
        }
    }

    /// The match is over.
    pub fn end(&self, end: v1::MatchEnd) {
        match self {
            Self::Stream(session) => session.send(Message::MatchEnd(end)),
            Self::Dialled(seat) => seat.end(end),
        }
    }
}
