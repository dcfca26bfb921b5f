use std::{pin::pin, time::Duration};

use broadside_proto::{
    PROTOCOL_VERSION,
    v1::{
        ConnectRequest, ConnectResponse, Heartbeat, Hello, MatchEnd, MatchStart, Rejected,
        SessionEnd, SessionEndReason, Welcome, connect_request, connect_response::Message,
        gateway_service_client::GatewayServiceClient,
    },
};
use tokio::{
    sync::mpsc,
    time::{Interval, MissedTickBehavior, interval, timeout},
};
use tokio_stream::wrappers::ReceiverStream;
use tonic::{Request, Status, Streaming, transport::Endpoint};
use tracing::{debug, info, warn};

use super::{Config, desk::Desk};

/// How long the arena may take to answer the hello.
const WELCOME_TIMEOUT: Duration = Duration::from_secs(10);
/// How long the arena may take to close the stream once the agent has.
const LEAVE_TIMEOUT: Duration = Duration::from_secs(1);
/// A stream counts as lost after so many of the arena's heartbeats have not come.
const HEARTBEATS_MISSED: u32 = 3;

/// How a stream ended.
pub(super) enum StreamEnd {
    /// The agent was told to leave.
    Left,
    /// Another connection of the agent took the session over.
    TakenOver(String),
    /// The arena ended it with a status.
    Status(Status),
    /// It broke, or was closed without a status.
    Lost(String),
}

/// Connects once, and answers turns until that connection is over.
pub(super) async fn run(
    config: &Config,
    endpoint: &Endpoint,
    resume_token: &mut String,
    desk: &mut Desk,
) -> StreamEnd {
    let opened = tokio::select! {
        biased;
        () = config.shutdown.cancelled() => return StreamEnd::Left,
        opened = open(config, endpoint, resume_token) => opened,
    };
    let (answers, inbound, welcome) = match opened {
        Ok(opened) => opened,
        Err(end) => return end,
    };
    info!(
        arena = config.arena,
        name = config.profile.name,
        resumed = welcome.resumed,
        "connected"
    );
    resume_token.clone_from(&welcome.resume_token);
    let heartbeat = welcome
        .limits
        .as_ref()
        .map(|limits| limits.heartbeat_interval_ms)
        .filter(|&ms| ms > 0)
        .map(|ms| Duration::from_millis(ms.into()));
    config.session.send_replace(Some(welcome));
    talk(config, answers, inbound, heartbeat, desk).await
}

type Opened = (
    mpsc::Sender<ConnectRequest>,
    Streaming<ConnectResponse>,
    Welcome,
);

async fn open(
    config: &Config,
    endpoint: &Endpoint,
    resume_token: &str,
) -> Result<Opened, StreamEnd> {
    let channel = endpoint
        .connect()
        .await
        .map_err(|error| StreamEnd::Lost(with_causes(&error)))?;
    let hello = ConnectRequest {
        message: Some(connect_request::Message::Hello(Hello {
            protocol_version: PROTOCOL_VERSION,
            profile: Some(config.profile.clone()),
            resume_token: resume_token.to_owned(),
            heartbeat_interval_ms: promised_ms(config),
        })),
    };
    // Room for an answer to every turn that can be pending at once: a match of the agent against itself has two.
    let room = config.profile.max_matches.saturating_mul(2).clamp(16, 4096);
    let (answers, outbound) = mpsc::channel(room as usize);
    // Before the call is awaited: it may not come back before the first message has gone out.
    let queued = answers.try_send(hello);
    debug_assert!(queued.is_ok(), "the channel is empty");

    let mut call = Request::new(ReceiverStream::new(outbound));
    config.access.authorize(&mut call);
    let greeted = timeout(WELCOME_TIMEOUT, async {
        let mut inbound = GatewayServiceClient::new(channel)
            .connect(call)
            .await?
            .into_inner();
        // What it does not know it ignores, from the beginning.
        let first = loop {
            match inbound.message().await? {
                Some(ConnectResponse { message: None }) => {}
                first => break first,
            }
        };
        Ok::<_, Status>((inbound, first))
    });
    let (inbound, first) = greeted
        .await
        .map_err(|_| StreamEnd::Lost("the arena did not answer the hello in time".into()))?
        .map_err(StreamEnd::Status)?;
    match first.and_then(|response| response.message) {
        Some(Message::Welcome(welcome)) => Ok((answers, inbound, welcome)),
        Some(Message::SessionEnd(end)) => Err(session_ended(end, inbound).await),
        Some(_) => Err(StreamEnd::Lost(
            "the arena's first message is no welcome".into(),
        )),
        None => Err(StreamEnd::Lost(
            "the arena closed the stream without a welcome".into(),
        )),
    }
}

