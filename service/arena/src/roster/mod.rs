//! Who is there, and which match waits for whom: agents by name or address, whichever way they are reached.
//!
//! A match starts when both its agents are present, play its variant and have room for it; both places are taken
//! together, in the order in which matches were created, so that no two matches can wait for each other.

mod agent;
mod link;

use std::{
    collections::{BTreeMap, HashMap},
    sync::Arc,
};

use broadside_proto::v1;
use broadside_rules::{Seat, Seats, Variant};
use parking_lot::Mutex;

pub use agent::{AgentMatches, MatchHandle, Presence, Profile};
pub use link::{Reach, SeatLink};

use self::agent::Agent;
use crate::{
    dialled::DialledAgent,
    gateway::Session,
    play::{AgentId, Followed, Follower, Inbox, Input, MatchSpec},
    time::Micros,
};

/// Both agents of a match are there.
#[derive(Debug)]
pub struct Seated {
    /// How each is reached, by seat.
    pub links: [SeatLink; 2],
    /// The epoch of each one's session, by seat; 0 for an agent that is dialled.
    pub epochs: [u64; 2],
}

/// The agents that a match has waited for in vain.
#[derive(Debug, PartialEq, Eq)]
pub struct Absent {
    /// Their seats.
    pub seats: Seats,
    /// What each did not do, by seat, as the end of a sentence.
    pub why: [String; 2],
}

/// A session that an agent's new one leaves behind, and the matches to tell of the new one.
#[derive(Debug)]
pub struct Arrival {
    /// Counts the agent's sessions.
    pub epoch: u64,
    /// Whether the resume token was that of the session before.
    pub resumed: bool,
    /// The matches that the agent plays.
    pub matches: Arc<AgentMatches>,
    /// Those of them that were running before: they are to be told of the new session.
    pub running: Vec<MatchHandle>,
    /// The session before, if it is still open.
    pub superseded: Option<Arc<Session>>,
}

/// The resume token is not that of the agent's session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WrongToken;

#[derive(Debug)]
struct Live {
    agents: [AgentId; 2],
    variant: Variant,
    entered: Micros,
    inbox: Inbox,
    followed: Followed,
    /// Its place in the queue; `None` once it is seated.
    waiting: Option<u64>,
}

#[derive(Debug, Default)]
struct Inner {
    agents: HashMap<AgentId, Agent>,
    matches: HashMap<u64, Live>,
    /// Matches that wait, by their place in the queue.
    queue: BTreeMap<u64, u64>,
    next_place: u64,
    next_epoch: u64,
}

/// Agents and the matches that are not over.
#[derive(Debug, Default)]
pub struct Roster {
    inner: Mutex<Inner>,
}

impl Roster {
    /// An empty roster.
    pub fn new() -> Self {
        Self::default()
    }

    /// How many matches are not over.
    pub fn open_matches(&self) -> usize {
        self.inner.lock().matches.len()
    }

    /// How many matches wait and how many run, and how many agents are there.
    pub fn census(&self) -> (usize, usize, usize) {
        let inner = self.inner.lock();
        let waiting = inner.queue.len();
        let agents = inner.agents.values();
        let there = agents.filter(|agent| agent.presence.is_some()).count();
        (waiting, inner.matches.len() - waiting, there)
    }

