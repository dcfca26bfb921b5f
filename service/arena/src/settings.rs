//! The arena's settings: by flag, environment and file, in that order; each has a default.

mod check;
mod insight;
mod network;
mod optional_duration;

use std::{net::SocketAddr, path::PathBuf, time::Duration};

use anyhow::Context;
use clap::{Parser, Subcommand};
use figment::{
    Figment,
    providers::{Format, Serialized, Toml},
};
use serde::{Deserialize, Serialize};

use self::{insight::InsightFlags, network::NetworkFlags};
use crate::{
    auth::TokenCommand,
    dial::Allowed,
    store::{Durability, StorePlace},
};

/// Flags of the arena. Each may also be given in the environment, as the help says, or in a TOML file
/// (`max_matches = 100`). A flag overrides the environment, which overrides the file.
#[derive(Clone, Debug, Default, Parser, Serialize)]
#[command(
    name = "broadside-arena",
    version,
    about = "Runs matches of seven board-game variants between remote bots"
)]
#[command(
    after_help = "Every setting may also be given in the environment, or in the file of --config \
(max_matches = 100). A flag overrides the environment, which overrides the file. Durations are written like 500ms, \
10s or 2m."
)]
pub struct Flags {
    /// What to do instead of running the arena.
    #[command(subcommand)]
    #[serde(skip)]
    pub command: Option<Command>,

    /// A TOML file with settings.
    #[arg(long, env = "BROADSIDE_CONFIG", value_name = "FILE")]
    #[serde(skip)]
    pub config: Option<PathBuf>,

    /// Address to listen on; port 0 takes any free one. [default: 127.0.0.1:4600]
    #[arg(long, env = "BROADSIDE_LISTEN", value_name = "HOST:PORT")]
    #[serde(skip_serializing_if = "Option::is_none")]
    listen: Option<SocketAddr>,

    /// What to log, as a tracing filter: info, or broadside_arena=debug. [default: info]
    #[arg(long, env = "BROADSIDE_LOG", value_name = "FILTER")]
    #[serde(skip_serializing_if = "Option::is_none")]
    log: Option<String>,

    /// Log as one JSON object a line. [default: false]
    #[arg(long, env = "BROADSIDE_LOG_JSON", num_args = 0..=1, default_missing_value = "true", value_name = "BOOL")]
    #[serde(skip_serializing_if = "Option::is_none")]
    log_json: Option<bool>,

    /// Thinking time for a whole match that asks for no time control; none: no budget. [default: none]
    #[arg(long, env = "BROADSIDE_BUDGET", value_name = "DURATION")]
    #[serde(skip_serializing_if = "Option::is_none")]
    budget: Option<String>,

    /// Added to that budget after each move. [default: 0s]
    #[arg(long, env = "BROADSIDE_INCREMENT", value_name = "DURATION")]
    #[serde(skip_serializing_if = "Option::is_none")]
    increment: Option<String>,

    /// Most that one turn may take in a match that asks for no time control; none: no cap. [default: 10s]
    #[arg(long, env = "BROADSIDE_TURN_CAP", value_name = "DURATION")]
    #[serde(skip_serializing_if = "Option::is_none")]
    turn_cap: Option<String>,

    /// Most that a deployment may take, where a match does not say. [default: 1m]
    #[arg(long, env = "BROADSIDE_DEPLOYMENT_LIMIT", value_name = "DURATION")]
    #[serde(skip_serializing_if = "Option::is_none")]
    deployment_limit: Option<String>,

    /// Taken off each turn's measured time, where a match does not say. [default: 50ms]
    #[arg(long, env = "BROADSIDE_LAG_ALLOWANCE", value_name = "DURATION")]
    #[serde(skip_serializing_if = "Option::is_none")]
    lag_allowance: Option<String>,

    /// How long a match waits for an agent that is not there. [default: 1m]
    #[arg(long, env = "BROADSIDE_CONNECT_TIMEOUT", value_name = "DURATION")]
    #[serde(skip_serializing_if = "Option::is_none")]
    connect_timeout: Option<String>,

