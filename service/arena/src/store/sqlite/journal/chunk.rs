//! Stretches of logs.

use rusqlite::{Connection, params};

use super::tails::Tail;

/// Writes a stretch of a match's log.
pub(super) fn insert(connection: &Connection, match_id: u64, tail: &Tail) -> rusqlite::Result<()> {
    let Tail {
        first,
        count,
        moves,
        ref link,
        ref bytes,
        ..
    } = *tail;
    connection
        .prepare_cached(
            "INSERT INTO match_chunk (match_id, first, entries, moves, link, body) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        )?
        .execute(params![
            match_id.cast_signed(),
            first as i64,
            count as i64,
            moves,
            link,
            bytes,
        ])
        .map(drop)
}