    /// Takes a match in: one that waits for its agents, or one that has `started` before this arena did, which is told of those that are
    /// there already. Returns the agents that must be dialled for it.
    pub fn enter(
        &self,
        spec: &MatchSpec,
        started: bool,
        inbox: Inbox,
        followed: Followed,
    ) -> Vec<AgentId> {
        let now = Micros::now();
        let mut inner = self.inner.lock();
        let place = inner.next_place;
        inner.next_place += 1;
        if !started {
            inner.queue.insert(place, spec.match_id);
        }
        inner.matches.insert(
            spec.match_id,
            Live {
                agents: spec.agents.clone(),
                variant: spec.options.variant(),
                entered: now,
                inbox: inbox.clone(),
                followed,
                waiting: (!started).then_some(place),
            },
        );
        let mut to_dial = Vec::new();
        for (id, seats) in seats_of(&spec.agents) {
            let agent = inner.agents.entry(id.clone()).or_default();
            if started {
                // It may have been reached for another match that was taken in before.
                if let Some(presence) = &agent.presence {
                    presence.connect(spec.match_id, seats, &inbox);
                }
                let inbox = inbox.clone();
                agent
                    .matches
                    .insert(spec.match_id, MatchHandle { inbox, seats });
            } else {
                agent.waiting.insert(place);
            }
            if agent.presence.is_none() {
                agent.absent_since.get_or_insert(now);
            }
            if id.is_dialled() && agent.presence.is_none() && !agent.dialling {
                agent.dialling = true;
                to_dial.push(id.clone());
            }
        }
        if !started {
            inner.try_seat(place);
        }
        to_dial
    }

    /// Stops a match from waiting, if an agent of it has been absent for `patience_us`: not there, or there and not playing
    /// its variant.
    ///
    /// # Errors
    /// When to ask again, if none has: they may be there and only have no room yet.
    pub fn give_up(&self, match_id: u64, patience_us: u64, now: Micros) -> Result<Absent, Micros> {
        let mut inner = self.inner.lock();
        let mut again = now.plus(patience_us);
        let mut absent = Absent {
            seats: Seats::NONE,
            why: [String::new(), String::new()],
        };
        let Some(live) = inner.matches.get(&match_id) else {
            return Err(again);
        };
        for seat in Seat::ALL {
            let id = &live.agents[seat.index()];
            let Some(agent) = inner.agents.get(id) else {
                continue;
            };
            let Some(why) = agent.absence(id, live.variant) else {
                continue;
            };
            let since = agent
                .absent_since
                .map_or(live.entered, |since| since.max(live.entered));
            let patience = since.plus(patience_us);
            if patience <= now {
                absent.seats.insert(seat);
                absent.why[seat.index()] = why;
            } else {
                again = again.min(patience);
            }
        }
        if live.waiting.is_none() || absent.seats.is_empty() {
            return Err(again);
        }
        inner.leave_queue(match_id);
        Ok(absent)
    }

    /// Why an agent that is connected cannot play a variant, if it cannot.
    pub fn mismatch(&self, id: &AgentId, variant: Variant) -> Option<String> {
        let inner = self.inner.lock();
        let agent = inner.agents.get(id)?;
        agent.presence.as_ref()?;
        agent.absence(id, variant)
    }

    /// A match is over: its agents have room again.
    pub fn finished(&self, match_id: u64) {
        let mut inner = self.inner.lock();
        inner.leave_queue(match_id);
        let Some(live) = inner.matches.remove(&match_id) else {
            return;
        };
        let [one, two] = live.agents;
        let mut freed = vec![one];
        if two != freed[0] {
            freed.push(two);
        }
        for id in &freed {
            if let Some(agent) = inner.agents.get_mut(id) {
                agent.matches.remove(match_id);
            }
        }
        for id in &freed {
            inner.seat_waiting(id);
            inner.forget_idle(id);
        }
    }

    /// The way into a match that is not over, and who follows it from now on.
    pub fn find(&self, match_id: u64) -> Option<(Inbox, Follower)> {
        let inner = self.inner.lock();
        let live = inner.matches.get(&match_id)?;
        Some((live.inbox.clone(), live.followed.follow()))
    }

    /// The ways into the matches that still wait for their agents.
    pub fn waiting_inboxes(&self) -> Vec<Inbox> {
        let inner = self.inner.lock();
        let waiting = inner.matches.values().filter(|live| live.waiting.is_some());
        waiting.map(|live| live.inbox.clone()).collect()
    }

