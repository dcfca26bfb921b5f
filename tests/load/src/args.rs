//! The command line.

use std::{fmt, path::PathBuf};

use broadside_proto::v1;
use clap::{Parser, Subcommand, ValueEnum};

/// How fast the arena is beside bare tonic.
#[derive(Debug, Parser)]
#[command(name = "broadside-load", args_conflicts_with_subcommands = true)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
    #[command(flatten)]
    pub(crate) speed: SpeedArgs,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Thousands of agents that wait and thousands of matches that run: their memory, and how soon a newcomer's match starts.
    Crowd(CrowdArgs),
    /// A great many turns: no time losses, and memory that does not grow.
    Endurance(EnduranceArgs),
    /// The arena, for the bench itself.
    #[command(hide = true)]
    Arena(ArenaRole),
    /// The bots of one seat, for the bench itself.
    #[command(hide = true)]
    Bots(BotsRole),
    /// Bare tonic, for the bench itself.
    #[command(hide = true)]
    EchoServer,
    /// Bare tonic's peer, for the bench itself.
    #[command(hide = true)]
    EchoClient(EchoClientRole),
}

/// What is measured, and how long.
#[derive(Clone, Debug, Parser)]
pub(crate) struct SpeedArgs {
    /// Matches at once.
    #[arg(
        long,
        value_delimiter = ',',
        default_value = "1,8,64,512,4096",
        value_parser = matches,
        value_name = "N,..."
    )]
    pub(crate) matches: Vec<usize>,
    /// How the arena reaches its bots.
    #[arg(
        long,
        value_delimiter = ',',
        default_value = "stream,streams,dialled",
        value_name = "ROUTE,..."
    )]
    pub(crate) route: Vec<Route>,
    /// What is played.
    #[arg(
        long,
        value_delimiter = ',',
        default_value = "classic,salvo,abalone",
        value_name = "GAME,..."
    )]
    pub(crate) variant: Vec<Played>,
    /// Where matches are kept.
    #[arg(
        long,
        value_delimiter = ',',
        default_value = "memory,sqlite",
        value_name = "STORE,..."
    )]
    pub(crate) store: Vec<Kept>,
    /// Rounds; a figure is the median of them.
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=1000), value_name = "N")]
    pub(crate) rounds: u32,
    /// How long turns are counted in a round, in seconds; they are played for half as long before that.
    #[arg(long, default_value_t = 1.0, value_parser = seconds, value_name = "SECONDS")]
    pub(crate) seconds: f64,
    /// Leave the echo of bare tonic out.
    #[arg(long)]
    pub(crate) no_echo: bool,
    /// Also write what was measured to this file, as JSON.
    #[arg(long, value_name = "FILE")]
    pub(crate) json: Option<PathBuf>,
}

#[derive(Clone, Debug, Parser)]
pub(crate) struct CrowdArgs {
    /// Agents that are connected and play nothing, each on a connection of its own.
    #[arg(long, default_value_t = 10_000, value_parser = some, value_name = "N")]
    pub(crate) idle: usize,
    /// Matches that run meanwhile.
    #[arg(long, default_value_t = 4_096, value_parser = matches, value_name = "N")]
    pub(crate) running: usize,
    /// Rounds of the idle agents and of bare tonic; a figure is the median of them.
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=1000), value_name = "N")]
    pub(crate) rounds: u32,
    /// Newcomers, one after another.
    #[arg(long, default_value_t = 500, value_parser = some, value_name = "N")]
    pub(crate) newcomers: usize,
    /// Also write what was measured to this file, as JSON.
    #[arg(long, value_name = "FILE")]
    pub(crate) json: Option<PathBuf>,
}

#[derive(Clone, Debug, Parser)]
pub(crate) struct EnduranceArgs {
    /// Turns to be played.
    #[arg(long, default_value_t = 1_000_000, value_parser = clap::value_parser!(u64).range(1..), value_name = "N")]
    pub(crate) turns: u64,
    /// Matches at once.
    #[arg(long, default_value_t = 512, value_parser = matches, value_name = "N")]
    pub(crate) matches: usize,
    /// Where matches are kept.
    #[arg(long, default_value = "memory", value_name = "STORE")]
    pub(crate) store: Kept,
    /// Also write what was measured to this file, as JSON.
    #[arg(long, value_name = "FILE")]
    pub(crate) json: Option<PathBuf>,
}

