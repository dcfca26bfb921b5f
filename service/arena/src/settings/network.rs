//! Flags of the arena's edge: who may connect, and whom it dials.

use std::path::PathBuf;

use clap::Args;
use serde::Serialize;

/// Flags of the arena's edge.
#[derive(Args, Clone, Debug, Default, Serialize)]
pub(super) struct NetworkFlags {
    /// Serve TLS with this certificate and the chain to its root, in PEM; read again when it changes.
    #[arg(
        long,
        env = "BROADSIDE_TLS_CERT",
        value_name = "FILE",
        help_heading = "Edge"
    )]
    #[serde(skip_serializing_if = "Option::is_none")]
    tls_cert: Option<PathBuf>,

    /// The certificate's private key, in PEM; no one but the arena's user and group may be able to read it.
    #[arg(
        long,
        env = "BROADSIDE_TLS_KEY",
        value_name = "FILE",
        help_heading = "Edge"
    )]
    #[serde(skip_serializing_if = "Option::is_none")]
    tls_key: Option<PathBuf>,

    /// Take only clients with a certificate of these authorities, in PEM (mutual TLS).
    #[arg(
        long,
        env = "BROADSIDE_TLS_CLIENT_CA",
        value_name = "FILE",
        help_heading = "Edge"
    )]
    #[serde(skip_serializing_if = "Option::is_none")]
    tls_client_ca: Option<PathBuf>,

    /// How often the files of TLS are looked at for changes. [default: 5s]
    #[arg(
        long,
        env = "BROADSIDE_TLS_RELOAD_INTERVAL",
        value_name = "DURATION",
        help_heading = "Edge"
    )]
    #[serde(skip_serializing_if = "Option::is_none")]
    tls_reload_interval: Option<String>,

    /// Listen on an address that is not loopback although there is no TLS. [default: false]
    #[arg(long, env = "BROADSIDE_ALLOW_PUBLIC_WITHOUT_TLS", num_args = 0..=1, default_missing_value = "true", value_name = "BOOL", help_heading = "Edge")]
    #[serde(skip_serializing_if = "Option::is_none")]
    allow_public_without_tls: Option<bool>,

    /// Listen on an address that is not loopback although no tokens are asked for. [default: false]
    #[arg(long, env = "BROADSIDE_ALLOW_PUBLIC_WITHOUT_TOKENS", num_args = 0..=1, default_missing_value = "true", value_name = "BOOL", help_heading = "Edge")]
    #[serde(skip_serializing_if = "Option::is_none")]
    allow_public_without_tokens: Option<bool>,

    /// How long a new connection may take for its TLS handshake. [default: 5s]
    #[arg(
        long,
        env = "BROADSIDE_HANDSHAKE_TIMEOUT",
        value_name = "DURATION",
        help_heading = "Edge"
    )]
    #[serde(skip_serializing_if = "Option::is_none")]
    handshake_timeout: Option<String>,

    /// How long a new connection may take, once TLS is set up, to begin with HTTP/2. [default: 5s]
    #[arg(
        long,
        env = "BROADSIDE_PREFACE_TIMEOUT",
        value_name = "DURATION",
        help_heading = "Edge"
    )]
    #[serde(skip_serializing_if = "Option::is_none")]
    preface_timeout: Option<String>,

    /// How long a connection may be open before its first call. [default: 1m]
    #[arg(
        long,
        env = "BROADSIDE_FIRST_CALL_TIMEOUT",
        value_name = "DURATION",
        help_heading = "Edge"
    )]
    #[serde(skip_serializing_if = "Option::is_none")]
    first_call_timeout: Option<String>,

    /// How long a call may take until its answer, or the stream that answers it, begins. [default: 10s]
    #[arg(
        long,
        env = "BROADSIDE_CALL_TIMEOUT",
        value_name = "DURATION",
        help_heading = "Edge"
    )]
    #[serde(skip_serializing_if = "Option::is_none")]
    call_timeout: Option<String>,

    /// Most connections at once. [default: 80 % of the process's limit on open files]
    #[arg(
        long,
        env = "BROADSIDE_MAX_CONNECTIONS",
        value_name = "N",
        help_heading = "Edge"
    )]
    #[serde(skip_serializing_if = "Option::is_none")]
    max_connections: Option<usize>,

    /// Most connections at once from one address, loopback included; of IPv6, from one /64. [default: 256]
    #[arg(
        long,
        env = "BROADSIDE_MAX_CONNECTIONS_PER_ADDRESS",
        value_name = "N",
        help_heading = "Edge"
    )]
    #[serde(skip_serializing_if = "Option::is_none")]
    max_connections_per_address: Option<usize>,

    /// Most calls of one connection that are worked on at once: more are refused. A stream counts until it begins.
    /// [default: 256]
    #[arg(
        long,
        env = "BROADSIDE_MAX_CALLS_PER_CONNECTION",
        value_name = "N",
        help_heading = "Edge"
    )]
    #[serde(skip_serializing_if = "Option::is_none")]
    max_calls_per_connection: Option<usize>,

    /// What may be dialled besides the public internet: networks such as 10.1.0.0/16, or the words loopback, private
    /// and any. Separated by commas, or given again. [default: none]
    #[arg(
        long,
        env = "BROADSIDE_DIAL_ALLOW",
        value_name = "NETWORKS",
        value_delimiter = ',',
        help_heading = "Dialling"
    )]
    #[serde(skip_serializing_if = "Option::is_none")]
    dial_allow: Option<Vec<String>>,

    /// Authorities to trust, besides the public ones, when an https:// bot is dialled, in PEM.
    #[arg(
        long,
        env = "BROADSIDE_DIAL_CA",
        value_name = "FILE",
        help_heading = "Dialling"
    )]
    #[serde(skip_serializing_if = "Option::is_none")]
    dial_ca: Option<PathBuf>,

    /// The arena's own certificate for https:// bots that ask for one, in PEM.
    #[arg(
        long,
        env = "BROADSIDE_DIAL_CERT",
        value_name = "FILE",
        help_heading = "Dialling"
    )]
    #[serde(skip_serializing_if = "Option::is_none")]
    dial_cert: Option<PathBuf>,

    /// That certificate's private key, in PEM.
    #[arg(
        long,
        env = "BROADSIDE_DIAL_KEY",
        value_name = "FILE",
        help_heading = "Dialling"
    )]
    #[serde(skip_serializing_if = "Option::is_none")]
    dial_key: Option<PathBuf>,

    /// Most seats that share one connection to a dialled bot: at most so many calls are made at once on one.
    /// [default: 32]
    #[arg(
        long,
        env = "BROADSIDE_DIAL_SEATS_PER_CONNECTION",
        value_name = "N",
        help_heading = "Dialling"
    )]
    #[serde(skip_serializing_if = "Option::is_none")]
    dial_seats_per_connection: Option<usize>,
}
