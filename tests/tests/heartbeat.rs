//! The stream's own heartbeat: whoever promised to say something and does not is gone, and is told so.

use std::{sync::Arc, time::Duration};

use anyhow::Context;
use broadside_agents::{Config, DialIn, Random, Seed, Slow, profile};
use broadside_proto::v1::{
    self, SessionEndReason, Termination, connect_request, connect_response::Message,
    log_entry::Entry,
};
use broadside_tests::{Bot, TestArena, fast, named, request};
use tonic::Code;

fn hello(name: &str, heartbeat_interval_ms: Option<u32>) -> v1::Hello {
    v1::Hello {
        protocol_version: 1,
        profile: Some(Bot::profile(name)),
        heartbeat_interval_ms,
        ..Default::default()
    }
}

#[tokio::test]
async fn a_bot_that_breaks_its_promise_is_told_so_and_its_grace_begins() -> anyhow::Result<()> {
    let arena =
        TestArena::start_with(|settings| settings.grace = Duration::from_millis(50)).await?;
    let (mut silent, _) = Bot::greet(arena.channel(), hello("silent", Some(100))).await?;
    let mut two = Bot::connect(arena.channel(), Bot::profile("two")).await?;
    let match_id = arena
        .create(request(v1::Variant::Classic, named("silent"), named("two")))
        .await?;
    silent.turn().await?;
    let turn = two.turn().await?;
    two.answer(&turn, Bot::first_legal(&turn)?).await?;
    let Message::SessionEnd(end) = silent.next().await? else {
        anyhow::bail!("not the end of the session");
    };
    assert_eq!(end.reason(), SessionEndReason::Silent);
    let status = silent.ended().await?;
    assert_eq!(status.code(), Code::DeadlineExceeded);
    assert_eq!(status.message(), end.message);

    let end = two.match_end().await?;
    let outcome = end.outcome.context("no outcome")?;
    assert_eq!(outcome.termination(), Termination::Disconnected);
    assert_eq!(outcome.at_fault(), v1::Seat::One);
    let record = arena.record(match_id).await?;
    let lost = record.entries.iter().find_map(|entry| match &entry.entry {
        Some(Entry::Disconnected(lost)) => Some(lost.message.as_str()),
        _ => None,
    });
    assert!(
        lost.is_some_and(|why| why.contains("heartbeat")),
        "{lost:?}"
    );
    arena.stop().await
}

#[tokio::test]
async fn a_bot_that_keeps_its_promise_or_gave_none_stays() -> anyhow::Result<()> {
    let arena = TestArena::start_with(|settings| {
        settings.heartbeat_interval = Duration::from_millis(100);
    })
    .await?;
    let (mut beating, _) = Bot::greet(arena.channel(), hello("beating", Some(100))).await?;
    let (mut careless, _) = Bot::greet(arena.channel(), hello("careless", Some(0))).await?;
    // Ten intervals, counted by the arena's own heartbeats to the bot that says nothing.
    let mut intervals = 0;
    while intervals < 10 {
        match careless.next().await? {
            Message::Heartbeat(_) => intervals += 1,
            other => anyhow::bail!("{other:?}"),
        }
        let beat = v1::Heartbeat { beat: intervals };
        beating
            .send(connect_request::Message::Heartbeat(beat))
            .await?;
    }
    loop {
        match beating.next().await? {
            Message::Heartbeat(v1::Heartbeat { beat: 10 }) => break,
            Message::Heartbeat(_) => {}
            other => anyhow::bail!("{other:?}"),
        }
    }
    arena.stop().await
}

#[tokio::test]
async fn a_promise_out_of_range_is_refused_by_name() -> anyhow::Result<()> {
    let arena = TestArena::start().await?;
    for ms in [1, 99, 3_600_001] {
        let mut bot = Bot::open(arena.channel()).await?;
        bot.send(connect_request::Message::Hello(hello("bot", Some(ms))))
            .await?;
        let status = bot.ended().await?;
        assert_eq!(status.code(), Code::InvalidArgument);
        assert_eq!(
            status.message(),
            format!(
                "hello.heartbeat_interval_ms is {ms}: it must be 100 to 3600000, or 0 to promise nothing"
            )
        );
    }
    arena.stop().await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_reference_agent_keeps_its_promise_while_it_thinks() -> anyhow::Result<()> {
    let arena = TestArena::start().await?;
    let mut config = Config::new(
        arena.url(),
        profile::every_variant("thinker", 4).with_legal_moves(),
    );
    config.heartbeat_interval = Duration::from_millis(100);
    let random = Random::new(Seed(3));
    let thinker = Slow(move |turn: &v1::Turn| {
        use broadside_agents::Agent;
        if turn.phase() == v1::Phase::Deployment {
            // Longer than three intervals, and four.
            std::thread::sleep(Duration::from_millis(600));
        }
        random.choose(turn)
    });
    let agent = DialIn::spawn(config, Arc::new(thinker));
    let mut two = Bot::connect(arena.channel(), Bot::profile("two")).await?;
    let match_id = arena
        .create(v1::CreateMatchRequest {
            time_control: Some(fast(30_000)),
            ..request(v1::Variant::Salvo, named("thinker"), named("two"))
        })
        .await?;
    two.play_first_legal().await?;
    let record = arena.record(match_id).await?;
    assert!(
        !record
            .entries
            .iter()
            .any(|entry| matches!(entry.entry, Some(Entry::Disconnected(_)))),
        "it was taken for gone"
    );
    agent.leave().await?;
    arena.stop().await
}
