//! `broadside check`: what is printed and written, and how it exits. How bots are graded is tested where they are graded.
#![allow(
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test that fails panics"
)]

mod support;

use std::{process::Stdio, sync::Arc, time::Duration};

use broadside_agents::{Config, Profile, Random, Seed, dial_in, profile};
use rustix::process::{Pid, Signal, kill_process};
use support::broadside;
use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, BufReader, Lines},
    process::{Child, ChildStderr, Command},
};

/// How long a check may take before a test gives up. Long: the machine may be busy.
const PATIENCE: Duration = Duration::from_secs(120);

/// A check that waits for a bot, and where.
async fn waiting(arguments: &[&str]) -> (Child, Lines<BufReader<ChildStderr>>, String) {
    let mut check = Command::new(env!("CARGO_BIN_EXE_broadside"))
        .args(["check", "--dial-in", "--listen", "127.0.0.1:0"])
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    let mut said = BufReader::new(check.stderr.take().unwrap()).lines();
    let line = said.next_line().await.unwrap().unwrap();
    let address = line.strip_prefix("waiting for the bot at ").unwrap();
    let address = format!("http://{address}");
    (check, said, address)
}

async fn ended(mut check: Child) -> (Option<i32>, String) {
    let mut out = String::new();
    let read = async {
        let mut stdout = check.stdout.take().unwrap();
        stdout.read_to_string(&mut out).await.unwrap();
        check.wait().await.unwrap()
    };
    let status = tokio::time::timeout(PATIENCE, read).await.unwrap();
    (status.code(), out)
}

fn bot(address: String, profile: impl Into<Profile>) {
    let config = Config::new(address, profile);
    let agent = Arc::new(Random::new(Seed(1)));
    tokio::spawn(dial_in(config, agent));
}

#[tokio::test]
async fn a_good_bot_passes_and_everything_is_written_where_it_is_wanted() {
    let folder = tempfile::tempdir().unwrap();
    let (junit, transcript) = (folder.path().join("j.xml"), folder.path().join("t.txt"));
    let files = [junit.to_str().unwrap(), transcript.to_str().unwrap()];
    let arguments = ["--strict", "--junit", files[0], "--transcript", files[1]];
    let (check, _said, address) = waiting(&arguments).await;
    bot(
        address,
        profile::every_variant("lucky", 3).with_legal_moves(),
    );
    let (code, out) = ended(check).await;
    assert_eq!(code, Some(0), "{out}");
    assert!(
        out.starts_with("lucky dials in, and plays classic, "),
        "{out}"
    );
    assert!(out.contains("; 3 matches at once\n"), "{out}");
    assert!(
        out.contains("passed   MUST    legal-moves-abalone "),
        "{out}"
    );
    assert!(out.contains("skipped  MUST    leaves "), "{out}");
    assert!(out.contains("the checker did not start it"), "{out}");
    assert!(out.contains(" passed, 0 failed, "), "{out}");
    let junit = std::fs::read_to_string(junit).unwrap();
    assert!(junit.contains("name=\"legal-moves-abalone\""), "{junit}");
    let transcript = std::fs::read_to_string(transcript).unwrap();
    assert!(transcript.starts_with("#1 "), "{transcript}");
    assert!(transcript.contains("from bot   hello: {"), "{transcript}");
}

#[tokio::test]
async fn a_bad_bot_exits_with_6_and_cannot_steer_the_terminal() {
    let (check, _said, address) = waiting(&[]).await;
    bot(
        address,
        profile::every_variant("\u{1b}[31m-x", 3).with_legal_moves(),
    );
    let (code, out) = ended(check).await;
    assert_eq!(code, Some(6), "{out}");
    assert!(out.contains("FAILED   MUST    profile "), "{out}");
    assert!(out.contains("#"), "{out}");
    assert!(!out.contains('\u{1b}'), "{out:?}");
    assert!(out.contains("1 failed (1 MUST, 0 SHOULD)"), "{out}");
}

#[tokio::test]
async fn json_is_one_object() {
    let (check, _said, address) = waiting(&["--json"]).await;
    bot(address, profile::every_variant("", 3));
    let (code, out) = ended(check).await;
    assert_eq!(code, Some(6), "{out}");
    let json: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!(json["rules"][0]["verdict"], "failed");
}

#[tokio::test]
async fn sigterm_ends_a_check_in_order() {
    let (check, _said, _address) = waiting(&[]).await;
    let pid = Pid::from_raw(check.id().unwrap().cast_signed()).unwrap();
    kill_process(pid, Signal::TERM).unwrap();
    let (code, out) = ended(check).await;
    assert_eq!(code, Some(130), "{out}");
    assert!(out.ends_with("the check was interrupted\n"), "{out}");
}

