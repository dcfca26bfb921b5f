//! A match's record, followed move by move.
//!
//! The record says which moves were accepted and what was announced. Here they are put on the board as they are told:
//! nothing is judged, so that a record is shown as the arena wrote it.

mod abalone;
mod layouts;
mod naval;
mod told;

use std::time::Duration;

use broadside_proto::v1::{
    Event, Match, MatchCreated, MatchRecord, MatchState, MoveAccepted, Options, Phase, Player,
    Position, PublicView, Reveal, Seat, Variant, log_entry::Entry, player, public_view,
};

use crate::{describe, names, text::escape};

/// What is wrong with a record.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HistoryError {
    /// Written in a form that is not known here.
    #[error("the record's form is version {0}; this program reads version 1.")]
    Version(u32),
    /// It does not begin with how the match was created.
    #[error("the record does not begin with how the match was created.")]
    NotCreated,
    /// It names no variant.
    #[error("the record names no variant.")]
    NoVariant,
    /// A start that is no layout.
    #[error(
        "the record's layout is not known: it needs nine rows of 5 6 7 8 9 8 7 6 5 cells of b, w and a dot."
    )]
    NoLayout,
    /// A move that does not fit.
    #[error("entry {entry} of the record does not fit: {message}.")]
    Move {
        /// Which entry of the log, from 1.
        entry: usize,
        /// Why it does not fit.
        message: String,
    },
}

/// One entry of the log in words, and where the match stood after it.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// When, since the match was created.
    pub at: Duration,
    /// Which accepted move it is, from 1; none if it is something else.
    pub number: Option<u32>,
    /// What happened, safe to print.
    pub text: String,
    /// Where the match stood after it, with nothing hidden.
    pub position: Position,
}

/// A whole match.
#[derive(Clone, Debug, PartialEq)]
pub struct History {
    /// The match as it was in the end.
    pub played: Match,
    /// Where it began.
    pub start: Position,
    /// Everything that happened, in order.
    pub steps: Vec<Step>,
}

impl History {
    /// Follows a record.
    ///
    /// # Errors
    /// If it is not in the known form, or a move cannot be put on the board.
    pub fn of(record: &MatchRecord) -> Result<Self, HistoryError> {
        if record.format_version != 1 {
            return Err(HistoryError::Version(record.format_version));
        }
        let first = record
            .entries
            .first()
            .and_then(|entry| entry.entry.as_ref());
        let Some(Entry::Created(created)) = first else {
            return Err(HistoryError::NotCreated);
        };
        let options = created.options.clone().ok_or(HistoryError::NoVariant)?;
        let mut board = Board::new(&options)?;
        let mut history = Self {
            played: as_created(record, created),
            start: board.position(),
            steps: Vec::new(),
        };
        for (index, entry) in record.entries.iter().enumerate().skip(1) {
            let Some(what) = &entry.entry else { continue };
            let text = board.follow(what).map_err(|message| HistoryError::Move {
                entry: index + 1,
                message,
            })?;
            let Some(text) = text else { continue };
            history.note(entry.at_us, what);
            history.steps.push(Step {
                at: Duration::from_micros(entry.at_us),
                number: matches!(what, Entry::Accepted(_)).then_some(history.played.moves),
                text,
                position: board.position(),
            });
        }
        Ok(history)
    }

    /// Where the match stood in the end.
    pub fn end(&self) -> &Position {
        self.steps.last().map_or(&self.start, |step| &step.position)
    }

    /// Keeps the match's own fields up to date.
    fn note(&mut self, at_us: u64, what: &Entry) {
        let now = self.played.create_time_ms.saturating_add(at_us / 1000);
        match what {
            Entry::Started(_) => {
                self.played.start_time_ms = now;
                self.played.state = MatchState::Running.into();
            }
            Entry::Accepted(_) => self.played.moves += 1,
            Entry::Ended(ended) => {
                self.played.end_time_ms = now;
                self.played.state = MatchState::Over.into();
                self.played.outcome = ended.outcome.clone();
            }
            Entry::Created(_)
            | Entry::Refused(_)
            | Entry::Disconnected(_)
            | Entry::Reconnected(_)
            | Entry::Resumed(_)
            | Entry::Noted(_)
            | Entry::AtFault(_)
            | Entry::Disputed(_) => {}
        }
    }
}

