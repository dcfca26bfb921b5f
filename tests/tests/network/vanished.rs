//! Peers that vanish without a word: the connection is open, and nobody is there.

use std::time::Duration;

use broadside_agents::{Config, DialIn, Random, Retry, Seed, profile};
use broadside_proto::v1::{self, MatchResult, Termination, log_entry::Entry};
use broadside_tests::{
    Bot, fast, named,
    proxy::{Cut, FaultProxy, Weather},
    request,
};

use crate::rig::{Rig, check, losses, random};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_bot_that_vanishes_loses_after_the_grace_and_its_opponent_is_told() -> anyhow::Result<()>
{
    let rig = Rig::start_with(|settings| {
        settings.http2_keepalive_interval = Duration::from_millis(100);
        settings.http2_keepalive_timeout = Duration::from_millis(200);
        settings.grace = Duration::from_millis(100);
    })
    .await?;
    let proxy = FaultProxy::start(rig.arena.address(), 1)?;
    let channel = tonic::transport::Endpoint::from_shared(proxy.url())?
        .connect()
        .await?;
    let mut gone = Bot::connect(channel, Bot::profile("gone")).await?;
    let mut two = Bot::connect(rig.arena.channel(), Bot::profile("two")).await?;
    let match_id = rig
        .arena
        .create(v1::CreateMatchRequest {
            time_control: Some(fast(60_000)),
            ..request(v1::Variant::Classic, named("gone"), named("two"))
        })
        .await?;
    for bot in [&mut gone, &mut two] {
        let turn = bot.turn().await?;
        bot.answer(&turn, Bot::first_legal(&turn)?).await?;
    }
    gone.turn().await?;
    proxy.set(Weather::Gone);
    let outcome = two.match_end().await?.outcome.unwrap_or_default();
    assert_eq!(
        outcome.termination(),
        Termination::Disconnected,
        "{}",
        outcome.message
    );
    assert_eq!(outcome.result(), MatchResult::SeatTwoWins);
    let record = rig.arena.record(match_id).await?;
    check(&record)?;
    // The grace began when it was noticed, and not before.
    let lost = record.entries.iter().find_map(|entry| match &entry.entry {
        Some(Entry::Disconnected(lost)) if lost.seat() == v1::Seat::One => Some(entry.at_us),
        _ => None,
    });
    let ended = record.entries.last().map_or(0, |entry| entry.at_us);
    assert!(
        lost.is_some_and(|lost| ended >= lost + 100_000),
        "{lost:?} {ended}"
    );
    drop((gone, two));
    proxy.cut(Cut::Reset);
    drop(proxy);
    rig.nothing_is_left().await?;
    rig.arena.stop().await
}

/// Who notices that the other end has vanished.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Noticed {
    ByKeepalive,
    ByHeartbeat,
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn both_ends_notice_a_line_that_is_dead_and_the_match_goes_on_over_another()
-> anyhow::Result<()> {
    for noticed in [Noticed::ByKeepalive, Noticed::ByHeartbeat] {
        let rig = Rig::start_with(|settings| {
            settings.heartbeat_interval = Duration::from_millis(100);
            if noticed == Noticed::ByKeepalive {
                settings.http2_keepalive_interval = Duration::from_millis(100);
                settings.http2_keepalive_timeout = Duration::from_millis(200);
            }
        })
        .await?;
        let proxy = FaultProxy::start(rig.arena.address(), 1)?;
        let mut config = Config::new(
            proxy.url(),
            profile::every_variant("one", 8).with_legal_moves(),
        );
        config.retry = Retry {
            first: Duration::from_millis(5),
            longest: Duration::from_millis(100),
            attempts: None,
        };
        config.heartbeat_interval = match noticed {
            Noticed::ByKeepalive => Duration::ZERO,
            Noticed::ByHeartbeat => Duration::from_millis(100),
        };
        // The line dies for good in the middle of a match, and only a new one works.
        let dies = tokio::sync::watch::Sender::new(false);
        let turns = crate::rig::Count::default();
        let agent = {
            let (dies, turns) = (dies.clone(), turns.clone());
            let random = Random::new(Seed(1));
            move |turn: &v1::Turn| {
                use broadside_agents::Agent;
                if turns.one_more() == 5 {
                    dies.send_replace(true);
                }
                random.choose(turn)
            }
        };
        let mut one = DialIn::spawn(config, std::sync::Arc::new(agent));
        let mut session = one.session.clone();
        let two = random(rig.arena.url(), "two");
        one.welcomed().await;
        let match_id = rig
            .arena
            .create(request(v1::Variant::Abalone, named("one"), named("two")))
            .await?;
        dies.subscribe().wait_for(|dies| *dies).await?;
        proxy.set(Weather::Gone);
        // Both ends must see it by themselves: nothing is closed.
        session.lost().await;
        let mut lost = false;
        let waited = tokio::time::timeout(broadside_tests::PATIENCE, async {
            while !lost {
                let agents = rig.agents().await?;
                lost = agents
                    .iter()
                    .any(|agent| agent.name == "one" && !agent.connected);
                tokio::task::yield_now().await;
            }
            anyhow::Ok(())
        });
        waited.await??;
        proxy.cut(Cut::Reset);
        proxy.set(Weather::Clear);
        let records = rig.end_properly(&[match_id]).await?;
        assert_eq!(losses(&records[0]), 1, "{noticed:?}");
        one.leave().await?;
        two.leave().await?;
        proxy.until_closed().await?;
        drop(proxy);
        rig.nothing_is_left().await?;
        rig.arena.stop().await?;
    }
    Ok(())
}
