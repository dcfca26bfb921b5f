//! Faults of transport and resources: each ends as it should, and everybody else plays on.

use std::{net::SocketAddr, time::Duration};

use anyhow::Context;
use broadside_proto::v1::{self, Termination, catalog_service_client::CatalogServiceClient};
use broadside_tests::{
    Bot, TestArena,
    hostile::{Frame, PREFACE, Peer, code, flag, kind},
    named, request,
};
use bytes::Bytes;
use tokio::net::TcpStream;
use tonic::{
    Code,
    transport::{Channel, Endpoint},
};
use tonic_health::pb::{HealthCheckRequest, health_client::HealthClient};

const CONNECT: &str = "/broadside.v1.GatewayService/Connect";
const LIST_MATCHES: &str = "/broadside.v1.MatchService/ListMatches";
const HEALTH: &str = "/grpc.health.v1.Health/Check";

/// Another connection is served as ever.
async fn serves(address: SocketAddr) -> anyhow::Result<()> {
    let channel = Endpoint::from_shared(format!("http://{address}"))?
        .connect()
        .await?;
    let mut catalog = CatalogServiceClient::new(channel);
    catalog.list_variants(v1::ListVariantsRequest {}).await?;
    Ok(())
}

/// Two bots play a match to its end.
async fn play(arena: &TestArena, mut one: Bot, mut two: Bot) -> anyhow::Result<v1::Outcome> {
    let match_id = arena
        .create(request(v1::Variant::Salvo, named("ada"), named("bob")))
        .await?;
    tokio::try_join!(one.play_first_legal(), two.play_first_legal())?;
    arena.outcome(match_id).await
}

async fn bots(arena: &TestArena) -> anyhow::Result<(Bot, Bot)> {
    Ok((
        Bot::connect(arena.channel(), Bot::profile("ada")).await?,
        Bot::connect(arena.channel(), Bot::profile("bob")).await?,
    ))
}

/// What came of a call that HTTP/2 itself finds nothing wrong with.
#[derive(Debug)]
struct Answer {
    http: u16,
    grpc: Option<i32>,
    message: String,
}

async fn call(
    address: SocketAddr,
    path: &str,
    headers: &[(&'static str, &str)],
    body: &[u8],
) -> anyhow::Result<Answer> {
    let (client, connection) = h2::client::handshake(TcpStream::connect(address).await?).await?;
    let connection = tokio::spawn(connection);
    let mut request = http::Request::post(format!("http://arena{path}"));
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let mut client = client.ready().await?;
    let (response, mut stream) = client.send_request(request.body(())?, false)?;
    stream.send_data(Bytes::copy_from_slice(body), true)?;
    let response = response.await?;
    let http = response.status().as_u16();
    let mut status = response.headers().clone();
    let mut body = response.into_body();
    while let Some(data) = body.data().await {
        body.flow_control().release_capacity(data?.len())?;
    }
    if let Some(trailers) = body.trailers().await? {
        status.extend(trailers);
    }
    let text = |name: &str| status.get(name).and_then(|value| value.to_str().ok());
    connection.abort();
    Ok(Answer {
        http,
        grpc: text("grpc-status").and_then(|code| code.parse().ok()),
        message: text("grpc-message").unwrap_or_default().to_owned(),
    })
}

const GRPC: (&str, &str) = ("content-type", "application/grpc");

#[tokio::test]
async fn fault_01_a_message_over_the_limit_ends_its_stream_and_nothing_else() -> anyhow::Result<()>
{
    let arena = TestArena::start().await?;
    let (ada, bob) = bots(&arena).await?;
    let mut loud = Bot::connect(arena.channel(), Bot::profile("loud")).await?;
    let huge = v1::Move {
        variant: Some(v1::r#move::Variant::Salvo(v1::SalvoMove {
            r#move: Some(v1::salvo_move::Move::Salvo(v1::Salvo {
                cells: vec![v1::Cell { row: 1, column: 1 }; 100_000],
            })),
        })),
    };
    loud.answer_id(1, 1, huge).await?;
    let ended = loud.ended().await?;
    assert_eq!(ended.code(), Code::OutOfRange, "{ended}");

    let unary = v1::CreateMatchRequest {
        request_id: "x".repeat(100_000),
        ..request(v1::Variant::Salvo, named("ada"), named("bob"))
    };
    let status = arena.create(unary).await.unwrap_err();
    assert_eq!(status.code(), Code::OutOfRange, "{status}");
    let outcome = play(&arena, ada, bob).await?;
    assert_eq!(outcome.termination(), Termination::WonByPlay);
    arena.stop().await
}

