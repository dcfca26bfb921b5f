//! One bot's stream, as the arena sends on it.

use std::sync::{Arc, OnceLock};

use broadside_proto::v1::{self, SessionEndReason, connect_response::Message};
use tokio_util::sync::CancellationToken;
use tonic::Status;

use super::{Frame, outbox::Outbox};
use crate::{
    play::AgentId,
    roster::Profile,
    time::{Handover, Micros},
};

/// Why the arena ends a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// The same agent has another one now.
    TakenOver,
    /// The arena stops.
    ArenaStops,
    /// The bot does not read what it is sent.
    TooSlow,
    /// The bot does not send the heartbeats that it promised.
    Silent,
    /// The bot sends too much.
    TooFast,
    /// The token of the stream is not valid any more.
    TokenRevoked,
}

impl Ending {
    fn reason(self) -> SessionEndReason {
        match self {
            Self::TakenOver => SessionEndReason::TakenOver,
            Self::ArenaStops => SessionEndReason::ArenaStops,
            Self::TooSlow => SessionEndReason::TooSlow,
            Self::Silent => SessionEndReason::Silent,
            Self::TooFast => SessionEndReason::TooFast,
            Self::TokenRevoked => SessionEndReason::TokenRevoked,
        }
    }

    pub(super) fn message(self) -> &'static str {
        match self {
            Self::TakenOver => {
                "this agent connected again and took the session over: do not reconnect"
            }
            Self::ArenaStops => "the arena stops: reconnect later",
            Self::TooSlow => {
                "too many messages wait to be read: read faster, or take fewer matches at once"
            }
            Self::TooFast => {
                "more messages came in a second than may (setting max_messages_per_second)"
            }
            Self::TokenRevoked => {
                "the token of this stream was revoked, or has expired: do not reconnect with it"
            }
            Self::Silent => {
                "nothing came for three of the heartbeat intervals that the hello promised: reconnect, and send at least heartbeats"
            }
        }
    }

    pub(super) fn status(self) -> Status {
        match self {
            Self::TakenOver => Status::aborted(self.message()),
            Self::ArenaStops => Status::unavailable(self.message()),
            Self::TooSlow => Status::resource_exhausted(self.message()),
            Self::Silent => Status::deadline_exceeded(self.message()),
            Self::TooFast => Status::resource_exhausted(self.message()),
            Self::TokenRevoked => Status::unauthenticated(self.message()),
        }
    }
}

/// Most messages that may wait for a bot that takes so many matches at once. A match has at most four on their way to
/// each of its seats (start, turn, acceptance, end), and a bot may have both.
pub(crate) fn queue_limit(max_matches: usize) -> usize {
    8 * max_matches + 64
}

/// What an agent is on this stream: set by its hello.
pub struct Session {
    agent: AgentId,
    profile: Arc<Profile>,
    limits: v1::SessionLimits,
    outbox: Arc<Outbox>,
    /// Most messages that may wait: few for a bot that takes few matches.
    queue_limit: usize,
    closed: CancellationToken,
    ending: OnceLock<Ending>,
}

impl std::fmt::Debug for Session {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("Session")
            .field("agent", &self.agent)
            .finish_non_exhaustive()
    }
}

impl Drop for Session {
    /// Nobody has anything more to say to the bot: its stream ends, unless it has ended otherwise.
    fn drop(&mut self) {
        self.outbox.end(Status::ok(""));
    }
}

impl Session {
    pub(super) fn new(
        agent: AgentId,
        profile: Arc<Profile>,
        limits: v1::SessionLimits,
        outbox: Arc<Outbox>,
    ) -> Self {
        let queue_limit = queue_limit(profile.max_matches);
        Self {
            agent,
            profile,
            limits,
            outbox,
            queue_limit,
            closed: CancellationToken::new(),
            ending: OnceLock::new(),
        }
    }

    /// Whose it is.
    pub fn agent(&self) -> &AgentId {
        &self.agent
    }

    /// What that agent plays and wants.
    pub fn profile(&self) -> &Arc<Profile> {
        &self.profile
    }

    /// Is cancelled once the arena has ended the session.
    pub fn closed(&self) -> &CancellationToken {
        &self.closed
    }

    /// Why the arena has ended the session, if it has.
    pub fn ending(&self) -> Option<Ending> {
        self.ending.get().copied()
    }

    /// Answers the hello. `resume_token` is by which a later stream takes the session up.
    pub fn welcome(&self, resume_token: &str, resumed: bool, running_matches: Vec<u64>) {
        let welcome = v1::Welcome {
            protocol_version: broadside_proto::PROTOCOL_VERSION,
            resume_token: resume_token.to_owned(),
            resumed,
            limits: Some(self.limits),
            running_matches,
        };
        self.send(Message::Welcome(welcome));
    }

    /// Queues a message. A bot that lets the queue fill up is not worth waiting for: its session ends.
    pub fn send(&self, message: Message) {
        self.put(&Frame::of(message), None);
    }

    /// Queues a message that is encoded already; if it is a turn, with the place where its hand-over is stamped.
    pub fn put(&self, frame: &Frame, handover: Option<Handover>) {
        // A stream that is gone is noticed by its reader.
        if let Some(waiting) = self.outbox.put(frame, handover)
            && waiting > self.queue_limit
        {
            self.end(Ending::TooSlow);
        }
    }

    /// Sends a heartbeat if nothing was sent since `since`.
    pub fn beat_if_silent(&self, since: Micros) {
        if self.outbox.last_taken() < since {
            self.send(Message::Heartbeat(v1::Heartbeat { beat: 0 }));
        }
    }

    /// Ends the stream of a session that is not welcomed.
    pub(super) fn refuse(&self, why: Status) {
        self.outbox.end(why);
    }

    /// Ends the session, with a last message that says why.
    pub fn end(&self, ending: Ending) {
        if self.closed.is_cancelled() {
            return;
        }
        // Two may be at it at once: the first says why.
        let _ = self.ending.set(ending);
        let last = Frame::of(Message::SessionEnd(v1::SessionEnd {
            reason: ending.reason().into(),
            message: ending.message().to_owned(),
        }));
        if ending == Ending::TooSlow {
            // A bot that does not read gets what it has not read no more.
            self.outbox.clear();
        } else {
            self.outbox.put(&last, None);
        }
        let told = self.outbox.end(ending.status());
        tracing::info!(agent = %self.agent, ?ending, told, "session ended");
        self.closed.cancel();
    }
}
