//! Bots that the arena dials, over connections that break.

use std::{sync::Arc, time::Duration};

use broadside_proto::v1::{self, MatchResult, Termination, choose_move_response::Decision};
use broadside_tests::{
    Bot, DialledBot, dialled, named,
    proxy::{Cut, FaultProxy, Weather},
    request,
};
use parking_lot::Mutex;
use tonic::Status;

use crate::rig::{Rig, check, losses, random};

pub(crate) fn first_legal(turn: &v1::Turn) -> Result<v1::ChooseMoveResponse, Status> {
    let action = Bot::first_legal(turn).map_err(|error| Status::internal(error.to_string()))?;
    Ok(v1::ChooseMoveResponse {
        decision: Some(Decision::Move(action)),
    })
}

/// A bot behind a proxy, which cuts its connection in the middle of every tenth call the first time that it comes.
struct Fragile {
    bot: DialledBot,
    proxy: Arc<FaultProxy>,
    asked: Arc<Mutex<Vec<(u64, u32)>>>,
}

impl Fragile {
    async fn serve(how: Cut) -> anyhow::Result<Self> {
        let proxy = Arc::new(std::sync::OnceLock::<Arc<FaultProxy>>::new());
        let asked = Arc::new(Mutex::new(Vec::new()));
        let bot = {
            let (proxy, asked) = (proxy.clone(), asked.clone());
            DialledBot::serve(move |turn| {
                let mut asked = asked.lock();
                let key = (turn.match_id, turn.turn_id);
                let again = asked.contains(&key);
                asked.push(key);
                if !again
                    && asked.len() % 10 == 0
                    && let Some(proxy) = proxy.get()
                {
                    proxy.cut(how);
                }
                first_legal(&turn)
            })
            .await?
        };
        let before = Arc::new(FaultProxy::start(bot.address, 1)?);
        let _ = proxy.set(before.clone());
        Ok(Self {
            bot,
            proxy: before,
            asked,
        })
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_turn_whose_call_is_cut_is_asked_again_with_the_same_id() -> anyhow::Result<()> {
    for how in [Cut::Reset, Cut::Finish] {
        let rig = Rig::start().await?;
        let fragile = Fragile::serve(how).await?;
        let two = random(rig.arena.url(), "two");
        let created = rig
            .create(7, &dialled(fragile.proxy.address()), &named("two"))
            .await?;
        let records = rig.end_properly(&created).await?;
        let mut asked = fragile.asked.lock().clone();
        let calls = asked.len();
        asked.sort_unstable();
        asked.dedup();
        assert!(asked.len() < calls, "{how:?}: no turn was asked twice");
        assert!(
            records.iter().map(losses).sum::<usize>() > 0,
            "{how:?}: no match saw its bot go"
        );
        two.leave().await?;
        fragile.proxy.until_closed().await?;
        drop(fragile.bot);
        drop(fragile.proxy);
        rig.nothing_is_left().await?;
        rig.arena.stop().await?;
    }
    Ok(())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_dialled_bot_that_vanishes_is_noticed_and_loses_after_the_grace() -> anyhow::Result<()> {
    let rig = Rig::start_with(|settings| {
        settings.http2_keepalive_interval = Duration::from_millis(100);
        settings.http2_keepalive_timeout = Duration::from_millis(200);
        settings.grace = Duration::from_millis(100);
        settings.dial_timeout = Duration::from_millis(500);
    })
    .await?;
    let proxy = Arc::new(std::sync::OnceLock::<FaultProxy>::new());
    let bot = {
        let proxy = proxy.clone();
        DialledBot::serve(move |turn| {
            if turn.phase() == v1::Phase::Battle
                && let Some(proxy) = proxy.get()
            {
                proxy.set(Weather::Gone);
            }
            first_legal(&turn)
        })
        .await?
    };
    let fault = FaultProxy::start(bot.address, 1)?;
    let proxy = proxy.get_or_init(|| fault);
    let two = random(rig.arena.url(), "two");
    let match_id = rig
        .arena
        .create(request(
            v1::Variant::Classic,
            dialled(proxy.address()),
            named("two"),
        ))
        .await?;
    let outcome = rig.arena.outcome(match_id).await?;
    assert_eq!(
        outcome.termination(),
        Termination::Disconnected,
        "{}",
        outcome.message
    );
    assert_eq!(outcome.result(), MatchResult::SeatTwoWins);
    let record = rig.arena.record(match_id).await?;
    check(&record)?;
    assert_eq!(losses(&record), 1);
    two.leave().await?;
    proxy.set(Weather::Clear);
    proxy.cut(Cut::Reset);
    rig.arena.stop().await
}

/// A bot whose connection is cut at its first turn of the battle, and what it does when it is asked again.
async fn cut_once(
    again: impl Fn(&v1::Turn) + Send + Sync + 'static,
) -> anyhow::Result<(DialledBot, Arc<FaultProxy>, Arc<Mutex<Vec<v1::Turn>>>)> {
    let proxy = Arc::new(std::sync::OnceLock::<Arc<FaultProxy>>::new());
    let asked = Arc::new(Mutex::new(Vec::<v1::Turn>::new()));
    let bot = {
        let (proxy, asked) = (proxy.clone(), asked.clone());
        DialledBot::serve(move |turn| {
            if turn.phase() == v1::Phase::Battle {
                let count = {
                    let mut asked = asked.lock();
                    asked.push(turn.clone());
                    asked.len()
                };
                match (count, proxy.get()) {
                    (1, Some(proxy)) => proxy.cut(Cut::Reset),
                    (2, _) => again(&turn),
                    _ => {}
                }
            }
            first_legal(&turn)
        })
        .await?
    };
    let before = Arc::new(FaultProxy::start(bot.address, 1)?);
    let _ = proxy.set(before.clone());
    Ok((bot, before, asked))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_dialled_bot_that_is_found_again_may_think_for_longer_than_the_grace()
-> anyhow::Result<()> {
    let grace = Duration::from_millis(300);
    let rig = Rig::start_with(|settings| settings.grace = grace).await?;
    // On a thread of the server's own.
    let (_bot, proxy, asked) = cut_once(move |_| std::thread::sleep(3 * grace)).await?;
    let two = random(rig.arena.url(), "two");
    let created = rig
        .create(1, &dialled(proxy.address()), &named("two"))
        .await?;
    let records = rig.end_properly(&created).await?;
    assert_eq!(losses(&records[0]), 1);
    {
        // It was asked again with the same id, and told what was left of its time.
        let asked = asked.lock();
        assert_eq!(asked[0].turn_id, asked[1].turn_id);
        assert!(asked[1].time_left_us < asked[0].time_left_us);
        // It thought once: the turn was not sent a third time.
        assert_ne!(asked[1].turn_id, asked[2].turn_id);
    }
    two.leave().await?;
    rig.arena.stop().await
}
