//! Real records, as the arena wrote them.

use std::{fs, path::Path};

use broadside_proto::v1::{self, log_entry::Entry};
use broadside_record::{chain::Chain, signature::Signatory, verify};
use prost::Message;

/// The record in `tests/records/NAME.binpb`.
pub(crate) fn load(name: &str) -> v1::MatchRecord {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/records");
    let path = folder.join(format!("{name}.binpb"));
    let bytes = fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    v1::MatchRecord::decode(bytes.as_slice()).unwrap()
}

/// The names of all of them.
pub(crate) fn names() -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/records");
    let mut names: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|file| file.unwrap().path())
        .map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned())
        .collect();
    names.sort();
    names
}

/// Chains and signs a record anew, as somebody would who has another key.
pub(crate) fn forge(record: &mut v1::MatchRecord) {
    let mut chain = Chain::new(record.match_id, record.create_time_ms);
    let links = record.entries.iter();
    record.chain = links.map(|entry| chain.push(entry).link.to_vec()).collect();
    let signatory = Signatory::new(&[9; 32]);
    record.public_key = signatory.public_key().to_vec();
    record.signature = signatory.sign(&chain.last()).to_vec();
}

/// What the `n`th entry of a kind says.
macro_rules! nth {
    ($name:ident, $kind:ident) => {
        pub(crate) fn $name(record: &mut v1::MatchRecord, n: usize) -> &mut v1::$kind {
            let entries = record.entries.iter_mut();
            let mut said = entries.filter_map(|entry| match &mut entry.entry {
                Some(Entry::$name(said)) => Some(said),
                _ => None,
            });
            said.nth(n).unwrap()
        }
    };
}

#[allow(non_snake_case, reason = "named as the entries are")]
pub(crate) mod entries {
    use super::{Entry, v1};
    nth!(Created, MatchCreated);
    nth!(Accepted, MoveAccepted);
    nth!(Refused, MoveRefused);
    nth!(Noted, TurnNoted);
    nth!(AtFault, SeatAtFault);
    nth!(Disputed, RefusalDisputed);
    nth!(Ended, MatchEnded);
}

/// Where the first entry of a kind stands.
pub(crate) fn place(record: &v1::MatchRecord, is: fn(&Entry) -> bool) -> usize {
    let said = |entry: &v1::LogEntry| entry.entry.as_ref().is_some_and(is);
    record.entries.iter().position(said).unwrap()
}

#[test]
fn a_record_of_every_kind_verifies_and_so_does_its_proto_json() {
    for name in names() {
        let record = load(&name);
        let key = record.public_key.as_slice().try_into().unwrap();
        let verified = verify(&record, Some(key)).unwrap_or_else(|it| panic!("{name}: {it}"));
        assert!(verified.trusted);
        assert_eq!(verified.entries, record.entries.len());
        let json = serde_json::to_vec(&record).unwrap();
        let read: v1::MatchRecord = serde_json::from_slice(&json).unwrap();
        assert_eq!(verify(&read, Some(key)), Ok(verified), "{name}");
    }
}
