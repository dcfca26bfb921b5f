//! Faults of the store as those who play feel them.

use std::{
    fs::Permissions,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    time::Duration,
};

use anyhow::Context;
use broadside_arena::store::StorePlace;
use broadside_proto::v1::{
    self, MatchState, Termination, connect_response::Message, log_entry::Entry,
    match_service_client::MatchServiceClient,
};
use broadside_tests::{
    Bot, PATIENCE, TestArena, named,
    programs::{self, ArenaProgram},
    request,
};
use prost::encoding::decode_varint;
use rustix::process::{Pid, Resource, Rlimit};
use tokio::process::Command;
use tonic::{Code, transport::Endpoint};

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

/// Flips one bit of a kept entry of a match's log, which stands in one piece: the arena was closed.
fn flip_a_bit(file: &Path, match_id: u64, seq: usize) -> anyhow::Result<()> {
    let connection = rusqlite::Connection::open(file)?;
    let match_id = i64::try_from(match_id)?;
    let mut body: Vec<u8> = connection.query_row(
        "SELECT body FROM match_chunk WHERE match_id = ?1 AND first = 0",
        [match_id],
        |row| row.get(0),
    )?;
    // Each entry is the length of its body and the body.
    let mut rest = body.as_slice();
    for _ in 0..=seq {
        let length = usize::try_from(decode_varint(&mut rest)?)?;
        rest = rest.get(length..).context("too few entries")?;
    }
    let after = body.len() - rest.len();
    *body.get_mut(after - 1).context("too few entries")? ^= 1;
    connection.execute(
        "UPDATE match_chunk SET body = ?2 WHERE match_id = ?1 AND first = 0",
        rusqlite::params![match_id, body],
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

/// The most that was not charged of a turn, since the arena could not go on.
fn most_forgiven_us(record: &v1::MatchRecord) -> u64 {
    let timings = record
        .entries
        .iter()
        .filter_map(|entry| match &entry.entry {
            Some(Entry::Accepted(accepted)) => accepted.timing.as_ref(),
            _ => None,
        });
    timings.map(|timing| timing.forgiven_us).max().unwrap_or(0)
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
    let forgiven_us = most_forgiven_us(&record);
    assert!(forgiven_us >= DEPLOYMENT_MS * 1_000, "{forgiven_us}");
    arena.stop().await
}

/// Lets a process write files of that size at most; `None`: of any.
fn limit_files(process: i32, bytes: Option<u64>) -> anyhow::Result<()> {
    let limit = Rlimit {
        current: bytes,
        maximum: None,
    };
    let process = Pid::from_raw(process).context("no process")?;
    rustix::process::prlimit(Some(process), Resource::Fsize, limit)?;
    Ok(())
}

fn beside(file: &Path, suffix: &str) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn fault_68_a_full_disk_stops_play_and_loses_nothing_and_play_goes_on_once_there_is_room()
-> anyhow::Result<()> {
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("matches.sqlite");
    let text = file.to_str().context("a path that is no text")?;
    let program = ArenaProgram::start(&["--store", text]).await?;
    let channel = Endpoint::from_shared(format!("http://{}", program.address))?
        .connect()
        .await?;
    let mut matches = MatchServiceClient::new(channel.clone());
    let told = v1::AgentProfile {
        wants_accepted: true,
        ..Bot::profile("one")
    };
    let mut one = Bot::connect(channel.clone(), told).await?;
    let mut two = Bot::connect(channel.clone(), Bot::profile("two")).await?;
    let created = matches.create_match(classic()).await?.into_inner();
    let match_id = created.r#match.unwrap_or_default().match_id;
    let turn = one.turn().await?;
    let two_turn = two.turn().await?;

    // Not a byte more than there is: as a disk that is full.
    let process = std::fs::read_to_string(beside(&file, ".lock"))?;
    let process = process.trim().parse()?;
    let written = std::fs::metadata(beside(&file, "-wal"))?.len();
    limit_files(process, Some(written))?;
    let refused = matches.create_match(classic()).await.expect_err("no room");
    assert_eq!(refused.code(), Code::Unavailable, "{refused:?}");
    assert!(refused.message().contains(text), "{refused:?}");
    one.answer(&turn, Bot::first_legal(&turn)?).await?;
    // Nothing can be kept, however long one waits: nothing is accepted. What was kept can be read.
    let waited = tokio::time::timeout(DISK, accepted(&mut one)).await;
    assert!(waited.is_err(), "accepted without being kept");
    let request = v1::GetMatchRequest { match_id };
    let kept = matches.get_match(request).await?.into_inner();
    assert_eq!(kept.r#match.unwrap_or_default().moves, 0);

    limit_files(process, None)?;
    accepted(&mut one).await?;
    two.answer(&two_turn, Bot::first_legal(&two_turn)?).await?;
    let (first, second) = tokio::join!(one.play_first_legal(), two.play_first_legal());
    for end in [first?, second?] {
        let outcome = end.outcome.context("no outcome")?;
        assert_eq!(outcome.termination(), Termination::WonByPlay, "{outcome:?}");
    }
    let request = v1::GetMatchRecordRequest { match_id };
    let record = matches.get_match_record(request).await?.into_inner();
    let record = record.record.context("no record")?;
    assert!(
        most_forgiven_us(&record) > 0,
        "time in which nothing could be kept is nobody's"
    );
    matches.create_match(classic()).await?;
    drop((one, two));
    let said = program.stop().await?;
    for line in ["may have", "the store can be used again"] {
        assert!(said.contains(line), "{line:?} in {said}");
    }
    Ok(())
}

/// What an arena says that does not start.
async fn refusal(mut program: Command) -> anyhow::Result<String> {
    let output = program
        .env("BROADSIDE_LISTEN", "127.0.0.1:0")
        // An error has no trace unless one is asked for.
        .env("RUST_BACKTRACE", "0")
        .kill_on_drop(true)
        .output();
    let output = tokio::time::timeout(PATIENCE, output)
        .await
        .context("it started")??;
    assert!(!output.status.success());
    assert!(output.stdout.is_empty(), "{output:?}");
    let said = String::from_utf8(output.stderr)?;
    assert_eq!(said.trim().lines().count(), 1, "{said}");
    Ok(said)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn fault_69_a_second_arena_on_a_file_does_not_start() -> anyhow::Result<()> {
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("matches.sqlite");
    let text = file.to_str().context("a path that is no text")?;
    let first = ArenaProgram::start(&["--store", text]).await?;
    let mut second = Command::new(programs::folder().await?.join("broadside-arena"));
    second.args(["--store", text]);
    let said = refusal(second).await?;
    assert!(said.contains("another arena"), "{said}");
    first.stop().await?;
    let third = ArenaProgram::start(&["--store", text]).await?;
    third.stop().await?;
    Ok(())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn fault_69_a_file_that_cannot_be_written_is_named_and_nothing_is_kept_in_memory_instead()
-> anyhow::Result<()> {
    let folder = tempfile::tempdir()?;
    let inner = folder.path().join("store");
    std::fs::create_dir(&inner)?;
    let file = inner.join("matches.sqlite");
    let text = file.to_str().context("a path that is no text")?;
    ArenaProgram::start(&["--store", text])
        .await?
        .stop()
        .await?;
    // Where anybody may run it.
    let program = folder.path().join("arena");
    std::fs::copy(programs::folder().await?.join("broadside-arena"), &program)?;
    let may = |path: &Path, mode| std::fs::set_permissions(path, Permissions::from_mode(mode));
    may(folder.path(), 0o755)?;
    let as_somebody = || {
        let mut command = Command::new(&program);
        command.args(["--store", text]);
        // The super-user may write everything.
        if rustix::process::geteuid().is_root() {
            command.uid(65_534).gid(65_534);
        }
        command
    };
    for (mode_of_folder, mode_of_file) in [(0o555, 0o444), (0o777, 0o444), (0o777, 0o000)] {
        may(&inner, mode_of_folder)?;
        may(&file, mode_of_file)?;
        let said = refusal(as_somebody()).await?;
        assert!(said.contains(text), "{said}");
        assert!(said.contains("Permission denied"), "{said}");
        assert!(said.contains("belongs to user"), "{said}");
    }
    may(&inner, 0o700)?;
    Ok(())
}
