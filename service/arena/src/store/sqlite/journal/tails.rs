//! The ends of logs that stand in the journal alone, as far as they are committed: for those who read, beside the database.

use broadside_record::chain::Entry;
use parking_lot::RwLock;
use rustc_hash::FxHashMap;

use super::entries::Entries;

/// The end of a match's log.
#[derive(Clone, Debug)]
pub(super) struct Tail {
    /// The place in the log of its first entry: those before it are in the database's tables.
    pub(super) first: usize,
    /// How many entries there are.
    pub(super) count: usize,
    /// Moves accepted with the last of them.
    pub(super) moves: u32,
    /// The row of the journal with the first of them.
    pub(super) row: i64,
    /// The entries.
    pub(super) bytes: Vec<u8>,
}

impl Tail {
    /// One that begins at this place in the log, and in this row of the journal.
    pub(super) fn begin(first: usize, row: i64) -> Self {
        Self {
            first,
            count: 0,
            moves: 0,
            row,
            bytes: Vec::new(),
        }
    }

    /// The place in the log after its last entry.
    pub(super) fn end(&self) -> usize {
        self.first + self.count
    }

    /// Adds what comes next.
    pub(super) fn push(&mut self, count: usize, moves: u32, entries: &[u8]) {
        self.count += count;
        self.moves = moves;
        self.bytes.extend_from_slice(entries);
    }
}

/// The tails of all matches that have one.
///
/// Whoever reads looks here first and in the database after that: what has left a tail meanwhile is there by then.
#[derive(Debug, Default)]
pub(in super::super) struct Tails(RwLock<FxHashMap<u64, Tail>>);

/// Some of the entries of a tail.
#[derive(Debug)]
pub(in super::super) struct TailRead {
    /// The place in the log of the first.
    first: usize,
    bytes: Vec<u8>,
}

impl TailRead {
    /// The place in the log of the first entry.
    pub(in super::super) fn first(&self) -> usize {
        self.first
    }

    /// The entries from a place in the log on, which is not before the first.
    pub(in super::super) fn entries_from(&self, from: usize) -> Vec<Entry> {
        let rest = Entries::new(&self.bytes).after(from.saturating_sub(self.first));
        // What stands in memory is as it was written: at most it ends before that place.
        rest.map_or_else(|_| Vec::new(), |rest| rest.map_while(Result::ok).collect())
    }
}

impl Tails {
    /// The entries of a match's tail from a place in its log on; `None` if it has no tail.
    pub(in super::super) fn read(&self, match_id: u64, from: usize) -> Option<TailRead> {
        let tails = self.0.read();
        let tail = tails.get(&match_id)?;
        let skipped = from.saturating_sub(tail.first).min(tail.count);
        let rest = Entries::new(&tail.bytes).after(skipped).ok()?;
        Some(TailRead {
            first: tail.first + skipped,
            bytes: rest.rest().to_vec(),
        })
    }

    /// Moves accepted in a match, if it has a tail.
    pub(in super::super) fn moves(&self, match_id: u64) -> Option<u32> {
        self.0.read().get(&match_id).map(|tail| tail.moves)
    }

    /// Has the writer look at them.
    pub(super) fn look<T>(&self, look: impl FnOnce(&FxHashMap<u64, Tail>) -> T) -> T {
        look(&self.0.read())
    }

    /// Has the writer change them, once what they are to be is committed.
    pub(super) fn change<T>(&self, change: impl FnOnce(&mut FxHashMap<u64, Tail>) -> T) -> T {
        change(&mut self.0.write())
    }
}
