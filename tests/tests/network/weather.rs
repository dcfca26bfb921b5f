//! TCP at its worst: delays, cuts, peers that vanish and come back, slow readers.

use std::time::Duration;

use anyhow::Context;
use broadside_proto::v1::{self, Termination, connect_response::Message};
use broadside_tests::{
    Bot, DialledBot, dialled, fast, named,
    proxy::{Cut, FaultProxy, Way, Weather},
    request,
};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use tonic::transport::Endpoint;

use crate::dialled::first_legal;
use crate::rig::{Rig, check, losses, random, same_games};

/// Changes the weather for ever, by a seed: mostly delays of some milliseconds, now and then a cut or a lull.
async fn storm(proxies: &[&FaultProxy], seed: u64) {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    loop {
        let proxy = proxies[rng.random_range(0..proxies.len())];
        let way = if rng.random() { Way::There } else { Way::Back };
        match rng.random_range(0..10) {
            0 => proxy.cut(Cut::Reset),
            1 => proxy.cut(Cut::Finish),
            2 => proxy.set_way(way, Weather::Gone),
            3 => proxy.set(Weather::Gone),
            4 => proxy.set_way(
                way,
                Weather::Trickle {
                    bytes: rng.random_range(1..2_000),
                    pause: Duration::from_micros(200),
                },
            ),
            5 | 6 => proxy.set_way(way, Weather::jitter(Duration::from_millis(10))),
            7 => proxy.set_way(way, Weather::late(Duration::from_millis(3))),
            _ => proxy.set(Weather::Clear),
        }
        tokio::time::sleep(Duration::from_millis(rng.random_range(5..60))).await;
    }
}

/// How many storms; `BROADSIDE_STORMS` asks for more.
fn seeds() -> anyhow::Result<std::ops::Range<u64>> {
    let count = match std::env::var("BROADSIDE_STORMS") {
        Ok(count) => count.parse().context("BROADSIDE_STORMS is no number")?,
        Err(_) => 2,
    };
    Ok(0..count)
}