/// Matches at once: as many as an arena gives one agent.
fn matches(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(matches @ 1..=4_096) => Ok(matches),
        _ => Err("it must be a number from 1 to 4096".to_owned()),
    }
}

/// Agents of a crowd.
fn some(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(some @ 1..=15_000) => Ok(some),
        _ => Err("it must be a number from 1 to 15000".to_owned()),
    }
}

/// How long something is measured.
fn seconds(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(seconds) if (0.01..=3_600.0).contains(&seconds) => Ok(seconds),
        _ => Err("it must be a number of seconds from 0.01 to 3600".to_owned()),
    }
}

/// How the arena reaches its bots.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Route {
    /// Two bots dial in, each with one stream for all its matches.
    Stream,
    /// Two bots for each match dial in.
    Streams,
    /// The arena dials two bots.
    Dialled,
}

/// What is played.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Played {
    Classic,
    Salvo,
    Abalone,
}

impl Played {
    pub(crate) fn variant(self) -> v1::Variant {
        match self {
            Self::Classic => v1::Variant::Classic,
            Self::Salvo => v1::Variant::Salvo,
            Self::Abalone => v1::Variant::Abalone,
        }
    }
}

/// Where matches are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Kept {
    /// In memory.
    Memory,
    /// In SQLite, with the default durability: a move is on the disk before anybody sees its effect.
    Sqlite,
}

/// How the echo is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Shape {
    /// Many games on one stream.
    Multiplexed,
    /// A stream for each game.
    Streams,
    /// A call for each turn.
    Unary,
}

macro_rules! displayed {
    ($($kind:ty),*) => {$(
        impl fmt::Display for $kind {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                match self.to_possible_value() {
                    Some(value) => f.write_str(value.get_name()),
                    None => Ok(()),
                }
            }
        }
    )*};
}
displayed!(Route, Played, Kept, Shape);

#[derive(Clone, Debug, Parser)]
pub(crate) struct ArenaRole {
    /// Where matches are kept.
    #[arg(long)]
    pub(crate) store: Kept,
    /// Matches that a store in memory keeps after their end.
    #[arg(long, default_value_t = 10_000)]
    pub(crate) keep: usize,
}

#[derive(Clone, Debug, Parser)]
pub(crate) struct BotsRole {
    /// The arena.
    #[arg(long)]
    pub(crate) arena: String,
    /// Names its agents: NAME, or NAME-0 and so on.
    #[arg(long)]
    pub(crate) name: String,
    /// Who they play: a name like that, or an address. Without one they create no matches.
    #[arg(long)]
    pub(crate) opponent: Option<String>,
    #[arg(long)]
    pub(crate) route: Route,
    #[arg(long)]
    pub(crate) variant: Played,
    /// Matches at once, for all agents together.
    #[arg(long)]
    pub(crate) matches: usize,
    /// One match in so many is timed turn by turn.
    #[arg(long, default_value_t = 1)]
    pub(crate) sample: u64,
    /// One connection for each agent.
    #[arg(long)]
    pub(crate) apart: bool,
}

#[derive(Clone, Debug, Parser)]
pub(crate) struct EchoClientRole {
    /// The echo.
    #[arg(long)]
    pub(crate) server: String,
    #[arg(long)]
    pub(crate) shape: Shape,
    /// Games, each with one round trip at a time.
    #[arg(long)]
    pub(crate) games: usize,
    /// Bytes of a message to the server.
    #[arg(long)]
    pub(crate) request: usize,
    /// Bytes of its answer.
    #[arg(long)]
    pub(crate) reply: usize,
    /// Open the streams, each on a connection of its own, and send one message on each and no more.
    #[arg(long)]
    pub(crate) idle: bool,
}
