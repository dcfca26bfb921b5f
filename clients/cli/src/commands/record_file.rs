//! Records in files.

use std::{
    fs,
    io::{self, Read},
    path::Path,
};

use broadside_proto::v1::MatchRecord;
use broadside_record::Written;

use crate::error::Error;

/// Reads a record, binary or proto-JSON, whatever the file is called; `-` is standard input.
pub(super) fn read(path: &Path) -> Result<Written, Error> {
    let bytes = if path == Path::new("-") {
        let mut bytes = Vec::new();
        io::stdin().lock().read_to_end(&mut bytes).map(|_| bytes)
    } else {
        fs::read(path)
    };
    let bytes = bytes.map_err(|source| Error::File {
        path: path.to_owned(),
        source,
    })?;
    let wrong = |message: String| Error::NotARecord {
        path: path.to_owned(),
        message,
    };
    // No record in binary can begin with a brace: it would be the end of a group.
    let begins = bytes.iter().find(|byte| !byte.is_ascii_whitespace());
    if begins == Some(&b'{') {
        let record: Result<MatchRecord, _> = serde_json::from_slice(&bytes);
        record
            .map(Written::from)
            .map_err(|error| wrong(error.to_string()))
    } else {
        Written::read(&bytes).map_err(|error| wrong(error.to_string()))
    }
}