    /// How long a match waits for agents that are there to have room for it. [default: 1d]
    #[arg(long, env = "BROADSIDE_QUEUE_TIMEOUT", value_name = "DURATION")]
    #[serde(skip_serializing_if = "Option::is_none")]
    queue_timeout: Option<String>,

    /// How long a bot in a match may be disconnected. [default: 30s]
    #[arg(long, env = "BROADSIDE_GRACE", value_name = "DURATION")]
    #[serde(skip_serializing_if = "Option::is_none")]
    grace: Option<String>,

    /// How long a bot may take to read a turn off its stream. [default: 30s]
    #[arg(long, env = "BROADSIDE_DELIVERY_TIMEOUT", value_name = "DURATION")]
    #[serde(skip_serializing_if = "Option::is_none")]
    delivery_timeout: Option<String>,

    /// How long a new stream may take to send its hello. [default: 10s]
    #[arg(long, env = "BROADSIDE_HELLO_TIMEOUT", value_name = "DURATION")]
    #[serde(skip_serializing_if = "Option::is_none")]
    hello_timeout: Option<String>,

    /// After how much silence a bot is sent a heartbeat. [default: 20s]
    #[arg(long, env = "BROADSIDE_HEARTBEAT_INTERVAL", value_name = "DURATION")]
    #[serde(skip_serializing_if = "Option::is_none")]
    heartbeat_interval: Option<String>,

    /// After how much silence a connection is pinged (HTTP/2 keepalive). [default: 20s]
    #[arg(
        long,
        env = "BROADSIDE_HTTP2_KEEPALIVE_INTERVAL",
        value_name = "DURATION"
    )]
    #[serde(skip_serializing_if = "Option::is_none")]
    http2_keepalive_interval: Option<String>,

    /// How long such a ping may go unanswered before the connection is lost. [default: 10s]
    #[arg(
        long,
        env = "BROADSIDE_HTTP2_KEEPALIVE_TIMEOUT",
        value_name = "DURATION"
    )]
    #[serde(skip_serializing_if = "Option::is_none")]
    http2_keepalive_timeout: Option<String>,

    /// How long a connection to a dialled bot, and each call to it that is no decision, may take. [default: 5s]
    #[arg(long, env = "BROADSIDE_DIAL_TIMEOUT", value_name = "DURATION")]
    #[serde(skip_serializing_if = "Option::is_none")]
    dial_timeout: Option<String>,

    /// How long running matches may go on after the arena was told to stop. [default: 30s]
    #[arg(long, env = "BROADSIDE_DRAIN_TIMEOUT", value_name = "DURATION")]
    #[serde(skip_serializing_if = "Option::is_none")]
    drain_timeout: Option<String>,

    /// How long a thread stays awake after a message, if the next is likely to be near; 0s: not at all. [default: 100us]
    #[arg(long, env = "BROADSIDE_BUSY_POLL", value_name = "DURATION")]
    #[serde(skip_serializing_if = "Option::is_none")]
    busy_poll: Option<String>,

    /// Most matches that are not over. [default: 20000]
    #[arg(long, env = "BROADSIDE_MAX_MATCHES", value_name = "N")]
    #[serde(skip_serializing_if = "Option::is_none")]
    max_matches: Option<usize>,

    /// Most matches at once for one agent. [default: 4096]
    #[arg(long, env = "BROADSIDE_MAX_MATCHES_PER_AGENT", value_name = "N")]
    #[serde(skip_serializing_if = "Option::is_none")]
    max_matches_per_agent: Option<usize>,

    /// Where matches are kept: memory, the path of a file, or postgres://USER@HOST/DATABASE. [default: broadside.sqlite]
    #[arg(
        long,
        env = "BROADSIDE_STORE",
        value_name = "STORE",
        hide_env_values = true
    )]
    #[serde(skip_serializing_if = "Option::is_none")]
    store: Option<String>,

    /// What a move that was accepted outlasts. power: the end of this process and the loss of power, if the disk honours
    /// flushes. process: the end of this process; the loss of power may take the last moments of matches back. [default: power]
    #[arg(long, env = "BROADSIDE_DURABILITY", value_name = "power|process")]
    #[serde(skip_serializing_if = "Option::is_none")]
    durability: Option<String>,

    /// No match is taken while the disk of the store's file has less room than this, in bytes; running ones go on.
    /// [default: 67108864]
    #[arg(long, env = "BROADSIDE_STORE_RESERVE", value_name = "BYTES")]
    #[serde(skip_serializing_if = "Option::is_none")]
    store_reserve: Option<u64>,

    /// How many matches a store in memory keeps after their end; any other keeps all. [default: 10000]
    #[arg(long, env = "BROADSIDE_KEEP_MATCHES", value_name = "N")]
    #[serde(skip_serializing_if = "Option::is_none")]
    keep_matches: Option<usize>,

    /// Most messages that a bot may send on its stream in a second. [default: 1000000]
    #[arg(long, env = "BROADSIDE_MAX_MESSAGES_PER_SECOND", value_name = "N")]
    #[serde(skip_serializing_if = "Option::is_none")]
    max_messages_per_second: Option<u32>,

    /// Take no call without a token. Tokens are made with `broadside-arena token create`. [default: false]
    #[arg(long, env = "BROADSIDE_REQUIRE_TOKENS", num_args = 0..=1, default_missing_value = "true", value_name = "BOOL")]
    #[serde(skip_serializing_if = "Option::is_none")]
    require_tokens: Option<bool>,

    /// Largest message from a bot, in bytes. [default: 65536]
    #[arg(long, env = "BROADSIDE_MAX_MESSAGE_BYTES", value_name = "BYTES")]
    #[serde(skip_serializing_if = "Option::is_none")]
    max_message_bytes: Option<usize>,

    /// Most streams and calls at once on one connection. [default: 256]
    #[arg(long, env = "BROADSIDE_MAX_STREAMS_PER_CONNECTION", value_name = "N")]
    #[serde(skip_serializing_if = "Option::is_none")]
    max_streams_per_connection: Option<u32>,

    #[command(flatten)]
    #[serde(flatten)]
    network: NetworkFlags,

    #[command(flatten)]
    #[serde(flatten)]
    insight: InsightFlags,
}

