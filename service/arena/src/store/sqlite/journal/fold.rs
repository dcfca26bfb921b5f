//! Moves what stands in the journal to the logs of its matches.
//!
//! A match whose log cannot be continued as it was written is marked as damaged, for good: what follows is lost then, and nobody
//! may take its log for the whole.

use broadside_proto::v1;
use rusqlite::{Connection, Transaction, TransactionBehavior, params};
use rustc_hash::FxHashMap;

use super::{
    chunk,
    row::{self, Frame},
    tails::Tail,
};
use crate::store::sqlite::read;

/// What the journal says of matches.
#[derive(Default)]
struct Folding {
    found: FxHashMap<u64, Found>,
    /// Matches of frames that could not be read, with the last row in which there was one.
    lost: FxHashMap<u64, i64>,
    /// The last row that may have held frames of any match.
    cut: Option<i64>,
    /// Rows that are not as they were written.
    unreadable: Vec<i64>,
}

/// What was found of a match.
struct Found {
    tail: Tail,
    /// The last row with something of it.
    last: i64,
    /// The row before which entries are missing, and the place of the first.
    gap: Option<(i64, usize)>,
}

/// Empties the journal.
pub(super) fn fold(connection: &mut Connection) -> rusqlite::Result<()> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let mut folding = Folding::default();
    folding.read(&transaction)?;
    folding.write(&transaction)?;
    transaction.commit()
}

impl Folding {
    fn read(&mut self, transaction: &Transaction<'_>) -> rusqlite::Result<()> {
        let mut rows = transaction.prepare(
            "SELECT place, contents, frames FROM journal WHERE place > 0 ORDER BY place",
        )?;
        let mut rows = rows.query([])?;
        while let Some(kept) = rows.next()? {
            let place = kept.get(0)?;
            let read = row::read(kept.get_ref(1)?.as_blob()?, kept.get_ref(2)?.as_blob()?);
            for frame in read.frames {
                self.take(transaction, place, &frame)?;
            }
            if read.cut || !read.lost.is_empty() {
                self.unreadable.push(place);
                self.cut = read.cut.then_some(place).or(self.cut);
                self.lost.extend(read.lost.iter().map(|of| (*of, place)));
            }
        }
        Ok(())
    }

    fn take(
        &mut self,
        transaction: &Transaction<'_>,
        row: i64,
        frame: &Frame<'_>,
    ) -> rusqlite::Result<()> {
        let found = match self.found.entry(frame.match_id) {
            std::collections::hash_map::Entry::Occupied(found) => found.into_mut(),
            std::collections::hash_map::Entry::Vacant(vacant) => vacant.insert(Found {
                tail: Tail::begin(read::end(transaction, frame.match_id)?, row),
                last: row,
                gap: None,
            }),
        };
        let end = found.tail.end();
        if frame.first == end {
            found.tail.push(frame.count, frame.moves, frame.entries);
        } else if frame.first + frame.count > end {
            found.gap.get_or_insert((row, end));
        }
        found.last = row;
        Ok(())
    }

    fn write(&self, transaction: &Transaction<'_>) -> rusqlite::Result<()> {
        for (match_id, found) in &self.found {
            let tail = &found.tail;
            if tail.count > 0 {
                chunk::insert(transaction, *match_id, tail)?;
            }
        }
        for (match_id, why) in self.damaged(transaction)? {
            tracing::error!(match_id, %why, "the log of a match is damaged");
            transaction.execute(
                "UPDATE match SET damage = ?2 WHERE match_id = ?1 AND damage IS NULL",
                params![match_id.cast_signed(), why],
            )?;
        }
        for row in &self.unreadable {
            tracing::error!(row, "a row of the journal is damaged, and set aside");
            transaction.execute(
                "UPDATE journal SET place = (SELECT min(min(place), 0) - 1 FROM journal) WHERE place = ?1",
                [row],
            )?;
        }
        transaction.execute("DELETE FROM journal WHERE place > 0", [])?;
        Ok(())
    }

    /// Matches of whose logs entries are lost, and why.
    fn damaged(&self, transaction: &Transaction<'_>) -> rusqlite::Result<Vec<(u64, String)>> {
        let mut damaged = Vec::new();
        for (match_id, found) in &self.found {
            if let Some((row, entry)) = found.gap {
                let why =
                    format!("entry {entry} of its log is missing before row {row} of the journal");
                damaged.push((*match_id, why));
            }
        }
        if self.unreadable.is_empty() {
            return Ok(damaged);
        }
        // All of the log of a match that is over stands elsewhere.
        let mut open = transaction.prepare("SELECT match_id FROM match WHERE state <> ?1")?;
        let open = open.query_map([v1::MatchState::Over as i32], |row| row.get::<_, i64>(0))?;
        for match_id in open {
            let match_id = match_id?.cast_unsigned();
            let found = self.found.get(&match_id);
            if found.is_some_and(|found| found.gap.is_some()) {
                continue;
            }
            // What follows in a later row without a gap says that nothing was lost before.
            let lost = self.lost.get(&match_id).copied().max(self.cut);
            if let Some(row) = lost
                && found.is_none_or(|found| found.last <= row)
            {
                let why = format!(
                    "row {row} of the journal is damaged, and may have held more of its log"
                );
                damaged.push((match_id, why));
            }
        }
        Ok(damaged)
    }
}
