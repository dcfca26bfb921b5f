//! Dates that jump, dates that differ, and an arena that does not get to run.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use anyhow::Context;
use broadside_agents::{Config, DialIn, Random, Retry, Seed, profile};
use broadside_arena::{
    store::StorePlace,
    time::{WallClock, unix_ms},
};
use broadside_proto::v1::{self, Termination, log_entry::Entry};
use broadside_record::verify::verify;
use broadside_tests::{
    Bot, PATIENCE, TestArena, VARIANTS, fast, named, programs::ArenaProgram, request,
};
use tonic::transport::Endpoint;

const HOUR_MS: u64 = 3_600_000;

/// Ended as its rules end it, and its record holds.
fn played_to_its_end(record: &v1::MatchRecord) -> anyhow::Result<()> {
    let verified = verify(record, None)?;
    let ended = verified.outcome.termination();
    anyhow::ensure!(
        matches!(ended, Termination::WonByPlay | Termination::DrawByRule),
        "{}",
        verified.outcome.message
    );
    Ok(())
}

#[tokio::test]
async fn fault_41_a_date_that_jumps_back_and_forth_changes_no_clock_and_no_result()
-> anyhow::Result<()> {
    let looks = AtomicU64::new(0);
    // 2027, 1970, the year 10889, 2027 a moment earlier.
    let dates = [1_800_000_000_000, 0, 1 << 48, 1_799_999_999_000];
    let jumping = WallClock::new(move || {
        let look = looks.fetch_add(1, Ordering::Relaxed);
        dates[look as usize % dates.len()]
    });
    let arena = TestArena::start_at(jumping, |_| {}).await?;
    let mut one = Bot::connect(arena.channel(), Bot::profile("one")).await?;
    let mut two = Bot::connect(arena.channel(), Bot::profile("two")).await?;
    for (variant, name) in VARIANTS {
        let match_id = arena
            .create(request(variant, named("one"), named("two")))
            .await?;
        let (one, two) = tokio::join!(one.play_first_legal(), two.play_first_legal());
        one?;
        two?;
        played_to_its_end(&arena.record(match_id).await?).context(name)?;
    }
    // Who does not answer is out of time when its time is over, and not sooner.
    let asked = v1::CreateMatchRequest {
        time_control: Some(fast(500)),
        ..request(v1::Variant::Abalone, named("one"), named("two"))
    };
    let match_id = arena.create(asked).await?;
    assert_eq!(
        arena.outcome(match_id).await?.termination(),
        Termination::Time
    );
    let record = arena.record(match_id).await?;
    verify(&record, None)?;
    let last = record.entries.last().context("an empty record")?;
    let Some(Entry::Ended(ended)) = &last.entry else {
        anyhow::bail!("the last entry is {last:?}");
    };
    let timing = ended.seat_one_timing.context("no stamps")?;
    assert!(last.at_us > timing.handed_us + 500_000, "{timing:?}");
    arena.stop().await
}

#[tokio::test]
async fn fault_43_arenas_whose_dates_differ_go_on_with_one_anothers_matches() -> anyhow::Result<()>
{
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("matches.sqlite");
    let mut match_id = 0;
    // An hour ahead, an hour behind, two hours ahead.
    for (start, offset_ms) in [2 * HOUR_MS, 0, 3 * HOUR_MS].into_iter().enumerate() {
        let wall = WallClock::new(move || unix_ms() - HOUR_MS + offset_ms);
        let arena = TestArena::start_at(wall, |settings| {
            settings.store = StorePlace::File(file.clone());
            settings.drain_timeout = Duration::from_millis(10);
        })
        .await?;
        let mut one = Bot::connect(arena.channel(), Bot::profile("one")).await?;
        let mut two = Bot::connect(arena.channel(), Bot::profile("two")).await?;
        if start == 0 {
            match_id = arena
                .create(request(v1::Variant::Classic, named("one"), named("two")))
                .await?;
            for bot in [&mut one, &mut two] {
                let turn = bot.turn().await?;
                bot.answer(&turn, Bot::first_legal(&turn)?).await?;
            }
        }
        for _ in 0..5 {
            for bot in [&mut one, &mut two] {
                let turn = bot.turn().await?;
                bot.answer(&turn, Bot::first_legal(&turn)?).await?;
            }
        }
        if start == 2 {
            let (one, two) = tokio::join!(one.play_first_legal(), two.play_first_legal());
            one?;
            two?;
            let record = arena.record(match_id).await?;
            played_to_its_end(&record)?;
            let resumed = |entry: &&v1::LogEntry| matches!(entry.entry, Some(Entry::Resumed(_)));
            assert_eq!(record.entries.iter().filter(resumed).count(), 2);
        }
        arena.stop().await?;
    }
    Ok(())
}