/// What the program does besides running the arena.
#[derive(Clone, Debug, Subcommand)]
pub enum Command {
    /// Make, list and revoke tokens in the arena's store (--store, before the command).
    #[command(subcommand)]
    Token(TokenCommand),
}

/// The settings in force.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// Address to listen on.
    pub listen: SocketAddr,
    /// What to log.
    pub log: String,
    /// Whether to log as JSON.
    pub log_json: bool,
    /// Default budget; "none" for none.
    #[serde(with = "optional_duration")]
    pub budget: Option<Duration>,
    /// Default increment.
    #[serde(with = "humantime_serde")]
    pub increment: Duration,
    /// Default cap; "none" for none.
    #[serde(with = "optional_duration")]
    pub turn_cap: Option<Duration>,
    /// Default limit of a deployment.
    #[serde(with = "humantime_serde")]
    pub deployment_limit: Duration,
    /// Default lag allowance.
    #[serde(with = "humantime_serde")]
    pub lag_allowance: Duration,
    /// How long a match waits for an agent that is not there.
    #[serde(with = "humantime_serde")]
    pub connect_timeout: Duration,
    /// How long a match waits for agents that are there to have room for it.
    #[serde(with = "humantime_serde")]
    pub queue_timeout: Duration,
    /// How long a bot in a match may be disconnected.
    #[serde(with = "humantime_serde")]
    pub grace: Duration,
    /// How long a bot may take to read a turn off its stream.
    #[serde(with = "humantime_serde")]
    pub delivery_timeout: Duration,
    /// How long a hello may take.
    #[serde(with = "humantime_serde")]
    pub hello_timeout: Duration,
    /// After how much silence a heartbeat is sent.
    #[serde(with = "humantime_serde")]
    pub heartbeat_interval: Duration,
    /// After how much silence a connection is pinged, from bots and to them.
    #[serde(with = "humantime_serde")]
    pub http2_keepalive_interval: Duration,
    /// How long such a ping may go unanswered before the connection is lost.
    #[serde(with = "humantime_serde")]
    pub http2_keepalive_timeout: Duration,
    /// How long dialling, and a call that is no decision, may take.
    #[serde(with = "humantime_serde")]
    pub dial_timeout: Duration,
    /// How long running matches may go on after a stop.
    #[serde(with = "humantime_serde")]
    pub drain_timeout: Duration,
    /// How long a thread stays awake after a message, if the next is likely to be near; 0s: not at all.
    #[serde(with = "humantime_serde")]
    pub busy_poll: Duration,
    /// Most matches that are not over.
    pub max_matches: usize,
    /// Most matches at once for one agent.
    pub max_matches_per_agent: usize,
    /// Where matches are kept.
    pub store: StorePlace,
    /// What a move that was accepted outlasts.
    pub durability: Durability,
    /// Room on the disk of the store's file, in bytes, without which no match is taken.
    pub store_reserve: u64,
    /// How many matches a store in memory keeps after their end; any other keeps all.
    pub keep_matches: usize,
    /// Most messages that a bot may send in a second.
    pub max_messages_per_second: u32,
    /// Whether there is no call without a token.
    pub require_tokens: bool,
    /// Largest message from a bot, in bytes.
    pub max_message_bytes: usize,
    /// Most streams and calls at once on one connection.
    pub max_streams_per_connection: u32,
    /// The certificate to serve TLS with; none: no TLS.
    pub tls_cert: Option<PathBuf>,
    /// Its private key.
    pub tls_key: Option<PathBuf>,
    /// Whose certificates clients must have; none: they need none.
    pub tls_client_ca: Option<PathBuf>,
    /// How often those files are looked at for changes.
    #[serde(with = "humantime_serde")]
    pub tls_reload_interval: Duration,
    /// Whether to listen on an address that is not loopback without TLS.
    pub allow_public_without_tls: bool,
    /// Whether to listen on an address that is not loopback without asking for tokens.
    pub allow_public_without_tokens: bool,
    /// How long a TLS handshake may take.
    #[serde(with = "humantime_serde")]
    pub handshake_timeout: Duration,
    /// How long the beginning of HTTP/2 may take after that.
    #[serde(with = "humantime_serde")]
    pub preface_timeout: Duration,
    /// How long a connection may be open before its first call.
    #[serde(with = "humantime_serde")]
    pub first_call_timeout: Duration,
    /// How long a call may take until its answer begins.
    #[serde(with = "humantime_serde")]
    pub call_timeout: Duration,
    /// Most connections; none: 80 % of the limit on open files.
    pub max_connections: Option<usize>,
    /// Most connections from one address.
    pub max_connections_per_address: usize,
    /// Most calls of one connection that are worked on at once.
    pub max_calls_per_connection: usize,
    /// What may be dialled besides the public internet.
    pub dial_allow: Vec<Allowed>,
    /// Authorities to trust besides the public ones when a bot is dialled.
    pub dial_ca: Option<PathBuf>,
    /// The arena's certificate for bots that ask for one.
    pub dial_cert: Option<PathBuf>,
    /// Its private key.
    pub dial_key: Option<PathBuf>,
    /// Most seats that share one connection to a dialled bot.
    pub dial_seats_per_connection: usize,
    /// Where metrics are served; none: nothing is measured.
    pub metrics_listen: Option<SocketAddr>,
    /// The collector that traces are sent to; none: there are none.
    pub otlp_endpoint: Option<String>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            listen: SocketAddr::from(([127, 0, 0, 1], 4600)),
            log: "info".to_owned(),
            log_json: false,
            budget: None,
            increment: Duration::ZERO,
            turn_cap: Some(Duration::from_secs(10)),
            deployment_limit: Duration::from_secs(60),
            lag_allowance: Duration::from_millis(50),
            connect_timeout: Duration::from_secs(60),
            queue_timeout: Duration::from_secs(24 * 60 * 60),
            grace: Duration::from_secs(30),
            delivery_timeout: Duration::from_secs(30),
            hello_timeout: Duration::from_secs(10),
            heartbeat_interval: Duration::from_secs(20),
            http2_keepalive_interval: Duration::from_secs(20),
            http2_keepalive_timeout: Duration::from_secs(10),
            dial_timeout: Duration::from_secs(5),
            drain_timeout: Duration::from_secs(30),
            busy_poll: Duration::from_micros(100),
            max_matches: 20_000,
            max_matches_per_agent: 4_096,
            store: StorePlace::File("broadside.sqlite".into()),
            durability: Durability::Power,
            store_reserve: 64 << 20,
            keep_matches: 10_000,
            max_messages_per_second: 1_000_000,
            require_tokens: false,
            max_message_bytes: 64 * 1024,
            max_streams_per_connection: 256,
            tls_cert: None,
            tls_key: None,
            tls_client_ca: None,
            tls_reload_interval: Duration::from_secs(5),
            allow_public_without_tls: false,
            allow_public_without_tokens: false,
            handshake_timeout: Duration::from_secs(5),
            preface_timeout: Duration::from_secs(5),
            first_call_timeout: Duration::from_secs(60),
            call_timeout: Duration::from_secs(10),
            max_connections: None,
            max_connections_per_address: 256,
            max_calls_per_connection: 256,
            dial_allow: Vec::new(),
            dial_ca: None,
            dial_cert: None,
            dial_key: None,
            dial_seats_per_connection: 32,
            metrics_listen: None,
            otlp_endpoint: None,
        }
    }
}

