//! One bot's stream, as the arena sends on it.

use std::sync::{
    Arc, OnceLock,
    atomic::{AtomicU64, AtomicUsize, Ordering},
};

use broadside_proto::v1::{self, SessionEndReason, connect_response::Message};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use tonic::Status;

use crate::{
    meters::Meters,
    play::AgentId,
    roster::Profile,
    time::{Handover, Micros},
};

/// What waits to be sent on a stream. Not to be printed: it is for that bot alone.
#[expect(
    clippy::large_enum_variant,
    reason = "nearly all are messages: a box would be an allocation for each turn"
)]
pub(super) enum Outgoing {
    /// A message; if it is a turn, where its hand-over is stamped.
    Message(v1::ConnectResponse, Option<Handover>),
    /// The end of the stream.
    End(Status),
}

/// What the two ends of the outgoing queue share.
pub(super) struct Wire {
    meters: Arc<Meters>,
    last_sent: AtomicU64,
    /// How many messages wait.
    queued: AtomicUsize,
    /// Cancelled when the rest of the queue shall not be sent: the bot does not read.
    pub(super) cut: CancellationToken,
}

impl Wire {
    pub(super) fn new(meters: Arc<Meters>) -> Self {
        Self {
            meters,
            last_sent: AtomicU64::default(),
            queued: AtomicUsize::default(),
            cut: CancellationToken::new(),
        }
    }

    /// Notes that a message leaves the queue for the transport now.
    pub(super) fn sending(&self, now: Micros) {
        self.queued.fetch_sub(1, Ordering::Relaxed);
        self.last_sent.store(now.0, Ordering::Relaxed);
    }

    fn last_sent(&self) -> Micros {
        Micros(self.last_sent.load(Ordering::Relaxed))
    }
}

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
    outgoing: mpsc::Sender<Outgoing>,
    wire: Arc<Wire>,
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

impl Session {
    pub(super) fn new(
        agent: AgentId,
        profile: Arc<Profile>,
        limits: v1::SessionLimits,
        outgoing: mpsc::Sender<Outgoing>,
        wire: Arc<Wire>,
    ) -> Self {
        let queue_limit = queue_limit(profile.max_matches);
        Self {
            agent,
            profile,
            limits,
            outgoing,
            wire,
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
        self.send(Message::Welcome(welcome), None);
    }

    /// Queues a message. A bot that lets the queue fill up is not worth waiting for: its session ends.
    pub fn send(&self, message: Message, handover: Option<Handover>) {
        let message = v1::ConnectResponse {
            message: Some(message),
        };
        if self.wire.queued.load(Ordering::Relaxed) >= self.queue_limit {
            return self.end(Ending::TooSlow);
        }
        // A stream that is gone is noticed by its reader.
        self.queue(message, handover);
    }

    /// Queues a message, if there is still somebody to take it. Returns whether there is.
    fn queue(&self, message: v1::ConnectResponse, handover: Option<Handover>) -> bool {
        let before = self.wire.queued.fetch_add(1, Ordering::Relaxed);
        self.wire.meters.session_queue.note(before as u64 + 1);
        let queued = self
            .outgoing
            .try_send(Outgoing::Message(message, handover))
            .is_ok();
        if !queued {
            self.wire.queued.fetch_sub(1, Ordering::Relaxed);
        }
        queued
    }

    /// Sends a heartbeat if nothing was sent since `since`.
    pub fn beat_if_silent(&self, since: Micros) {
        if self.wire.last_sent() < since {
            self.send(Message::Heartbeat(v1::Heartbeat { beat: 0 }), None);
        }
    }

    /// Ends the session, with a last message that says why.
    pub fn end(&self, ending: Ending) {
        if self.closed.is_cancelled() {
            return;
        }
        // Two may be at it at once: the first says why.
        let _ = self.ending.set(ending);
        let last = v1::ConnectResponse {
            message: Some(Message::SessionEnd(v1::SessionEnd {
                reason: ending.reason().into(),
                message: ending.message().to_owned(),
            })),
        };
        // A bot that does not read gets what it has not read no more.
        if ending == Ending::TooSlow {
            self.wire.cut.cancel();
        }
        let told = self.queue(last, None)
            && self
                .outgoing
                .try_send(Outgoing::End(ending.status()))
                .is_ok();
        tracing::info!(agent = %self.agent, ?ending, told, "session ended");
        self.closed.cancel();
    }
}
