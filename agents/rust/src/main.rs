//! Brings a reference agent to an arena: `broadside-agent random` or `broadside-agent hunter`.

use std::{
    io::IsTerminal,
    net::SocketAddr,
    path::{Path, PathBuf},
    process::ExitCode,
    sync::Arc,
};

use anyhow::Context;
use broadside_agents::{
    AccessArgs, Agent, Config, DialInError, Hunter, Profile, Random, Seed, dial_in, profile, serve,
    serve_tls,
};
use broadside_proto::v1::Variant;
use clap::{Args, Parser, Subcommand};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;
use tonic::transport::Identity;
use tracing::info;
use tracing_subscriber::EnvFilter;

/// A reference agent for Broadside, the arena for bots.
///
/// It connects to an arena and answers turns until it is stopped, or serves arenas that connect to it.
/// RUST_LOG says what is logged (to stderr); `info` by default.
///
/// Exit status: 0 told to stop; 1 refused by the arena, or the address to serve is taken; 2 wrong usage; 3 another bot took its name over.
#[derive(Debug, Parser)]
#[command(version)]
struct Cli {
    #[command(subcommand)]
    agent: AgentKind,
}

#[derive(Debug, Subcommand)]
enum AgentKind {
    /// Plays a legal move drawn uniformly; knows no rules.
    Random(Play),
    /// Knows the rules of every variant and plays soundly.
    Hunter(Play),
}

#[derive(Debug, Args)]
struct Play {
    /// The arena to connect to.
    #[arg(
        long,
        value_name = "URL",
        env = "BROADSIDE_ARENA",
        default_value = "http://127.0.0.1:4600"
    )]
    connect: String,
    /// Serve arenas at this address instead of connecting to one; port 0 picks a free one. `serving on ADDRESS` is printed to stdout.
    #[arg(long, value_name = "ADDRESS")]
    serve: Option<SocketAddr>,
    /// Serve with TLS by this certificate and the chain to its root, in PEM.
    #[arg(long, value_name = "FILE", requires_all = ["serve", "tls_key"])]
    tls_cert: Option<PathBuf>,
    /// That certificate's private key, in PEM.
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    tls_key: Option<PathBuf>,
    #[command(flatten)]
    access: AccessArgs,
    /// The agent's name at the arena: one connected session a name [default: the agent's kind].
    #[arg(long)]
    name: Option<String>,
    /// Seed of everything that the agent draws.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// How many matches it takes at once.
    #[arg(long, value_name = "N", default_value_t = 16, value_parser = clap::value_parser!(u32).range(1..))]
    matches: u32,
    /// The variants it plays, separated by commas [default: all].
    #[arg(long, value_name = "NAMES", value_delimiter = ',', value_parser = profile::variant)]
    variants: Vec<Variant>,
}

impl Play {
    fn profile(&self, kind: &str) -> profile::Builder {
        let name = self.name.as_deref().unwrap_or(kind);
        let profile = profile::every_variant(name, self.matches);
        if self.variants.is_empty() {
            profile
        } else {
            profile.with_variants(&self.variants)
        }
    }
}

#[tokio::main]
async fn main() -> ExitCode {
    match run(Cli::parse()).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            match error.downcast_ref() {
                Some(DialInError::TakenOver { .. }) => ExitCode::from(3),
                _ => ExitCode::FAILURE,
            }
        }
    }
}

async fn run(cli: Cli) -> anyhow::Result<()> {
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new("info"));
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        .with_ansi(std::io::stderr().is_terminal())
        .init();
    let (play, profile, agent): (_, Profile, Arc<dyn Agent>) = match cli.agent {
        AgentKind::Random(play) => {
            let profile = play.profile("random").with_legal_moves();
            let agent = Arc::new(Random::new(Seed(play.seed)));
            (play, profile.into(), agent)
        }
        AgentKind::Hunter(play) => {
            let profile = play.profile("hunter");
            let agent = Arc::new(Hunter::new(Seed(play.seed)));
            (play, profile.into(), agent)
        }
    };
    let shutdown = stopped()?;
    match play.serve {
        Some(address) => {
            let listener = TcpListener::bind(address)
                .await
                .with_context(|| format!("cannot listen on {address}"))?;
            println!("serving on {}", listener.local_addr()?);
            match play.tls_cert.zip(play.tls_key) {
                Some((cert, key)) => {
                    let identity = Identity::from_pem(read(&cert)?, read(&key)?);
                    serve_tls(listener, profile, agent, identity, shutdown).await?;
                }
                None => serve(listener, profile, agent, shutdown).await?,
            }
        }
        None => {
            let mut config = Config::new(play.connect, profile);
            config.shutdown = shutdown;
            config.access = play.access.read()?;
            dial_in(config, agent).await?;
        }
    }
    Ok(())
}

fn read(path: &Path) -> anyhow::Result<Vec<u8>> {
    std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))
}

/// Cancelled by the first Ctrl-C or SIGTERM; a second Ctrl-C is no longer waited for.
fn stopped() -> anyhow::Result<CancellationToken> {
    let shutdown = CancellationToken::new();
    let stop = shutdown.clone();
    #[cfg(unix)]
    let mut terminated = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate())
        .context("cannot wait for SIGTERM")?;
    tokio::spawn(async move {
        #[cfg(unix)]
        tokio::select! {
            _ = tokio::signal::ctrl_c() => {}
            _ = terminated.recv() => {}
        }
        #[cfg(not(unix))]
        let _ = tokio::signal::ctrl_c().await;
        info!("stops");
        stop.cancel();
    });
    Ok(shutdown)
}
