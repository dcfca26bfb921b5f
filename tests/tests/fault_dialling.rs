//! Faults of dialling: the arena is nobody's way into a network, and no one's cannon.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use anyhow::Context;
use broadside_agents::{Hunter, Seed, profile, serve_tls};
use broadside_proto::v1::{self, Termination};
use broadside_tests::{Authority, Bot, DialledBot, TestArena, fast, named, request};
use bytes::Bytes;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;
use tonic::{Code, Status};
use tonic_types::StatusExt;

fn at(url: &str) -> v1::Player {
    v1::Player {
        agent: Some(v1::player::Agent::Address(url.to_owned())),
    }
}

fn against(url: &str) -> v1::CreateMatchRequest {
    request(v1::Variant::Salvo, named("ada"), at(url))
}

/// How a match ends for which nobody is reached.
async fn never_connected(arena: &TestArena, url: &str) -> anyhow::Result<String> {
    let match_id = arena.create(against(url)).await?;
    let outcome = arena.outcome(match_id).await?;
    assert_eq!(
        outcome.termination(),
        Termination::NeverConnected,
        "{outcome:?}"
    );
    Ok(outcome.message)
}

#[tokio::test]
async fn fault_60_an_address_that_is_not_to_be_dialled_makes_no_match() -> anyhow::Result<()> {
    let arena = TestArena::start_with(|settings| settings.dial_allow.clear()).await?;
    for url in [
        "http://127.0.0.1:80",
        "http://[::1]:80",
        "http://0.0.0.0:80",
        "http://10.0.0.1:80",
        "http://172.16.0.1:80",
        "http://192.168.1.1:80",
        "http://100.64.0.1:80",
        "http://169.254.169.254:80",
        "https://[fd00:ec2::254]:443",
        "http://[fe80::1]:80",
        "http://[::ffff:127.0.0.1]:80",
        "http://[::ffff:a9fe:a9fe]:80",
        "http://[64:ff9b::7f00:1]:80",
        "http://[2002:7f00:1::]:80",
        "http://224.0.0.1:80",
        "unix:/var/run/docker.sock",
        "unix:///var/run/docker.sock",
        "file:///etc/passwd",
        "http://user@93.184.215.14:80",
        "http://user:secret@93.184.215.14:80",
        "http://93.184.215.14:80/latest/meta-data",
        "http://93.184.215.14:80?x",
        "http://93.184.215.14",
    ] {
        let status = arena.create(against(url)).await.unwrap_err();
        assert_eq!(status.code(), Code::InvalidArgument, "{url}: {status}");
        let details = status.get_error_details();
        let wrong = details.bad_request().context("no details")?;
        let wrong = wrong.field_violations.first().context("no field")?;
        assert_eq!(wrong.field, "players[1].address", "{url}");
        assert!(
            wrong.description.contains("dial_allow") || wrong.description.contains("HOST:PORT"),
            "{url}: {}",
            wrong.description
        );
    }
    arena.stop().await
}

#[tokio::test]
async fn fault_60_a_name_that_means_such_an_address_is_never_connected_to() -> anyhow::Result<()> {
    let arena = TestArena::start_with(|settings| {
        settings.dial_allow.clear();
        settings.connect_timeout = Duration::from_millis(300);
    })
    .await?;
    let _ada = Bot::connect(arena.channel(), Bot::profile("ada")).await?;
    let target = TcpListener::bind(("127.0.0.1", 0)).await?;
    let port = target.local_addr()?.port();
    // The last two are 127.0.0.1 as the system's resolver reads them.
    for host in ["localhost", "2130706433", "0x7f.1"] {
        let why = never_connected(&arena, &format!("http://{host}:{port}")).await?;
        assert!(why.contains("dial_allow"), "{host}: {why}");
    }
    let connected = std::future::poll_fn(|context| {
        std::task::Poll::Ready(target.poll_accept(context).is_ready())
    });
    assert!(!connected.await, "it was connected to");
    arena.stop().await
}

#[tokio::test]
async fn fault_60_a_redirect_is_not_followed() -> anyhow::Result<()> {
    let arena = TestArena::start_with(|settings| {
        settings.connect_timeout = Duration::from_millis(500);
    })
    .await?;
    let _ada = Bot::connect(arena.channel(), Bot::profile("ada")).await?;
    let target = TcpListener::bind(("127.0.0.1", 0)).await?;
    let location = format!("http://{}/", target.local_addr()?);
    let web = WebServer::start(http::StatusCode::TEMPORARY_REDIRECT, Some(location)).await?;
    let why = never_connected(&arena, &web.url).await?;
    assert!(why.contains("307"), "{why}");
    let followed = std::future::poll_fn(|context| {
        std::task::Poll::Ready(target.poll_accept(context).is_ready())
    });
    assert!(!followed.await, "it was followed");
    arena.stop().await
}

/// Speaks HTTP/2, and no gRPC.
struct WebServer {
    url: String,
    requests: Arc<AtomicUsize>,
    paths: Arc<std::sync::Mutex<Vec<String>>>,
}

impl WebServer {
    async fn start(status: http::StatusCode, location: Option<String>) -> anyhow::Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
        let server = Self {
            url: format!("http://{}", listener.local_addr()?),
            requests: Arc::default(),
            paths: Arc::default(),
        };
        let (requests, paths) = (server.requests.clone(), server.paths.clone());
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (requests, paths, location) =
                    (requests.clone(), paths.clone(), location.clone());
                tokio::spawn(async move {
                    let mut connection = h2::server::handshake(stream).await?;
                    while let Some(request) = connection.accept().await {
                        let (request, mut respond) = request?;
                        requests.fetch_add(1, Ordering::Relaxed);
                        if let Ok(mut paths) = paths.lock() {
                            paths.push(request.uri().path().to_owned());
                        }
                        let mut response = http::Response::builder()
                            .status(status)
                            .header("content-type", "text/html");
                        if let Some(location) = &location {
                            response = response.header("location", location);
                        }
                        let mut body = respond.send_response(response.body(())?, false)?;
                        body.send_data(Bytes::from_static(b"<html>"), true)?;
                    }
                    anyhow::Ok(())
                });
            }
        });
        Ok(server)
    }
}

