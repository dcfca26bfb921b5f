//! `broadside replay`: records made by hand, without an arena.
#![allow(
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test that fails panics"
)]

mod support;

use broadside_proto::v1::*;
use prost::Message;
use support::{Ran, broadside, golden, records};

/// Writes a record to a file and replays it.
async fn replay(record: &MatchRecord, arguments: &[&str], input: &str) -> Ran {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("match.binpb");
    std::fs::write(&path, record.encode_to_vec()).unwrap();
    let path = path.to_str().unwrap().to_owned();
    let mut all = vec!["replay", path.as_str()];
    all.extend(arguments);
    broadside(&all, input).await
}

#[tokio::test]
async fn a_record_of_every_kind_is_told_to_its_end() {
    let all = [
        ("classic", records::classic()),
        ("salvo", records::salvo()),
        ("advanced-salvo", records::advanced_salvo()),
        ("amiral-advanced", records::amiral_advanced()),
        ("naumachia", records::naumachia()),
        ("abalone", records::abalone()),
    ];
    for (name, record) in all {
        let ran = replay(&record, &[], "").await;
        assert_eq!(ran.code, 0, "{}", ran.err);
        golden(&format!("replay.{name}.txt"), &ran.out);
    }
}

#[tokio::test]
async fn all_prints_every_position() {
    let ran = replay(&records::abalone(), &["--all"], "").await;
    assert_eq!(ran.code, 0, "{}", ran.err);
    golden("replay.abalone.all.txt", &ran.out);
}

#[tokio::test]
async fn step_goes_forth_and_back() {
    let ran = replay(&records::naumachia(), &["--step"], "\n\np\n3\n99\nq\n").await;
    assert_eq!(ran.code, 0, "{}", ran.err);
    let third = "  3. Seat 1: Θ5: hit; sunk torpedo boat at Θ5";
    assert!(ran.out.contains(third), "{}", ran.out);
    assert!(ran.out.contains("There is no such move."), "{}", ran.out);
}

#[tokio::test]
async fn json_is_read_and_written() {
    let record = records::classic();
    let ran = replay(&record, &["--json"], "").await;
    assert_eq!(ran.code, 0, "{}", ran.err);
    let read: MatchRecord = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(read, record);

    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("match.json");
    std::fs::write(&path, &ran.out).unwrap();
    let again = broadside(&["replay", path.to_str().unwrap()], "").await;
    assert_eq!(again.out, replay(&record, &[], "").await.out);
}

#[tokio::test]
async fn what_is_no_record_is_refused_with_the_reason() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("notes.txt");
    std::fs::write(&path, "no record").unwrap();
    let ran = broadside(&["replay", path.to_str().unwrap()], "").await;
    assert_eq!(ran.code, 1);
    assert!(ran.err.contains("is no record of a match"), "{}", ran.err);

    let ran = broadside(&["replay", "/nowhere/at-all"], "").await;
    assert_eq!(ran.code, 1);
    assert!(
        ran.err.contains("/nowhere/at-all: No such file"),
        "{}",
        ran.err
    );

    let mut newer = records::classic();
    newer.format_version = 2;
    let ran = replay(&newer, &[], "").await;
    assert_eq!(ran.code, 1);
    assert!(ran.err.contains("version 2"), "{}", ran.err);

    let mut torn = records::abalone();
    torn.entries.remove(2);
    let ran = replay(&torn, &[], "").await;
    assert_eq!(ran.code, 1);
    assert!(ran.err.contains("entry 4"), "{}", ran.err);
    assert!(
        ran.err.contains("no marble of the other side lies at e6"),
        "{}",
        ran.err
    );
}
