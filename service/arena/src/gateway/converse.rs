//! The incoming half of a bot's stream, from the hello to the last message.

use std::{num::NonZeroU32, panic::AssertUnwindSafe, sync::Arc, time::Duration};

use broadside_proto::v1::{self, RejectedReason, connect_request, connect_response};
use broadside_rules::Seat;
use futures_util::FutureExt;
use governor::{Quota, RateLimiter};
use tokio::time::Instant;
use tonic::{Code, Status, Streaming};

use super::{Ending, Outlet, ResumeKey, Session, outbox::Outbox, profile_from, silence::Silence};
use crate::{
    auth::Caller,
    busy_poll::BusyPoll,
    convert,
    meters::{Meters, SessionEnd},
    play::{AgentId, Input, MatchSpec},
    roster::{AgentMatches, Arrival, Roster, SeatLink},
    store::Store,
    time::{Micros, duration_us},
};

/// What a stream needs of the arena.
#[derive(Clone)]
pub struct Gateway {
    /// Who is there.
    pub roster: Arc<Roster>,
    /// Where matches are kept.
    pub store: Arc<dyn Store>,
    /// What resume tokens are made with.
    pub resume_key: ResumeKey,
    /// Most messages that a bot may send in a second.
    pub max_messages_per_second: u32,
    /// How long a hello may take.
    pub hello_timeout: Duration,
    /// After how much silence a heartbeat is sent.
    pub heartbeat_interval: Duration,
    /// How long a bot may be disconnected.
    pub grace: Duration,
    /// Most matches at once for one agent.
    pub max_matches: usize,
    /// Largest message from a bot, in bytes.
    pub max_message_bytes: usize,
    /// What is measured.
    pub meters: Arc<Meters>,
    /// Is told of messages.
    pub busy_poll: BusyPoll,
    /// Is cancelled when the arena stops.
    pub stopping: tokio_util::sync::CancellationToken,
}

/// Most messages that are heard before the session's end, the arena's and heartbeats are looked at again.
const HEARD_TOGETHER: u32 = 64;

/// Opens a conversation: the stream of messages to the bot, while a task of its own reads what the bot sends.
///
/// The stream is there at once, before the hello is read: many clients send nothing before they have it.
pub(crate) fn converse(
    gateway: Gateway,
    caller: Caller,
    incoming: Streaming<v1::ConnectRequest>,
) -> Outlet {
    let outbox = Arc::new(Outbox::new(gateway.meters.clone()));
    let outlet = Outlet::new(outbox.clone());
    tokio::spawn(async move {
        let held = AssertUnwindSafe(gateway.hold(caller, incoming, outbox.clone()));
        let ended = match held.catch_unwind().await {
            // It ends with its session, which the matches may still have something to say to.
            Ok(Ok(())) => return,
            Ok(Err(status)) => status,
            Err(_) => Status::internal("the session's task panicked"),
        };
        // If that does not go through, the bot is not there to hear it; or it has heard of another end before.
        outbox.end(ended);
    });
    outlet
}

impl Gateway {
    async fn hold(
        self,
        caller: Caller,
        mut incoming: Streaming<v1::ConnectRequest>,
        outbox: Arc<Outbox>,
    ) -> Result<(), Status> {
        let hello = tokio::select! {
            hello = tokio::time::timeout(self.hello_timeout, first_message(&mut incoming)) => hello.map_err(|_| {
                Status::deadline_exceeded(format!(
                    "no hello came within {} ms: send one first",
                    self.hello_timeout.as_millis()
                ))
            })??,
            () = self.stopping.cancelled() => return Err(Ending::ArenaStops.status()),
            () = outbox.dropped.cancelled() => return Ok(()),
        };
        let mut silence = Silence::promised(hello.heartbeat_interval_ms)?;
        let (session, arrival) = self.admit(&caller, hello, outbox.clone())?;
        let span = tracing::info_span!("session", agent = %session.agent());
        span.in_scope(|| tracing::info!(resumed = arrival.resumed, "agent connected"));
        if let Some(superseded) = &arrival.superseded {
            superseded.end(Ending::TakenOver);
        }
        for handle in &arrival.running {
            let connected = Input::Connected {
                seats: handle.seats,
                epoch: arrival.epoch,
                link: Some(SeatLink::Stream(session.clone())),
                new: !arrival.resumed,
            };
            // A match that is over meanwhile wants nothing more.
            let _ = handle.inbox.send(connected).await;
        }

        let listening = self.listen(
            &session,
            &arrival.matches,
            &mut incoming,
            &outbox,
            &mut silence,
        );
        let listening = async {
            tokio::select! {
                biased;
                why = listening => why,
                () = caller.revoked() => {
                    session.end(Ending::TokenRevoked);
                    (SessionEnd::Arena(Ending::TokenRevoked), Ending::TokenRevoked.message().to_owned())
                }
            }
        };
        // Whatever becomes of it, the agent must not be listed as connected for ever.
        let (how, why) = AssertUnwindSafe(listening)
            .catch_unwind()
            .await
            .unwrap_or_else(|_| {
                let why = "the session's task panicked".to_owned();
                (SessionEnd::Panicked, why)
            });
        let how = session.ending().map_or(how, SessionEnd::Arena);
        self.meters.session_ended(how);
        span.in_scope(|| tracing::info!(%why, "agent disconnected"));
        for handle in self.roster.depart(session.agent(), arrival.epoch) {
            let disconnected = Input::Disconnected {
                seats: handle.seats,
                epoch: arrival.epoch,
                message: why.clone(),
            };
            let _ = handle.inbox.send(disconnected).await;
        }
        Ok(())
    }