    /// The ways into all matches that are not over.
    pub fn inboxes(&self) -> Vec<Inbox> {
        let inner = self.inner.lock();
        inner
            .matches
            .values()
            .map(|live| live.inbox.clone())
            .collect()
    }

    /// An agent dialled in: its session is welcomed, takes the place of an earlier one, and gets the matches that
    /// waited for it. A session that is taken up keeps its token, so that a bot whose welcome is lost can still come back.
    /// `genuine` says whether the resume token is one that this arena has given the agent, maybe before it was started again.
    ///
    /// # Errors
    /// If a resume token is given that is not the one of the agent's last session.
    pub fn arrive(
        &self,
        session: &Arc<Session>,
        resume_token: &str,
        genuine: bool,
        fresh_token: String,
    ) -> Result<Arrival, WrongToken> {
        let id = session.agent().clone();
        let mut inner = self.inner.lock();
        inner.next_epoch += 1;
        let epoch = inner.next_epoch;
        let agent = inner.agents.entry(id.clone()).or_default();
        let resumed = match (&agent.resume_token, resume_token) {
            (_, "") => false,
            // Its session was with the arena before this one.
            (None, _) => genuine && !agent.matches.is_empty(),
            (Some(known), given) if known.as_str() == given => true,
            (Some(_), _) => return Err(WrongToken),
        };
        let superseded = agent.presence.replace(Presence {
            epoch,
            reach: Reach::Session(session.clone()),
            profile: session.profile().clone(),
        });
        agent.absent_since = None;
        let token = match agent.resume_token.take() {
            Some(token) if resumed => token,
            None if resumed => resume_token.to_owned(),
            _ => fresh_token,
        };
        agent.resume_token = Some(token.clone());
        let arrival = Arrival {
            epoch,
            resumed,
            matches: agent.matches.clone(),
            running: agent.matches.all(),
            superseded: superseded.and_then(|presence| match presence.reach {
                Reach::Session(session) => Some(session),
                Reach::Dialled(_) => None,
            }),
        };
        // Under the lock, so that the welcome is the first message of the stream.
        session.welcome(&token, resumed, arrival.matches.ids());
        inner.seat_waiting(&id);
        Ok(arrival)
    }

    /// The session of that epoch is gone. Returns the matches to tell, unless a later one has taken its place.
    pub fn depart(&self, id: &AgentId, epoch: u64) -> Vec<MatchHandle> {
        let mut inner = self.inner.lock();
        let Some(agent) = inner.agents.get_mut(id) else {
            return Vec::new();
        };
        if agent
            .presence
            .as_ref()
            .is_none_or(|presence| presence.epoch != epoch)
        {
            return Vec::new();
        }
        agent.presence = None;
        agent.absent_since = Some(Micros::now());
        let handles = agent.matches.all();
        inner.forget_idle(id);
        handles
    }

    /// A dialled agent has been reached. Returns the matches that were running before it was, if they are resumed ones: they are to be told.
    pub fn reached(&self, id: &AgentId, dialled: Arc<DialledAgent>) -> Vec<(u64, MatchHandle)> {
        let mut inner = self.inner.lock();
        inner.next_epoch += 1;
        let epoch = inner.next_epoch;
        let Some(agent) = inner.agents.get_mut(id) else {
            return Vec::new();
        };
        let running = agent.matches.entries();
        agent.dialling = false;
        agent.unreachable = None;
        agent.absent_since = None;
        agent.presence = Some(Presence {
            epoch,
            profile: dialled.profile().clone(),
            reach: Reach::Dialled(dialled),
        });
        inner.seat_waiting(id);
        inner.forget_idle(id);
        running
    }

    /// A dialled agent has not been reached, for this reason. Returns whether to try again: a match still waits for it.
    pub fn not_reached(&self, id: &AgentId, why: String) -> bool {
        let mut inner = self.inner.lock();
        let Some(agent) = inner.agents.get_mut(id) else {
            return false;
        };
        agent.unreachable = Some(why);
        let wanted = !agent.waiting.is_empty() || !agent.matches.is_empty();
        if !wanted {
            agent.dialling = false;
            inner.forget_idle(id);
        }
        wanted
    }

