//! `broadside verify`: real records, without an arena.
#![allow(
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test that fails panics"
)]

mod support;

use std::path::{Path, PathBuf};

use broadside_proto::v1::MatchRecord;
use prost::Message;
use support::broadside;

/// A record that the arena wrote.
fn real(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../service/record/tests/records")
        .join(format!("{name}.binpb"))
}

fn read(name: &str) -> MatchRecord {
    MatchRecord::decode(std::fs::read(real(name)).unwrap().as_slice()).unwrap()
}

fn key_of(record: &MatchRecord) -> String {
    let digits = record.public_key.iter();
    digits.map(|byte| format!("{byte:02x}")).collect()
}

#[tokio::test]
async fn a_record_as_it_was_written_is_told_to_be_right_in_one_line() {
    let path = real("time");
    let ran = broadside(&["verify", path.to_str().unwrap()], "").await;
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    assert_eq!(ran.out.lines().count(), 1, "{}", ran.out);
    for said in [
        "chain, signature, ",
        " moves, ",
        " refusals, clocks, outcome: ok",
        "not checked",
    ] {
        assert!(ran.out.contains(said), "{said} in {}", ran.out);
    }
}

#[tokio::test]
async fn the_trusted_key_is_typed_or_in_a_file_and_no_other_key_will_do() {
    let path = real("time");
    let path = path.to_str().unwrap();
    let key = key_of(&read("time"));
    let folder = tempfile::tempdir().unwrap();
    let (text, bytes) = (folder.path().join("key.txt"), folder.path().join("key"));
    std::fs::write(&text, format!("{key}\n")).unwrap();
    std::fs::write(&bytes, read("time").public_key).unwrap();
    for right in [
        key.as_str(),
        text.to_str().unwrap(),
        bytes.to_str().unwrap(),
    ] {
        let ran = broadside(&["verify", path, "--arena-key", right], "").await;
        assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
        assert!(
            ran.out.contains("signed with the trusted key"),
            "{}",
            ran.out
        );
    }
    let ran = broadside(&["verify", path, "--arena-key", &"0".repeat(64)], "").await;
    assert_eq!(ran.code, 1);
    assert!(
        ran.out.contains("wrong: key: it is signed with the key"),
        "{}",
        ran.out
    );
    let ran = broadside(&["verify", path, "--arena-key", path], "").await;
    assert_eq!(ran.code, 2);
    assert!(
        ran.err.contains("32 bytes, or 64 hexadecimal digits"),
        "{}",
        ran.err
    );
}

#[tokio::test]
async fn each_of_several_files_is_told_of_and_one_that_is_wrong_fails_them_all() {
    let folder = tempfile::tempdir().unwrap();
    let changed = folder.path().join("changed.json");
    let mut record = read("time");
    record.entries[1].at_us += 1;
    std::fs::write(&changed, serde_json::to_vec(&record).unwrap()).unwrap();
    let notes = folder.path().join("notes.txt");
    std::fs::write(&notes, "no record").unwrap();
    let good = real("resigned");
    let files = [&changed, &notes, &good].map(|path| path.to_str().unwrap());

    let ran = broadside(&["verify", files[0], files[1], files[2]], "").await;
    assert_eq!(ran.code, 1);
    let lines: Vec<_> = ran.out.lines().collect();
    assert!(
        lines[0].contains("changed.json: wrong: entry 1: chain: "),
        "{}",
        ran.out
    );
    assert!(lines[1].contains("is no record of a match"), "{}", ran.out);
    assert!(lines[2].contains("outcome: ok"), "{}", ran.out);

    let ran = broadside(&["verify", "--json", files[0], files[1], files[2]], "").await;
    assert_eq!(ran.code, 1);
    let lines: Vec<serde_json::Value> = ran
        .out
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(lines[0]["finding"]["kind"], "chain");
    assert_eq!(lines[0]["finding"]["entry"], 1);
    assert!(lines[1]["error"].is_string());
    assert_eq!(lines[2]["ok"], true);
    assert_eq!(
        lines[2]["verified"]["publicKey"],
        key_of(&read("resigned")).as_str()
    );
}

#[tokio::test]
async fn a_record_is_read_from_standard_input() {
    let json = serde_json::to_string(&read("time")).unwrap();
    let ran = broadside(&["verify", "-"], &json).await;
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
}