    fn admit(
        &self,
        caller: &Caller,
        hello: v1::Hello,
        outbox: Arc<Outbox>,
    ) -> Result<(Arc<Session>, Arrival), Status> {
        let v1::Hello {
            protocol_version,
            profile,
            resume_token,
            heartbeat_interval_ms: _,
        } = hello;
        if protocol_version != broadside_proto::PROTOCOL_VERSION {
            return Err(Status::failed_precondition(format!(
                "hello.protocol_version is {protocol_version}: this arena speaks version {}",
                broadside_proto::PROTOCOL_VERSION
            )));
        }
        let profile = profile.ok_or_else(|| {
            Status::invalid_argument("hello.profile is not set: it must say who the agent is")
        })?;
        let (name, profile) = profile_from(profile, self.max_matches, true)?;
        caller.may_be(&name)?;
        let fresh_token = self.resume_key.token(&name).map_err(|error| {
            Status::internal(format!("the system has no randomness to give: {error}"))
        })?;
        let limits = v1::SessionLimits {
            max_message_bytes: saturate(self.max_message_bytes),
            heartbeat_interval_ms: saturate(self.heartbeat_interval.as_millis()),
            grace_ms: saturate(self.grace.as_millis()),
            max_matches: saturate(profile.max_matches),
        };
        let session = Arc::new(Session::new(
            AgentId::Named(name.into()),
            Arc::new(profile),
            limits,
            outbox,
        ));
        let genuine = self
            .resume_key
            .is_genuine(session.agent().as_str(), &resume_token);
        let arrived = self
            .roster
            .arrive(&session, &resume_token, genuine, fresh_token);
        let arrival = arrived.map_err(|_| {
            let refused = Status::failed_precondition(format!(
                "hello.resume_token is not that of the last session of {}: connect without one to take it over",
                session.agent()
            ));
            // Before this session is dropped, by which its stream would end well.
            session.refuse(refused.clone());
            refused
        })?;
        Ok((session, arrival))
    }

    /// Reads what the bot sends, until its stream or its session ends. Returns why.
    async fn listen(
        &self,
        session: &Session,
        matches: &AgentMatches,
        incoming: &mut Streaming<v1::ConnectRequest>,
        outbox: &Outbox,
        silence: &mut Silence,
    ) -> (SessionEnd, String) {
        let interval = self.heartbeat_interval;
        let quota = NonZeroU32::new(self.max_messages_per_second).unwrap_or(NonZeroU32::MAX);
        let flood = RateLimiter::direct(Quota::per_second(quota));
        let mut beat = tokio::time::interval_at(Instant::now() + interval, interval);
        loop {
            let message = tokio::select! {
                biased;
                () = session.closed().cancelled() => return (SessionEnd::Broken, "the session was ended".to_owned()),
                message = incoming.message() => message,
                () = outbox.dropped.cancelled() => return (SessionEnd::Broken, "the stream was dropped".to_owned()),
                () = self.stopping.cancelled() => {
                    session.end(Ending::ArenaStops);
                    return (SessionEnd::Arena(Ending::ArenaStops), "the arena stops".to_owned());
                }
                _ = beat.tick() => {
                    let now = Micros::now();
                    session.beat_if_silent(Micros(now.0.saturating_sub(duration_us(interval))));
                    continue;
                }
                () = silence.lasts() => {
                    session.end(Ending::Silent);
                    return (SessionEnd::Arena(Ending::Silent), Ending::Silent.message().to_owned());
                }
            };
            silence.broken();
            // What has come together is heard together: only then is there anything else to wait for.
            let mut next = Some(message);
            let mut heard = 0;
            while let Some(message) = next {
                let received = Micros::now();
                match message {
                    Ok(Some(_)) if flood.check().is_err() => {
                        session.end(Ending::TooFast);
                        return (
                            SessionEnd::Arena(Ending::TooFast),
                            Ending::TooFast.message().to_owned(),
                        );
                    }
                    Ok(Some(v1::ConnectRequest { message })) => {
                        self.hear(session, matches, message, received).await;
                    }
                    Ok(None) => {
                        return (SessionEnd::Closed, "the agent closed its stream".to_owned());
                    }
                    Err(status) => {
                        let status = unreadable(status);
                        // The bot may still read: tell it what was wrong with what it sent.
                        outbox.end(status.clone());
                        return (
                            SessionEnd::Broken,
                            format!("the stream broke: {}", status.message()),
                        );
                    }
                }
                heard += 1;
                next = match heard < HEARD_TOGETHER {
                    true => incoming.message().now_or_never(),
                    false => None,
                };
            }
            self.busy_poll.heard(heard, Micros::now());
        }
    }

