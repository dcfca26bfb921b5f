//! Stretches of logs.

use rusqlite::{Connection, params};

use super::tails::Tail;

/// Writes a stretch of a match's log.
pub(super) fn insert(connection: &Connection, match_id: u64, tail: &Tail) -> rusqlite::Result<()> {
    connection
        .prepare_cached(
            "INSERT INTO match_chunk (match_id, first, entries, moves, body) VALUES (?1, ?2, ?3, ?4, ?5)",
        )?
        .execute(params![
            match_id.cast_signed(),
            tail.first as i64,
            tail.count as i64,
            tail.moves,
            tail.bytes,
        ])
        .map(drop)
}
