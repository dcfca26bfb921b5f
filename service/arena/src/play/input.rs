//! What arrives for a match.

use broadside_proto::v1;
use broadside_rules::{Seat, Seats};

use crate::{
    roster::{SeatLink, Seated},
    time::Micros,
};

/// What arrives for a match. Not to be printed: answers hold what is hidden.
pub enum Input {
    /// Both agents are there and have room.
    Seated(Seated),
    /// A bot answers a turn.
    Answer {
        /// The seats that the bot has in this match.
        from: Seats,
        /// What it answered.
        answer: v1::TurnAnswer,
        /// When that was read off the transport.
        received: Micros,
    },
    /// A dialled bot answered a turn with an error.
    AnswerFailed {
        /// Its seat.
        seat: Seat,
        /// The turn.
        turn_id: u32,
        /// What it said.
        message: String,
        /// When that was read off the transport.
        received: Micros,
    },
    /// A bot gives up.
    Resigned {
        /// The seats that the bot has in this match.
        from: Seats,
        /// The seat that it named.
        seat: v1::Seat,
        /// When that was read off the transport.
        received: Micros,
    },
    /// The connection of a bot was lost.
    Disconnected {
        /// The seats that the bot has in this match.
        seats: Seats,
        /// Counts the bot's sessions: the news of an old one may come after that of a new one.
        epoch: u64,
        /// What was seen.
        message: String,
    },
    /// A bot has a connection again, or another one.
    Connected {
        /// The seats that the bot has in this match.
        seats: Seats,
        /// Counts the bot's sessions.
        epoch: u64,
        /// How it is reached now; `None`: as before.
        link: Option<SeatLink>,
        /// Whether it may have lost its memory of the match.
        new: bool,
    },
    /// A bot disputes a refusal.
    Disputed {
        /// The seats that the bot has in this match.
        from: Seats,
        /// The turn.
        turn_id: u32,
    },
    /// The match is to end now, as it is.
    Abandon(v1::Outcome),
    /// The match is to be left as it is, to be resumed.
    Leave,
}