/// Plays 42 matches through two proxies in a storm, and returns their records.
async fn played_in_a_storm(seed: u64) -> anyhow::Result<Vec<v1::MatchRecord>> {
    let rig = Rig::start().await?;
    let proxies = [
        FaultProxy::start(rig.arena.address(), seed)?,
        FaultProxy::start(rig.arena.address(), seed + 1)?,
    ];
    let one = random(proxies[0].url(), "one");
    let two = random(proxies[1].url(), "two");
    let records = {
        let created = rig.create(42, &named("one"), &named("two")).await?;
        let both = [&proxies[0], &proxies[1]];
        tokio::select! {
            records = rig.end_properly(&created) => records?,
            () = storm(&both, seed) => unreachable!("it never ends"),
        }
    };
    for proxy in &proxies {
        proxy.set(Weather::Clear);
    }
    one.leave().await?;
    two.leave().await?;
    for proxy in proxies {
        proxy.until_closed().await?;
    }
    rig.nothing_is_left().await?;
    rig.arena.stop().await?;
    Ok(records)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn in_a_storm_every_match_ends_as_it_does_on_a_calm_day() -> anyhow::Result<()> {
    let rig = Rig::start().await?;
    let (one, two) = (
        random(rig.arena.url(), "one"),
        random(rig.arena.url(), "two"),
    );
    let created = rig.create(42, &named("one"), &named("two")).await?;
    let calm = rig.end_properly(&created).await?;
    one.leave().await?;
    two.leave().await?;
    rig.nothing_is_left().await?;
    rig.arena.stop().await?;

    let mut lost = 0;
    for seed in seeds()? {
        let stormy = played_in_a_storm(seed).await?;
        lost += stormy.iter().map(losses).sum::<usize>();
        same_games(&stormy, &calm).with_context(|| format!("seed {seed}"))?;
    }
    assert!(
        lost > 10,
        "what a storm: {lost} connections lost by matches"
    );
    Ok(())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn in_a_storm_bots_that_are_dialled_play_as_they_do_on_a_calm_day() -> anyhow::Result<()> {
    let rig = Rig::start().await?;
    let bot = DialledBot::serve(|turn| first_legal(&turn)).await?;
    let created = rig
        .create(14, &dialled(bot.address), &dialled(bot.address))
        .await?;
    let calm = rig.end_properly(&created).await?;
    for seed in seeds()? {
        let proxies = [
            FaultProxy::start(bot.address, seed)?,
            FaultProxy::start(bot.address, seed + 1)?,
        ];
        let [one, two] = [&proxies[0], &proxies[1]];
        let created = rig
            .create(14, &dialled(one.address()), &dialled(two.address()))
            .await?;
        let both = [one, two];
        let stormy = tokio::select! {
            records = rig.end_properly(&created) => records?,
            () = storm(&both, seed) => unreachable!("it never ends"),
        };
        same_games(&stormy, &calm).with_context(|| format!("seed {seed}"))?;
        for proxy in &proxies {
            proxy.set(Weather::Clear);
            proxy.until_closed().await?;
        }
    }
    drop(bot);
    rig.nothing_is_left().await?;
    rig.arena.stop().await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_loses_on_time_was_late_by_the_records_own_stamps() -> anyhow::Result<()> {
    let rig = Rig::start().await?;
    let proxy = FaultProxy::start(rig.arena.address(), 5)?;
    let near = random(rig.arena.url(), "near");
    let far = random(proxy.url(), "far");
    // Half the turns take longer to and fro than the cap.
    proxy.set(Weather::jitter(Duration::from_millis(40)));
    let mut ended_on_time = 0;
    let mut created = Vec::new();
    for _ in 0..20 {
        let request = v1::CreateMatchRequest {
            time_control: Some(fast(40)),
            ..request(v1::Variant::Abalone, named("near"), named("far"))
        };
        created.push(rig.arena.create(request).await?);
    }
    for match_id in created {
        let outcome = rig.arena.outcome(match_id).await?;
        ended_on_time += usize::from(outcome.termination() == Termination::Time);
        check(&rig.arena.record(match_id).await?)?;
    }
    assert!(ended_on_time > 0, "the network was not late");
    near.leave().await?;
    far.leave().await?;
    proxy.until_closed().await?;
    drop(proxy);
    rig.nothing_is_left().await?;
    rig.arena.stop().await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_slow_reader_is_waited_for_and_holds_nobody_else_up() -> anyhow::Result<()> {
    let rig = Rig::start().await?;
    let proxy = FaultProxy::narrow(rig.arena.address(), 9, 2_048)?;
    proxy.set_way(
        Way::Back,
        Weather::Trickle {
            bytes: 400,
            pause: Duration::from_millis(1),
        },
    );
    let slow = random(proxy.url(), "slow");
    let quick = random(rig.arena.url(), "quick");
    let partner = random(rig.arena.url(), "partner");
    let waded = rig.create(7, &named("slow"), &named("quick")).await?;
    let brisk = rig.create(14, &named("quick"), &named("partner")).await?;
    rig.end_properly(&brisk).await?;
    rig.end_properly(&waded).await?;
    for agent in [slow, quick, partner] {
        agent.leave().await?;
    }
    proxy.set(Weather::Clear);
    proxy.until_closed().await?;
    drop(proxy);
    rig.nothing_is_left().await?;
    rig.arena.stop().await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_bot_whose_connection_is_cut_in_every_turn_still_plays_to_the_end() -> anyhow::Result<()>
{
    let rig = Rig::start().await?;
    let proxy = FaultProxy::start(rig.arena.address(), 3)?;
    let partner = random(rig.arena.url(), "partner");
    let match_id = rig
        .arena
        .create(request(v1::Variant::Salvo, named("cut"), named("partner")))
        .await?;
    let mut resume_token = String::new();
    let mut pending = None;
    let mut cuts = 0;
    let end = loop {
        let channel = Endpoint::from_shared(proxy.url())?.connect().await?;
        let (mut bot, welcome) = Bot::resume(channel, Bot::profile("cut"), &resume_token).await?;
        resume_token = welcome.resume_token;
        let turn = bot.turn().await?;
        assert!(pending.is_none_or(|seen| seen == turn.turn_id));
        bot.answer(&turn, Bot::first_legal(&turn)?).await?;
        // The next turn is read, and then its stream dies.
        match next_turn(&mut bot).await? {
            Ok(turn) => pending = Some(turn.turn_id),
            Err(end) => break end,
        }
        cuts += 1;
        proxy.cut(if cuts % 2 == 0 {
            Cut::Reset
        } else {
            Cut::Finish
        });
    };
    let outcome = end.outcome.unwrap_or_default();
    assert_eq!(
        outcome.termination(),
        Termination::WonByPlay,
        "{}",
        outcome.message
    );
    check(&rig.arena.record(match_id).await?)?;
    assert!(cuts > 10, "{cuts}");
    partner.leave().await?;
    drop(proxy);
    rig.nothing_is_left().await?;
    rig.arena.stop().await
}

/// The next turn, or else the end of the match.
async fn next_turn(bot: &mut Bot) -> anyhow::Result<Result<v1::Turn, v1::MatchEnd>> {
    loop {
        match bot.next().await? {
            Message::Turn(turn) => return Ok(Ok(turn)),
            Message::MatchEnd(end) => return Ok(Err(end)),
            _ => {}
        }
    }
}