/// The heartbeat that the hello promises; none if the configuration says so.
fn promised_ms(config: &Config) -> Option<u32> {
    let ms = config.heartbeat_interval.as_millis();
    (ms > 0).then(|| u32::try_from(ms).unwrap_or(u32::MAX))
}

async fn talk(
    config: &Config,
    answers: mpsc::Sender<ConnectRequest>,
    mut inbound: Streaming<ConnectResponse>,
    heartbeat: Option<Duration>,
    desk: &mut Desk,
) -> StreamEnd {
    let mut shutdown = pin!(config.shutdown.cancelled());
    let mut silent = Silence::new(heartbeat, HEARTBEATS_MISSED);
    // Twice as often as promised, so that silence between two ticks is never longer than that.
    let mut own = Silence::new(
        promised_ms(config).map(|_| config.heartbeat_interval / 2),
        1,
    );
    loop {
        let message = tokio::select! {
            biased;
            () = &mut shutdown => {
                drop(answers);
                return leave(inbound).await;
            }
            decided = desk.decided() => decided,
            heard = inbound.message() => {
                silent.broken();
                match heard {
                    Ok(Some(ConnectResponse { message: Some(message) })) => {
                        match hear(message, desk) {
                            Heard::Answer(answer) => Some(answer),
                            Heard::Nothing => None,
                            Heard::End(end) => return session_ended(end, inbound).await,
                        }
                    }
                    Ok(Some(ConnectResponse { message: None })) => {
                        debug!("ignores a message of a kind that it does not know");
                        None
                    }
                    Ok(None) => return StreamEnd::Lost("the arena closed the stream".into()),
                    Err(status) => return StreamEnd::Status(status),
                }
            }
            () = silent.lasts() => {
                return StreamEnd::Lost("the arena has fallen silent".into());
            }
            () = own.lasts() => Some(a_heartbeat()),
        };
        let Some(message) = message else { continue };
        own.broken();
        tokio::select! {
            biased;
            sent = answers.send(message) => if sent.is_err() {
                return ended(inbound).await;
            },
            () = &mut shutdown => {
                drop(answers);
                return leave(inbound).await;
            }
        }
    }
}

fn a_heartbeat() -> ConnectRequest {
    ConnectRequest {
        message: Some(connect_request::Message::Heartbeat(Heartbeat { beat: 0 })),
    }
}

enum Heard {
    Answer(ConnectRequest),
    Nothing,
    End(SessionEnd),
}

fn hear(message: Message, desk: &mut Desk) -> Heard {
    match message {
        Message::Turn(turn) => return desk.turn(turn).map_or(Heard::Nothing, Heard::Answer),
        Message::SessionEnd(end) => return Heard::End(end),
        Message::MatchStart(start) => match_started(&start, desk),
        Message::MatchEnd(end) => match_ended(&end, desk),
        Message::Rejected(rejected) => was_rejected(&rejected, desk),
        Message::Welcome(_) | Message::Accepted(_) | Message::Heartbeat(_) => {}
    }
    Heard::Nothing
}

