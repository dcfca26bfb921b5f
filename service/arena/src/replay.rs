//! Where a match stands, from its log: what spectators see is a function of the log, and costs the match nothing.

use broadside_proto::v1::{self, log_entry::Entry};
use broadside_rules::{Game, Seat};

use crate::{convert, store::Summary};

/// A log that does not replay: it was not written by this referee.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("log entry {index} does not replay: {why}")]
pub struct ReplayError {
    /// The entry, counted from 0.
    pub index: usize,
    /// Why.
    pub why: String,
}

/// A match as far as its log has been read.
#[derive(Debug)]
pub struct Replay {
    match_id: u64,
    create_time_ms: u64,
    game: Option<Game>,
    summary: Option<Summary>,
    entries: usize,
}

impl Replay {
    /// A match created then (milliseconds since 1970, UTC), with nothing read yet.
    pub fn new(match_id: u64, create_time_ms: u64) -> Self {
        Self {
            match_id,
            create_time_ms,
            game: None,
            summary: None,
            entries: 0,
        }
    }

    /// How many entries were read.
    pub fn entries(&self) -> usize {
        self.entries
    }

    /// Whether the match is over.
    pub fn is_over(&self) -> bool {
        self.state() == Some(v1::MatchState::Over)
    }

    fn state(&self) -> Option<v1::MatchState> {
        Some(self.summary.as_ref()?.get().state())
    }

    /// Reads the next entry; an accepted move gives the event that everybody may know.
    ///
    /// # Errors
    /// If the entry does not follow from those before it by the rules.
    pub fn apply(&mut self, entry: v1::LogEntry) -> Result<Option<v1::MatchEvent>, ReplayError> {
        let wrong = |why: String| ReplayError {
            index: self.entries,
            why,
        };
        let mut event = None;
        if let Some(summary) = &mut self.summary {
            summary.apply(&entry);
        }
        match entry.entry {
            Some(Entry::Created(created)) => {
                self.summary = Some(Summary::new(self.match_id, self.create_time_ms, &created));
                let options = created
                    .options
                    .ok_or_else(|| wrong("it has no options".to_owned()))?;
                let options = convert::options_from(options)
                    .map_err(|error| wrong(format!("{} {}", error.field, error.what)))?;
                self.game = Some(Game::new(&options));
            }
            Some(Entry::Accepted(accepted)) => {
                let game = self
                    .game
                    .as_mut()
                    .ok_or_else(|| wrong("a move before the match was created".to_owned()))?;
                let seat = v1::Seat::try_from(accepted.seat)
                    .ok()
                    .and_then(convert::seat_from)
                    .ok_or_else(|| wrong("it names no seat".to_owned()))?;
                let action = convert::move_from(game.variant(), accepted.r#move.clone())
                    .map_err(|refusal| wrong(refusal.message))?;
                game.play(seat, &action)
                    .map_err(|illegal| wrong(illegal.to_string()))?;
                event = Some(v1::Event {
                    seat: convert::seat(seat).into(),
                    r#move: if convert::is_secret(&action) {
                        None
                    } else {
                        accepted.r#move
                    },
                    answer: accepted.answer,
                });
            }
            Some(
                Entry::Started(_)
                | Entry::Ended(_)
                | Entry::Refused(_)
                | Entry::Disconnected(_)
                | Entry::Reconnected(_),
            ) => {}
            None => return Err(wrong("it is empty, or of a newer kind".to_owned())),
        }
        self.entries += 1;
        Ok(event.map(|event| v1::MatchEvent {
            number: self
                .summary
                .as_ref()
                .map_or(0, |summary| summary.get().moves),
            event: Some(event),
            position: self.position(),
        }))
    }

    /// Where the match stands, as everybody may know it; `None` before anything was read.
    pub fn position(&self) -> Option<v1::Position> {
        let game = self.game.as_ref()?;
        let state = self.state();
        let over = state == Some(v1::MatchState::Over);
        let to_act = if state == Some(v1::MatchState::Running) {
            game.to_act()
                .iter()
                .map(|seat: Seat| convert::seat(seat).into())
                .collect()
        } else {
            Vec::new()
        };
        let phase = if over {
            v1::Phase::Over
        } else {
            convert::phase(game.phase())
        };
        Some(v1::Position {
            phase: phase.into(),
            to_act,
            view: Some(convert::public_view(game)),
            reveal: over.then(|| convert::reveal(game)).flatten(),
        })
    }

    /// The match and where it stands.
    pub fn snapshot(&self) -> v1::GetMatchResponse {
        v1::GetMatchResponse {
            r#match: self.summary.as_ref().map(|summary| summary.get().clone()),
            position: self.position(),
        }
    }
}
