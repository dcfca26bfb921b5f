//! The stream to the arena, taken up again when it breaks.

use std::time::Duration;

use broadside_proto::{
    PROTOCOL_VERSION,
    v1::{
        AgentProfile, ConnectRequest, ConnectResponse, Heartbeat, Hello, SessionEndReason,
        SessionLimits, Welcome, connect_request, connect_response,
    },
};
use tokio::{
    sync::mpsc,
    time::{Instant, MissedTickBehavior, interval_at, sleep, timeout},
};
use tokio_stream::wrappers::ReceiverStream;
use tonic::{Code, Status, Streaming};

use crate::{client::Arena, error::Error, text::escape};

const WELCOME_TIMEOUT: Duration = Duration::from_secs(10);
const FIRST_WAIT: Duration = Duration::from_millis(250);
const LONGEST_WAIT: Duration = Duration::from_secs(5);
const QUEUE: usize = 64;
/// So many heartbeats without a sign of life, and the connection counts as lost.
const MISSED_BEATS: u32 = 3;

/// What comes over the stream, and what becomes of it.
#[derive(Debug)]
pub(super) enum News {
    /// The arena says something.
    Message(Box<connect_response::Message>),
    /// The connection is lost, and is being tried again.
    Lost,
    /// It is back; pending turns come again. These matches are still running.
    Back(Vec<u64>),
}

/// A stream that is looked after by a task of its own.
pub(super) struct Session {
    outgoing: mpsc::Sender<connect_request::Message>,
    news: mpsc::Receiver<Result<News, Error>>,
}

impl Session {
    /// Sends a message, or keeps it until the connection is back.
    pub(super) async fn send(&self, message: connect_request::Message) -> Result<(), Error> {
        let sent = self.outgoing.send(message).await;
        // Why the task is gone is the next of its news.
        sent.or(Ok(()))
    }

    /// The next news.
    pub(super) async fn news(&mut self) -> Result<News, Error> {
        match self.news.recv().await {
            Some(news) => news,
            None => Err(Error::SessionEnded("the stream is closed".to_owned())),
        }
    }
}

/// One connection.
struct Link {
    outgoing: mpsc::Sender<ConnectRequest>,
    incoming: Streaming<ConnectResponse>,
    resume_token: String,
    /// When it was opened.
    running_matches: Vec<u64>,
    limits: SessionLimits,
}

/// Says hello and waits for the welcome.
pub(super) async fn open(arena: &Arena, profile: AgentProfile) -> Result<Session, Error> {
    let link = dial(arena, &profile, String::new()).await?;
    let (outgoing, to_send) = mpsc::channel(QUEUE);
    let (to_tell, news) = mpsc::channel(QUEUE);
    let arena = arena.clone();
    tokio::spawn(async move {
        if let Err(error) = keep(&arena, &profile, link, to_send, &to_tell).await {
            // Nobody listens any more: nobody need know.
            let _ = to_tell.send(Err(error)).await;
        }
    });
    Ok(Session { outgoing, news })
}

async fn dial(arena: &Arena, profile: &AgentProfile, resume_token: String) -> Result<Link, Error> {
    let doing = "connect as a player";
    let (outgoing, requests) = mpsc::channel(QUEUE);
    let hello = connect_request::Message::Hello(Hello {
        protocol_version: PROTOCOL_VERSION,
        profile: Some(profile.clone()),
        resume_token,
        ..Hello::default()
    });
    // The hello is queued before the call: the arena answers nothing before it has read it.
    let queued = outgoing.send(request(hello)).await;
    queued.map_err(|_| arena.lost(doing, "closed the stream"))?;
    let mut gateway = arena.gateway();
    let call = gateway.connect(ReceiverStream::new(requests));
    let mut incoming = arena.call(doing, call).await?;
    let first = timeout(WELCOME_TIMEOUT, first_known(&mut incoming)).await;
    let first = first.map_err(|_| arena.lost(doing, "did not answer the hello"))?;
    let first = first.map_err(|status| arena.failed(doing, status))?;
    match first.and_then(|response| response.message) {
        Some(connect_response::Message::Welcome(Welcome {
            resume_token,
            limits,
            protocol_version: _,
            resumed: _,
            running_matches,
        })) => Ok(Link {
            running_matches,
            outgoing,
            incoming,
            resume_token,
            limits: limits.unwrap_or_default(),
        }),
        Some(connect_response::Message::SessionEnd(end)) => {
            Err(Error::SessionEnded(escape(&end.message)))
        }
        _ => Err(Error::Incomplete {
            doing: doing.to_owned(),
            missing: "welcome",
        }),
    }
}

