//! Whether a record can be believed: everything that the contract says of it is checked again, from the record alone.
//!
//! This is written from the contract and the rules, and shares nothing with the arena but the referee and the conversions: where
//! the two disagree, one of them is wrong. Nothing here panics, whatever the record holds.

mod end;
mod entries;
mod fault;
mod finding;
mod moves;
mod seat;
mod terms;

use broadside_proto::v1;

pub use self::finding::{Finding, Kind};
use self::{entries::Verifier, finding::Wrong};
use crate::{chain::Chain, convert::RECORD_FORMAT_VERSION, signature};

/// What was verified.
#[derive(Clone, Debug, PartialEq)]
pub struct Verified {
    /// The match.
    pub match_id: u64,
    /// Who took the seats, by name or address.
    pub agents: [String; 2],
    /// Entries of the log.
    pub entries: usize,
    /// Accepted moves.
    pub moves: usize,
    /// Refused moves.
    pub refusals: usize,
    /// How it ended.
    pub outcome: v1::Outcome,
    /// The key that it is signed with.
    pub public_key: [u8; 32],
    /// Whether that key is the one that was trusted; without it a record only says that whoever signed it wrote it.
    pub trusted: bool,
}

/// Checks a record from its format to its outcome.
///
/// # Errors
/// The first thing that is wrong.
pub fn verify(
    record: &v1::MatchRecord,
    trusted_key: Option<[u8; 32]>,
) -> Result<Verified, Finding> {
    let v1::MatchRecord {
        format_version,
        match_id,
        create_time_ms: _,
        entries,
        chain: _,
        public_key: _,
        signature: _,
    } = record;
    let last = form(record)
        .map_err(Wrong::in_record)
        .and_then(|()| links(record))?;
    let public_key = signed(record, &last, trusted_key).map_err(Wrong::in_record)?;
    debug_assert_eq!(*format_version, RECORD_FORMAT_VERSION);

    let mut log = entries.iter().enumerate();
    let (mut verifier, agents) = match log.next() {
        Some((index, first)) => {
            let agents = agents(first);
            let verifier = Verifier::new(first).map_err(|wrong| wrong.in_entry(index))?;
            (verifier, agents)
        }
        None => return Err(Kind::Form.wrong("there is no entry").in_record()),
    };
    for (index, entry) in log {
        verifier
            .read(entry, &entries[index + 1..])
            .map_err(|wrong| wrong.in_entry(index))?;
    }
    let (moves, refusals) = (verifier.moves, verifier.refusals);
    let outcome = verifier.finish().map_err(Wrong::in_record)?;
    Ok(Verified {
        match_id: *match_id,
        agents,
        entries: entries.len(),
        moves,
        refusals,
        outcome,
        public_key,
        trusted: trusted_key.is_some(),
    })
}

fn agents(first: &v1::LogEntry) -> [String; 2] {
    match &first.entry {
        Some(v1::log_entry::Entry::Created(created)) => [
            created.seat_one_agent.clone(),
            created.seat_two_agent.clone(),
        ],
        _ => [String::new(), String::new()],
    }
}

/// What is outside of the log.
fn form(record: &v1::MatchRecord) -> Result<(), Wrong> {
    Kind::Form.expect(
        "format_version",
        &record.format_version,
        &RECORD_FORMAT_VERSION,
    )?;
    if record.match_id == 0 || record.match_id >= 1 << 53 {
        return Err(Kind::Form.wrong(format!(
            "match_id is {}: it must be 1 to 2^53 - 1",
            record.match_id
        )));
    }
    Ok(())
}

/// Every link of the chain. Returns the last.
fn links(record: &v1::MatchRecord) -> Result<[u8; 32], Finding> {
    let mut chain = Chain::new(record.match_id, record.create_time_ms);
    for (index, entry) in record.entries.iter().enumerate() {
        let expected = chain.push(entry).link;
        let wrong = match record.chain.get(index) {
            Some(found) if *found == expected => continue,
            Some(_) => "it does not follow from the entries before it: it, or its value in the chain, was changed".to_owned(),
            None => format!(
                "it has no value in the chain, which has {}",
                record.chain.len()
            ),
        };
        return Err(Kind::Chain.wrong(wrong).in_entry(index));
    }
    if record.chain.len() != record.entries.len() {
        let wrong = format!(
            "chain has {} values: there are {} entries",
            record.chain.len(),
            record.entries.len()
        );
        return Err(Kind::Chain.wrong(wrong).in_record());
    }
    Ok(chain.last())
}

/// The signature, and whose it is.
fn signed(
    record: &v1::MatchRecord,
    last: &[u8; 32],
    trusted_key: Option<[u8; 32]>,
) -> Result<[u8; 32], Wrong> {
    let key = &record.public_key;
    let bytes: [u8; 32] = key.as_slice().try_into().map_err(|_| {
        Kind::Signature.wrong(format!(
            "public_key has {} bytes: it must have 32",
            key.len()
        ))
    })?;
    if let Some(trusted) = trusted_key
        && trusted != bytes
    {
        return Err(Kind::Key.wrong(format!(
            "it is signed with the key {}: the trusted one is {}",
            hex(&bytes),
            hex(&trusted)
        )));
    }
    signature::verify(key, last, &record.signature)
        .map_err(|bad| Kind::Signature.wrong(bad.to_string()))?;
    Ok(bytes)
}

/// Bytes as people compare them.
fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
