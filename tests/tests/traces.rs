//! Traces, as a collector gets them by OTLP.

use anyhow::{Context, ensure};
use broadside_proto::v1;
use broadside_proto::v1::match_service_client::MatchServiceClient;
use broadside_tests::{Bot, PATIENCE, named, programs::ArenaProgram, request};
use opentelemetry_proto::tonic::{
    collector::trace::v1::{
        ExportTraceServiceRequest, ExportTraceServiceResponse,
        trace_service_server::{TraceService, TraceServiceServer},
    },
    common::v1::{AnyValue, KeyValue, any_value::Value},
    trace::v1::Span,
};
use tokio::{net::TcpListener, sync::mpsc};
use tokio_stream::wrappers::TcpListenerStream;
use tonic::{
    Request, Response, Status,
    transport::{Endpoint, Server},
};

/// Hands on what it is sent.
struct Collector(mpsc::UnboundedSender<ExportTraceServiceRequest>);

#[tonic::async_trait]
impl TraceService for Collector {
    async fn export(
        &self,
        request: Request<ExportTraceServiceRequest>,
    ) -> Result<Response<ExportTraceServiceResponse>, Status> {
        // Whoever has seen enough is gone.
        let _ = self.0.send(request.into_inner());
        Ok(Response::new(ExportTraceServiceResponse::default()))
    }
}

fn text(attributes: &[KeyValue], key: &str) -> Option<String> {
    let found = attributes.iter().find(|attribute| attribute.key == key)?;
    match &found.value {
        Some(AnyValue {
            value: Some(Value::StringValue(text)),
        }) => Some(text.clone()),
        Some(AnyValue {
            value: Some(Value::IntValue(number)),
        }) => Some(number.to_string()),
        _ => None,
    }
}

fn span<'a>(spans: &'a [Span], name: &str, key: &str, value: &str) -> anyhow::Result<&'a Span> {
    spans
        .iter()
        .find(|span| span.name == name && text(&span.attributes, key).as_deref() == Some(value))
        .with_context(|| format!("no span {name} with {key} {value} among {spans:?}"))
}

#[tokio::test]
async fn a_collector_gets_the_calls_the_sessions_and_the_match() -> anyhow::Result<()> {
    let (sender, mut exports) = mpsc::unbounded_channel();
    let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
    let endpoint = format!("http://{}", listener.local_addr()?);
    let collector = Server::builder()
        .add_service(TraceServiceServer::new(Collector(sender)))
        .serve_with_incoming(TcpListenerStream::new(listener));
    let collector = tokio::spawn(collector);

    let arena = ArenaProgram::start(&["--otlp-endpoint", &endpoint, "--log", "warn"]).await?;
    let channel = Endpoint::from_shared(format!("http://{}", arena.address))?
        .connect()
        .await?;
    let mut one = Bot::connect(channel.clone(), Bot::profile("one")).await?;
    let mut two = Bot::connect(channel.clone(), Bot::profile("two")).await?;
    let request = request(v1::Variant::Salvo, named("one"), named("two"));
    let created = MatchServiceClient::new(channel)
        .create_match(request)
        .await?;
    let match_id = created.into_inner().r#match.context("no match")?.match_id;
    tokio::try_join!(one.play_first_legal(), two.play_first_legal())?;
    // What has gathered is sent at the stop.
    arena.stop().await?;

    let mut spans = Vec::new();
    while let Ok(export) = exports.try_recv() {
        for of_resource in export.resource_spans {
            let resource = of_resource.resource.context("no resource")?;
            let service = text(&resource.attributes, "service.name");
            assert_eq!(service.as_deref(), Some("broadside-arena"));
            spans.extend(
                of_resource
                    .scope_spans
                    .into_iter()
                    .flat_map(|scope| scope.spans),
            );
        }
    }
    let played = span(&spans, "match", "match_id", &match_id.to_string())?;
    assert_eq!(
        text(&played.attributes, "variant").as_deref(),
        Some("salvo")
    );
    assert!(played.end_time_unix_nano > played.start_time_unix_nano);
    let told: Vec<_> = played
        .events
        .iter()
        .map(|event| event.name.as_str())
        .collect();
    assert!(told.contains(&"match started"), "{told:?}");
    assert!(told.contains(&"match over"), "{told:?}");
    span(&spans, "session", "agent", "one")?;
    span(&spans, "session", "agent", "two")?;
    span(
        &spans,
        "call",
        "method",
        "/broadside.v1.MatchService/CreateMatch",
    )?;
    collector.abort();
    Ok(())
}

#[tokio::test]
async fn an_endpoint_that_is_no_address_is_named_at_the_start() -> anyhow::Result<()> {
    let started = ArenaProgram::start(&["--otlp-endpoint", "no address"]).await;
    let error = started.err().map(|error| format!("{error:#}"));
    let error = error.unwrap_or_default();
    ensure!(error.contains("otlp_endpoint"), "{error}");
    Ok(())
}

#[tokio::test]
async fn a_collector_that_is_away_keeps_no_match_from_being_played() -> anyhow::Result<()> {
    // Nothing listens there once this is dropped.
    let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
    let endpoint = format!("http://{}", listener.local_addr()?);
    drop(listener);
    let arena = ArenaProgram::start(&["--otlp-endpoint", &endpoint]).await?;
    let channel = Endpoint::from_shared(format!("http://{}", arena.address))?
        .connect()
        .await?;
    let mut one = Bot::connect(channel.clone(), Bot::profile("one")).await?;
    let request = request(v1::Variant::Classic, named("one"), named("one"));
    MatchServiceClient::new(channel)
        .create_match(request)
        .await?;
    let end = tokio::time::timeout(PATIENCE, one.play_first_legal()).await??;
    let outcome = end.outcome.context("no outcome")?;
    assert_eq!(outcome.termination(), v1::Termination::WonByPlay);
    arena.stop().await?;
    Ok(())
}
