//! Checks whether a bot keeps the Broadside contract.
//!
//! The bot meets the real arena, in this process, and between the two stands the checker: it plays scripted matches of every
//! variant that the bot claims, sends turns twice, cuts connections, has moves refused and matches cancelled, and grades what the bot
//! does, [rule](rules::RULES) by rule. Each failing quotes the lines of the [transcript] that show it.

mod arena;
mod bench;
mod cut;
mod grades;
pub mod junit;
pub mod launch;
mod moves;
mod raw;
pub mod report;
pub mod rules;
mod stage;
mod summary;
pub mod transcript;
mod wire;

use std::{io, net::SocketAddr, time::Duration};

use broadside_access::Access;
use tokio_util::sync::CancellationToken;

pub use self::arena::DialFiles;
use self::{
    bench::{Bench, Met},
    launch::Launch,
    report::Report,
    transcript::Transcript,
};

/// Where the bot comes from.
#[derive(Clone, Debug)]
pub enum Source {
    /// It dials the checker.
    DialIn {
        /// Where the checker listens; port 0 takes any free one.
        listen: SocketAddr,
    },
    /// The checker dials it.
    Dialled {
        /// Where it serves.
        address: String,
        /// How it is reached.
        access: Access,
    },
}

/// What to check, and how.
pub struct Config {
    /// Where the bot comes from.
    pub source: Source,
    /// What starts it; none: somebody else does.
    pub launch: Option<Launch>,
    /// How long a bot may take for a turn.
    pub cap: Duration,
    /// How long the bot is waited for.
    pub wait: Duration,
    /// Within this a bot should be there again after its connection was cut.
    pub reconnects_soon: Duration,
    /// How long its program may take to end after SIGTERM.
    pub leaves: Duration,
    /// Files for a bot at an https:// address.
    pub dial_files: DialFiles,
    /// Cancelled, it ends the check in order; what is graded by then is reported.
    pub interrupt: CancellationToken,
    /// Where everything that is said is written.
    pub transcript: Transcript,
}

impl Config {
    /// A check with the defaults: 10 s for a turn, a minute to wait for the bot, 10 s to be there again and 5 s to leave.
    #[must_use]
    pub fn new(source: Source) -> Self {
        Self {
            source,
            launch: None,
            cap: Duration::from_secs(10),
            wait: Duration::from_secs(60),
            reconnects_soon: Duration::from_secs(10),
            leaves: Duration::from_secs(5),
            dial_files: DialFiles::default(),
            interrupt: CancellationToken::new(),
            transcript: Transcript::default(),
        }
    }
}

/// Why there could be no check.
#[derive(Debug, thiserror::Error)]
pub enum CheckError {
    /// The address of a bot is none.
    #[error("{0}")]
    Address(String),
    /// The checker cannot listen.
    #[error("cannot listen on {address}: {source}")]
    Listen {
        /// Where.
        address: SocketAddr,
        /// Why.
        source: io::Error,
    },
    /// The arena in this process does not run.
    #[error("the checker's own arena does not run: {0}")]
    Arena(String),
    /// No bot came.
    #[error("{0}")]
    NoBot(String),
}

/// A check that is set up.
pub struct Check(Bench);

impl Check {
    /// Starts the arena, and listens if the bot is to dial in.
    ///
    /// # Errors
    /// If that cannot be.
    pub async fn set_up(config: Config) -> Result<Self, CheckError> {
        Bench::set_up(config).await.map(Self)
    }

    /// Where the bot dials in, or is dialled.
    #[must_use]
    pub fn address(&self) -> &str {
        &self.0.address
    }

    /// Waits for the bot, and checks it.
    ///
    /// # Errors
    /// If no bot came.
    pub async fn run(self) -> Result<Report, CheckError> {
        let Self(mut bench) = self;
        let met = bench.meet().await;
        let ended = match met {
            Ok(Met::Here) => stage::run(&mut bench).await,
            Ok(Met::NotLetIn) => {
                stage::skip_rest(&mut bench, "the bot was not let in");
                None
            }
            Ok(Met::Nobody(why)) => {
                bench.kill().await;
                bench.arena.stop().await;
                return Err(CheckError::NoBot(why));
            }
            Err(broken) => Some(broken),
        };
        bench.kill().await;
        if let Some(broken) = &ended {
            stage::skip_rest(&mut bench, &broken.why());
        }
        let report = Report::of(&bench, ended.as_ref());
        bench.arena.stop().await;
        Ok(report)
    }
}
