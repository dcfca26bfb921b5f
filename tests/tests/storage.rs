//! Faults of the store as those who play feel them.

use std::{path::Path, time::Duration};

use anyhow::Context;
use broadside_arena::store::StorePlace;
use broadside_proto::v1::{
    self, MatchState, Termination, connect_response::Message, log_entry::Entry,
};
use broadside_tests::{Bot, PATIENCE, TestArena, named, request};
use tonic::Code;

async fn arena_on(file: &Path) -> anyhow::Result<TestArena> {
    TestArena::start_with(|settings| {
        settings.store = StorePlace::File(file.to_owned());
        // A match that is not over is left at once.
        settings.drain_timeout = Duration::from_millis(1);
    })
    .await
}

async fn bots(arena: &TestArena) -> anyhow::Result<(Bot, Bot)> {
    let told = v1::AgentProfile {
        wants_accepted: true,
        ..Bot::profile("one")
    };
    Ok((
        Bot::connect(arena.channel(), told).await?,
        Bot::connect(arena.channel(), Bot::profile("two")).await?,
    ))
}

fn classic() -> v1::CreateMatchRequest {
    request(v1::Variant::Classic, named("one"), named("two"))
}

/// Flips one bit of a kept entry of a match's log.
fn flip_a_bit(file: &Path, match_id: u64, seq: i64) -> anyhow::Result<()> {
    let connection = rusqlite::Connection::open(file)?;
    let match_id = i64::try_from(match_id)?;
    let mut body: Vec<u8> = connection.query_row(
        "SELECT body FROM match_event WHERE match_id = ?1 AND seq = ?2",
        [match_id, seq],
        |row| row.get(0),
    )?;
    *body.last_mut().context("an empty entry")? ^= 1;
    connection.execute(
        "UPDATE match_event SET body = ?3 WHERE match_id = ?1 AND seq = ?2",
        rusqlite::params![match_id, seq, body],
    )?;
    Ok(())
}

/// Until a move of a bot is accepted.
async fn accepted(bot: &mut Bot) -> anyhow::Result<()> {
    let accepted = async {
        while !matches!(bot.next().await?, Message::Accepted(_)) {}
        Ok(())
    };
    tokio::time::timeout(PATIENCE, accepted)
        .await
        .context("no move was accepted")?
}

async fn state(arena: &TestArena, match_id: u64) -> Result<MatchState, tonic::Status> {
    let request = v1::GetMatchRequest { match_id };
    let response = arena.matches().get_match(request).await?.into_inner();
    Ok(response.r#match.unwrap_or_default().state())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn fault_70_a_bit_flipped_in_an_event_costs_its_match_and_no_other() -> anyhow::Result<()> {
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("matches.sqlite");
    let arena = arena_on(&file).await?;
    let (mut one, mut two) = bots(&arena).await?;
    let over = arena.create(classic()).await?;
    let (first, second) = tokio::join!(one.play_first_legal(), two.play_first_legal());
    first.and(second)?;
    let damaged = arena.create(classic()).await?;
    let whole = arena.create(classic()).await?;
    // A deployment in each.
    for turn in [one.turn().await?, one.turn().await?] {
        one.answer(&turn, Bot::first_legal(&turn)?).await?;
    }
    for _ in 0..2 {
        accepted(&mut one).await?;
    }
    drop((one, two));
    arena.stop().await?;
    flip_a_bit(&file, damaged, 2)?;

    let arena = arena_on(&file).await?;
    let status = state(&arena, damaged).await.expect_err("a damaged log");
    assert_eq!(status.code(), Code::DataLoss, "{status:?}");
    assert!(
        status.message().contains(&damaged.to_string()),
        "{status:?}"
    );
    assert_eq!(state(&arena, over).await?, MatchState::Over);
    // Its agents have room for others: it waits for nobody.
    let (mut one, mut two) = bots(&arena).await?;
    let (first, second) = tokio::join!(one.play_first_legal(), two.play_first_legal());
    for end in [first?, second?] {
        assert_eq!(end.match_id, whole);
    }
    let another = arena.create(classic()).await?;
    let (first, second) = tokio::join!(one.play_first_legal(), two.play_first_legal());
    first.and(second)?;
    assert_eq!(arena.record(another).await?.match_id, another);

    arena.stop().await?;
    flip_a_bit(&file, over, 5)?;
    let arena = arena_on(&file).await?;
    let status = arena.record(over).await.expect_err("a damaged log");
    assert_eq!(status.code(), Code::DataLoss, "{status:?}");
    assert_eq!(arena.record(whole).await?.match_id, whole);
    arena.stop().await
}

/// How long a seat has for its deployment, in milliseconds; the disk takes longer.
const DEPLOYMENT_MS: u64 = 2_000;
const DISK: Duration = Duration::from_millis(3_000);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn fault_71_time_in_which_the_disk_does_not_answer_is_charged_to_nobody() -> anyhow::Result<()>
{
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("matches.sqlite");
    let arena = arena_on(&file).await?;
    let (mut one, mut two) = bots(&arena).await?;
    let match_id = arena
        .create(v1::CreateMatchRequest {
            time_control: Some(v1::TimeControl {
                turn_cap_ms: Some(60_000),
                deployment_ms: Some(DEPLOYMENT_MS),
                ..Default::default()
            }),
            ..classic()
        })
        .await?;
    let (first, second) = (one.turn().await?, two.turn().await?);
    // While somebody else has the file locked, nothing is written to it.
    let slow = rusqlite::Connection::open(&file)?;
    slow.execute_batch("BEGIN IMMEDIATE")?;
    one.answer(&first, Bot::first_legal(&first)?).await?;
    // The disk's time, and no wait for anything.
    tokio::time::sleep(DISK).await;
    assert_eq!(state(&arena, match_id).await?, MatchState::Running);
    slow.execute_batch("COMMIT")?;
    accepted(&mut one).await?;
    // By the clock on the wall the other seat's time is long over.
    two.answer(&second, Bot::first_legal(&second)?).await?;
    let (first, second) = tokio::join!(one.play_first_legal(), two.play_first_legal());
    for end in [first?, second?] {
        let outcome = end.outcome.context("no outcome")?;
        assert_eq!(outcome.termination(), Termination::WonByPlay, "{outcome:?}");
    }
    let record = arena.record(match_id).await?;
    let forgiven_us = record
        .entries
        .iter()
        .filter_map(|entry| match &entry.entry {
            Some(Entry::Accepted(accepted)) => accepted.timing.as_ref(),
            _ => None,
        });
    let forgiven_us = forgiven_us.map(|timing| timing.forgiven_us).max();
    assert!(
        forgiven_us >= Some(DEPLOYMENT_MS * 1_000),
        "{forgiven_us:?}"
    );
    arena.stop().await
}
