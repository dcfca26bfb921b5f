//! `broadside match record`.

use std::{fs, path::Path};

use broadside_record::Written;

use super::verify;
use crate::{
    args::RecordArgs,
    client::Arena,
    error::{Error, Exit},
    output::Output,
    text::escape,
};

/// Refuses to print bytes on a terminal.
pub(super) fn check(out: &Output, args: &RecordArgs) -> Result<(), Error> {
    if args.output.is_none() && !out.json() && out.is_terminal() {
        return Err(Error::Usage(
            "a record is bytes, and this is a terminal: give -o FILE, or --json.".to_owned(),
        ));
    }
    Ok(())
}

pub(super) async fn run(arena: &Arena, out: &mut Output, args: &RecordArgs) -> Result<Exit, Error> {
    let match_id = args.id.match_id;
    let doing = format!("fetch the record of match {match_id}");
    let bytes = arena.record(&doing, match_id).await?;
    let record = match Written::read(&bytes) {
        Ok(record) if !bytes.is_empty() => record,
        _ => {
            return Err(Error::Incomplete {
                doing,
                missing: "record",
            });
        }
    };
    match &args.output {
        Some(path) => {
            let bytes = encode(&record, bytes, out.json() || is_json(path))?;
            fs::write(path, bytes).map_err(|source| Error::File {
                path: path.clone(),
                source,
            })?;
            out.line(&format!(
                "Wrote the record of match {match_id} to {}.",
                escape(&path.display().to_string())
            ))?;
        }
        None => out.bytes(&encode(&record, bytes, out.json())?)?,
    }
    // After it is written: what is wrong with it can be looked at.
    if args.verify {
        verify::fetched(&record, args.arena_key.as_ref())?;
        if args.output.is_some() {
            out.line("It is verified: chain, signature, moves, refusals, clocks, outcome.")?;
        }
    }
    Ok(Exit::Done)
}

/// Whether a file's name asks for proto-JSON.
pub(super) fn is_json(path: &Path) -> bool {
    path.extension()
        .is_some_and(|extension| extension.eq_ignore_ascii_case("json"))
}

/// As the arena wrote it, which is what is signed; proto-JSON holds what this version knows.
fn encode(record: &Written, bytes: Vec<u8>, json: bool) -> Result<Vec<u8>, Error> {
    if !json {
        return Ok(bytes);
    }
    let mut bytes = serde_json::to_vec_pretty(record.record()).map_err(std::io::Error::from)?;
    bytes.push(b'\n');
    Ok(bytes)
}