#[tokio::test]
async fn fault_02_four_gigabytes_announced_are_refused_before_any_arrives() -> anyhow::Result<()> {
    let arena = TestArena::start().await?;
    for path in [CONNECT, LIST_MATCHES] {
        let mut peer = Peer::begin(arena.address()).await?;
        // A message of 2^32 - 1 bytes, and then silence.
        peer.send(&[
            Frame::call(1, 0, path, &[]),
            Frame::new(kind::DATA, 0, 1, [0, 255, 255, 255, 255]),
        ])
        .await?;
        let end = peer
            .find(|frame| {
                frame.stream == 1
                    && (frame.kind == kind::RST_STREAM
                        || frame.kind == kind::HEADERS && frame.flags & flag::END_STREAM != 0)
            })
            .await?;
        assert!(end.is_some(), "{path}: the connection ended instead");
        serves(arena.address()).await?;
    }
    arena.stop().await
}

#[tokio::test]
async fn fault_03_a_compressed_message_is_not_unpacked() -> anyhow::Result<()> {
    let arena = TestArena::start().await?;
    for path in [CONNECT, LIST_MATCHES] {
        let answer = call(
            arena.address(),
            path,
            &[GRPC, ("grpc-encoding", "gzip")],
            // Flagged as compressed.
            &[1, 0, 0, 0, 4, 0x1f, 0x8b, 8, 0],
        )
        .await?;
        assert_eq!(answer.grpc, Some(Code::Unimplemented as i32), "{answer:?}");
        assert!(answer.message.contains("gzip"), "{answer:?}");
    }
    arena.stop().await
}

#[tokio::test]
async fn fault_04_streams_opened_and_reset_by_the_thousand_end_the_connection() -> anyhow::Result<()>
{
    let arena = TestArena::start().await?;
    let (ada, bob) = bots(&arena).await?;
    let mut peer = Peer::begin(arena.address()).await?;
    let flood: Vec<_> = (0..10_000)
        .map(|number| 2 * number + 1)
        .flat_map(|stream| [Frame::call(stream, 0, CONNECT, &[]), Frame::reset(stream)])
        .collect();
    // The arena does not wait for the end of it.
    let _ = peer.send(&flood).await;
    let goaway = peer.find(|frame| frame.kind == kind::GOAWAY).await?;
    let goaway = goaway.context("closed without a word")?;
    assert_eq!(goaway.error(), Some(code::ENHANCE_YOUR_CALM), "{goaway:?}");
    peer.closed().await?;
    let outcome = play(&arena, ada, bob).await?;
    assert_eq!(outcome.termination(), Termination::WonByPlay);
    arena.stop().await
}

#[tokio::test]
async fn fault_04_pings_by_the_thousand_harm_nobody() -> anyhow::Result<()> {
    let arena = TestArena::start().await?;
    let (ada, bob) = bots(&arena).await?;
    let mut peer = Peer::begin(arena.address()).await?;
    // It does not read what it is answered, for as long as it can write.
    let flood = vec![Frame::new(kind::PING, 0, 0, [7; 8]); 10_000];
    let flooded = tokio::spawn(async move {
        for _ in 0..20 {
            if peer.send(&flood).await.is_err() {
                return;
            }
        }
    });
    let outcome = play(&arena, ada, bob).await?;
    assert_eq!(outcome.termination(), Termination::WonByPlay);
    serves(arena.address()).await?;
    flooded.abort();
    arena.stop().await
}

#[tokio::test]
async fn fault_05_headers_without_end_are_not_collected() -> anyhow::Result<()> {
    let arena = TestArena::start().await?;
    let mut peer = Peer::begin(arena.address()).await?;
    let mut first = Frame::call(1, 0, LIST_MATCHES, &[]);
    first.flags = 0;
    peer.send(&[first]).await?;
    let mut block = Vec::new();
    for number in 0..100 {
        broadside_tests::hostile::field(&mut block, &format!("x-{number}"), &"y".repeat(100));
    }
    let more = vec![Frame::new(kind::CONTINUATION, 0, 1, block); 1_000];
    // The arena does not wait for the end of it.
    let _ = peer.send(&more).await;
    peer.closed().await?;
    serves(arena.address()).await?;
    arena.stop().await
}

