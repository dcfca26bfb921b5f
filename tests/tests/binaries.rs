//! The programs as their users start them: the arena, the reference agents, the command line and the showcase.

use std::process::{Output, Stdio};

use anyhow::{Context, ensure};
use broadside_tests::{PATIENCE, programs};
use tokio::{
    io::{AsyncBufReadExt, BufReader},
    process::{Child, Command},
};

/// A program that runs until it is told to stop, and what its first line says after `prefix`.
async fn start(program: &str, arguments: &[&str], prefix: &str) -> anyhow::Result<(Child, String)> {
    let mut child = Command::new(programs::folder().await?.join(program))
        .args(arguments)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .kill_on_drop(true)
        .spawn()?;
    let stdout = child.stdout.take().context("no standard output")?;
    let line = tokio::time::timeout(PATIENCE, BufReader::new(stdout).lines().next_line())
        .await
        .context("it printed nothing")??
        .context("it closed its standard output")?;
    let rest = line
        .strip_prefix(prefix)
        .with_context(|| format!("it printed {line:?}"))?;
    Ok((child, rest.to_owned()))
}

async fn broadside(arena: &str, arguments: &[&str]) -> anyhow::Result<Output> {
    let output = Command::new(programs::folder().await?.join("broadside"))
        .args(["--arena", arena])
        .args(arguments)
        .kill_on_drop(true)
        .output();
    Ok(tokio::time::timeout(PATIENCE, output).await??)
}

fn text(output: &Output) -> anyhow::Result<String> {
    let stdout = String::from_utf8(output.stdout.clone())?;
    ensure!(
        output.status.success(),
        "{stdout}{}",
        String::from_utf8_lossy(&output.stderr)
    );
    Ok(stdout)
}

