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
use prost::Message;

pub use self::finding::{Finding, Kind};
use self::{entries::Verifier, finding::Wrong};
use crate::{Written, chain::Chain, convert::RECORD_FORMAT_VERSION, signature};

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
    /// Entries, counted from 0, in which a newer arena has written more than this program knows: chain and signature hold over
    /// that, and nothing else was checked of it.
    pub newer: Vec<usize>,
    /// Whether there is more than this program knows outside of the entries, where the signature does not reach.
    pub unsigned: bool,
}

/// Checks a record from its format to its outcome.
///
/// # Errors
/// The first thing that is wrong.
pub fn verify(
    record: &v1::MatchRecord,
    trusted_key: Option<[u8; 32]>,
) -> Result<Verified, Finding> {
    let bodies: Vec<_> = record.entries.iter().map(Message::encode_to_vec).collect();
    check(record, &bodies, false, trusted_key)
}

/// Checks a record as it was written, maybe by a newer arena: what this program knows of it is checked from its format to its
/// outcome; of what it does not know, chain and signature.
///
/// # Errors
/// The first thing that is wrong.
pub fn verify_written(
    written: &Written,
    trusted_key: Option<[u8; 32]>,
) -> Result<Verified, Finding> {
    check(
        written.record(),
        written.entries(),
        written.has_more_outside(),
        trusted_key,
    )
}

fn check(
    record: &v1::MatchRecord,
    bodies: &[Vec<u8>],
    unsigned: bool,
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
    let Links { last, newer } = form(record)
        .map_err(Wrong::in_record)
        .and_then(|()| links(record, bodies))?;
    let public_key = signed(record, &last, trusted_key).map_err(Wrong::in_record)?;
    debug_assert_eq!(*format_version, RECORD_FORMAT_VERSION);

    let agents = agents(entries.first());
    let Log {
        moves,
        refusals,
        outcome,
    } = follow(entries, bodies).map_err(|finding| finding.of_newer(&newer))?;
    Ok(Verified {
        match_id: *match_id,
        agents,
        entries: entries.len(),
        moves,
        refusals,
        outcome,
        public_key,
        trusted: trusted_key.is_some(),
        newer,
        unsigned,
    })
}

/// What a log amounts to.
struct Log {
    moves: usize,
    refusals: usize,
    outcome: v1::Outcome,
}

/// Goes through the log, from its first entry to its last.
fn follow(entries: &[v1::LogEntry], bodies: &[Vec<u8>]) -> Result<Log, Finding> {
    let mut log = entries.iter().zip(bodies).enumerate();
    let Some((index, (first, _))) = log.next() else {
        return Err(Kind::Form.wrong("there is no entry").in_record());
    };
    let mut verifier = Verifier::new(first).map_err(|wrong| wrong.in_entry(index))?;
    for (index, (entry, body)) in log {
        verifier
            .read(entry, body, &entries[index + 1..])
            .map_err(|wrong| wrong.in_entry(index))?;
    }
    Ok(Log {
        moves: verifier.moves,
        refusals: verifier.refusals,
        outcome: verifier.finish().map_err(Wrong::in_record)?,
    })
}

fn agents(first: Option<&v1::LogEntry>) -> [String; 2] {
    match first.and_then(|first| first.entry.as_ref()) {
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

/// A chain that holds.
struct Links {
    last: [u8; 32],
    /// Entries in which there is more than this program knows.
    newer: Vec<usize>,
}

/// Every link of the chain.
fn links(record: &v1::MatchRecord, bodies: &[Vec<u8>]) -> Result<Links, Finding> {
    let mut chain = Chain::new(record.match_id, record.create_time_ms);
    let mut newer = Vec::new();
    for (index, (entry, body)) in record.entries.iter().zip(bodies).enumerate() {
        let wrong = |message: String| Err(Kind::Chain.wrong(message).in_entry(index));
        let Some(found) = record.chain.get(index) else {
            return wrong(format!(
                "it has no value in the chain, which has {}",
                record.chain.len()
            ));
        };
        let known = entry.encode_to_vec();
        let has_more = known.len() != body.len();
        let before = chain.clone();
        if *found == chain.push_encoded(body) {
            newer.extend(has_more.then_some(index));
            continue;
        }
        // The same fields may have been written in another order since.
        chain = before;
        let follows = *found == chain.push_encoded(&known);
        match (follows, has_more) {
            (true, false) => {}
            (true, true) => {
                return wrong("it holds something that this program does not know and that the chain does not hold: that was added later".to_owned());
            }
            (false, _) => {
                return wrong("it does not follow from the entries before it: it, or its value in the chain, was changed, or something that a newer arena wrote in it was lost on the way".to_owned());
            }
        }
    }
    if record.chain.len() != record.entries.len() {
        let wrong = format!(
            "chain has {} values: there are {} entries",
            record.chain.len(),
            record.entries.len()
        );
        return Err(Kind::Chain.wrong(wrong).in_record());
    }
    let last = chain.last();
    Ok(Links { last, newer })
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
