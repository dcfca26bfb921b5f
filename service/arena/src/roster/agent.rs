//! An agent: how it is reached, what it plays, and what it is playing.

use std::{collections::BTreeSet, sync::Arc};

use broadside_proto::v1;
use broadside_rules::{Seats, Variant};
use parking_lot::Mutex;
use rustc_hash::FxHashMap;

use super::Reach;
use crate::{
    convert,
    play::{AgentId, Inbox, Input, NotTaken},
    time::Micros,
};

/// What an agent plays and wants: its profile, checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Profile {
    /// The variants it plays; at least one.
    pub variants: Vec<Variant>,
    /// How many matches it takes at once; at least 1.
    pub max_matches: usize,
    /// Whether its turns hold the legal moves.
    pub wants_legal_moves: bool,
    /// Whether its accepted moves are answered with `Accepted`.
    pub wants_accepted: bool,
}

/// An agent that is there.
#[derive(Debug)]
pub struct Presence {
    /// Counts sessions, so that an old one cannot end a new one.
    pub epoch: u64,
    /// How it is reached.
    pub reach: Reach,
    /// What it plays.
    pub profile: Arc<Profile>,
}

impl Presence {
    /// The epoch of its session; 0 for an agent that is dialled.
    pub(super) fn session_epoch(&self) -> u64 {
        match self.reach {
            Reach::Session(_) => self.epoch,
            Reach::Dialled(_) => 0,
        }
    }

    /// Tells a match that has just been taken in, and has begun before, that this agent is there.
    pub(super) fn connect(&self, match_id: u64, seats: Seats, inbox: &Inbox) {
        for seat in seats.iter() {
            let connected = Input::Connected {
                seats: Seats::only(seat),
                epoch: self.session_epoch(),
                link: Some(self.reach.open(match_id, seat, inbox)),
                new: false,
            };
            if inbox.try_send(connected).is_err() {
                tracing::warn!(match_id, "a match that was taken in has no room for news");
            }
        }
    }
}

/// The way into a match, for one of its agents.
#[derive(Clone, Debug)]
pub struct MatchHandle {
    /// The way in.
    pub inbox: Inbox,
    /// The seats that the agent has in it.
    pub seats: Seats,
}

/// The agent plays no such match, or not any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotPlayed;

/// The matches that an agent is playing. Apart from the roster, since every answer is looked up here. The keys
/// are the arena's own random numbers: no hash need defend itself against them.
#[derive(Debug, Default)]
pub struct AgentMatches(Mutex<FxHashMap<u64, MatchHandle>>);

impl AgentMatches {
    /// Gives a match that the agent is playing an input, which is made with the agent's seats. Waits for room if there is none.
    ///
    /// # Errors
    /// The agent plays no such match, or it is over.
    pub async fn send(
        &self,
        match_id: u64,
        input: impl FnOnce(Seats) -> Input,
    ) -> Result<(), NotPlayed> {
        let (inbox, input) = {
            let matches = self.0.lock();
            let handle = matches.get(&match_id).ok_or(NotPlayed)?;
            match handle.inbox.try_send(input(handle.seats)) {
                Ok(()) => return Ok(()),
                Err(NotTaken::Closed) => return Err(NotPlayed),
                Err(NotTaken::Full(input)) => (handle.inbox.clone(), input),
            }
        };
        inbox.send(input).await.map_err(|_| NotPlayed)
    }

    /// Whether the agent is playing this match.
    pub fn is_playing(&self, match_id: u64) -> bool {
        self.0.lock().contains_key(&match_id)
    }

    /// Their ids.
    pub fn ids(&self) -> Vec<u64> {
        self.0.lock().keys().copied().collect()
    }

    /// The ways into all of them.
    pub fn all(&self) -> Vec<MatchHandle> {
        self.0.lock().values().cloned().collect()
    }

    pub(super) fn entries(&self) -> Vec<(u64, MatchHandle)> {
        let matches = self.0.lock();
        let entry = |(&match_id, handle): (&u64, &MatchHandle)| (match_id, handle.clone());
        matches.iter().map(entry).collect()
    }

    pub(super) fn insert(&self, match_id: u64, handle: MatchHandle) {
        self.0.lock().insert(match_id, handle);
    }

    pub(super) fn remove(&self, match_id: u64) {
        let mut matches = self.0.lock();
        matches.remove(&match_id);
        if matches.is_empty() {
            matches.shrink_to_fit();
        }
    }

    pub(super) fn len(&self) -> usize {
        self.0.lock().len()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

#[derive(Debug, Default)]
pub(super) struct Agent {
    pub(super) presence: Option<Presence>,
    /// Since when it is not there.
    pub(super) absent_since: Option<Micros>,
    /// Of its last session, as long as a match needs it or it is there.
    pub(super) resume_token: Option<String>,
    pub(super) matches: Arc<AgentMatches>,
    /// Places in the queue of the matches that wait for it.
    pub(super) waiting: BTreeSet<u64>,
    /// Whether a task is trying to reach it.
    pub(super) dialling: bool,
    /// Why it was not reached the last time.
    pub(super) unreachable: Option<String>,
}

impl Agent {
    /// Whether it is there and takes one more match of whatever variant.
    pub(super) fn has_any_room(&self) -> bool {
        self.presence
            .as_ref()
            .is_some_and(|presence| self.matches.len() < presence.profile.max_matches)
    }

    pub(super) fn has_room(&self, id: &AgentId, variant: Variant) -> bool {
        self.has_any_room() && self.absence(id, variant).is_none()
    }

    /// Why it cannot play a variant now, room apart, as the end of a sentence; `None` if it can.
    pub(super) fn absence(&self, id: &AgentId, variant: Variant) -> Option<String> {
        match &self.presence {
            Some(presence) if presence.profile.variants.contains(&variant) => None,
            Some(_) => Some(format!("({id}) does not play {variant}")),
            None => Some(match &self.unreachable {
                Some(why) => format!("could not be reached at {id}: {why}"),
                None => format!("({id}) never connected"),
            }),
        }
    }

    pub(super) fn is_idle(&self, id: &AgentId) -> bool {
        (self.presence.is_none() || id.is_dialled())
            && self.matches.is_empty()
            && self.waiting.is_empty()
            && !self.dialling
    }

    pub(super) fn info(&self, id: &AgentId) -> v1::AgentInfo {
        let profile = self.presence.as_ref().map(|presence| &presence.profile);
        v1::AgentInfo {
            name: id.to_string(),
            dialled: id.is_dialled(),
            connected: profile.is_some(),
            variants: profile.map_or_else(Vec::new, |profile| {
                let variant = |&variant: &Variant| convert::variant(variant).into();
                profile.variants.iter().map(variant).collect()
            }),
            max_matches: profile.map_or(0, |profile| {
                u32::try_from(profile.max_matches).unwrap_or(u32::MAX)
            }),
            running_matches: u32::try_from(self.matches.len()).unwrap_or(u32::MAX),
        }
    }
}