#[tokio::test]
async fn a_second_sigterm_ends_a_check_at_once() {
    // A bot that does not leave keeps the checker for some seconds, and the pipe open.
    let folder = tempfile::tempdir().unwrap();
    let pipe = folder.path().join("pipe");
    let made = Command::new("mkfifo").arg(&pipe).status().await.unwrap();
    assert!(made.success());
    let stays = r#"trap '' TERM; exec 3>"$0"; exec sleep 600"#;
    let stays = ["--", "sh", "-c", stays, pipe.to_str().unwrap()];
    let (check, _said, _address) = waiting(&stays).await;
    let open = pipe.clone();
    let opened = tokio::task::spawn_blocking(move || std::fs::File::open(open));
    let mut opened = opened.await.unwrap().unwrap();
    let pid = Pid::from_raw(check.id().unwrap().cast_signed()).unwrap();
    let asked = async {
        loop {
            let _ = kill_process(pid, Signal::TERM);
            tokio::task::yield_now().await;
        }
    };
    let (code, out) = tokio::select! {
        ended = ended(check) => ended,
        () = asked => unreachable!(),
    };
    assert_eq!(code, Some(130), "{out}");
    assert_eq!(out, "", "there was no time for a report");
    let read = move || std::io::Read::read(&mut opened, &mut [0]);
    let read = tokio::time::timeout(PATIENCE, tokio::task::spawn_blocking(read)).await;
    assert_eq!(
        read.unwrap().unwrap().unwrap(),
        0,
        "the bot is gone as well"
    );
}

#[tokio::test]
async fn a_file_that_cannot_be_written_is_told_before_the_bot_is_waited_for() {
    let folder = tempfile::tempdir().unwrap();
    let written = folder.path().join("t.txt");
    let nowhere = folder.path().join("no/such/folder/j.xml");
    let nowhere = nowhere.to_str().unwrap();
    for option in ["--junit", "--transcript"] {
        let arguments = ["check", "--dial-in", "--wait", "10ms", option, nowhere];
        let ran = broadside(&arguments, "").await;
        assert_eq!(ran.code, 1, "{}{}", ran.out, ran.err);
        assert!(ran.err.contains("no/such/folder/j.xml"), "{}", ran.err);
        assert!(!ran.err.contains("waiting for the bot"), "{}", ran.err);
    }
    // What was there is left alone until there is something to be written.
    std::fs::write(&written, "an earlier one").unwrap();
    let arguments = ["check", "http://127.0.0.1:1", "--wait", "10ms", "--junit"];
    let arguments = [&arguments[..], &[written.to_str().unwrap()]].concat();
    assert_eq!(broadside(&arguments, "").await.code, 7);
    assert_eq!(std::fs::read_to_string(&written).unwrap(), "an earlier one");
}

#[tokio::test]
async fn a_bot_that_does_not_come_exits_with_7() {
    let arguments = ["--wait", "10ms"];
    let (check, mut said, _address) = waiting(&arguments).await;
    let (code, _) = ended(check).await;
    assert_eq!(code, Some(7));
    let error = said.next_line().await.unwrap().unwrap();
    assert!(error.contains("no bot came"), "{error}");

    let arguments = ["check", "http://127.0.0.1:1", "--wait", "10ms"];
    let ran = broadside(&arguments, "").await;
    assert_eq!(ran.code, 7, "{}{}", ran.out, ran.err);
    assert!(
        ran.err.contains("127.0.0.1:1 cannot be reached"),
        "{}",
        ran.err
    );

    let ran = broadside(&["check", "--dial-in", "--", "/no/such/bot"], "").await;
    assert_eq!(ran.code, 7, "{}{}", ran.out, ran.err);
    assert!(ran.err.contains("the bot cannot be started"), "{}", ran.err);
}

#[tokio::test]
async fn a_wrong_command_line_is_told_before_anything_is_started() {
    for (arguments, right) in [
        (&["check"][..], "<ADDRESS>"),
        (&["check", "127.0.0.1:4701"], "write http://HOST:PORT"),
        (&["check", "http://a:1", "--dial-in"], "cannot be used with"),
        (
            &["check", "http://a:1", "--listen", "127.0.0.1:0"],
            "cannot be used with",
        ),
        (&["check", "--dial-in", "--cap", "0s"], "a turn takes"),
        (&["check", "http://"], "no address"),
    ] {
        let ran = tokio::time::timeout(PATIENCE, broadside(arguments, "")).await;
        let ran = ran.unwrap();
        assert_eq!(ran.code, 2, "{arguments:?}: {}{}", ran.out, ran.err);
        assert!(ran.err.contains(right), "{right} in {}", ran.err);
    }
}