    /// Agents after a name, in alphabetical order, at most so many.
    pub fn agents(&self, after: &str, limit: usize) -> (Vec<v1::AgentInfo>, bool) {
        let inner = self.inner.lock();
        let mut infos: Vec<_> = inner
            .agents
            .iter()
            .filter(|(id, agent)| {
                id.as_str() > after && (agent.presence.is_some() || !agent.matches.is_empty())
            })
            .map(|(id, agent)| agent.info(id))
            .collect();
        infos.sort_by(|one, two| one.name.cmp(&two.name));
        let more = infos.len() > limit;
        infos.truncate(limit);
        (infos, more)
    }
}

impl Inner {
    /// Seats the match at this place of the queue, if both its agents are there and have room.
    fn try_seat(&mut self, place: u64) {
        let Some(&match_id) = self.queue.get(&place) else {
            return;
        };
        let Some(live) = self.matches.get(&match_id) else {
            return;
        };
        let [one, two] = live.agents.clone();
        let (variant, inbox) = (live.variant, live.inbox.clone());
        let ready = |id: &AgentId| {
            self.agents
                .get(id)
                .is_some_and(|agent| agent.has_room(id, variant))
        };
        if !ready(&one) || !ready(&two) {
            return;
        }
        let agents = [one, two];
        let mut links = Vec::with_capacity(2);
        let mut epochs = [0; 2];
        for (id, seats) in seats_of(&agents) {
            let Some(agent) = self.agents.get_mut(id) else {
                return;
            };
            let Some(presence) = &agent.presence else {
                return;
            };
            for seat in seats.iter() {
                links.push(presence.reach.open(match_id, seat, &inbox));
                epochs[seat.index()] = presence.session_epoch();
            }
            agent.matches.insert(
                match_id,
                MatchHandle {
                    inbox: inbox.clone(),
                    seats,
                },
            );
        }
        let Ok(links) = <[SeatLink; 2]>::try_from(links) else {
            return;
        };
        self.leave_queue(match_id);
        // A match that waits has room in its inbox, or is over and wants nothing more.
        if inbox
            .try_send(Input::Seated(Seated { links, epochs }))
            .is_err()
        {
            tracing::warn!(match_id, "a match that was to be seated is gone");
        }
    }

    /// Seats whatever waits for this agent, in order, as long as it has room.
    fn seat_waiting(&mut self, id: &AgentId) {
        let Some(agent) = self.agents.get(id) else {
            return;
        };
        let places: Vec<u64> = agent.waiting.iter().copied().collect();
        for place in places {
            if !self.agents.get(id).is_some_and(Agent::has_any_room) {
                return;
            }
            self.try_seat(place);
        }
    }

    fn leave_queue(&mut self, match_id: u64) {
        let Some(live) = self.matches.get_mut(&match_id) else {
            return;
        };
        let Some(place) = live.waiting.take() else {
            return;
        };
        let agents = live.agents.clone();
        self.queue.remove(&place);
        for id in &agents {
            if let Some(agent) = self.agents.get_mut(id) {
                agent.waiting.remove(&place);
            }
        }
    }

    /// Forgets an agent that is not there and that no match needs; one that was dialled as soon as no match needs it.
    fn forget_idle(&mut self, id: &AgentId) {
        if self.agents.get(id).is_some_and(|agent| agent.is_idle(id)) {
            self.agents.remove(id);
        }
    }
}

/// The agents of a match, each once, with the seats it has.
fn seats_of([one, two]: &[AgentId; 2]) -> impl Iterator<Item = (&AgentId, Seats)> {
    let alone = one == two;
    let first = if alone {
        Seats::BOTH
    } else {
        Seats::only(Seat::One)
    };
    let second = (!alone).then_some((two, Seats::only(Seat::Two)));
    std::iter::once((one, first)).chain(second)
}