#[tokio::test]
async fn fault_61_what_is_no_bot_is_asked_who_it_is_and_never_sent_a_match() -> anyhow::Result<()> {
    let arena = TestArena::start_with(|settings| {
        settings.connect_timeout = Duration::from_millis(500);
    })
    .await?;
    let _ada = Bot::connect(arena.channel(), Bot::profile("ada")).await?;
    for status in [
        http::StatusCode::OK,
        http::StatusCode::NOT_FOUND,
        http::StatusCode::NOT_IMPLEMENTED,
    ] {
        let web = WebServer::start(status, None).await?;
        let why = never_connected(&arena, &web.url).await?;
        assert!(why.contains("no gRPC"), "{why}");
        let paths = web.paths.lock().map_err(|_| anyhow::anyhow!("poisoned"))?;
        assert!(!paths.is_empty());
        assert!(
            paths.iter().all(|path| path.ends_with("/GetProfile")),
            "{paths:?}"
        );
        // Each wait is twice the one before, from 100 ms on: 0, 100 and 300 ms, and perhaps one on the way.
        let requests = web.requests.load(Ordering::Relaxed);
        assert!(requests <= 4, "{requests} attempts");
    }
    arena.stop().await
}

/// A bot that answers every turn with nothing but these trailers.
async fn answers_with(trailers: http::HeaderMap) -> anyhow::Result<String> {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
    let url = format!("http://{}", listener.local_addr()?);
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let trailers = trailers.clone();
            tokio::spawn(async move {
                let mut connection = h2::server::handshake(stream).await?;
                while let Some(request) = connection.accept().await {
                    let (request, mut respond) = request?;
                    let mut trailers = trailers.clone();
                    if request.uri().path().ends_with("/GetProfile") {
                        // It has only ChooseMove.
                        trailers.insert("grpc-status", http::HeaderValue::from_static("12"));
                        trailers.remove("grpc-message");
                    }
                    let response = http::Response::builder()
                        .header("content-type", "application/grpc")
                        .body(())?;
                    respond
                        .send_response(response, false)?
                        .send_trailers(trailers)?;
                }
                anyhow::Ok(())
            });
        }
    });
    Ok(url)
}

#[tokio::test]
async fn fault_16_a_status_that_is_malformed_is_a_refused_move_like_any_other() -> anyhow::Result<()>
{
    let arena = TestArena::start().await?;
    let mut trailers = http::HeaderMap::new();
    for (name, value) in [
        ("grpc-status", "13"),
        ("grpc-message", "%zz%ff"),
        ("grpc-status-details-bin", "*not base64*"),
    ] {
        trailers.insert(name, http::HeaderValue::from_static(value));
    }
    let url = answers_with(trailers).await?;
    let good = DialledBot::serve(|turn| {
        let action =
            Bot::first_legal(&turn).map_err(|error| Status::internal(error.to_string()))?;
        Ok(v1::ChooseMoveResponse {
            decision: Some(v1::choose_move_response::Decision::Move(action)),
        })
    })
    .await?;
    let created = v1::CreateMatchRequest {
        time_control: Some(fast(10_000)),
        ..request(
            v1::Variant::Salvo,
            at(&format!("http://{}", good.address)),
            at(&url),
        )
    };
    let match_id = arena.create(created).await?;
    let outcome = arena.outcome(match_id).await?;
    assert_eq!(
        outcome.termination(),
        Termination::IllegalMoves,
        "{outcome:?}"
    );
    arena.stop().await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_bot_is_dialled_with_tls_if_its_certificate_is_trusted_and_only_then()
-> anyhow::Result<()> {
    let authority = Authority::new()?;
    let mine = authority.issue("arena")?;
    let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
    let url = format!("https://localhost:{}", listener.local_addr()?.port());
    let stop = CancellationToken::new();
    let serving = tokio::spawn(serve_tls(
        listener,
        profile::every_variant("hunter", 64),
        Arc::new(Hunter::new(Seed(5))),
        authority.issue("bot")?.identity()?,
        stop.clone(),
    ));
    let trusting = TestArena::start_with(|settings| {
        settings.dial_ca = Some(authority.ca.clone());
        settings.dial_cert = Some(mine.cert.clone());
        settings.dial_key = Some(mine.key.clone());
        // A second connection for the second seat.
        settings.dial_seats_per_connection = 1;
    })
    .await?;
    let both = request(v1::Variant::Salvo, at(&url), at(&url));
    let match_id = trusting.create(both).await?;
    let outcome = trusting.outcome(match_id).await?;
    assert_eq!(outcome.termination(), Termination::WonByPlay, "{outcome:?}");
    trusting.stop().await?;

    let strange = TestArena::start_with(|settings| {
        settings.connect_timeout = Duration::from_millis(500);
    })
    .await?;
    let _ada = Bot::connect(strange.channel(), Bot::profile("ada")).await?;
    let why = never_connected(&strange, &url).await?;
    assert!(why.contains("certificate"), "{why}");
    strange.stop().await?;
    stop.cancel();
    serving.await??;
    Ok(())
}
