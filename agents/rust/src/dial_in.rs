//! The agent dials the arena: one stream for all its matches, taken up again whenever it breaks.

mod desk;
mod stream;

use std::{sync::Arc, time::Duration};

use backon::{BackoffBuilder, ExponentialBuilder};
use broadside_access::{Access, AccessError};
use broadside_proto::v1::Welcome;
use tokio::{sync::watch, task::JoinHandle, time::sleep};
use tokio_util::sync::CancellationToken;
use tonic::{Code, Status, transport::Endpoint};
use tracing::{info, warn};

use self::{desk::Desk, stream::StreamEnd};
use crate::{Agent, Profile};

/// How often a connection that is silent is pinged.
pub(crate) const KEEPALIVE_INTERVAL: Duration = Duration::from_secs(10);
/// How long a ping may go unanswered before the connection counts as lost.
pub(crate) const KEEPALIVE_TIMEOUT: Duration = Duration::from_secs(10);
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// How often an agent breaks its silence, by default.
const HEARTBEAT_INTERVAL: Duration = Duration::from_secs(10);

/// Where to connect, as whom, and for how long.
#[derive(Clone, Debug)]
pub struct Config {
    /// The arena's address, such as `http://127.0.0.1:4600`.
    pub arena: String,
    /// Who the agent is.
    pub profile: Profile,
    /// Cancelled, it ends the session; matches that are running go on without the agent until their grace is over.
    pub shutdown: CancellationToken,
    /// How a lost connection is taken up again.
    pub retry: Retry,
    /// TLS and the token, for an arena that asks for them.
    pub access: Access,
    /// The agent promises the arena to send something at least that often, and does: an arena that misses it three times takes the
    /// agent for gone. 100 ms to an hour; zero: nothing is promised.
    pub heartbeat_interval: Duration,
    session: watch::Sender<Option<Welcome>>,
}

impl Config {
    /// The agent of `profile`, for the arena at `arena`.
    #[must_use]
    pub fn new(arena: impl Into<String>, profile: impl Into<Profile>) -> Self {
        Self {
            arena: arena.into(),
            profile: profile.into(),
            shutdown: CancellationToken::new(),
            retry: Retry::default(),
            access: Access::default(),
            heartbeat_interval: HEARTBEAT_INTERVAL,
            session: watch::Sender::new(None),
        }
    }

    /// Tells when the arena has welcomed the agent.
    #[must_use]
    pub fn session(&self) -> Session {
        Session(self.session.subscribe())
    }
}

/// How a lost connection is taken up again: after waits that double until the arena welcomes the agent, each with some
/// jitter, so that the agents of an arena that starts anew do not all come at the same moment.
#[derive(Clone, Copy, Debug)]
pub struct Retry {
    /// The shortest wait.
    pub first: Duration,
    /// The longest wait, jitter aside.
    pub longest: Duration,
    /// How many attempts in a row may fail before the agent gives up; none: it never does.
    pub attempts: Option<usize>,
}

impl Default for Retry {
    fn default() -> Self {
        Self {
            first: Duration::from_millis(50),
            longest: Duration::from_secs(10),
            attempts: None,
        }
    }
}

impl Retry {
    fn waits(self) -> impl Iterator<Item = Duration> {
        let builder = ExponentialBuilder::new()
            .with_min_delay(self.first)
            .with_max_delay(self.longest)
            .with_jitter();
        match self.attempts {
            Some(attempts) => builder.with_max_times(attempts),
            None => builder.without_max_times(),
        }
        .build()
    }
}

/// Watches the connection of one [`dial_in`].
#[derive(Clone, Debug)]
pub struct Session(watch::Receiver<Option<Welcome>>);

impl Session {
    /// Waits until the arena has welcomed the agent, which may have happened already; none if it never will,
    /// because [`dial_in`] has ended.
    pub async fn welcomed(&mut self) -> Option<Welcome> {
        self.0.wait_for(Option::is_some).await.ok()?.clone()
    }

    /// Waits until the agent is not connected, or [`dial_in`] has ended.
    pub async fn lost(&mut self) {
        // An error says that the sender is gone, and with it the connection.
        let _ = self.0.wait_for(Option::is_none).await;
    }

    /// What the arena said to the latest hello, if the agent is connected now.
    #[must_use]
    pub fn current(&self) -> Option<Welcome> {
        self.0.borrow().clone()
    }
}

