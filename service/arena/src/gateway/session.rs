//! One bot's stream, as the arena sends on it.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

use broadside_proto::v1::{self, SessionEndReason, connect_response::Message};
use tokio::sync::mpsc::{self, error::TrySendError};
use tokio_util::sync::CancellationToken;
use tonic::Status;

use crate::{
    play::AgentId,
    roster::Profile,
    time::{Handover, Micros},
};

/// What waits to be sent on a stream.
#[derive(Debug)]
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
#[derive(Debug, Default)]
pub(super) struct Wire {
    last_sent: AtomicU64,
    /// Cancelled when the rest of the queue shall not be sent: the bot does not read.
    pub(super) cut: CancellationToken,
}

impl Wire {
    /// Notes that something is handed to the transport now.
    pub(super) fn sending(&self, now: Micros) {
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
}

impl Ending {
    fn reason(self) -> SessionEndReason {
        match self {
            Self::TakenOver => SessionEndReason::TakenOver,
            Self::ArenaStops => SessionEndReason::ArenaStops,
            Self::TooSlow => SessionEndReason::TooSlow,
        }
    }

    fn message(self) -> &'static str {
        match self {
            Self::TakenOver => {
                "this agent connected again and took the session over: do not reconnect"
            }
            Self::ArenaStops => "the arena stops: reconnect later",
            Self::TooSlow => {
                "too many messages wait to be read: read faster, or take fewer matches at once"
            }
        }
    }

    pub(super) fn status(self) -> Status {
        match self {
            Self::TakenOver => Status::aborted(self.message()),
            Self::ArenaStops => Status::unavailable(self.message()),
            Self::TooSlow => Status::resource_exhausted(self.message()),
        }
    }
}

/// What an agent is on this stream: set by its hello.
#[derive(Debug)]
pub struct Session {
    agent: AgentId,
    profile: Arc<Profile>,
    resume_token: String,
    limits: v1::SessionLimits,
    outgoing: mpsc::Sender<Outgoing>,
    wire: Arc<Wire>,
    closed: CancellationToken,
}

impl Session {
    pub(super) fn new(
        agent: AgentId,
        profile: Arc<Profile>,
        resume_token: String,
        limits: v1::SessionLimits,
        outgoing: mpsc::Sender<Outgoing>,
        wire: Arc<Wire>,
    ) -> Self {
        Self {
            agent,
            profile,
            resume_token,
            limits,
            outgoing,
            wire,
            closed: CancellationToken::new(),
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

    /// By which a later stream takes it up.
    pub fn resume_token(&self) -> &str {
        &self.resume_token
    }

    /// Is cancelled once the arena has ended the session.
    pub fn closed(&self) -> &CancellationToken {
        &self.closed
    }

    /// Answers the hello.
    pub fn welcome(&self, resumed: bool) {
        let welcome = v1::Welcome {
            protocol_version: broadside_proto::PROTOCOL_VERSION,
            resume_token: self.resume_token.clone(),
            resumed,
            limits: Some(self.limits),
        };
        self.send(Message::Welcome(welcome), None);
    }

    /// Queues a message. A bot that lets the queue fill up is not worth waiting for: its session ends.
    pub fn send(&self, message: Message, handover: Option<Handover>) {
        let message = v1::ConnectResponse {
            message: Some(message),
        };
        match self.outgoing.try_send(Outgoing::Message(message, handover)) {
            // A stream that is gone is noticed by its reader.
            Ok(()) | Err(TrySendError::Closed(_)) => {}
            Err(TrySendError::Full(_)) => self.end(Ending::TooSlow),
        }
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
        let last = v1::ConnectResponse {
            message: Some(Message::SessionEnd(v1::SessionEnd {
                reason: ending.reason().into(),
                message: ending.message().to_owned(),
            })),
        };
        let told = self
            .outgoing
            .try_send(Outgoing::Message(last, None))
            .is_ok()
            && self
                .outgoing
                .try_send(Outgoing::End(ending.status()))
                .is_ok();
        if !told {
            self.wire.cut.cancel();
        }
        tracing::info!(agent = %self.agent, ?ending, told, "session ended");
        self.closed.cancel();
    }
}
