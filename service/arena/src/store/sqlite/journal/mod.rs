//! How appends are written: those of a transaction as one row of the journal, and the log of a match once more in one piece when the
//! match is over.
//!
//! So an append costs a copy, and a match a few rows. Between, the end of a running match's log, its tail, stands in the journal
//! alone, and in memory for those who read (`tails.rs`). Rows that no tail needs are deleted; a tail that needs old ones for long is
//! written as a piece of its match's log meanwhile. Whatever opens the database moves all that stands in the journal where it belongs
//! (`fold.rs`).
//!
//! The links of a log's hash chain are not written: they follow from the entries (`stretch.rs`). A piece of a log has that of its last
//! entry alone, which says whether all are as they were written.

mod chunk;
mod entries;
mod fold;
mod heads;
mod row;
mod rows;
mod stretch;
mod tails;

use std::{ops::Range, sync::Arc};

use broadside_record::chain::{Entry, Link};
use rusqlite::{Connection, params};
use rustc_hash::FxHashMap;

use self::{
    heads::Heads,
    row::RowWriter,
    rows::Rows,
    tails::{Piece, Tail},
};
use super::{fault::Fault, log, read};
use crate::store::{Append, StoreError};

pub(super) use self::{
    heads::Head,
    stretch::{Origin, Stretch},
    tails::Tails,
};

/// The journal is kept to about so many bytes, and the tails in memory with it.
const LIMIT: usize = 32 << 20;
/// Rows that are not needed are deleted as soon as there are so many: each time touches some pages.
const WORTH_DELETING: usize = 32;

/// What the open transaction does to tails, in order.
#[derive(Debug)]
enum Change {
    /// Entries are appended.
    Appended(u64, Appended),
    /// The tail is written elsewhere.
    Moved(u64),
}

/// An append that is being written.
#[derive(Debug)]
struct Appended {
    /// The place in the log of its first entry.
    first: usize,
    /// The link before that.
    before: Link,
    count: usize,
    moves: u32,
    /// The link of its last entry.
    link: Link,
    /// Where its entries stand in the row.
    entries: Range<usize>,
}

impl Appended {
    /// It as a part of the log.
    fn stretch<'a>(&self, row: &'a RowWriter) -> Stretch<'a> {
        Stretch {
            first: self.first,
            count: self.count,
            before: self.before,
            link: self.link,
            bytes: row.entries(self.entries.clone()),
        }
    }

    /// It as a part of a tail.
    fn piece<'a>(&self, row: &'a RowWriter) -> Piece<'a> {
        Piece {
            count: self.count,
            moves: self.moves,
            link: self.link,
            entries: row.entries(self.entries.clone()),
        }
    }
}

/// Why the journal was not written.
#[derive(Debug)]
pub(super) enum Unwritten {
    /// The database.
    Database(rusqlite::Error),
    /// Somebody else writes to it: its last row is not the one that this has left (0: none).
    Strange { left: i64, found: i64 },
}

impl From<rusqlite::Error> for Unwritten {
    fn from(error: rusqlite::Error) -> Self {
        Self::Database(error)
    }
}

/// The journal, and where each log ends: as of the last commit, and of the open transaction.
#[derive(Debug)]
pub(super) struct Journal {
    tails: Arc<Tails>,
    heads: Heads,
    rows: Rows,
    limit: usize,
    /// Of the open transaction.
    row: RowWriter,
    changes: Vec<Change>,
    deleted: usize,
}

impl Journal {
    /// An empty one.
    pub(super) fn new(tails: Arc<Tails>) -> Self {
        Self {
            tails,
            heads: Heads::default(),
            rows: Rows::new(),
            limit: LIMIT,
            row: RowWriter::default(),
            changes: Vec::new(),
            deleted: 0,
        }
    }

    /// Where the log of a match ends.
    pub(super) fn head(&self, connection: &Connection, match_id: u64) -> Result<Head, Fault> {
        // A match with a tail is known here.
        match self.heads.get(match_id) {
            Some(head) => Ok(head),
            None => read::head(connection, match_id),
        }
    }

