//! The log of a match, put together from where it stands: entries kept one by one, stretches of it, and the tail that stands in the journal.

use broadside_record::chain::{Entry, Link};
use rusqlite::{Connection, OptionalExtension, params};

use super::{
    fault::Fault,
    journal::{Origin, Stretch, Tails},
    read::{array, corrupt},
};
use crate::store::{Log, StoreError};

/// The log of a match from an entry on.
pub(super) fn read(
    connection: &Connection,
    tails: &Tails,
    match_id: u64,
    from: usize,
) -> Result<Log, Fault> {
    // Before the database: what leaves the tail meanwhile is there then.
    let tail = tails.read(match_id, from);
    // One view of all tables.
    let transaction = connection.unchecked_transaction()?;
    let head = transaction
        .prepare_cached("SELECT create_time_ms, signature, damage FROM match WHERE match_id = ?1")?
        .query_row([match_id.cast_signed()], |row| {
            Ok((
                row.get::<_, i64>(0)?,
                row.get::<_, Option<Vec<u8>>>(1)?,
                row.get::<_, Option<String>>(2)?,
            ))
        })
        .optional()?;
    let (create_time_ms, signature, damage) = head.ok_or(StoreError::UnknownMatch(match_id))?;
    if let Some(why) = damage {
        return Err(corrupt(match_id, why).into());
    }
    let signature = signature.map(array).transpose().map_err(|length| {
        corrupt(
            match_id,
            format!("its signature has {length} bytes, and not 64"),
        )
    })?;
    let of = Origin {
        match_id,
        create_time_ms: create_time_ms.cast_unsigned(),
    };
    let mut entries = entries(&transaction, of, from)?;
    if let Some(tail) = &tail {
        let tail = tail.stretch();
        let next = from.saturating_add(entries.len());
        if next < tail.first {
            return Err(missing(match_id, next).into());
        }
        entries.extend(tail.entries_from(of, next)?);
    }
    Ok(Log {
        create_time_ms: of.create_time_ms,
        entries,
        signature,
    })
}

/// The entries of a match's log from one on, but for those that stand in the journal alone.
pub(super) fn entries(
    connection: &Connection,
    of: Origin,
    from: usize,
) -> Result<Vec<Entry>, Fault> {
    let mut entries = Vec::new();
    events(connection, of.match_id, from, &mut entries)?;
    chunks(connection, of, from, &mut entries)?;
    Ok(entries)
}

/// What the chain of a match begins with.
pub(super) fn origin(connection: &Connection, match_id: u64) -> Result<Origin, Fault> {
    let created = connection
        .prepare_cached("SELECT create_time_ms FROM match WHERE match_id = ?1")?
        .query_row([match_id.cast_signed()], |row| row.get::<_, i64>(0))
        .optional()?;
    Ok(Origin {
        match_id,
        create_time_ms: created
            .ok_or(StoreError::UnknownMatch(match_id))?
            .cast_unsigned(),
    })
}

/// The link before an entry that does not stand in the journal alone, or after the last; zeros before the first.
pub(super) fn link_before(
    connection: &Connection,
    match_id: u64,
    entry: usize,
) -> Result<Link, Fault> {
    let Some(last) = entry.checked_sub(1) else {
        return Ok([0; 32]);
    };
    let link: Option<Vec<u8>> = connection
        .prepare_cached(
            "SELECT coalesce(\
             (SELECT link FROM match_chunk WHERE match_id = ?1 AND first <= ?2 AND first + entries = ?2 + 1), \
             (SELECT link FROM match_event WHERE match_id = ?1 AND seq = ?2))",
        )?
        .query_row(params![match_id.cast_signed(), place(last)], |row| row.get(0))?;
    link_of(match_id, last, link.ok_or_else(|| missing(match_id, last))?)
}

/// A link as it is kept.
fn link_of(match_id: u64, entry: usize, bytes: Vec<u8>) -> Result<Link, Fault> {
    array(bytes).map_err(|length| {
        let why = format!("the link of entry {entry} has {length} bytes, and not 32");
        corrupt(match_id, why).into()
    })
}

/// How many of something: of the entries of a log at most.
pub(super) fn size(row: &rusqlite::Row<'_>, column: usize) -> rusqlite::Result<usize> {
    row.get::<_, u32>(column).map(|size| size as usize)
}

/// The place of an entry as it is kept.
fn place(seq: usize) -> i64 {
    i64::try_from(seq).unwrap_or(i64::MAX)
}

fn missing(match_id: u64, entry: usize) -> StoreError {
    corrupt(match_id, format!("entry {entry} of its log is missing"))
}

/// Those that are kept one by one.
fn events(
    connection: &Connection,
    match_id: u64,
    from: usize,
    entries: &mut Vec<Entry>,
) -> Result<(), Fault> {
    let mut statement = connection.prepare_cached(
        "SELECT seq, body, link FROM match_event WHERE match_id = ?1 AND seq >= ?2 ORDER BY seq",
    )?;
    let mut rows = statement.query(params![match_id.cast_signed(), place(from)])?;
    while let Some(row) = rows.next()? {
        let seq = size(row, 0)?;
        let expected = from.saturating_add(entries.len());
        if seq != expected {
            return Err(missing(match_id, expected).into());
        }
        entries.push(Entry {
            body: row.get(1)?,
            link: link_of(match_id, seq, row.get(2)?)?,
        });
    }
    Ok(())
}

/// Those that are kept in stretches.
fn chunks(
    connection: &Connection,
    of: Origin,
    from: usize,
    entries: &mut Vec<Entry>,
) -> Result<(), Fault> {
    let match_id = of.match_id;
    let mut statement = connection.prepare_cached(
        "SELECT first, entries, link, body FROM match_chunk WHERE match_id = ?1 AND first >= \
         coalesce((SELECT max(first) FROM match_chunk WHERE match_id = ?1 AND first <= ?2), 0) ORDER BY first",
    )?;
    let mut rows = statement.query(params![match_id.cast_signed(), place(from)])?;
    while let Some(row) = rows.next()? {
        let first = size(row, 0)?;
        let count = size(row, 1)?;
        let next = from.saturating_add(entries.len());
        let end = first.saturating_add(count);
        if end <= next {
            continue;
        }
        if next < first {
            return Err(missing(match_id, next).into());
        }
        let stretch = Stretch {
            first,
            count,
            before: link_before(connection, match_id, first)?,
            link: link_of(match_id, end - 1, row.get(2)?)?,
            bytes: row.get_ref(3)?.as_blob().map_err(rusqlite::Error::from)?,
        };
        entries.extend(stretch.entries_from(of, next)?);
    }
    Ok(())
}
