//! A match, as the bench sees it.

use std::{collections::VecDeque, time::Instant};

use broadside_proto::v1::{Outcome, Turn, TurnAnswer, Variant};
use tonic::Status;

#[derive(Debug)]
pub(super) struct Table {
    pub(super) variant: Variant,
    /// The bot has not been told of it.
    pub(super) hidden: bool,
    /// The check has done with it.
    pub(super) closed: bool,
    /// Turns of the arena that the script has not taken.
    pub(super) turns: VecDeque<Turn>,
    /// Answers of the bot that the script has not taken.
    pub(super) replies: VecDeque<Reply>,
    pub(super) ended: Option<Outcome>,
    /// The line of an answer that names this match, and no turn of it that was sent.
    pub(super) astray: Option<usize>,
}

/// A turn as it was sent to the bot.
#[derive(Debug)]
pub(super) struct Asked {
    pub(super) sent: usize,
    pub(super) answered: usize,
    pub(super) at: Instant,
    pub(super) line: usize,
}

/// What the bot said to a turn.
#[derive(Clone, Debug)]
pub(crate) struct Reply {
    pub(crate) turn: (u64, u32),
    pub(crate) line: usize,
    pub(crate) replied: Replied,
}

#[derive(Clone, Debug)]
pub(crate) enum Replied {
    Answer(TurnAnswer),
    Resigns(i32),
    Disputes,
    /// A dialled bot's error.
    Failed(Status),
}

/// What the arena said to an answer.
#[derive(Clone, Debug)]
pub(crate) enum Verdict {
    Accepted,
    /// Why, and the line that says so.
    Refused(String, usize),
}
