//! The command line's grammar.

use std::{ffi::OsString, net::SocketAddr, path::PathBuf};

use anstream::ColorChoice;
use broadside_access::AccessArgs;
use broadside_proto::v1::{MatchState, Player, Seat, Seating, TimeControl, Variant, player};
use clap::{
    Args, Parser, Subcommand, ValueEnum,
    builder::{PossibleValuesParser, TypedValueParser},
};

use crate::names::{VARIANTS, slug};

const AFTER_HELP: &str = "\
Exit codes:
  0  done
  1  the arena refused, a file could not be used, or a record cannot be believed
  2  the command line is wrong
  3  the arena is not there, or stopped answering
  4  there is no such match
  5  the match that was played or watched ended without a result (cancelled, void, or the arena's fault)
  6  the bot that was checked breaks a rule
  7  the bot to be checked did not come
  130  the check was interrupted";

/// Create, watch and replay matches of the Broadside arena, and play against its agents.
#[derive(Debug, Parser)]
#[command(name = "broadside", version, after_help = AFTER_HELP, max_term_width = 120)]
pub struct Cli {
    /// Where the arena is.
    #[arg(
        long,
        global = true,
        env = "BROADSIDE_ARENA",
        default_value = "http://127.0.0.1:4600",
        value_name = "URL"
    )]
    pub arena: String,
    /// How to reach it.
    #[command(flatten)]
    pub access: AccessArgs,
    /// Print proto-JSON instead of text: one object, or one on each line for news of a match.
    #[arg(long, global = true)]
    pub json: bool,
    /// When to use colours.
    #[arg(long, global = true, value_enum, default_value_t, value_name = "WHEN")]
    pub color: Color,
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// When to use colours.
#[derive(Clone, Copy, Debug, Default, ValueEnum)]
pub enum Color {
    /// On a terminal, unless NO_COLOR is set.
    #[default]
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

impl From<Color> for ColorChoice {
    fn from(color: Color) -> Self {
        match color {
            Color::Auto => Self::Auto,
            Color::Always => Self::AlwaysAnsi,
            Color::Never => Self::Never,
        }
    }
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// List the variants with their options and fleets.
    Variants,
    /// List the agents that are connected or play a match.
    Agents,
    /// List every limit that holds on the arena.
    Limits,
    /// Create, show, watch and cancel matches.
    #[command(subcommand)]
    Match(MatchCommand),
    /// Play against an agent yourself.
    Play(PlayArgs),
    /// Go through the record of a match, without an arena.
    Replay(ReplayArgs),
    /// Check whether a bot keeps the contract, rule by rule; needs no arena.
    Check(CheckArgs),
    /// Check whether records can be believed, without an arena: hash chain, signature, rules, clocks, outcome.
    Verify(VerifyArgs),
}

/// What to do with matches.
#[derive(Debug, Subcommand)]
pub enum MatchCommand {
    /// Create a match between two agents.
    Create(CreateArgs),
    /// Show a match and where it stands.
    Show {
        /// The match.
        #[command(flatten)]
        id: Id,
    },
    /// List matches, newest first.
    List(ListArgs),
    /// Follow a match to its end.
    Watch(WatchArgs),
    /// Cancel a match that is not over.
    Cancel {
        /// The match.
        #[command(flatten)]
        id: Id,
        /// Why; shown to the players.
        #[arg(long, default_value = "", hide_default_value = true)]
        reason: String,
    },
    /// Fetch the record of a match that is over, for `broadside replay`.
    Record(RecordArgs),
}

/// Which match.
#[derive(Clone, Copy, Debug, Args)]
pub struct Id {
    /// The match's id.
    #[arg(value_name = "ID", value_parser = clap::value_parser!(u64).range(1..1 << 53))]
    pub match_id: u64,
}

/// A match to create.
#[derive(Debug, Args)]
pub struct CreateArgs {
    /// The variant.
    #[arg(value_parser = variant_parser())]
    pub variant: Variant,
    /// The two players: names of agents, or http://HOST:PORT of ones that the arena dials.
    #[arg(num_args = 2, required = true, value_name = "PLAYER", value_parser = parse_player)]
    pub players: Vec<Player>,
    /// What is agreed on.
    #[command(flatten)]
    pub terms: Terms,
    /// Whether the first player takes seat 1, or seats are drawn.
    #[arg(long, value_enum)]
    pub seating: Option<SeatingArg>,
    /// Makes it safe to repeat the call: the same id creates nothing new.
    #[arg(long, default_value = "", hide_default_value = true)]
    pub request_id: String,
    /// Only the two agents and operators may read the match; needs a token.
    #[arg(long)]
    pub private: bool,
    /// Follow the match to its end.
    #[arg(long)]
    pub watch: bool,
    /// With --watch: print the boards after every move too.
    #[arg(long, requires = "watch")]
    pub boards: bool,
}

/// What is agreed on before a match: options, time, strikes, seed.
#[derive(Clone, Debug, Args)]
pub struct Terms {
    /// An option of the variant, such as edition=1967, name_ship_on_hit=false, layout=belgian_daisy, max_plies=200,
    /// repetition_limit=0; see `broadside variants`.
    #[arg(long = "option", value_name = "NAME=VALUE")]
    pub options: Vec<String>,
    /// Thinking time for the whole match, such as 5m.
    #[arg(long, value_name = "TIME", value_parser = parse_milliseconds)]
    pub budget: Option<u64>,
    /// Added to the budget after each move, such as 2s.
    #[arg(long, value_name = "TIME", value_parser = parse_milliseconds)]
    pub increment: Option<u64>,
    /// Most that one turn may take, such as 10s.
    #[arg(long, value_name = "TIME", value_parser = parse_milliseconds)]
    pub cap: Option<u64>,
    /// Most that the deployment may take, such as 1m.
    #[arg(long, value_name = "TIME", value_parser = parse_milliseconds)]
    pub deployment: Option<u64>,
    /// Taken off each turn's time for the network, such as 50ms.
    #[arg(long, value_name = "TIME", value_parser = parse_milliseconds)]
    pub lag: Option<u64>,
    /// How many refused moves each seat may have: one more loses.
    #[arg(long, value_name = "N")]
    pub strikes: Option<u32>,
    /// Seed of whatever the arena draws for this match.
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
}

impl Terms {
    /// The time control, unset if nothing of it is given.
    pub fn time_control(&self) -> Option<TimeControl> {
        let time = TimeControl {
            budget_ms: self.budget,
            increment_ms: self.increment,
            turn_cap_ms: self.cap,
            deployment_ms: self.deployment,
            lag_allowance_ms: self.lag,
        };
        (time != TimeControl::default()).then_some(time)
    }
}

/// How the players are seated.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum SeatingArg {
    /// The first player takes seat 1.
    Fixed,
    /// Drawn from the match's seed.
    Drawn,
}

