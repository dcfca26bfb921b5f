//! The Python bots, against the real arena. They need a Python; a machine without one skips them loudly, and fails with CI=true.

use std::{
    env,
    path::{Path, PathBuf},
    process::Stdio,
};

use anyhow::{Context, bail, ensure};
use broadside_proto::v1::{self, Termination};
use broadside_tests::{Bot, PATIENCE, TestArena, VARIANTS, dialled, named, request};
use tokio::{
    io::{AsyncBufReadExt, BufReader},
    process::{Child, Command},
};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../agents/python")
}

/// The interpreter with what the bots need; `None` if this machine has no Python, which is a failure in CI.
async fn python() -> anyhow::Result<Option<PathBuf>> {
    let interpreter = env::var("BROADSIDE_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let found = Command::new(&interpreter)
        .arg("--version")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .await;
    if !found.is_ok_and(|status| status.success()) {
        if env::var("CI").is_ok_and(|ci| ci == "true") {
            bail!("CI needs Python, and {interpreter} does not run");
        }
        eprintln!("SKIPPED: {interpreter} does not run, so that the Python bots are NOT tested");
        return Ok(None);
    }
    let status = Command::new("sh")
        .arg(folder().join("setup.sh"))
        .status()
        .await
        .context("setup.sh")?;
    ensure!(status.success(), "agents/python/setup.sh failed");
    Ok(Some(folder().join(".venv/bin/python")))
}

fn script(python: &Path, name: &str) -> Command {
    let mut command = Command::new(python);
    command
        .arg(folder().join(name))
        .kill_on_drop(true)
        .stdout(Stdio::piped());
    command
}

/// A bot that serves, and the address that it printed.
async fn serving(mut command: Command) -> anyhow::Result<(Child, String)> {
    let mut bot = command.spawn()?;
    let stdout = bot.stdout.take().context("no standard output")?;
    let mut lines = BufReader::new(stdout).lines();
    let line = tokio::time::timeout(PATIENCE, lines.next_line())
        .await
        .context("the bot printed nothing")??
        .context("the bot closed its standard output")?;
    let address = line
        .strip_prefix("serving on ")
        .with_context(|| format!("it printed {line:?}"))?;
    Ok((bot, address.to_owned()))
}

async fn plays_every_variant(arena: &TestArena, player: v1::Player) -> anyhow::Result<()> {
    let mut opponent = Bot::connect(arena.channel(), Bot::profile("opponent")).await?;
    for (index, (variant, name)) in VARIANTS.into_iter().enumerate() {
        let request = if index % 2 == 0 {
            request(variant, player.clone(), named("opponent"))
        } else {
            request(variant, named("opponent"), player.clone())
        };
        let match_id = arena.create(request).await?;
        let end = opponent.play_first_legal().await?;
        let outcome = end.outcome.context("no outcome")?;
        ensure!(
            matches!(
                outcome.termination(),
                Termination::WonByPlay | Termination::DrawByRule
            ),
            "{name}: {}",
            outcome.message
        );
        let record = arena.record(match_id).await?;
        let refused = record
            .entries
            .iter()
            .filter(|entry| matches!(&entry.entry, Some(v1::log_entry::Entry::Refused(_))));
        ensure!(refused.count() == 0, "{name}: it made illegal moves");
    }
    Ok(())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_template_dials_in_and_plays_every_variant() -> anyhow::Result<()> {
    let Some(python) = python().await? else {
        return Ok(());
    };
    let arena = TestArena::start().await?;
    let address = arena.address().to_string();
    let _bot = script(&python, "bot.py")
        .args(["--connect", &address, "--name", "template", "--seed", "1"])
        .spawn()?;
    plays_every_variant(&arena, named("template")).await?;
    arena.stop().await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_template_is_dialled_and_plays_every_variant() -> anyhow::Result<()> {
    let Some(python) = python().await? else {
        return Ok(());
    };
    let arena = TestArena::start().await?;
    let mut command = script(&python, "bot.py");
    command.args([
        "--serve",
        "127.0.0.1:0",
        "--name",
        "template",
        "--seed",
        "2",
    ]);
    let (_bot, address) = serving(command).await?;
    plays_every_variant(&arena, dialled(address)).await?;
    arena.stop().await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn fifteen_lines_make_a_bot_either_way() -> anyhow::Result<()> {
    let Some(python) = python().await? else {
        return Ok(());
    };
    let arena = TestArena::start().await?;
    let address = arena.address().to_string();
    let _bot = script(&python, "fifteen_lines.py")
        .args([&address, "fifteen"])
        .spawn()?;
    plays_every_variant(&arena, named("fifteen")).await?;

    let mut command = script(&python, "fifteen_lines_dialled.py");
    command.arg("0");
    let (_bot, address) = serving(command).await?;
    let mut opponent = Bot::connect(arena.channel(), Bot::profile("opponent")).await?;
    arena
        .create(request(
            v1::Variant::AdvancedSalvo,
            dialled(address),
            named("opponent"),
        ))
        .await?;
    let outcome = opponent.play_first_legal().await?.outcome;
    assert_eq!(
        outcome.context("no outcome")?.termination(),
        Termination::WonByPlay
    );
    arena.stop().await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_client_made_by_reflection_alone_creates_a_match_and_reads_it() -> anyhow::Result<()> {
    let Some(python) = python().await? else {
        return Ok(());
    };
    let arena = TestArena::start().await?;
    let one = Bot::connect(arena.channel(), Bot::profile("one")).await?;
    let two = Bot::connect(arena.channel(), Bot::profile("two")).await?;
    for mut bot in [one, two] {
        tokio::spawn(async move { bot.play_first_legal().await });
    }
    let address = arena.address().to_string();
    let output = script(&python, "reflection_client.py")
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
    assert_eq!(
        read["match"]["outcome"]["termination"],
        "TERMINATION_WON_BY_PLAY"
    );
    arena.stop().await
}

#[tokio::test]
async fn the_bots_own_tests_pass() -> anyhow::Result<()> {
    let Some(python) = python().await? else {
        return Ok(());
    };
    // What the tests need goes into a folder of their own: the bots' environment stays as a user gets it.
    let tools = Path::new(env!("CARGO_TARGET_TMPDIR")).join("python-tools");
    let installed = Command::new(&python)
        .args([
            "-m",
            "pip",
            "install",
            "--quiet",
            "--disable-pip-version-check",
        ])
        .arg("--target")
        .arg(&tools)
        .args(["--upgrade", "--requirement"])
        .arg(folder().join("requirements-dev.txt"))
        .status()
        .await?;
    ensure!(installed.success(), "pytest could not be installed");
    let tested = Command::new(&python)
        .args(["-m", "pytest", "--quiet", "-p", "no:cacheprovider"])
        .arg(folder())
        .env("PYTHONPATH", &tools)
        .status()
        .await?;
    ensure!(tested.success(), "pytest failed");
    Ok(())
}
