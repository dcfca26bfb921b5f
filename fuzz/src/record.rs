//! Records, in both forms.

use broadside_proto::v1::MatchRecord;
use broadside_record::{
    Replay, Written,
    chain::{Chain, Entry},
    signature::Signatory,
    verify, verify_written,
};
use prost::Message;

/// A record in binary or in proto-JSON: verified as it is, and again with everything made to fit it that can be; replayed.
pub fn record(bytes: &[u8]) {
    let begins = bytes.iter().find(|byte| !byte.is_ascii_whitespace());
    let read = match begins {
        Some(b'{') => serde_json::from_slice(bytes).ok(),
        _ => MatchRecord::decode(bytes).ok(),
    };
    if let Ok(written) = Written::read(bytes) {
        // Whatever more is in it: what is believed of it is what is known of it.
        if let Ok(verified) = verify_written(&written, None) {
            assert_eq!(verified.entries, written.record().entries.len());
        }
    }
    let Some(mut record) = read else {
        return;
    };
    judge(&record);
    forge(&mut record);
    judge(&record);
    replay(&record);
}

fn judge(record: &MatchRecord) {
    match verify(record, None) {
        Err(finding) => assert!(!finding.message.is_empty()),
        Ok(verified) => {
            assert!(verified.moves + verified.refusals < verified.entries);
            assert_eq!(
                verify(record, Some(verified.public_key)).map(|it| it.moves),
                Ok(verified.moves)
            );
            assert!(verify(record, Some([7; 32])).is_err());
            let json = serde_json::to_vec(record).expect("a message");
            let read: MatchRecord = serde_json::from_slice(&json).expect("its own JSON");
            assert_eq!(read, *record);
        }
    }
}

/// Form, chain and signature as whoever has some key can make them.
fn forge(record: &mut MatchRecord) {
    let mut chain = Chain::new(record.match_id, record.create_time_ms);
    let links = record.entries.iter();
    record.chain = links.map(|entry| chain.push(entry).link.to_vec()).collect();
    record.format_version = 1;
    let signatory = Signatory::new(&[5; 32]);
    record.public_key = signatory.public_key().to_vec();
    record.signature = signatory.sign(&chain.last()).to_vec();
}

/// What is verified replays too, to the same end.
fn replay(record: &MatchRecord) {
    let verified = verify(record, None);
    let mut replay = Replay::new(record.match_id, record.create_time_ms);
    for (entry, link) in record.entries.iter().zip(&record.chain) {
        let body = entry.encode_to_vec();
        let link = link.as_slice().try_into().expect("as it was made");
        if let Err(error) = replay.read(&Entry { body, link }) {
            assert!(verified.is_err(), "{error}");
            return;
        }
        replay.snapshot();
    }
    if let Ok(verified) = verified {
        assert!(replay.is_over());
        let summary = replay.summary().expect("a match");
        assert_eq!(summary.outcome, Some(verified.outcome));
        assert_eq!(summary.moves as usize, verified.moves);
    }
}