impl From<SeatingArg> for Seating {
    fn from(seating: SeatingArg) -> Self {
        match seating {
            SeatingArg::Fixed => Self::Fixed,
            SeatingArg::Drawn => Self::Drawn,
        }
    }
}

/// Which matches to list.
#[derive(Debug, Args)]
pub struct ListArgs {
    /// Only matches in one of these states.
    #[arg(long, value_enum, value_delimiter = ',', value_name = "STATE")]
    pub state: Vec<StateArg>,
    /// Only matches of one of these variants.
    #[arg(long, value_delimiter = ',', value_name = "VARIANT", value_parser = variant_parser())]
    pub variant: Vec<Variant>,
    /// Only matches that this agent plays.
    #[arg(
        long,
        default_value = "",
        hide_default_value = true,
        value_name = "NAME"
    )]
    pub agent: String,
    /// At most so many.
    #[arg(long, default_value_t = 50, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub limit: u32,
}

/// Where a match is in its life.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum StateArg {
    /// Waiting for its agents.
    Waiting,
    /// In play.
    Running,
    /// Over.
    Over,
}

impl From<StateArg> for MatchState {
    fn from(state: StateArg) -> Self {
        match state {
            StateArg::Waiting => Self::Waiting,
            StateArg::Running => Self::Running,
            StateArg::Over => Self::Over,
        }
    }
}

