//! A match's summary: a fold over its log.

use broadside_proto::v1::{self, log_entry::Entry};

/// What everybody may know of a match, without its position.
#[derive(Clone, Debug, PartialEq)]
pub struct Summary(v1::Match);

impl Summary {
    /// Of a match just created.
    pub fn new(match_id: u64, create_time_ms: u64, created: &v1::MatchCreated) -> Self {
        let v1::MatchCreated {
            options,
            seat_one_agent,
            seat_two_agent,
            time_control,
            strikes,
            seed: _,
            seat_one_dialled,
            seat_two_dialled,
            request_id: _,
            commitment_key: _,
            private,
        } = created;
        let player = |agent: &String, dialled: bool| v1::Player {
            agent: Some(if dialled {
                v1::player::Agent::Address(agent.clone())
            } else {
                v1::player::Agent::Name(agent.clone())
            }),
        };
        Self(v1::Match {
            match_id,
            options: options.clone(),
            players: vec![
                player(seat_one_agent, *seat_one_dialled),
                player(seat_two_agent, *seat_two_dialled),
            ],
            time_control: *time_control,
            strikes: *strikes,
            state: v1::MatchState::Waiting.into(),
            create_time_ms,
            start_time_ms: 0,
            end_time_ms: 0,
            moves: 0,
            outcome: None,
            private: *private,
        })
    }

    /// Takes the next entry of the log in.
    pub fn apply(&mut self, entry: &v1::LogEntry) {
        let time_ms = self.0.create_time_ms.saturating_add(entry.at_us / 1_000);
        match &entry.entry {
            Some(Entry::Started(_)) => {
                self.0.state = v1::MatchState::Running.into();
                self.0.start_time_ms = time_ms;
            }
            Some(Entry::Accepted(_)) => self.0.moves = self.0.moves.saturating_add(1),
            Some(Entry::Ended(ended)) => {
                self.0.state = v1::MatchState::Over.into();
                self.0.end_time_ms = time_ms;
                self.0.outcome.clone_from(&ended.outcome);
            }
            Some(
                Entry::Created(_)
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
    }

    /// Counts the moves as whoever skips the entries of moves has counted them.
    pub fn set_moves(&mut self, moves: u32) {
        self.0.moves = moves;
    }

    /// The summary.
    pub fn get(&self) -> &v1::Match {
        &self.0
    }

    /// Whether the match is over.
    pub fn is_over(&self) -> bool {
        self.0.state() == v1::MatchState::Over
    }
}
