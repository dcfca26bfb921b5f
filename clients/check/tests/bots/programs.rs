//! Programs that the checker starts.

use std::{ffi::OsString, fs, path::Path, time::Duration};

use broadside_check::{
    launch::{self, Launch, Running},
    transcript::Transcript,
};

use crate::harness::wait_for;

/// How long a program may take to end before a test gives up. Long: the machine may be busy.
const PATIENCE: Duration = Duration::from_secs(60);

/// A program, and what started it, which it does not outlive.
fn shell(script: &str, argument: &str, transcript: &Transcript) -> (Launch, Running) {
    let arguments = ["-c", script, argument].map(OsString::from);
    let mut start = launch::command("sh".into(), arguments.into());
    let running = start("127.0.0.1:1", transcript).unwrap();
    (start, running)
}

#[tokio::test]
async fn what_a_program_has_started_is_ended_with_it() {
    let pipe = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("pipe-{}", std::process::id()));
    let _ = fs::remove_file(&pipe);
    let transcript = Transcript::default();
    let script = r#"
        mkfifo "$0" && echo up
        (exec >"$0"; echo alive >&2; exec sleep 600) &
        exec sleep 600
    "#;
    let (_start, mut running) = shell(script, pipe.to_str().unwrap(), &transcript);
    wait_for(&transcript, "up").await;
    // It ends when nobody holds the other end any more.
    let open = pipe.clone();
    let read = tokio::task::spawn_blocking(move || fs::read(open));
    wait_for(&transcript, "alive").await;
    running.kill.cancel();
    let ended = running.exited.wait_for(Option::is_some);
    let code = tokio::time::timeout(PATIENCE, ended).await.unwrap();
    assert_eq!(code.unwrap().as_ref().unwrap().code, None);
    let read = tokio::time::timeout(PATIENCE, read).await.unwrap();
    assert!(read.unwrap().unwrap().is_empty());
    fs::remove_file(pipe).unwrap();
}

#[tokio::test]
async fn a_line_without_an_end_is_cut_and_what_comes_after_it_is_read() {
    let transcript = Transcript::default();
    let script = "head -c 300000 /dev/zero | tr '\\0' x; echo; echo after; printf last";
    let (_start, mut running) = shell(script, "sh", &transcript);
    let ended = running.exited.wait_for(Option::is_some);
    let code = tokio::time::timeout(PATIENCE, ended).await.unwrap();
    assert_eq!(code.unwrap().as_ref().unwrap().code, Some(0));
    wait_for(&transcript, "last").await;
    let lines: Vec<String> = transcript.all().into_iter().map(|line| line.text).collect();
    assert_eq!(lines.len(), 3, "{lines:?}");
    assert!(lines[0].len() < 10_000 && lines[0].ends_with("x ..."));
    assert_eq!(lines[1..], ["after", "last"]);
}
