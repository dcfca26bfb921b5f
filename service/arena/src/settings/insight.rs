//! Flags for seeing inside.

use std::net::SocketAddr;

use clap::Args;
use serde::Serialize;

/// Flags for seeing inside; off by default.
#[derive(Args, Clone, Debug, Default, Serialize)]
pub(super) struct InsightFlags {
    /// Serve metrics for Prometheus at http://HOST:PORT/metrics, in the clear; docs/metrics.md lists them. [default: none]
    #[arg(
        long,
        env = "BROADSIDE_METRICS_LISTEN",
        value_name = "HOST:PORT",
        help_heading = "Seeing inside"
    )]
    #[serde(skip_serializing_if = "Option::is_none")]
    metrics_listen: Option<SocketAddr>,

    /// Send traces to the OpenTelemetry collector here, by OTLP over gRPC (http://127.0.0.1:4317). [default: none]
    #[arg(
        long,
        env = "BROADSIDE_OTLP_ENDPOINT",
        value_name = "URL",
        help_heading = "Seeing inside"
    )]
    #[serde(skip_serializing_if = "Option::is_none")]
    otlp_endpoint: Option<String>,
}
