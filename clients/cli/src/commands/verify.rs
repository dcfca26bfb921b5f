//! `broadside verify`: whether records can be believed, without an arena.

use std::{fs, path::Path};

use broadside_record::{Finding, Verified, Written};
use serde::Serialize;

use super::record_file;
use crate::{
    args::{Key, VerifyArgs},
    board::style::{self, paint},
    error::{Error, Exit},
    output::Output,
    text::escape,
};

/// What is said of one record, for programs.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Report {
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
    ok: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    verified: Option<Said>,
    /// The first thing that is wrong.
    #[serde(skip_serializing_if = "Option::is_none")]
    finding: Option<Found>,
    /// Why there is no record to verify.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Said {
    /// A string, as proto-JSON has 64-bit numbers.
    match_id: String,
    agents: [String; 2],
    entries: usize,
    moves: usize,
    refusals: usize,
    outcome: String,
    public_key: String,
    trusted: bool,
    /// Entries in which there is more than this version knows, signed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    newer_entries: Vec<usize>,
    /// Whether there is more than this version knows outside of the entries, not signed.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    unsigned_more: bool,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Found {
    #[serde(skip_serializing_if = "Option::is_none")]
    entry: Option<usize>,
    kind: &'static str,
    message: String,
}

pub(super) fn run(out: &mut Output, args: &VerifyArgs) -> Result<Exit, Error> {
    let key = args.arena_key.as_ref().map(trusted).transpose()?;
    let mut exit = Exit::Done;
    for path in &args.files {
        let name = path.display().to_string();
        let outcome = match record_file::read(path) {
            Ok(record) => judge(&record, key),
            // The others are verified all the same.
            Err(error) => {
                exit = Exit::Failed;
                tell_error(out, &name, &error)?;
                continue;
            }
        };
        if outcome.is_err() {
            exit = Exit::Failed;
        }
        if out.json() {
            out.message_line(&report(Some(name), &outcome))?;
        } else {
            out.line(&format!("{}: {}", escape(&name), line(&outcome)))?;
        }
    }
    Ok(exit)
}

fn judge(record: &Written, key: Option<[u8; 32]>) -> Result<Verified, Finding> {
    broadside_record::verify_written(record, key)
}

/// Verifies a record that was fetched.
pub(super) fn fetched(record: &Written, key: Option<&Key>) -> Result<(), Error> {
    let key = key.map(trusted).transpose()?;
    judge(record, key)
        .map(|_| ())
        .map_err(|finding| Error::Unbelievable {
            match_id: record.record().match_id,
            finding,
        })
}

/// A result in one line.
fn line(outcome: &Result<Verified, Finding>) -> String {
    match outcome {
        Ok(verified) => format!(
            "match {}, {} against {}: chain, signature, {}, {}, clocks, outcome: {}; {} {}{}",
            verified.match_id,
            escape(&verified.agents[0]),
            escape(&verified.agents[1]),
            count(verified.moves, "move"),
            count(verified.refusals, "refusal"),
            paint(style::WIN, "ok"),
            match verified.trusted {
                true => "signed with the trusted key",
                false => "signed with a key that is not checked (--arena-key),",
            },
            hex(&verified.public_key),
            newer(verified),
        ),
        Err(finding) => format!(
            "{}: {}",
            paint(style::ERROR, "wrong"),
            escape(&finding.to_string())
        ),
    }
}

/// What was not checked, since a newer arena wrote it.
fn newer(verified: &Verified) -> String {
    let mut said = String::new();
    match verified.newer.as_slice() {
        [] => {}
        [entry] => {
            said += &format!(
                "; entry {entry} holds more than this version knows, which is signed, and not checked otherwise"
            );
        }
        [first, rest @ ..] => {
            said += &format!(
                "; entry {first} and {} hold more than this version knows, which is signed, and not checked otherwise",
                match rest.len() {
                    1 => "another one".to_owned(),
                    others => format!("{others} others"),
                }
            );
        }
    }
    if verified.unsigned {
        said += "; outside of its log it holds more than this version knows, which is not signed";
    }
    said
}

fn tell_error(out: &mut Output, name: &str, error: &Error) -> Result<(), Error> {
    if out.json() {
        out.message_line(&Report {
            file: Some(name.to_owned()),
            ok: false,
            verified: None,
            finding: None,
            error: Some(error.to_string()),
        })?;
    } else {
        out.line(&format!("{} {error}", paint(style::ERROR, "error:")))?;
    }
    Ok(())
}

fn report(file: Option<String>, outcome: &Result<Verified, Finding>) -> Report {
    let (verified, finding) = match outcome {
        Ok(verified) => (Some(verified), None),
        Err(finding) => (None, Some(finding)),
    };
    Report {
        file,
        ok: outcome.is_ok(),
        verified: verified.map(|it| Said {
            match_id: it.match_id.to_string(),
            agents: it.agents.clone(),
            entries: it.entries,
            moves: it.moves,
            refusals: it.refusals,
            outcome: it.outcome.message.clone(),
            public_key: hex(&it.public_key),
            trusted: it.trusted,
            newer_entries: it.newer.clone(),
            unsigned_more: it.unsigned,
        }),
        finding: finding.map(|it| Found {
            entry: it.entry,
            kind: it.kind.name(),
            message: it.message.clone(),
        }),
        error: None,
    }
}

fn count(number: usize, what: &str) -> String {
    match number {
        1 => format!("1 {what}"),
        _ => format!("{number} {what}s"),
    }
}

/// The key that is meant: as it is, or in a file, as 32 bytes or as 64 hexadecimal digits.
fn trusted(key: &Key) -> Result<[u8; 32], Error> {
    match key {
        Key::Is(bytes) => Ok(*bytes),
        Key::In(path) => in_file(path),
    }
}

fn in_file(path: &Path) -> Result<[u8; 32], Error> {
    let bytes = fs::read(path).map_err(|source| Error::File {
        path: path.to_owned(),
        source,
    })?;
    if let Ok(key) = <[u8; 32]>::try_from(bytes.as_slice()) {
        return Ok(key);
    }
    std::str::from_utf8(&bytes)
        .ok()
        .and_then(|text| Key::from_hex(text.trim()))
        .ok_or_else(|| {
            Error::Usage(format!(
                "--arena-key: {} holds no key: it must be 32 bytes, or 64 hexadecimal digits.",
                escape(&path.display().to_string())
            ))
        })
}

/// Bytes as they are typed.
fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
