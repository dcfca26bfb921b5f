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
#[derive(Clone, Debug)]
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
}

impl MatchSpec {
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