/// Why the agent is no longer connected, other than by its own will.
#[derive(Debug, thiserror::Error)]
pub enum DialInError {
    /// The arena's address is none.
    #[error(transparent)]
    Address(#[from] AccessError),
    /// The same agent connected from elsewhere.
    #[error("another connection of this agent took the session over: {message}")]
    TakenOver {
        /// The arena's sentence.
        message: String,
    },
    /// The arena does not take the agent, and would not if it came again.
    #[error("the arena refuses the agent: {} ({:?})", .0.message(), .0.code())]
    Refused(Status),
    /// [`Retry::attempts`] attempts in a row failed.
    #[error("the arena cannot be reached: {last}")]
    Unreachable {
        /// What went wrong at last.
        last: String,
    },
}

/// Connects to the arena and answers its turns with `agent`, over and over, until
/// [`Config::shutdown`] is cancelled.
///
/// # Errors
/// [`DialInError`] if the agent must not, or need not, try again.
pub async fn dial_in(config: Config, agent: Arc<dyn Agent>) -> Result<(), DialInError> {
    let endpoint = endpoint(&config)?;
    let mut desk = Desk::new(agent);
    let mut resume_token = String::new();
    let mut waits = config.retry.waits();
    loop {
        let end = stream::run(&config, &endpoint, &mut resume_token, &mut desk).await;
        let welcomed = config.session.send_replace(None).is_some();
        let why = match end {
            StreamEnd::Left => {
                info!("left the arena");
                return Ok(());
            }
            StreamEnd::TakenOver(message) => return Err(DialInError::TakenOver { message }),
            StreamEnd::Status(status) if is_final(status.code()) => {
                return Err(DialInError::Refused(status));
            }
            StreamEnd::Status(status) => status.to_string(),
            StreamEnd::Lost(why) => why,
        };
        if welcomed {
            waits = config.retry.waits();
        }
        let Some(wait) = waits.next() else {
            return Err(DialInError::Unreachable { last: why });
        };
        warn!(why, ?wait, "not connected; tries again");
        tokio::select! {
            () = config.shutdown.cancelled() => return Ok(()),
            () = sleep(wait) => {}
        }
    }
}

/// An agent that is dialled in on a task of its own.
#[derive(Debug)]
pub struct DialIn {
    /// Tells when the arena has welcomed the agent.
    pub session: Session,
    /// Ends the session when cancelled.
    pub shutdown: CancellationToken,
    /// Ends as [`dial_in`] does.
    pub task: JoinHandle<Result<(), DialInError>>,
}

impl DialIn {
    /// Runs [`dial_in`] on a new task of the current runtime.
    #[must_use]
    pub fn spawn(config: Config, agent: Arc<dyn Agent>) -> Self {
        Self {
            session: config.session(),
            shutdown: config.shutdown.clone(),
            task: tokio::spawn(dial_in(config, agent)),
        }
    }

    /// Waits for the arena's welcome; none if the task ended without one.
    pub async fn welcomed(&mut self) -> Option<Welcome> {
        self.session.welcomed().await
    }

    /// Leaves the arena and waits until that is done.
    ///
    /// # Errors
    /// The [`DialInError`] with which the task ended before it was asked to.
    pub async fn leave(self) -> Result<(), DialInError> {
        self.shutdown.cancel();
        match self.task.await {
            Ok(ended) => ended,
            Err(error) if error.is_panic() => std::panic::resume_unwind(error.into_panic()),
            // Whoever aborted the task wanted it gone.
            Err(_) => Ok(()),
        }
    }
}

fn endpoint(config: &Config) -> Result<Endpoint, DialInError> {
    Ok(config
        .access
        .endpoint(&config.arena)?
        .connect_timeout(CONNECT_TIMEOUT)
        .tcp_nodelay(true)
        .http2_keep_alive_interval(KEEPALIVE_INTERVAL)
        .keep_alive_timeout(KEEPALIVE_TIMEOUT)
        .keep_alive_while_idle(true))
}

/// Whether coming again would end in the same way.
const fn is_final(code: Code) -> bool {
    matches!(
        code,
        Code::Aborted
            | Code::InvalidArgument
            | Code::FailedPrecondition
            | Code::PermissionDenied
            | Code::Unauthenticated
            | Code::Unimplemented
    )
}
