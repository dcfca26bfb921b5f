//! What a match is: agreed before it starts, and never changed.

use std::{fmt, sync::Arc};

use broadside_proto::v1;
use broadside_rules::{Options, Seat};

use super::TimeControl;
use crate::{convert, seed};

/// Who takes a seat.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum AgentId {
    /// An agent that dials in, by its name.
    Named(Arc<str>),
    /// An agent that the arena dials, by its address.
    Dialled(Arc<str>),
}

impl AgentId {
    /// Name or address.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Named(text) | Self::Dialled(text) => text,
        }
    }

    /// Whether the arena dials it.
    pub fn is_dialled(&self) -> bool {
        matches!(self, Self::Dialled(_))
    }

    /// As the contract names it.
    pub fn player(&self) -> v1::Player {
        v1::Player {
            agent: Some(match self {
                Self::Named(name) => v1::player::Agent::Name(name.to_string()),
                Self::Dialled(address) => v1::player::Agent::Address(address.to_string()),
            }),
        }
    }
}

impl fmt::Display for AgentId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A match as it was asked for, defaults filled in.
#[derive(Clone)]
pub struct MatchSpec {
    /// 1 to 2^53 - 1.
    pub match_id: u64,
    /// Variant and options.
    pub options: Options,
    /// By seat.
    pub agents: [AgentId; 2],
    /// How long players may think.
    pub time_control: TimeControl,
    /// How many refusals each seat may have: one more loses.
    pub strikes: u32,
    /// Of whatever is drawn for this match.
    pub seed: u64,
    /// Of the call that created it; may be empty.
    pub request_id: String,
    /// From which the salts of the commitments to deployments are made.
    pub commitment_key: [u8; 32],
    /// Whether only its players and operators may read it.
    pub private: bool,
}

impl fmt::Debug for MatchSpec {
    /// Without the seed and the key, from which what is hidden can be worked out.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MatchSpec")
            .field("match_id", &self.match_id)
            .field("options", &self.options)
            .field("agents", &self.agents)
            .field("time_control", &self.time_control)
            .field("strikes", &self.strikes)
            .field("request_id", &self.request_id)
            .field("private", &self.private)
            .finish_non_exhaustive()
    }
}

/// The first entry of a log is not one that this arena would have written: says why.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("its first log entry {0}")]
pub struct BadCreation(String);

impl MatchSpec {
    /// The match that a log begins with.
    ///
    /// # Errors
    /// If that is none.
    pub fn from_log(match_id: u64, first: &v1::LogEntry) -> Result<Self, BadCreation> {
        let Some(v1::log_entry::Entry::Created(created)) = first.entry.clone() else {
            return Err(BadCreation("does not create it".to_owned()));
        };
        let v1::MatchCreated {
            options,
            seat_one_agent,
            seat_two_agent,
            time_control,
            strikes,
            seed,
            seat_one_dialled,
            seat_two_dialled,
            request_id,
            commitment_key,
            private,
        } = created;
        let options = options.ok_or_else(|| BadCreation("has no options".to_owned()))?;
        let agent = |text: String, dialled| match dialled {
            true => AgentId::Dialled(text.into()),
            false => AgentId::Named(text.into()),
        };
        Ok(Self {
            match_id,
            options: convert::options_from(options)
                .map_err(|error| BadCreation(format!("has {} {}", error.field, error.what)))?,
            agents: [
                agent(seat_one_agent, seat_one_dialled),
                agent(seat_two_agent, seat_two_dialled),
            ],
            time_control: time_control
                .and_then(TimeControl::from_message)
                .ok_or_else(|| BadCreation("has no whole time control".to_owned()))?,
            strikes,
            seed,
            request_id,
            commitment_key: commitment_key
                .try_into()
                .map_err(|_| BadCreation("has no commitment key of 32 bytes".to_owned()))?,
            private,
        })
    }

    /// The first seat that an agent has in it, if it plays there.
    pub fn seat_of(summary: &v1::Match, agent: &AgentId) -> Option<Seat> {
        let player = agent.player();
        let place = summary.players.iter().position(|other| *other == player)?;
        Seat::ALL.get(place).copied()
    }

    /// The agent in a seat.
    pub fn agent(&self, seat: Seat) -> &AgentId {
        &self.agents[seat.index()]
    }

    /// The first entry of the match's log.
    pub fn created(&self) -> v1::MatchCreated {
        let [one, two] = &self.agents;
        v1::MatchCreated {
            options: Some(convert::options(&self.options)),
            seat_one_agent: one.to_string(),
            seat_two_agent: two.to_string(),
            time_control: Some(self.time_control.to_message()),
            strikes: self.strikes,
            seed: self.seed,
            seat_one_dialled: one.is_dialled(),
            seat_two_dialled: two.is_dialled(),
            request_id: self.request_id.clone(),
            commitment_key: self.commitment_key.to_vec(),
            private: self.private,
        }
    }

    /// What a bot is told when the match begins.
    pub fn match_start(&self, seat: Seat) -> v1::MatchStart {
        v1::MatchStart {
            match_id: self.match_id,
            seat: convert::seat(seat).into(),
            options: Some(convert::options(&self.options)),
            time_control: Some(self.time_control.to_message()),
            strikes: self.strikes,
            opponent: self.agent(seat.other()).to_string(),
        }
    }

    /// The fleet dealt to a seat, as a legal first move; `None` in abalone.
    pub fn dealt_fleet(&self, seat: Seat) -> Option<v1::Move> {
        let purpose = match seat {
            Seat::One => seed::Purpose::FleetOfSeatOne,
            Seat::Two => seed::Purpose::FleetOfSeatTwo,
        };
        convert::dealt_fleet(&self.options, &mut seed::rng(self.seed, purpose))
    }
}
