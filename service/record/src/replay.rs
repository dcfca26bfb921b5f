//! Where a match stands, from its log: what spectators see is a function of the log, and costs the match nothing.

use broadside_proto::v1::{self, log_entry::Entry};
use broadside_rules::{Game, Seat};

use crate::{
    Summary,
    chain::{BrokenChain, Chain, Entry as Kept},
    convert,
};

/// A log that does not replay: it was not written by this referee, or changed since.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReplayError {
    /// It was changed.
    #[error(transparent)]
    Broken(#[from] BrokenChain),
    /// It does not follow by the rules.
    #[error("log entry {index} does not replay: {why}")]
    Wrong {
        /// The entry, counted from 0.
        index: usize,
        /// Why.
        why: String,
    },
}

/// A match as far as its log has been read.
#[derive(Debug)]
pub struct Replay {
    match_id: u64,
    create_time_ms: u64,
    chain: Chain,
    game: Option<Game>,
    summary: Option<Summary>,
    commitments: [Vec<u8>; 2],
}

impl Replay {
    /// A match created then (milliseconds since 1970, UTC), with nothing read yet.
    pub fn new(match_id: u64, create_time_ms: u64) -> Self {
        Self {
            match_id,
            create_time_ms,
            chain: Chain::new(match_id, create_time_ms),
            game: None,
            summary: None,
            commitments: [Vec::new(), Vec::new()],
        }
    }

    /// How many entries were read.
    pub fn entries(&self) -> usize {
        self.chain.entries()
    }

    /// The match as it was asked for, and what has become of it; `None` before anything was read.
    pub fn summary(&self) -> Option<&v1::Match> {
        self.summary.as_ref().map(Summary::get)
    }

    /// The game; `None` before anything was read.
    pub fn game(&self) -> Option<&Game> {
        self.game.as_ref()
    }

    /// Whether the match is over.
    pub fn is_over(&self) -> bool {
        self.state() == Some(v1::MatchState::Over)
    }

    /// Whether both agents have been there.
    pub fn is_started(&self) -> bool {
        !matches!(self.state(), None | Some(v1::MatchState::Waiting))
    }

    fn state(&self) -> Option<v1::MatchState> {
        Some(self.summary.as_ref()?.get().state())
    }

    /// Reads the next entry; an accepted move gives the event that everybody may know.
    ///
    /// # Errors
    /// If the entry is not what was written after those before it, or does not follow from them by the rules.
    pub fn read(&mut self, kept: &Kept) -> Result<Option<v1::MatchEvent>, ReplayError> {
        let index = self.chain.entries();
        let entry = self.chain.read(kept)?;
        let wrong = |why: String| ReplayError::Wrong { index, why };
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
                if !accepted.commitment.is_empty() {
                    self.commitments[seat.index()] = accepted.commitment;
                }
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
                | Entry::Reconnected(_)
                | Entry::Resumed(_)
                | Entry::Noted(_)
                | Entry::AtFault(_)
                | Entry::Disputed(_),
            )
            | None => {}
        }
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
        let [one, two] = &self.commitments;
        Some(v1::Position {
            seat_one_commitment: one.clone(),
            seat_two_commitment: two.clone(),
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