fn as_created(record: &MatchRecord, created: &MatchCreated) -> Match {
    let player = |agent: &str, dialled: bool| Player {
        agent: Some(if dialled {
            player::Agent::Address(agent.to_owned())
        } else {
            player::Agent::Name(agent.to_owned())
        }),
    };
    Match {
        match_id: record.match_id,
        options: created.options.clone(),
        players: vec![
            player(&created.seat_one_agent, created.seat_one_dialled),
            player(&created.seat_two_agent, created.seat_two_dialled),
        ],
        time_control: created.time_control,
        strikes: created.strikes,
        private: created.private,
        state: MatchState::Waiting.into(),
        create_time_ms: record.create_time_ms,
        ..Match::default()
    }
}

/// The position while it is being followed.
enum Game {
    Naval(Box<naval::Naval>),
    Abalone(abalone::Abalone),
}

struct Board {
    options: Options,
    game: Game,
    over: bool,
}

impl Board {
    fn new(options: &Options) -> Result<Self, HistoryError> {
        let game = match names::variant(options) {
            Variant::Unspecified => return Err(HistoryError::NoVariant),
            Variant::Abalone => {
                Game::Abalone(abalone::Abalone::new(options).ok_or(HistoryError::NoLayout)?)
            }
            variant => Game::Naval(Box::new(naval::Naval::new(variant))),
        };
        Ok(Self {
            options: options.clone(),
            game,
            over: false,
        })
    }

    /// Takes an entry in, and says in words what it was; nothing for what need not be told.
    fn follow(&mut self, entry: &Entry) -> Result<Option<String>, String> {
        let variant = names::variant(&self.options);
        let name = |seat| names::seat(variant, seat);
        Ok(Some(match entry {
            Entry::Created(_) => return Err("the match is created a second time".to_owned()),
            Entry::Started(_) => "both agents are there".to_owned(),
            Entry::Accepted(accepted) => {
                self.play(accepted)?;
                let event = Event {
                    seat: accepted.seat,
                    r#move: accepted.r#move.clone(),
                    answer: accepted.answer.clone(),
                };
                describe::event(&self.options, &event)
            }
            Entry::Refused(refused) => {
                let why = refused.illegal_move.as_ref().map(describe::refusal);
                let played = refused.r#move.as_ref().map(crate::notation::move_text);
                format!(
                    "{}: {} refused: {}",
                    name(refused.seat()),
                    played.unwrap_or_else(|| "no move".to_owned()),
                    why.unwrap_or_default()
                )
            }
            Entry::Disconnected(lost) => format!(
                "{} lost its connection: {}",
                name(lost.seat()),
                escape(&lost.message)
            ),
            Entry::Reconnected(back) => format!("{} is connected again", name(back.seat())),
            Entry::Resumed(_) => {
                "the arena was started again and goes on with the match".to_owned()
            }
            Entry::Noted(_) => return Ok(None),
            Entry::AtFault(fault) => format!(
                "{} {}: it loses, unless the other is at fault too",
                name(fault.seat()),
                escape(&fault.message)
            ),
            Entry::Disputed(disputed) => format!(
                "{} disputed the refusal, which {}",
                name(disputed.seat()),
                if disputed.stands {
                    "stands"
                } else {
                    "was wrong"
                }
            ),
            Entry::Ended(ended) => {
                self.over = true;
                let why = ended.outcome.as_ref().map(describe::why);
                format!("the end: {}", why.unwrap_or_default())
            }
        }))
    }

    fn play(&mut self, accepted: &MoveAccepted) -> Result<(), String> {
        let seat = accepted.seat();
        if seat == Seat::Unspecified {
            return Err("a move without a seat".to_owned());
        }
        let played = accepted.r#move.as_ref().and_then(|it| it.variant.as_ref());
        let answer = accepted.answer.as_ref().and_then(|it| it.variant.as_ref());
        let played = played.ok_or("an accepted entry without a move")?;
        match &mut self.game {
            Game::Naval(naval) => naval.play(&self.options, seat, played, answer),
            Game::Abalone(abalone) => abalone.play(seat, played, answer),
        }
    }

    fn position(&self) -> Position {
        let (phase, view, reveal): (_, public_view::Variant, Option<Reveal>) = match &self.game {
            Game::Naval(naval) => (naval.phase(), naval.view(), Some(naval.reveal())),
            Game::Abalone(abalone) => (
                Phase::Battle,
                public_view::Variant::Abalone(abalone.view()),
                None,
            ),
        };
        Position {
            phase: if self.over { Phase::Over } else { phase }.into(),
            to_act: Vec::new(),
            view: Some(PublicView {
                variant: Some(view),
            }),
            reveal,
            ..Position::default()
        }
    }
}