async fn stops_well(mut child: Child) -> anyhow::Result<()> {
    let id = child.id().context("it is gone")?;
    let status = Command::new("kill")
        .args(["-TERM", &id.to_string()])
        .status()
        .await?;
    ensure!(status.success(), "kill failed");
    let ended = tokio::time::timeout(PATIENCE, child.wait())
        .await
        .context("it did not stop")??;
    ensure!(ended.success(), "it ended with {ended}");
    Ok(())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_match_is_made_watched_recorded_and_replayed_from_the_command_line() -> anyhow::Result<()>
{
    let folder = tempfile::tempdir()?;
    let store = folder.path().join("matches.sqlite");
    let store = store.to_str().context("a path that is no text")?;
    let (arena, address) = start(
        "broadside-arena",
        &[
            "--listen",
            "127.0.0.1:0",
            "--store",
            store,
            "--dial-allow",
            "loopback",
        ],
        "listening on ",
    )
    .await?;
    let url = format!("http://{address}");
    let (dialled, served) = start(
        "broadside-agent",
        &["random", "--serve", "127.0.0.1:0"],
        "serving on ",
    )
    .await?;
    let served = served
        .rsplit(' ')
        .next()
        .context("no address")?
        .trim_start_matches("http://")
        .to_owned();
    let hunter = Command::new(programs::folder().await?.join("broadside-agent"))
        .args(["hunter", "--connect", &url, "--name", "nimrod"])
        .stderr(Stdio::null())
        .kill_on_drop(true)
        .spawn()?;

    let variants = text(&broadside(&url, &["variants"]).await?)?;
    for name in [
        "classic",
        "salvo",
        "advanced-salvo",
        "amiral",
        "amiral-advanced",
        "naumachia",
        "abalone",
    ] {
        assert!(variants.contains(name), "{variants}");
        let random = format!("http://{served}");
        let watched = broadside(
            &url,
            &["match", "create", name, "nimrod", &random, "--watch"],
        )
        .await?;
        let watched = text(&watched)?;
        assert!(watched.contains("wins"), "{watched}");
        // Piped: no escape sequences.
        assert!(!watched.contains('\u{1b}'), "{watched}");

        let listed = broadside(
            &url,
            &["--json", "match", "list", "--variant", name, "--limit", "1"],
        )
        .await?;
        let listed: serde_json::Value = serde_json::from_str(&text(&listed)?)?;
        let played = &listed["matches"][0];
        let match_id = played["matchId"]
            .as_str()
            .context("no match id")?
            .to_owned();
        let shown = text(&broadside(&url, &["match", "show", &match_id]).await?)?;
        assert!(shown.contains("nimrod"), "{shown}");

        for file in ["record.pb", "record.json"] {
            let path = folder.path().join(file);
            let path = path.to_str().context("a path that is no text")?;
            text(&broadside(&url, &["match", "record", &match_id, "-o", path]).await?)?;
            let replayed = text(&broadside("http://127.0.0.1:9", &["replay", path]).await?)?;
            assert!(replayed.contains("wins"), "{replayed}");
        }
    }
    let agents = text(&broadside(&url, &["agents"]).await?)?;
    assert!(agents.contains("nimrod"), "{agents}");

    let unknown = broadside(&url, &["match", "show", "99"]).await?;
    assert_eq!(unknown.status.code(), Some(4));
    let usage = broadside(&url, &["match", "show", "ninety"]).await?;
    assert_eq!(usage.status.code(), Some(2));
    let refused = broadside(&url, &["match", "create", "classic", "nimrod", "no spaces"]).await?;
    assert_eq!(refused.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("players[1].name"));

    stops_well(hunter).await?;
    stops_well(dialled).await?;
    stops_well(arena).await?;
    let gone = broadside(&url, &["agents"]).await?;
    assert_eq!(gone.status.code(), Some(3));
    Ok(())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_person_plays_through_a_pipe() -> anyhow::Result<()> {
    let (arena, address) = start(
        "broadside-arena",
        &[
            "--listen",
            "127.0.0.1:0",
            "--store",
            "memory",
            "--dial-allow",
            "loopback",
        ],
        "listening on ",
    )
    .await?;
    let url = format!("http://{address}");
    let (dialled, served) = start(
        "broadside-agent",
        &["hunter", "--serve", "127.0.0.1:0"],
        "serving on ",
    )
    .await?;
    let opponent = served
        .rsplit(' ')
        .next()
        .context("no address")?
        .trim_start_matches("http://");
    let opponent = format!("http://{opponent}");
    let mut person = Command::new(programs::folder().await?.join("broadside"))
        .args(["--arena", &url, "play", "classic", "--against", &opponent])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true)
        .spawn()?;
    // A dealt fleet, two slips that are explained and asked again, a shot, and enough of it.
    let mut stdin = person.stdin.take().context("no standard input")?;
    tokio::io::AsyncWriteExt::write_all(&mut stdin, b"random\nZ99\nB0\nB10\nresign\ny\n").await?;
    drop(stdin);
    let output = tokio::time::timeout(PATIENCE, person.wait_with_output()).await??;
    let said = String::from_utf8(output.stdout)? + &String::from_utf8(output.stderr)?;
    for part in ["Z99", "B0", "resigned"] {
        assert!(said.contains(part), "{part} in {said}");
    }
    assert!(output.status.success(), "{said}");
    stops_well(dialled).await?;
    stops_well(arena).await
}

#[tokio::test]
async fn the_showcase_plays_every_variant_to_its_end() -> anyhow::Result<()> {
    let output = Command::new(env!("CARGO_BIN_EXE_showcase"))
        .kill_on_drop(true)
        .output();
    let shown = text(&tokio::time::timeout(PATIENCE * 2, output).await??)?;
    for name in [
        "classic:",
        "salvo:",
        "advanced-salvo:",
        "amiral:",
        "amiral-advanced:",
        "naumachia:",
        "abalone:",
    ] {
        assert!(
            shown.lines().any(|line| line.starts_with(name)),
            "{name} in {shown}"
        );
    }
    assert_eq!(shown.matches("(hunter)").count(), 7, "{shown}");
    Ok(())
}

#[tokio::test]
async fn settings_that_are_wrong_are_named_and_nothing_starts() -> anyhow::Result<()> {
    for (arguments, tells) in [
        (vec!["--grace", "soon"], "grace"),
        (vec!["--listen", "nowhere"], "--listen"),
        (
            vec!["--config", "/does/not/exist.toml"],
            "/does/not/exist.toml",
        ),
        (vec!["--max-matches", "0"], "max_matches"),
        (vec!["--store", "mysql://db"], "mysql://"),
        (vec!["--durability", "hope"], "durability"),
        (vec!["--dial-allow", "lan"], "dial_allow"),
    ] {
        let output = Command::new(programs::folder().await?.join("broadside-arena"))
            .args(&arguments)
            .output()
            .await?;
        assert!(!output.status.success());
        let said = String::from_utf8(output.stderr)?;
        assert!(said.contains(tells), "{tells} in {said}");
    }
    Ok(())
}