fn match_started(start: &MatchStart, desk: &Desk) {
    debug!(
        start.match_id,
        seat = start.seat,
        opponent = start.opponent,
        "match begins"
    );
    desk.match_started(start);
}

fn match_ended(end: &MatchEnd, desk: &mut Desk) {
    let outcome = end.outcome.as_ref().map_or("", |outcome| &outcome.message);
    debug!(end.match_id, seat = end.seat, outcome, "match is over");
    desk.match_ended(end);
}

fn was_rejected(rejected: &Rejected, desk: &Desk) {
    debug!(
        rejected.match_id,
        rejected.turn_id,
        why = rejected.message,
        "rejected"
    );
    desk.rejected(rejected);
}

/// Whether the agent may come again is what the stream's status says, whatever the reason: there may be more of those some day.
async fn session_ended(end: SessionEnd, mut inbound: Streaming<ConnectResponse>) -> StreamEnd {
    if end.reason() == SessionEndReason::TakenOver {
        return StreamEnd::TakenOver(end.message);
    }
    let status = timeout(LEAVE_TIMEOUT, async {
        loop {
            match inbound.message().await {
                Ok(Some(_)) => {}
                Ok(None) => return None,
                Err(status) => return Some(status),
            }
        }
    });
    match status.await {
        Ok(Some(status)) => {
            warn!(why = end.message, "the arena ends the session");
            StreamEnd::Status(status)
        }
        _ => StreamEnd::Lost(format!("the arena ends the session: {}", end.message)),
    }
}

/// Lets the arena close the stream, whose sending half is closed already.
async fn leave(mut inbound: Streaming<ConnectResponse>) -> StreamEnd {
    let closed = timeout(LEAVE_TIMEOUT, async {
        while let Ok(Some(_)) = inbound.message().await {}
    });
    if closed.await.is_err() {
        warn!("the arena did not close the stream in time");
    }
    StreamEnd::Left
}

/// Why the arena no longer takes answers: what it says of that comes last on the stream.
async fn ended(mut inbound: Streaming<ConnectResponse>) -> StreamEnd {
    let last = timeout(LEAVE_TIMEOUT, async {
        loop {
            match inbound.message().await {
                Ok(Some(ConnectResponse {
                    message: Some(Message::SessionEnd(end)),
                })) => return Ok(end),
                Ok(Some(_)) => {}
                Ok(None) => {
                    return Err(StreamEnd::Lost("the arena closed the stream".into()));
                }
                Err(status) => return Err(StreamEnd::Status(status)),
            }
        }
    });
    match last.await {
        Ok(Ok(end)) => session_ended(end, inbound).await,
        Ok(Err(ended)) => ended,
        Err(_) => StreamEnd::Lost("the arena takes no more answers".into()),
    }
}

/// Notices that nothing has been heard, or said, for some intervals, at the cost of a flag a message instead of a timer.
struct Silence {
    ticks: Option<Interval>,
    /// How many intervals are too many.
    patience: u32,
    broken: bool,
    silent: u32,
}

impl Silence {
    fn new(period: Option<Duration>, patience: u32) -> Self {
        let ticks = period.map(|period| {
            let mut ticks = interval(period);
            ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
            ticks
        });
        Self {
            ticks,
            patience,
            // The first tick comes at once.
            broken: true,
            silent: 0,
        }
    }

    const fn broken(&mut self) {
        self.broken = true;
    }

    async fn lasts(&mut self) {
        let Some(ticks) = &mut self.ticks else {
            return std::future::pending().await;
        };
        loop {
            ticks.tick().await;
            self.silent = if std::mem::take(&mut self.broken) {
                0
            } else {
                self.silent + 1
            };
            if self.silent >= self.patience {
                return;
            }
        }
    }
}

/// The error and what caused it: tonic's own text is only "transport error".
fn with_causes(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text.push_str(": ");
        text.push_str(&error.to_string());
        cause = error.source();
    }
    text
}