/// Which match to watch.
#[derive(Debug, Args)]
pub struct WatchArgs {
    /// The match.
    #[command(flatten)]
    pub id: Id,
    /// Where nothing is redrawn (not on a terminal): print the boards after every move too.
    #[arg(long)]
    pub boards: bool,
}

/// Which record to fetch, and where to put it.
#[derive(Debug, Args)]
pub struct RecordArgs {
    /// The match.
    #[command(flatten)]
    pub id: Id,
    /// The file: binary protobuf, or proto-JSON if it ends in .json. Without it: to standard output.
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Check whether it can be believed, as `broadside verify` does.
    #[arg(long)]
    pub verify: bool,
    /// With --verify: the arena's public key, as 64 hexadecimal digits or in a file.
    #[arg(long, value_name = "HEX|FILE", requires = "verify", value_parser = parse_key)]
    pub arena_key: Option<Key>,
}

/// A match to play oneself.
#[derive(Debug, Args)]
pub struct PlayArgs {
    /// The variant.
    #[arg(value_parser = variant_parser())]
    pub variant: Variant,
    /// The opponent: the name of an agent, or http://HOST:PORT of one that the arena dials.
    #[arg(long, value_name = "AGENT", value_parser = parse_player)]
    pub against: Player,
    /// Your seat: seat 1 moves first, and is Black in abalone.
    #[arg(long, default_value = "1", value_parser = PossibleValuesParser::new(["1", "2"]).map(|seat| if seat == "2" { Seat::Two } else { Seat::One }))]
    pub seat: Seat,
    /// Your name in the arena. Without it: one that is made up.
    #[arg(long)]
    pub name: Option<String>,
    /// What is agreed on. Without any time: an hour for each turn.
    #[command(flatten)]
    pub terms: Terms,
}

/// A record to go through.
#[derive(Debug, Args)]
pub struct ReplayArgs {
    /// The record: binary protobuf or proto-JSON.
    pub file: PathBuf,
    /// Print the position after every move.
    #[arg(long, conflicts_with = "step")]
    pub all: bool,
    /// Go through it one move at a time.
    #[arg(long)]
    pub step: bool,
}

/// A bot to check.
#[derive(Debug, Args)]
#[command(
    after_long_help = "Examples:\n  broadside check http://127.0.0.1:4701\n  broadside check --dial-in -- ./bot --connect {address} --name my-bot\n\nThe rules are those of docs/check.md. Exit codes: 0 every MUST is kept, 6 a rule is broken, 7 no bot came."
)]
pub struct CheckArgs {
    /// Where the bot serves: http://HOST:PORT, or https://HOST:PORT (see --ca).
    #[arg(value_name = "ADDRESS", required_unless_present = "dial_in", conflicts_with = "dial_in", value_parser = parse_address)]
    pub address: Option<String>,
    /// The bot dials in.
    #[arg(long)]
    pub dial_in: bool,
    /// Where to wait for it; port 0 takes any free one. [default: 127.0.0.1:4600, or any free port if a command is given]
    #[arg(long, value_name = "HOST:PORT", conflicts_with = "address")]
    pub listen: Option<SocketAddr>,
    /// How long the bot is waited for.
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = parse_milliseconds)]
    pub wait: u64,
    /// How long the bot may take for a turn.
    #[arg(long, value_name = "TIME", default_value = "10s", value_parser = parse_cap)]
    pub cap: u64,
    /// A SHOULD that is broken fails the check too.
    #[arg(long)]
    pub strict: bool,
    /// Also write the grades as JUnit XML.
    #[arg(long, value_name = "FILE")]
    pub junit: Option<PathBuf>,
    /// Also write everything that was said, line by line.
    #[arg(long, value_name = "FILE")]
    pub transcript: Option<PathBuf>,
    /// A command that starts the bot, and is ended with SIGTERM; {address} in it is where the bot dials in, or ADDRESS.
    #[arg(last = true, value_name = "COMMAND")]
    pub command: Vec<OsString>,
}

