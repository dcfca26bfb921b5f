//! `broadside verify`: real records, without an arena.
#![allow(
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test that fails panics"
)]

mod support;

use std::path::{Path, PathBuf};

use broadside_proto::v1::MatchRecord;
use broadside_record::{chain::Chain, signature::Signatory};
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

/// Field 2000, a number: of a newer contract.
const UNKNOWN: [u8; 3] = [0x80, 0x7d, 1];

/// The record as a newer arena would have written it: with more in these entries.
fn newer(name: &str, more_in: &[usize]) -> Vec<u8> {
    let mut record = read(name);
    let mut chain = Chain::new(record.match_id, record.create_time_ms);
    let (mut bytes, mut links) = (Vec::new(), Vec::new());
    for (index, entry) in record.entries.drain(..).enumerate() {
        let mut body = entry.encode_to_vec();
        if more_in.contains(&index) {
            body.extend(UNKNOWN);
        }
        links.push(chain.push_encoded(&body).to_vec());
        prost::encoding::bytes::encode(4, &body, &mut bytes);
    }
    let signatory = Signatory::new(&[9; 32]);
    record.chain = links;
    record.public_key = signatory.public_key().to_vec();
    record.signature = signatory.sign(&chain.last()).to_vec();
    bytes.extend(record.encode_to_vec());
    bytes
}

#[tokio::test]
async fn of_a_record_of_a_newer_arena_it_says_what_holds_and_what_was_not_checked() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("newer.pb");
    let said = async |bytes: Vec<u8>, arguments: &[&str]| {
        std::fs::write(&path, bytes).unwrap();
        let mut all = arguments.to_vec();
        all.push(path.to_str().unwrap());
        broadside(&all, "").await
    };
    let ran = said(newer("time", &[1]), &["verify"]).await;
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    let told = "outcome: ok; signed with a key that is not checked";
    assert!(ran.out.contains(told), "{}", ran.out);
    let told = "; entry 1 holds more than this version knows, which is signed, and not checked otherwise\n";
    assert!(ran.out.ends_with(told), "{}", ran.out);

    let mut bytes = newer("time", &[0, 1, 2]);
    bytes.extend(UNKNOWN);
    let ran = said(bytes.clone(), &["verify"]).await;
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    let told = "; entry 0 and 2 others hold more than this version knows, which is signed, and not checked otherwise; outside of its log it holds more than this version knows, which is not signed\n";
    assert!(ran.out.ends_with(told), "{}", ran.out);
    let ran = said(bytes.clone(), &["verify", "--json"]).await;
    let report: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    let verified = &report["verified"];
    assert_eq!(verified["newerEntries"], serde_json::json!([0, 1, 2]));
    assert_eq!(verified["unsignedMore"], true);

    let ran = said(bytes, &["replay"]).await;
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    let told =
        "A newer arena wrote more in this record than this version knows: that is left out here.";
    assert!(ran.out.contains(told), "{}", ran.out);
    // Of one that it wrote itself there is nothing of the kind to say.
    let known = said(read("time").encode_to_vec(), &["replay"]).await;
    assert!(!known.out.contains("newer"), "{}", known.out);

    // The same, added to a record that is signed.
    let mut record = read("time");
    let mut bytes = Vec::new();
    for entry in record.entries.drain(..) {
        let mut body = entry.encode_to_vec();
        body.extend(UNKNOWN);
        prost::encoding::bytes::encode(4, &body, &mut bytes);
    }
    bytes.extend(record.encode_to_vec());
    let ran = said(bytes, &["verify"]).await;
    assert_eq!(ran.code, 1, "{}", ran.out);
    assert!(ran.out.contains("wrong: entry 0: chain: it holds something that this program does not know and that the chain does not hold"), "{}", ran.out);
}