impl Settings {
    /// Puts flags, environment and file together.
    ///
    /// # Errors
    /// If the file cannot be read, or a value is not what its setting takes: says which, and from where.
    pub fn load(flags: &Flags) -> anyhow::Result<Self> {
        let mut figment = Figment::from(Serialized::defaults(Self::default()));
        if let Some(path) = &flags.config {
            figment = figment.merge(Toml::file_exact(path));
        }
        let settings: Self = figment
            .merge(Serialized::defaults(flags))
            .extract()
            .context("the settings are not right")?;
        settings.check()?;
        Ok(settings)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn load(arguments: &[&str]) -> anyhow::Result<Settings> {
        let arguments = std::iter::once("broadside-arena").chain(arguments.iter().copied());
        Settings::load(&Flags::try_parse_from(arguments)?)
    }

    #[test]
    fn a_flag_overrides_the_file_and_the_file_the_default() {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        writeln!(file, "grace = \"7s\"\nturn_cap = \"3s\"\nbudget = \"5m\"").unwrap();
        let path = file.path().to_str().unwrap();
        let settings = load(&["--config", path, "--turn-cap", "none"]).unwrap();
        assert_eq!(settings.grace, Duration::from_secs(7));
        assert_eq!(settings.turn_cap, None);
        assert_eq!(settings.budget, Some(Duration::from_secs(300)));
        assert_eq!(settings.listen.port(), 4600);
    }

    #[test]
    fn a_wrong_value_is_named() {
        let error = format!("{:#}", load(&["--grace", "soon"]).unwrap_err());
        assert!(error.contains("grace"), "{error}");
        let error = format!("{:#}", load(&["--turn-cap", "none"]).unwrap_err());
        assert!(error.contains("no limit"), "{error}");
        let error = format!("{:#}", load(&["--max-matches", "0"]).unwrap_err());
        assert!(error.contains("max_matches"), "{error}");
        let error = format!("{:#}", load(&["--busy-poll", "11ms"]).unwrap_err());
        assert!(
            error.contains("busy_poll is 11ms, it must be at most 10ms"),
            "{error}"
        );
        assert_eq!(
            load(&["--busy-poll", "0s"]).unwrap().busy_poll,
            Duration::ZERO
        );
    }

    #[test]
    fn an_unknown_setting_in_the_file_is_an_error() {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        writeln!(file, "gracee = \"7s\"").unwrap();
        let error = load(&["--config", file.path().to_str().unwrap()]).unwrap_err();
        assert!(format!("{error:#}").contains("gracee"), "{error:#}");
    }
}