/// Most that a turn may take in the matches of a suspended arena.
const CAP_MS: u64 = 2_000;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn fault_42_a_process_that_was_suspended_charges_that_to_nobody() -> anyhow::Result<()> {
    let program = ArenaProgram::start(&["--connect-timeout", "2s"]).await?;
    let url = format!("http://{}", program.address);
    let channel = Endpoint::from_shared(url.clone())?.connect().await?;
    let mut matches = v1::match_service_client::MatchServiceClient::new(channel.clone())
        .max_decoding_message_size(16 << 20);
    let mut agents = Vec::new();
    for name in ["ann", "ben"] {
        let mut config = Config::new(
            url.clone(),
            profile::every_variant(name, 64).with_legal_moves(),
        );
        config.retry = Retry {
            first: Duration::from_millis(20),
            longest: Duration::from_secs(1),
            attempts: None,
        };
        agents.push(DialIn::spawn(config, Arc::new(Random::new(Seed(1)))));
    }
    let mut one = Bot::connect(channel.clone(), Bot::profile("one")).await?;
    let mut two = Bot::connect(channel.clone(), Bot::profile("two")).await?;
    let mut created = Vec::new();
    let mut wanted = vec![
        (v1::Variant::Abalone, "one", "two"),
        // Its second agent comes too late, but for the suspension.
        (v1::Variant::Salvo, "one", "late"),
    ];
    wanted.extend(VARIANTS.map(|(variant, _)| (variant, "ann", "ben")));
    for (variant, one, two) in wanted {
        let asked = v1::CreateMatchRequest {
            time_control: Some(fast(CAP_MS)),
            ..request(variant, named(one), named(two))
        };
        let response = matches.create_match(asked).await?.into_inner();
        created.push(response.r#match.unwrap_or_default().match_id);
    }
    let turn = loop {
        let turn = one.turn().await?;
        if turn.match_id == created[0] {
            break turn;
        }
    };
    program.signal("STOP").await?;
    // Given while the arena cannot read, long before its time is over.
    one.answer(&turn, Bot::first_legal(&turn)?).await?;
    // This is the fault itself.
    tokio::time::sleep(Duration::from_millis(2 * CAP_MS)).await;
    let coming = tokio::spawn(Bot::connect(
        Endpoint::from_shared(url)?.connect_lazy(),
        Bot::profile("late"),
    ));
    program.signal("CONT").await?;
    let mut late = coming.await??;

    let play = async {
        let (first, second, third) = tokio::join!(
            async {
                one.play_first_legal().await?;
                one.play_first_legal().await
            },
            two.play_first_legal(),
            late.play_first_legal()
        );
        first.and(second).and(third)
    };
    tokio::time::timeout(PATIENCE, play).await??;
    let mut forgiven_us = 0;
    for match_id in created {
        let watch = v1::WatchMatchRequest { match_id };
        let mut updates = matches.watch_match(watch).await?.into_inner();
        while updates.message().await?.is_some() {}
        let asked = v1::GetMatchRecordRequest { match_id };
        let response = matches.get_match_record(asked).await?.into_inner();
        let record = response.record.context("no record")?;
        played_to_its_end(&record)?;
        for entry in &record.entries {
            if let Some(Entry::Accepted(accepted)) = &entry.entry {
                let timing = accepted.timing.unwrap_or_default();
                forgiven_us = forgiven_us.max(timing.forgiven_us);
            }
        }
    }
    assert!(forgiven_us > CAP_MS * 1_000, "only {forgiven_us} us");
    for agent in agents {
        agent.leave().await?;
    }
    program.stop().await?;
    Ok(())
}