    async fn hear(
        &self,
        session: &Session,
        matches: &AgentMatches,
        message: Option<connect_request::Message>,
        received: Micros,
    ) {
        use connect_request::Message;
        let rejected = match message {
            Some(Message::Answer(answer)) => {
                let (match_id, turn_id) = (answer.match_id, answer.turn_id);
                let answer = |from| Input::Answer {
                    from,
                    answer,
                    received,
                };
                if matches.send(match_id, answer).await.is_err() {
                    self.unknown_match(session, match_id, turn_id).await;
                }
                return;
            }
            Some(Message::Resignation(v1::Resignation { match_id, seat })) => {
                let named = v1::Seat::try_from(seat);
                let resigned = |from| Input::Resigned {
                    from,
                    seat: named.unwrap_or_default(),
                    received,
                };
                if !matches.is_playing(match_id) {
                    return self.unknown_match(session, match_id, 0).await;
                }
                // A seat that this arena does not know is none of the bot's.
                if named.is_err() {
                    return reject(
                        session,
                        match_id,
                        0,
                        RejectedReason::WrongSeat,
                        format!("resignation.seat is {seat}: it must be 1 or 2, or unset"),
                    );
                }
                if matches.send(match_id, resigned).await.is_err() {
                    self.unknown_match(session, match_id, 0).await;
                }
                return;
            }
            Some(Message::Dispute(v1::Dispute { match_id, turn_id })) => {
                let disputed = |from| Input::Disputed { from, turn_id };
                if matches.send(match_id, disputed).await.is_err() {
                    self.unknown_match(session, match_id, turn_id).await;
                }
                return;
            }
            Some(Message::Heartbeat(heartbeat)) => {
                session.send(connect_response::Message::Heartbeat(heartbeat));
                return;
            }
            Some(Message::Hello(_)) => (
                RejectedReason::SecondHello,
                "a hello is sent once, first: this one changes nothing",
            ),
            None => (
                RejectedReason::EmptyMessage,
                "the message holds nothing that this arena knows: send an answer, a resignation, a dispute or a heartbeat",
            ),
        };
        let (reason, message) = rejected;
        reject(session, 0, 0, reason, message.to_owned());
    }

    /// Tells a bot that it plays no such match: or no more, if it did.
    async fn unknown_match(&self, session: &Session, match_id: u64, turn_id: u32) {
        let (seat, ended) = match self.store.get(match_id).await {
            Ok(Some(summary)) => {
                let seat = MatchSpec::seat_of(&summary, session.agent());
                (seat, seat.and(summary.outcome))
            }
            Ok(None) => (None, None),
            Err(error) => {
                tracing::warn!(%error, match_id, "a match could not be read");
                (None, None)
            }
        };
        let (reason, message) = match ended {
            Some(outcome)
                if outcome.termination() == v1::Termination::Time
                    && seat.is_some_and(|seat| is_at_fault(&outcome, seat)) =>
            {
                (
                    RejectedReason::Late,
                    format!("too late, match {match_id} is over: {}", outcome.message),
                )
            }
            Some(outcome) => (
                RejectedReason::UnknownMatch,
                format!("match {match_id} is over: {}", outcome.message),
            ),
            None => (
                RejectedReason::UnknownMatch,
                format!("you play no match {match_id}"),
            ),
        };
        reject(session, match_id, turn_id, reason, message);
    }
}

/// Whether a seat lost by its own fault. A bot that plays itself is told of its first seat.
fn is_at_fault(outcome: &v1::Outcome, seat: Seat) -> bool {
    outcome.at_fault() == convert::seat(seat)
}

fn reject(session: &Session, match_id: u64, turn_id: u32, reason: RejectedReason, message: String) {
    let rejected = v1::Rejected {
        match_id,
        turn_id,
        reason: reason.into(),
        message,
    };
    session.send(connect_response::Message::Rejected(rejected));
}

async fn first_message(incoming: &mut Streaming<v1::ConnectRequest>) -> Result<v1::Hello, Status> {
    let first = incoming.message().await.map_err(unreadable)?;
    match first.and_then(|request| request.message) {
        Some(connect_request::Message::Hello(hello)) => Ok(hello),
        _ => Err(Status::failed_precondition(
            "the first message must be a hello",
        )),
    }
}

/// A message that cannot be decoded is the bot's mistake, where tonic speaks of an internal error; one of the transport has a source.
fn unreadable(status: Status) -> Status {
    if status.code() == Code::Internal && std::error::Error::source(&status).is_none() {
        return Status::invalid_argument(format!(
            "the message cannot be read: {}",
            status.message()
        ));
    }
    status
}

fn saturate<T: TryInto<u32>>(value: T) -> u32 {
    value.try_into().unwrap_or(u32::MAX)
}
