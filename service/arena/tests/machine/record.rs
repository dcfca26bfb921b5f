//! Records of the logs that the machine writes: verified by what knows nothing of it.

use broadside_arena::play::MatchSpec;
use broadside_proto::v1::{self, log_entry::Entry};
use broadside_record::{chain::Chain, signature::Signatory, verify};

/// When matches are created, in milliseconds since 1970.
const CREATE_TIME_MS: u64 = 1_796_083_203_000;

/// The record of a match with this log, signed.
pub(crate) fn record(spec: &MatchSpec, log: &[v1::LogEntry]) -> v1::MatchRecord {
    let created = v1::LogEntry {
        at_us: 0,
        entry: Some(Entry::Created(spec.created())),
    };
    let entries: Vec<_> = std::iter::once(created)
        .chain(log.iter().cloned())
        .collect();
    let mut chain = Chain::new(spec.match_id, CREATE_TIME_MS);
    let links = entries.iter().map(|entry| chain.push(entry).link.to_vec());
    let links = links.collect();
    let signatory = Signatory::new(&[5; 32]);
    v1::MatchRecord {
        format_version: 1,
        match_id: spec.match_id,
        create_time_ms: CREATE_TIME_MS,
        entries,
        chain: links,
        public_key: signatory.public_key().to_vec(),
        signature: signatory.sign(&chain.last()).to_vec(),
    }
}

/// Checks that the record of a match with this log verifies.
#[track_caller]
pub(crate) fn assert_verifies(spec: &MatchSpec, log: &[v1::LogEntry]) {
    let record = record(spec, log);
    let key = Signatory::new(&[5; 32]).public_key();
    if let Err(finding) = verify(&record, Some(key)) {
        let near = finding.entry.unwrap_or(0);
        let entries = record.entries.iter().enumerate();
        let shown: Vec<_> = entries.skip(near.saturating_sub(5)).take(7).collect();
        panic!("{finding}\n{:#?}\n{shown:#?}", spec);
    }
}
