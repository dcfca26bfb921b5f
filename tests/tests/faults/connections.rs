//! Peers that are idle, deaf, or gone without a word.

use std::time::Duration;

use anyhow::Context;
use broadside_agents::{Config, DialIn, Random, Retry, Seed, profile};
use broadside_arena::store::StorePlace;
use broadside_proto::v1::{
    self, Termination, connect_request, connect_response::Message, log_entry::Entry,
    watch_match_response::Update,
};
use broadside_record::verify::verify;
use broadside_tests::{
    Bot, PATIENCE, Table, TestArena, fast, named,
    proxy::{FaultProxy, Weather},
    request,
};
use tonic::{
    Code,
    transport::{Channel, Endpoint},
};

/// A connection on which no more than a KiB comes before it is read.
async fn narrow(url: String) -> anyhow::Result<Channel> {
    Ok(Endpoint::from_shared(url)?
        .initial_stream_window_size(1_024)
        .initial_connection_window_size(1_024)
        .connect()
        .await?)
}

async fn until_gone(arena: &TestArena, name: &str) -> anyhow::Result<()> {
    let gone = async {
        loop {
            let request = v1::ListAgentsRequest::default();
            let listed = arena.catalog().list_agents(request).await?.into_inner();
            let mut agents = listed.agents.into_iter();
            if !agents.any(|agent| agent.name == name && agent.connected) {
                return anyhow::Ok(());
            }
            tokio::task::yield_now().await;
        }
    };
    let waited = tokio::time::timeout(PATIENCE, gone).await;
    waited.with_context(|| format!("{name} is still listed as connected"))?
}

#[tokio::test]
async fn fault_07_an_idle_stream_is_kept_and_a_half_open_one_is_noticed() -> anyhow::Result<()> {
    let defaults = broadside_arena::Settings::default();
    let noticed = defaults.http2_keepalive_interval + defaults.http2_keepalive_timeout;
    assert!(noticed <= Duration::from_secs(30), "{noticed:?}");

    let arena = TestArena::start_with(|settings| {
        settings.http2_keepalive_interval = Duration::from_millis(50);
        settings.http2_keepalive_timeout = Duration::from_secs(2);
        settings.heartbeat_interval = Duration::from_millis(100);
    })
    .await?;
    let proxy = FaultProxy::start(arena.address(), 1)?;
    let channel = Endpoint::from_shared(proxy.url())?.connect().await?;
    let mut idle = Bot::connect(channel, Bot::profile("idle")).await?;
    // Sixty times as long as a connection may be silent before it is pinged, by the arena's heartbeats, which only the bot's transport answers.
    for _ in 0..30 {
        assert!(matches!(idle.next().await?, Message::Heartbeat(_)));
    }
    proxy.set(Weather::Gone);
    until_gone(&arena, "idle").await?;
    drop(idle);
    arena.stop().await
}

#[tokio::test]
async fn fault_10_a_bot_that_never_reads_is_disconnected_and_its_opponent_has_its_turn_at_once()
-> anyhow::Result<()> {
    let arena =
        TestArena::start_with(|settings| settings.grace = Duration::from_millis(10)).await?;
    let few = v1::AgentProfile {
        max_matches: 1,
        ..Bot::profile("deaf")
    };
    let mut deaf = Bot::connect(narrow(arena.url()).await?, few).await?;
    let mut two = Bot::connect(arena.channel(), Bot::profile("two")).await?;
    arena
        .create(request(v1::Variant::Classic, named("deaf"), named("two")))
        .await?;
    for bot in [&mut deaf, &mut two] {
        let turn = bot.turn().await?;
        bot.answer(&turn, Bot::first_legal(&turn)?).await?;
    }
    let turn = deaf.turn().await?;
    deaf.answer(&turn, Bot::first_legal(&turn)?).await?;
    // From here on it reads nothing, and makes the arena talk.
    let talk = async {
        for beat in 0.. {
            let beat = connect_request::Message::Heartbeat(v1::Heartbeat { beat });
            if deaf.send(beat).await.is_err() {
                break;
            }
        }
    };
    let played = async {
        let turn = two.turn().await?;
        assert_eq!(turn.phase(), v1::Phase::Battle);
        // It does not answer: the end of the match is that of the deaf one.
        two.match_end().await
    };
    let ((), end) = tokio::join!(
        async { tokio::time::timeout(PATIENCE, talk).await.unwrap_or(()) },
        played
    );
    let outcome = end?.outcome.context("no outcome")?;
    assert_eq!(
        outcome.termination(),
        Termination::Disconnected,
        "{}",
        outcome.message
    );
    assert_eq!(outcome.at_fault(), v1::Seat::One);
    let status = deaf.ended().await?;
    assert_eq!(status.code(), Code::ResourceExhausted, "{status:?}");
    arena.stop().await
}

#[tokio::test]
async fn fault_11_a_spectator_that_never_reads_holds_nobody_up_and_misses_nothing()
-> anyhow::Result<()> {
    use v1::match_service_client::MatchServiceClient;
    let mut table = Table::set(v1::Variant::Salvo).await?;
    let turn = table.deployed().await?;
    let mut spectators = Vec::new();
    for _ in 0..5 {
        let mut matches = MatchServiceClient::new(narrow(table.arena.url()).await?)
            .max_decoding_message_size(16 << 20);
        let watched = matches.watch_match(v1::WatchMatchRequest {
            match_id: table.match_id,
        });
        spectators.push(watched.await?.into_inner());
    }
    table.one.answer(&turn, Bot::first_legal(&turn)?).await?;
    let (one, two) = tokio::join!(table.one.play_first_legal(), table.two.play_first_legal());
    let outcome = one?.outcome.context("no outcome")?;
    two?;
    assert_eq!(
        outcome.termination(),
        Termination::WonByPlay,
        "{}",
        outcome.message
    );
    // Whoever begins to read after all sees every move in order.
    for mut spectator in spectators {
        let mut last = None;
        loop {
            let update = tokio::time::timeout(PATIENCE, spectator.message()).await??;
            match update.and_then(|response| response.update) {
                Some(Update::Event(event)) => {
                    assert!(last.is_none_or(|last| event.number == last + 1));
                    last = Some(event.number);
                }
                Some(Update::Snapshot(_)) => {}
                Some(Update::Ended(_)) => break,
                None => anyhow::bail!("the watch ended before the match"),
            }
        }
        assert!(last.is_some(), "no move was seen");
    }
    table.arena.stop().await
}