/// What is not known is ignored, from the beginning.
async fn first_known(
    incoming: &mut Streaming<ConnectResponse>,
) -> Result<Option<ConnectResponse>, Status> {
    loop {
        match incoming.message().await? {
            Some(ConnectResponse { message: None }) => {}
            first => return Ok(first),
        }
    }
}

fn request(message: connect_request::Message) -> ConnectRequest {
    ConnectRequest {
        message: Some(message),
    }
}

/// Carries messages both ways, over one connection after another, until nobody wants them.
async fn keep(
    arena: &Arena,
    profile: &AgentProfile,
    mut link: Link,
    mut to_send: mpsc::Receiver<connect_request::Message>,
    to_tell: &mpsc::Sender<Result<News, Error>>,
) -> Result<(), Error> {
    loop {
        match carry(&mut link, &mut to_send, to_tell).await {
            Break::NotWanted => return Ok(()),
            Break::Final(error) => return Err(error),
            Break::Lost => {}
        }
        if to_tell.send(Ok(News::Lost)).await.is_err() {
            return Ok(());
        }
        link = redial(arena, profile, &link).await?;
        let back = News::Back(std::mem::take(&mut link.running_matches));
        if to_tell.send(Ok(back)).await.is_err() {
            return Ok(());
        }
    }
}

/// Why a connection is not used any more.
enum Break {
    NotWanted,
    Lost,
    Final(Error),
}

async fn carry(
    link: &mut Link,
    to_send: &mut mpsc::Receiver<connect_request::Message>,
    to_tell: &mpsc::Sender<Result<News, Error>>,
) -> Break {
    let every = Duration::from_millis(link.limits.heartbeat_interval_ms.max(1000).into());
    let mut beats = interval_at(Instant::now() + every, every);
    beats.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut beat = 0;
    let mut heard = Instant::now();
    loop {
        tokio::select! {
            message = link.incoming.message() => {
                heard = Instant::now();
                let message = match message {
                    Ok(Some(response)) => response.message,
                    Ok(None) => return Break::Lost,
                    Err(status) if is_final(&status) => {
                        return Break::Final(Error::SessionEnded(escape(status.message())));
                    }
                    Err(_) => return Break::Lost,
                };
                match message {
                    Some(connect_response::Message::SessionEnd(end))
                        if end.reason() == SessionEndReason::TakenOver =>
                    {
                        return Break::Final(Error::SessionEnded(escape(&end.message)));
                    }
                    Some(connect_response::Message::SessionEnd(_)) => return Break::Lost,
                    Some(connect_response::Message::Heartbeat(_)) | None => {}
                    Some(message) => {
                        if to_tell.send(Ok(News::Message(Box::new(message)))).await.is_err() {
                            return Break::NotWanted;
                        }
                    }
                }
            }
            message = to_send.recv() => {
                let Some(message) = message else { return Break::NotWanted };
                if link.outgoing.send(request(message)).await.is_err() {
                    return Break::Lost;
                }
            }
            _ = beats.tick() => {
                if heard.elapsed() > every * MISSED_BEATS {
                    return Break::Lost;
                }
                beat += 1;
                let heartbeat = connect_request::Message::Heartbeat(Heartbeat { beat });
                if link.outgoing.send(request(heartbeat)).await.is_err() {
                    return Break::Lost;
                }
            }
        }
    }
}

/// Connects again within the arena's grace, waiting longer each time.
async fn redial(arena: &Arena, profile: &AgentProfile, lost: &Link) -> Result<Link, Error> {
    let until = Instant::now() + Duration::from_millis(lost.limits.grace_ms.into());
    let mut wait = FIRST_WAIT;
    loop {
        sleep(wait).await;
        match dial(arena, profile, lost.resume_token.clone()).await {
            Ok(link) => return Ok(link),
            Err(Error::Refused { status, doing }) if is_final(&status) => {
                return Err(Error::Refused { doing, status });
            }
            Err(error @ Error::SessionEnded(_)) => return Err(error),
            Err(error) if Instant::now() >= until => return Err(error),
            Err(_) => wait = (wait * 2).min(LONGEST_WAIT),
        }
    }
}

/// Whether trying again would be wrong or in vain.
fn is_final(status: &Status) -> bool {
    matches!(
        status.code(),
        Code::Aborted
            | Code::FailedPrecondition
            | Code::InvalidArgument
            | Code::Unauthenticated
            | Code::PermissionDenied
            | Code::Unimplemented
    )
}
