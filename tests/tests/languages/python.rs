//! What there is in Python beside the templates: the smallest bots, a client made by reflection alone, and the package.

use std::{path::Path, process::Stdio};

use anyhow::{Context, ensure};
use broadside_proto::v1::{self, Termination};
use broadside_tests::{Bot, PATIENCE, TestArena, VARIANTS, dialled, named, programs};
use tokio::{
    io::{AsyncBufReadExt, BufReader},
    process::Command,
};

use crate::{
    language::{Language, language},
    matches::{create, ended_well},
};

fn script(python: &Language, name: &str) -> Command {
    let folder = python.folder();
    let mut command = Command::new(folder.join(".venv/bin/python"));
    command
        .arg(folder.join(name))
        .kill_on_drop(true)
        .stdout(Stdio::piped());
    command
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn fifteen_lines_make_a_bot_either_way() -> anyhow::Result<()> {
    let Some(python) = language("python").await? else {
        return Ok(());
    };
    let arena = TestArena::start().await?;
    let mut opponent = Bot::connect(arena.channel(), Bot::profile("opponent")).await?;
    let address = arena.address().to_string();
    let _dials = script(python, "fifteen_lines.py")
        .args([&address, "fifteen"])
        .spawn()?;
    for (variant, _) in VARIANTS {
        let match_id = create(&arena, variant, named("fifteen"), named("opponent")).await?;
        opponent.play_first_legal().await?;
        ended_well(&arena, match_id).await?;
    }

    let mut serves = script(python, "fifteen_lines_dialled.py")
        .arg("0")
        .spawn()?;
    let stdout = serves.stdout.take().context("no standard output")?;
    let line = tokio::time::timeout(PATIENCE, BufReader::new(stdout).lines().next_line()).await??;
    let line = line.context("it printed nothing")?;
    let address = line.strip_prefix("serving on ").context(line.clone())?;
    let match_id = create(
        &arena,
        v1::Variant::AdvancedSalvo,
        dialled(address),
        named("opponent"),
    )
    .await?;
    opponent.play_first_legal().await?;
    ended_well(&arena, match_id).await?;
    arena.stop().await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_client_made_by_reflection_alone_creates_a_match_and_reads_it() -> anyhow::Result<()> {
    let Some(python) = language("python").await? else {
        return Ok(());
    };
    let arena = TestArena::start().await?;
    let one = Bot::connect(arena.channel(), Bot::profile("one")).await?;
    let two = Bot::connect(arena.channel(), Bot::profile("two")).await?;
    for mut bot in [one, two] {
        tokio::spawn(async move { bot.play_first_legal().await });
    }
    let address = arena.address().to_string();
    let output = script(python, "reflection_client.py")
        .args([&address, "one", "two"])
        .output();
    let output = tokio::time::timeout(PATIENCE * 2, output).await??;
    let text = String::from_utf8(output.stdout)?;
    ensure!(output.status.success(), "{text}");
    let read: serde_json::Value = serde_json::from_str(&text)?;
    let services = read["services"].to_string();
    for service in ["MatchService", "GatewayService", "CatalogService"] {
        ensure!(
            services.contains(&format!("broadside.v1.{service}")),
            "{services}"
        );
    }
    assert_eq!(read["match"]["state"], "MATCH_STATE_OVER", "{read}");
    let termination = read["match"]["outcome"]["termination"].as_str();
    assert_eq!(termination, Some(Termination::WonByPlay.as_str_name()));
    arena.stop().await
}

/// Lint, types and tests, the environments' among them, which play at an arena that they start.
#[tokio::test]
async fn the_tests_of_the_package_pass() -> anyhow::Result<()> {
    if language("python").await?.is_none() {
        return Ok(());
    }
    let package = Path::new(env!("CARGO_MANIFEST_DIR")).join("../clients/python");
    let arena = programs::folder().await?.join("broadside-arena");
    let output = Command::new("sh")
        .arg(package.join("test.sh"))
        .env("BROADSIDE_ARENA_PROGRAM", arena)
        .stdin(Stdio::null())
        .output()
        .await?;
    ensure!(
        output.status.success(),
        "clients/python/test.sh ended with {}:\n{}\n{}",
        output.status,
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
    Ok(())
}
