//! Anything is changed anywhere: without the arena's key it is always found.

use broadside_proto::v1::MatchRecord;
use broadside_record::{Written, verify, verify::Kind, verify_written};
use proptest::prelude::*;
use prost::Message;

use crate::kept::{forge, load, names};

fn any_name() -> impl Strategy<Value = String> {
    proptest::sample::select(names())
}

fn key(record: &MatchRecord) -> [u8; 32] {
    record.public_key.as_slice().try_into().unwrap()
}

/// A record with a byte of its encoding changed; `None` if it is none any more, or the same.
fn changed(record: &MatchRecord, place: usize, by: u8) -> Option<MatchRecord> {
    let mut bytes = record.encode_to_vec();
    let place = place % bytes.len();
    bytes[place] ^= by;
    let changed = MatchRecord::decode(bytes.as_slice()).ok()?;
    (changed != *record).then_some(changed)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn a_byte_changed_anywhere_is_found(name in any_name(), place in any::<usize>(), by in 1..=255_u8) {
        let record = load(&name);
        if let Some(changed) = changed(&record, place, by) {
            prop_assert!(verify(&changed, Some(key(&record))).is_err());
            // Only the key itself can be changed to something that fits, and then nothing fits the key.
            prop_assert!(verify(&changed, None).is_err());
        }
    }

    #[test]
    fn a_byte_changed_anywhere_in_a_file_is_found(name in any_name(), place in any::<usize>(), by in 1..=255_u8) {
        let record = load(&name);
        let mut bytes = record.encode_to_vec();
        let place = place % bytes.len();
        bytes[place] ^= by;
        // What says the same in other words is the same.
        if let Ok(written) = Written::read(&bytes) && *written.record() != record {
            prop_assert!(verify_written(&written, None).is_err());
        }
    }

    #[test]
    fn a_record_forged_with_another_key_is_found_by_who_knows_the_right_one(
        name in any_name(), place in any::<usize>(), by in 1..=255_u8
    ) {
        let record = load(&name);
        let mut forged = changed(&record, place, by).unwrap_or_else(|| record.clone());
        forge(&mut forged);
        let found = verify(&forged, Some(key(&record))).unwrap_err();
        prop_assert!(matches!(found.kind, Kind::Key | Kind::Form), "{}", found);
        // Whatever was changed, it is looked through to the end and does not panic.
        let _ = verify(&forged, None);
    }

    #[test]
    fn entries_left_out_doubled_or_moved_are_found(
        name in any_name(), from in any::<prop::sample::Index>(), to in any::<prop::sample::Index>(), how in 0..3
    ) {
        let record = load(&name);
        let mut changed = record.clone();
        let (from, to) = (from.index(record.entries.len()), to.index(record.entries.len()));
        match how {
            0 => drop(changed.entries.remove(from)),
            1 => changed.entries.insert(to, record.entries[from].clone()),
            _ => changed.entries.swap(from, to),
        }
        if changed.entries != record.entries {
            let found = verify(&changed, None).unwrap_err();
            prop_assert_eq!(found.kind, Kind::Chain);
        }
    }

    #[test]
    fn no_bytes_make_it_panic(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        if let Ok(mut record) = MatchRecord::decode(bytes.as_slice()) {
            prop_assert!(verify(&record, None).is_err());
            forge(&mut record);
            let _ = verify(&record, None);
        }
        if let Ok(written) = Written::read(&bytes) {
            prop_assert!(verify_written(&written, None).is_err());
        }
    }
}

#[test]
fn a_chain_or_a_signature_of_another_length_is_found() {
    let record = load("time");
    let found = |change: fn(&mut MatchRecord)| {
        let mut changed = record.clone();
        change(&mut changed);
        verify(&changed, None).unwrap_err().kind
    };
    assert_eq!(found(|it| drop(it.chain.pop())), Kind::Chain);
    assert_eq!(found(|it| it.chain.push(vec![0; 32])), Kind::Chain);
    assert_eq!(found(|it| it.chain[0].push(0)), Kind::Chain);
    assert_eq!(found(|it| it.create_time_ms += 1), Kind::Chain);
    assert_eq!(found(|it| it.signature.clear()), Kind::Signature);
    assert_eq!(found(|it| it.signature[3] ^= 1), Kind::Signature);
    assert_eq!(found(|it| it.public_key.clear()), Kind::Signature);
    assert_eq!(found(|it| it.public_key[3] ^= 1), Kind::Signature);
}