    /// Whoever appends to a match must have this epoch from now on.
    pub(super) fn claimed(&mut self, match_id: u64, epoch: u64) {
        if let Some(head) = self.heads.get(match_id) {
            self.heads.set(match_id, Head { epoch, ..head });
        }
    }

    /// Appends to a log that has this head, with at least one entry.
    ///
    /// # Errors
    /// If it is too long for any row: nothing has changed.
    pub(super) fn append(
        &mut self,
        match_id: u64,
        head: Head,
        moves: u32,
        entries: &[Entry],
    ) -> Result<(), StoreError> {
        let Head { next: first, .. } = head;
        let count = entries.len();
        let link = entries.last().map_or(head.link, |entry| entry.link);
        let written = self
            .row
            .push(match_id, first, moves, entries)
            .map_err(|why| {
                StoreError::Failed(format!("an append to match {match_id} is too long: {why}"))
            })?;
        let appended = Appended {
            first,
            before: head.link,
            count,
            moves,
            link,
            entries: written,
        };
        self.changes.push(Change::Appended(match_id, appended));
        let next = first + count;
        self.heads.set(match_id, Head { next, link, ..head });
        Ok(())
    }

    /// Whether the entries at the place of an append are those of the append already.
    pub(super) fn has(&self, connection: &Connection, append: &Append) -> Result<bool, Fault> {
        let Append {
            match_id, first, ..
        } = *append;
        let of = log::origin(connection, match_id)?;
        let mut kept = log::entries(connection, of, first)?;
        if let Some(tail) = self.tails.read(match_id, first) {
            kept.extend(tail.stretch().entries_from(of, first + kept.len())?);
        }
        for change in &self.changes {
            if let Change::Appended(changed, appended) = change
                && *changed == match_id
            {
                let staged = appended.stretch(&self.row);
                kept.extend(staged.entries_from(of, first + kept.len())?);
            }
        }
        // Each value of the chain stands for its entry and all before it.
        let links = append.entries.iter().map(|entry| entry.link);
        Ok(kept.len() >= append.entries.len()
            && kept
                .iter()
                .map(|entry| entry.link)
                .zip(links)
                .all(|(kept, link)| kept == link))
    }

    /// A match is over: its log is written in one piece.
    pub(super) fn end(&mut self, connection: &Connection, match_id: u64) -> rusqlite::Result<()> {
        self.move_tail(connection, match_id)?;
        self.heads.remove(match_id);
        Ok(())
    }

    /// Writes the end of a match's log, as far as it stands in the journal alone, where it belongs.
    fn move_tail(&mut self, connection: &Connection, match_id: u64) -> rusqlite::Result<()> {
        let mut tail = self.tails.look(|tails| tails.get(&match_id).cloned());
        for change in &self.changes {
            match change {
                Change::Appended(of, appended) if *of == match_id => tail
                    .get_or_insert_with(|| {
                        Tail::begin(appended.first, appended.before, self.rows.next())
                    })
                    .push(appended.piece(&self.row)),
                Change::Moved(of) if *of == match_id => tail = None,
                _ => {}
            }
        }
        if let Some(tail) = tail {
            chunk::insert(connection, match_id, &tail)?;
            self.changes.push(Change::Moved(match_id));
        }
        Ok(())
    }

