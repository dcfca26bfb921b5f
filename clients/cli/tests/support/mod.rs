//! What the tests share: samples of every variant, and golden files.
#![allow(
    dead_code,
    unreachable_pub,
    reason = "each test binary uses its own part"
)]

pub mod fake;
pub mod records;
pub mod samples;

use std::{
    fs,
    io::Write,
    path::Path,
    process::{Command, Stdio},
};

/// Compares a text with `tests/golden/NAME`; with `BROADSIDE_UPDATE_GOLDEN` set, writes it there instead.
pub fn golden(name: &str, text: &str) {
    let text = text.replace('\u{1b}', "␛");
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/golden")
        .join(name);
    if std::env::var_os("BROADSIDE_UPDATE_GOLDEN").is_some() {
        fs::write(&path, &text).unwrap();
        return;
    }
    let expected = fs::read_to_string(&path).unwrap_or_default();
    assert!(
        expected == text,
        "{} differs.\nExpected:\n{expected}\nFound:\n{text}",
        path.display()
    );
}

/// What a run of the binary left behind.
#[derive(Debug)]
pub struct Ran {
    pub code: i32,
    pub out: String,
    pub err: String,
    pub bytes: Vec<u8>,
}

/// Runs `broadside` with these arguments and this input. The arena's address is an argument like any other.
pub async fn broadside(arguments: &[&str], input: &str) -> Ran {
    let arguments: Vec<String> = arguments.iter().map(|it| (*it).to_owned()).collect();
    let input = input.to_owned();
    let run = move || {
        let mut child = Command::new(env!("CARGO_BIN_EXE_broadside"))
            .args(&arguments)
            .env_remove("BROADSIDE_ARENA")
            .env_remove("NO_COLOR")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // A command that reads nothing may be gone already.
        let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
        let output = child.wait_with_output().unwrap();
        Ran {
            code: output.status.code().unwrap_or(-1),
            out: String::from_utf8_lossy(&output.stdout).into_owned(),
            err: String::from_utf8_lossy(&output.stderr).into_owned(),
            bytes: output.stdout,
        }
    };
    tokio::task::spawn_blocking(run).await.unwrap()
}