/// Records to verify.
#[derive(Debug, Args)]
pub struct VerifyArgs {
    /// The records: binary protobuf or proto-JSON; - is standard input.
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// The arena's public key, as 64 hexadecimal digits or in a file. Without it, any key will do: a record then only says
    /// that whoever signed it wrote it.
    #[arg(long, value_name = "HEX|FILE", value_parser = parse_key)]
    pub arena_key: Option<Key>,
}

/// A public key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Key {
    /// This one.
    Is([u8; 32]),
    /// The one in this file.
    In(PathBuf),
}

impl Key {
    /// A key as 64 hexadecimal digits.
    pub(crate) fn from_hex(text: &str) -> Option<[u8; 32]> {
        if text.len() != 64 || !text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return None;
        }
        let mut key = [0; 32];
        for (place, byte) in key.iter_mut().enumerate() {
            *byte = u8::from_str_radix(&text[2 * place..2 * place + 2], 16).ok()?;
        }
        Some(key)
    }
}

fn parse_key(text: &str) -> Result<Key, std::convert::Infallible> {
    Ok(Key::from_hex(text).map_or_else(|| Key::In(text.into()), Key::Is))
}

fn variant_parser() -> impl TypedValueParser<Value = Variant> {
    PossibleValuesParser::new(VARIANTS.map(slug)).map(|text| {
        VARIANTS
            .into_iter()
            .find(|variant| slug(*variant) == text)
            .unwrap_or_default()
    })
}

fn parse_player(text: &str) -> Result<Player, String> {
    let agent = if text.starts_with("http://") || text.starts_with("https://") {
        player::Agent::Address(text.to_owned())
    } else if text.is_empty() || text.contains(['/', ':']) {
        return Err(
            "a player is an agent's name, or http://HOST:PORT or https://HOST:PORT".to_owned(),
        );
    } else {
        player::Agent::Name(text.to_owned())
    };
    Ok(Player { agent: Some(agent) })
}

fn parse_address(text: &str) -> Result<String, String> {
    if text.starts_with("http://") || text.starts_with("https://") {
        return Ok(text.to_owned());
    }
    Err("write http://HOST:PORT or https://HOST:PORT, or --dial-in for a bot that dials".to_owned())
}

fn parse_cap(text: &str) -> Result<u64, String> {
    match parse_milliseconds(text)? {
        milliseconds @ 1..=3_600_000 => Ok(milliseconds),
        _ => Err("a turn takes 1ms to 1h".to_owned()),
    }
}

fn parse_milliseconds(text: &str) -> Result<u64, String> {
    let time = humantime::parse_duration(text).map_err(|error| error.to_string())?;
    if time.subsec_nanos() % 1_000_000 != 0 {
        return Err("times are whole milliseconds".to_owned());
    }
    u64::try_from(time.as_millis()).map_err(|_| "that is too long".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_grammar_is_sound() {
        Cli::command().debug_assert();
    }

    #[test]
    fn times_are_whole_milliseconds() {
        assert_eq!(parse_milliseconds("1m 500ms"), Ok(60_500));
        assert!(parse_milliseconds("10").is_err());
        assert!(parse_milliseconds("5us").is_err());
    }

    #[test]
    fn a_player_is_a_name_or_an_address() {
        for address in ["http://127.0.0.1:5000", "https://bots.example:5000"] {
            assert!(matches!(
                parse_player(address).unwrap().agent,
                Some(player::Agent::Address(_))
            ));
        }
        assert!(matches!(
            parse_player("hunter").unwrap().agent,
            Some(player::Agent::Name(_))
        ));
        assert!(parse_player("127.0.0.1:5000").is_err());
    }
}