    /// Writes what the transaction appended, and keeps the journal small. Nothing is appended in this transaction after that.
    ///
    /// # Errors
    /// If the journal is not as this left it, too: nothing is to be committed then.
    pub(super) fn write(&mut self, connection: &Connection) -> Result<(), Unwritten> {
        if self.row.is_empty() && self.rows.last() == 0 {
            // Nothing is written, and nothing is known of what is there: it may be that of an arena beside.
            return Ok(());
        }
        self.is_as_it_was_left(connection)?;
        self.relieve(connection)?;
        let unneeded = self.rows.unneeded();
        if unneeded >= WORTH_DELETING {
            let first = self.rows.first();
            connection
                .prepare_cached("DELETE FROM journal WHERE place >= ?1 AND place < ?2")?
                .execute([first, first.saturating_add_unsigned(unneeded as u64)])?;
            self.deleted = unneeded;
        }
        if !self.row.is_empty() {
            let (contents, frames) = self.row.seal();
            connection
                .prepare_cached(
                    "INSERT INTO journal (place, contents, frames) VALUES (?1, ?2, ?3)",
                )?
                .execute(params![self.rows.next(), contents, frames])?;
        }
        Ok(())
    }

    /// Sees that nobody else has written to the journal.
    fn is_as_it_was_left(&self, connection: &Connection) -> Result<(), Unwritten> {
        let found = connection
            .prepare_cached("SELECT coalesce(max(place), 0) FROM journal WHERE place > 0")?
            .query_row([], |row| row.get(0))?;
        let left = self.rows.last();
        if found == left {
            Ok(())
        } else {
            Err(Unwritten::Strange { left, found })
        }
    }

    /// Moves tails that need old rows, if there are too many rows.
    fn relieve(&mut self, connection: &Connection) -> rusqlite::Result<()> {
        let bytes = self.rows.bytes() + self.row.bytes();
        let Some(excess) = bytes.checked_sub(self.limit + 1) else {
            return Ok(());
        };
        let mut in_the_way = self.tails.look(|tails| {
            let mut in_the_way = Vec::new();
            for (place, begun) in self.rows.oldest(excess + 1) {
                let still =
                    |match_id: &u64| tails.get(match_id).is_some_and(|tail| tail.row == place);
                in_the_way.extend(begun.iter().copied().filter(still));
            }
            in_the_way
        });
        if in_the_way.is_empty() {
            return Ok(());
        }
        let moved: Vec<_> = self
            .changes
            .iter()
            .filter_map(|change| match change {
                Change::Moved(match_id) => Some(*match_id),
                Change::Appended(..) => None,
            })
            .collect();
        in_the_way.retain(|match_id| !moved.contains(match_id));
        for match_id in in_the_way {
            self.move_tail(connection, match_id)?;
        }
        Ok(())
    }

    /// The transaction is committed: whoever reads may see what it did.
    pub(super) fn committed(&mut self) {
        self.heads.committed();
        let place = self.rows.next();
        let mut begun = Vec::new();
        self.tails.change(|tails| {
            for change in self.changes.drain(..) {
                match change {
                    Change::Appended(match_id, appended) => {
                        let tail = tails.entry(match_id).or_insert_with(|| {
                            begun.push(match_id);
                            Tail::begin(appended.first, appended.before, place)
                        });
                        tail.push(appended.piece(&self.row));
                    }
                    Change::Moved(match_id) => {
                        if let Some(tail) = tails.remove(&match_id) {
                            if tail.row == place {
                                begun.retain(|begun| *begun != match_id);
                            } else {
                                self.rows.unpin(tail.row);
                            }
                        }
                    }
                }
            }
        });
        if !self.row.is_empty() {
            self.rows.push(self.row.bytes(), begun);
            self.row.clear();
        }
        self.rows.drop_first(std::mem::take(&mut self.deleted));
    }

    /// The transaction is taken back: nothing of it stays.
    pub(super) fn taken_back(&mut self) {
        self.heads.taken_back();
        self.changes.clear();
        self.row.clear();
        self.deleted = 0;
    }

    /// Moves all that stands in the journal where it belongs, in a transaction of its own. Nothing is assumed of what is known
    /// here: it begins anew.
    pub(super) fn fold(&mut self, connection: &mut Connection) -> rusqlite::Result<()> {
        fold::fold(connection)?;
        self.taken_back();
        self.heads.forget();
        self.rows = Rows::new();
        self.tails.change(FxHashMap::clear);
        Ok(())
    }
}