#[tokio::test]
async fn fault_05_headers_that_are_too_large_reach_no_service() -> anyhow::Result<()> {
    let arena = TestArena::start().await?;
    let many: Vec<_> = (0..10_000).map(|number| format!("x-{number}")).collect();
    let many: Vec<_> = many.iter().map(|name| (name.as_str(), "y")).collect();
    let large = "y".repeat(100_000);
    for more in [&many[..], &[("x-large", large.as_str())]] {
        let mut peer = Peer::begin(arena.address()).await?;
        let whole = Frame::call(1, flag::END_STREAM, HEALTH, more);
        let mut frames = Vec::new();
        let mut parts = whole.payload.chunks(16_000).peekable();
        while let Some(part) = parts.next() {
            let last = parts.peek().is_none();
            let kind = if frames.is_empty() {
                kind::HEADERS
            } else {
                kind::CONTINUATION
            };
            let mut flags = if last { flag::END_HEADERS } else { 0 };
            if frames.is_empty() {
                flags |= flag::END_STREAM;
            }
            frames.push(Frame::new(kind, flags, 1, part));
        }
        let _ = peer.send(&frames).await;
        // A health check would be answered with a message.
        let served = peer
            .find(|frame| frame.kind == kind::DATA || frame.error().is_some())
            .await?;
        assert!(
            served.is_none_or(|frame| frame.kind != kind::DATA),
            "it was served"
        );
    }
    serves(arena.address()).await?;
    arena.stop().await
}

#[tokio::test]
async fn fault_06_each_slow_peer_is_closed_at_a_deadline_of_its_own() -> anyhow::Result<()> {
    let arena = TestArena::start_with(|settings| {
        settings.preface_timeout = Duration::from_millis(100);
        settings.first_call_timeout = Duration::from_millis(200);
    })
    .await?;
    let mut half = Frame::call(1, 0, CONNECT, &[]);
    half.flags = 0;
    let beginnings: [&[u8]; 5] = [
        // Says nothing.
        b"",
        // Half of a preface.
        &PREFACE[..10],
        // A preface and no settings.
        PREFACE,
        // No call.
        &[PREFACE, &Frame::new(kind::SETTINGS, 0, 0, []).bytes()].concat(),
        // Half of a call.
        &[
            PREFACE,
            &Frame::new(kind::SETTINGS, 0, 0, []).bytes(),
            &half.bytes(),
        ]
        .concat(),
    ];
    for beginning in beginnings {
        let mut peer = Peer::connect(arena.address()).await?;
        peer.write(beginning).await?;
        peer.closed().await?;
    }
    arena.stop().await
}

#[tokio::test]
async fn fault_06_a_call_whose_message_does_not_come_is_ended() -> anyhow::Result<()> {
    let arena =
        TestArena::start_with(|settings| settings.call_timeout = Duration::from_millis(100))
            .await?;
    let mut peer = Peer::begin(arena.address()).await?;
    // Half of the five bytes with which a message begins.
    peer.send(&[
        Frame::call(1, 0, LIST_MATCHES, &[]),
        Frame::new(kind::DATA, 0, 1, [0, 0]),
    ])
    .await?;
    let end = peer
        .find(|frame| frame.stream == 1 && frame.flags & flag::END_STREAM != 0)
        .await?;
    assert!(end.is_some());
    arena.stop().await
}

#[tokio::test]
async fn fault_07_a_bot_that_waits_is_kept_while_others_are_closed() -> anyhow::Result<()> {
    let arena = TestArena::start_with(|settings| {
        settings.first_call_timeout = Duration::from_millis(100);
        settings.call_timeout = Duration::from_millis(100);
    })
    .await?;
    let (ada, bob) = bots(&arena).await?;
    // One after another, so that the bots have waited for several of their deadlines.
    for _ in 0..3 {
        Peer::begin(arena.address()).await?.closed().await?;
    }
    let outcome = play(&arena, ada, bob).await?;
    assert_eq!(outcome.termination(), Termination::WonByPlay);
    arena.stop().await
}

#[tokio::test]
async fn fault_07_a_peer_that_answers_no_ping_is_closed() -> anyhow::Result<()> {
    let arena = TestArena::start_with(|settings| {
        settings.http2_keepalive_interval = Duration::from_millis(100);
        settings.http2_keepalive_timeout = Duration::from_millis(100);
    })
    .await?;
    let mut peer = Peer::begin(arena.address()).await?;
    peer.send(&[Frame::call(1, 0, CONNECT, &[])]).await?;
    peer.closed().await?;
    arena.stop().await
}

#[tokio::test]
async fn fault_08_streams_beyond_the_limit_of_a_connection_are_refused() -> anyhow::Result<()> {
    let arena = TestArena::start_with(|settings| settings.max_streams_per_connection = 16).await?;
    let mut peer = Peer::begin(arena.address()).await?;
    let streams: Vec<_> = (0..10_000)
        .map(|number| Frame::call(2 * number + 1, 0, CONNECT, &[]))
        .collect();
    let _ = peer.send(&streams).await;
    let first = peer
        .find(|frame| frame.error().is_some())
        .await?
        .context("none was refused")?;
    assert_eq!(first.error(), Some(code::REFUSED_STREAM), "{first:?}");
    assert_eq!(first.stream, 2 * 16 + 1, "the seventeenth is refused");
    // It does not stop there, and so the connection does.
    let goaway = peer.find(|frame| frame.kind == kind::GOAWAY).await?;
    assert_eq!(
        goaway.and_then(|frame| frame.error()),
        Some(code::ENHANCE_YOUR_CALM)
    );
    serves(arena.address()).await?;
    arena.stop().await
}