#[tokio::test]
async fn fault_12_a_bot_that_vanishes_in_its_turn_keeps_its_deadline() -> anyhow::Result<()> {
    let arena = TestArena::start_with(|settings| {
        settings.http2_keepalive_interval = Duration::from_millis(50);
        settings.http2_keepalive_timeout = Duration::from_millis(200);
        settings.grace = Duration::from_secs(600);
    })
    .await?;
    let proxy = FaultProxy::start(arena.address(), 1)?;
    let channel = Endpoint::from_shared(proxy.url())?.connect().await?;
    let mut gone = Bot::connect(channel, Bot::profile("gone")).await?;
    let mut two = Bot::connect(arena.channel(), Bot::profile("two")).await?;
    let match_id = arena
        .create(v1::CreateMatchRequest {
            time_control: Some(fast(2_000)),
            ..request(v1::Variant::Abalone, named("gone"), named("two"))
        })
        .await?;
    gone.turn().await?;
    proxy.set(Weather::Gone);
    let outcome = two.match_end().await?.outcome.context("no outcome")?;
    assert_eq!(
        outcome.termination(),
        Termination::Time,
        "{}",
        outcome.message
    );
    let record = arena.record(match_id).await?;
    let lost = record.entries.iter().find_map(|entry| match &entry.entry {
        Some(Entry::Disconnected(lost)) if lost.seat() == v1::Seat::One => Some(entry.at_us),
        _ => None,
    });
    let last = record.entries.last().context("an empty record")?;
    let Some(Entry::Ended(ended)) = &last.entry else {
        anyhow::bail!("the last entry is {last:?}");
    };
    let timing = ended.seat_one_timing.context("no stamps")?;
    // It was seen to be gone before its time was over, and that gave it none.
    assert!(lost.is_some_and(|lost| lost < last.at_us), "{lost:?}");
    assert!(last.at_us >= timing.handed_us + 2_000_000, "{timing:?}");
    drop(gone);
    arena.stop().await
}

const STORM: usize = 300;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn fault_13_hundreds_of_agents_come_back_at_once_after_a_restart() -> anyhow::Result<()> {
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("matches.sqlite");
    let arena = TestArena::start_with(|settings| {
        settings.store = StorePlace::File(file.clone());
        settings.drain_timeout = Duration::from_millis(1);
    })
    .await?;
    let address = arena.address();
    let mut agents = Vec::new();
    for number in 0..STORM {
        let profile = profile::every_variant(format!("agent-{number}"), 2).with_legal_moves();
        let mut config = Config::new(arena.url(), profile);
        config.retry = Retry {
            first: Duration::from_millis(20),
            longest: Duration::from_secs(1),
            attempts: None,
        };
        agents.push(DialIn::spawn(
            config,
            std::sync::Arc::new(Random::new(Seed(1))),
        ));
    }
    for agent in &mut agents {
        agent.welcomed().await.context("never welcomed")?;
    }
    let mut in_play = Vec::new();
    for number in (0..STORM).step_by(2) {
        let (one, two) = (format!("agent-{number}"), format!("agent-{}", number + 1));
        let asked = request(v1::Variant::Classic, named(&one), named(&two));
        in_play.push(arena.create(asked).await?);
    }
    arena.stop().await?;
    for agent in &mut agents {
        tokio::time::timeout(PATIENCE, agent.session.lost()).await?;
    }
    let arena = TestArena::start_with(|settings| {
        settings.store = StorePlace::File(file.clone());
        settings.listen = address;
    })
    .await?;
    let all_back = async {
        for agent in &mut agents {
            agent.welcomed().await.context("never welcomed again")?;
        }
        anyhow::Ok(())
    };
    tokio::time::timeout(PATIENCE, all_back).await??;
    // What they were playing goes on, and ends as it would have.
    let mut resumed = 0;
    for match_id in in_play {
        let outcome = arena.outcome(match_id).await?;
        assert_eq!(
            outcome.termination(),
            Termination::WonByPlay,
            "{}",
            outcome.message
        );
        let record = arena.record(match_id).await?;
        verify(&record, None)?;
        let is_resumed = |entry: &v1::LogEntry| matches!(entry.entry, Some(Entry::Resumed(_)));
        resumed += usize::from(record.entries.iter().any(is_resumed));
    }
    assert!(resumed > 0, "none was in play when the arena stopped");
    // All of them can play.
    let mut created = Vec::new();
    for number in (0..STORM).step_by(2) {
        let (one, two) = (format!("agent-{number}"), format!("agent-{}", number + 1));
        created.push(
            arena
                .create(request(v1::Variant::Salvo, named(&one), named(&two)))
                .await?,
        );
    }
    for match_id in created {
        let outcome = arena.outcome(match_id).await?;
        assert_eq!(
            outcome.termination(),
            Termination::WonByPlay,
            "{}",
            outcome.message
        );
    }
    for agent in agents {
        agent.leave().await?;
    }
    arena.stop().await
}
