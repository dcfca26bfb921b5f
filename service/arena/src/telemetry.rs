//! What is told of a running arena: log lines on standard error, and traces to an OpenTelemetry collector, if one is named.

use std::io::IsTerminal;

use anyhow::Context;
use opentelemetry::trace::TracerProvider;
use opentelemetry_otlp::{SpanExporter, WithExportConfig};
use opentelemetry_sdk::{Resource, trace::SdkTracerProvider};
use tracing_subscriber::{
    EnvFilter, Layer, filter::Targets, fmt, layer::SubscriberExt, util::SubscriberInitExt,
};

use crate::settings::Settings;

/// The arena's name among services.
const SERVICE: &str = "broadside-arena";

/// Traces that are on their way to a collector.
pub struct Telemetry {
    provider: Option<SdkTracerProvider>,
}

impl Telemetry {
    /// Begins to log and to trace, for the whole process. Call it once, within the runtime.
    ///
    /// # Errors
    /// If a setting is not right, or it was called before.
    pub fn start(settings: &Settings) -> anyhow::Result<Self> {
        let filter = EnvFilter::try_new(&settings.log)
            .map_err(|error| anyhow::anyhow!("the settings are not right: log: {error}"))?;
        let colours = std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none();
        let lines = fmt::layer().with_ansi(colours).with_writer(std::io::stderr);
        let lines = if settings.log_json {
            lines.json().with_filter(filter).boxed()
        } else {
            lines.with_filter(filter).boxed()
        };
        let provider = settings
            .otlp_endpoint
            .as_deref()
            .map(provider)
            .transpose()?;
        let traces = provider.as_ref().map(|provider| {
            // What is logged has a filter of its own: how much that is must not change the traces.
            let own = Targets::new().with_target("broadside_arena", tracing::Level::INFO);
            tracing_opentelemetry::layer()
                .with_tracer(provider.tracer(SERVICE))
                .with_filter(own)
        });
        tracing_subscriber::registry()
            .with(lines)
            .with(traces)
            .try_init()?;
        Ok(Self { provider })
    }

    /// Sends what is still to be sent.
    pub async fn stop(self) {
        let Some(provider) = self.provider else {
            return;
        };
        let stopped = tokio::task::spawn_blocking(move || provider.shutdown()).await;
        match stopped {
            Ok(Ok(())) => {}
            Ok(Err(error)) => tracing::warn!(%error, "the last traces could not be sent"),
            Err(error) => tracing::warn!(%error, "the last traces could not be sent"),
        }
    }
}

fn provider(endpoint: &str) -> anyhow::Result<SdkTracerProvider> {
    let exporter = SpanExporter::builder()
        .with_tonic()
        .with_endpoint(endpoint)
        .build()
        .with_context(|| {
            format!("the settings are not right: otlp_endpoint is {endpoint:?}: it must be http://HOST:PORT")
        })?;
    let resource = Resource::builder().with_service_name(SERVICE).build();
    Ok(SdkTracerProvider::builder()
        .with_resource(resource)
        .with_batch_exporter(exporter)
        .build())
}