#[tokio::test]
async fn fault_09_connections_beyond_the_limit_of_an_address_are_closed_and_their_places_come_back()
-> anyhow::Result<()> {
    let arena = TestArena::start_with(|settings| settings.max_connections_per_address = 3).await?;
    // One is the arena's of the test.
    let first = Peer::begin(arena.address()).await?;
    let second = Peer::begin(arena.address()).await?;
    assert!(
        Peer::connect(arena.address())
            .await?
            .closed()
            .await?
            .is_empty(),
        "the fourth connection is closed"
    );
    drop((first, second));
    // The places are free once the arena has noticed.
    let waited = async {
        while serves(arena.address()).await.is_err() {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(broadside_tests::PATIENCE, waited).await?;
    arena.stop().await
}

#[tokio::test]
async fn fault_14_what_is_not_http2_is_closed() -> anyhow::Result<()> {
    let arena = TestArena::start().await?;
    let hello = [0x16, 3, 1, 0, 200, 1, 0, 0, 196, 3, 3];
    let noise: Vec<u8> = (0..4_000_u32)
        .map(|number| (number.wrapping_mul(2_654_435_761) >> 24) as u8)
        .collect();
    let wrong: [&[u8]; 6] = [
        b"GET / HTTP/1.1\r\nHost: arena\r\n\r\n",
        b"POST /broadside.v1.MatchService/ListMatches HTTP/1.1\r\n\r\n",
        &hello,
        &noise,
        b"\0",
        // All but the last byte is right.
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\rX",
    ];
    for bytes in wrong {
        let mut peer = Peer::connect(arena.address()).await?;
        peer.write(bytes).await?;
        assert!(peer.closed().await?.is_empty(), "{bytes:?} was answered");
    }
    // Wrong after a beginning that is right.
    let mut peer = Peer::begin(arena.address()).await?;
    peer.write(&noise).await?;
    peer.closed().await?;
    serves(arena.address()).await?;
    arena.stop().await
}

#[tokio::test]
async fn fault_16_what_is_no_call_of_this_arena_is_answered_as_such() -> anyhow::Result<()> {
    let arena = TestArena::start().await?;
    let address = arena.address();
    let empty = [0; 5];
    for path in [
        "/broadside.v1.MatchService/Nothing",
        "/no.Such/Method",
        "/",
        "/../../etc/passwd",
    ] {
        let answer = call(address, path, &[GRPC], &empty).await?;
        assert_eq!(
            answer.grpc,
            Some(Code::Unimplemented as i32),
            "{path}: {answer:?}"
        );
    }
    for kind in ["text/html", "application/json", "application/GRPC+x", ""] {
        let answer = call(address, LIST_MATCHES, &[("content-type", kind)], &empty).await?;
        assert_eq!(
            (answer.http, answer.grpc),
            (415, None),
            "{kind}: {answer:?}"
        );
    }
    let answer = call(address, LIST_MATCHES, &[], &empty).await?;
    assert_eq!(answer.http, 415, "{answer:?}");
    // A request that brings a status of its own changes nothing.
    let smuggled = [
        GRPC,
        ("grpc-status", "13"),
        ("grpc-message", "%0d%0agrpc-status: 0"),
        ("grpc-status-details-bin", "*"),
        ("grpc-timeout", "never"),
    ];
    let answer = call(address, LIST_MATCHES, &smuggled, &empty).await?;
    assert_eq!(answer.grpc, Some(0), "{answer:?}");
    let mut health = HealthClient::new(arena.channel());
    health.check(HealthCheckRequest::default()).await?;
    arena.stop().await
}

#[tokio::test]
async fn calls_beyond_the_limit_of_a_connection_do_not_wait() -> anyhow::Result<()> {
    let arena = TestArena::start_with(|settings| settings.max_calls_per_connection = 1).await?;
    let mut peer = Peer::begin(arena.address()).await?;
    // The first waits for its message, and so the second finds no room.
    peer.send(&[
        Frame::call(1, 0, LIST_MATCHES, &[]),
        Frame::call(3, flag::END_STREAM, LIST_MATCHES, &[]),
    ])
    .await?;
    let end = peer
        .find(|frame| frame.kind == kind::HEADERS && frame.flags & flag::END_STREAM != 0)
        .await?
        .context("closed")?;
    assert_eq!(end.stream, 3);
    // Other connections have room of their own.
    let channel: Channel = arena.channel();
    CatalogServiceClient::new(channel)
        .list_variants(v1::ListVariantsRequest {})
        .await?;
    arena.stop().await
}
