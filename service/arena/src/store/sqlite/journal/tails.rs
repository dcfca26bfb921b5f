//! The ends of logs that stand in the journal alone, as far as they are committed: for those who read, beside the database.

use broadside_record::chain::Link;
use parking_lot::RwLock;
use rustc_hash::FxHashMap;

use super::stretch::Stretch;

/// A tail is marked about every so many entries: whoever reads on from a place in it works out the links of no more before that.
const MARKED: usize = 32;

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
    /// The link before the first of them.
    before: Link,
    /// The link of the last of them.
    pub(super) link: Link,
    /// The entries.
    pub(super) bytes: Vec<u8>,
    /// Where reading may begin beside the first of them, in order.
    marks: Vec<Mark>,
}

/// A place between two entries of a tail.
#[derive(Clone, Copy, Debug)]
struct Mark {
    /// Entries of the tail before it.
    entries: usize,
    /// Their bytes.
    bytes: usize,
    /// The link before it.
    before: Link,
}

/// What is added to a tail.
#[derive(Clone, Copy, Debug)]
pub(super) struct Piece<'a> {
    /// How many entries there are.
    pub(super) count: usize,
    /// Moves accepted with the last of them.
    pub(super) moves: u32,
    /// The link of the last of them.
    pub(super) link: Link,
    /// The entries.
    pub(super) entries: &'a [u8],
}

impl Tail {
    /// One that begins at this place in the log, after this link, and in this row of the journal.
    pub(super) fn begin(first: usize, before: Link, row: i64) -> Self {
        Self {
            first,
            count: 0,
            moves: 0,
            row,
            before,
            link: before,
            bytes: Vec::new(),
            marks: Vec::new(),
        }
    }

    /// The place in the log after its last entry.
    pub(super) fn end(&self) -> usize {
        self.first + self.count
    }

    /// Adds what comes next.
    pub(super) fn push(&mut self, piece: Piece<'_>) {
        let marked = self.marks.last().map_or(0, |mark| mark.entries);
        if self.count - marked >= MARKED {
            self.marks.push(Mark {
                entries: self.count,
                bytes: self.bytes.len(),
                before: self.link,
            });
        }
        self.count += piece.count;
        self.moves = piece.moves;
        self.link = piece.link;
        self.bytes.extend_from_slice(piece.entries);
    }

    /// The last part of it that holds all from this place in the log on.
    fn from(&self, from: usize) -> TailRead {
        let skipped = from.saturating_sub(self.first);
        let passed = self.marks.partition_point(|mark| mark.entries <= skipped);
        let begin = Mark {
            entries: 0,
            bytes: 0,
            before: self.before,
        };
        let mark = self.marks[..passed].last().unwrap_or(&begin);
        TailRead {
            first: self.first + mark.entries,
            count: self.count - mark.entries,
            before: mark.before,
            link: self.link,
            bytes: self.bytes[mark.bytes..].to_vec(),
        }
    }
}

/// The tails of all matches that have one.
///
/// Whoever reads looks here first and in the database after that: what has left a tail meanwhile is there by then.
#[derive(Debug, Default)]
pub(in super::super) struct Tails(RwLock<FxHashMap<u64, Tail>>);

/// The last entries of a tail.
#[derive(Debug)]
pub(in super::super) struct TailRead {
    first: usize,
    count: usize,
    before: Link,
    link: Link,
    bytes: Vec<u8>,
}

impl TailRead {
    /// They as they stand.
    pub(in super::super) fn stretch(&self) -> Stretch<'_> {
        Stretch {
            first: self.first,
            count: self.count,
            before: self.before,
            link: self.link,
            bytes: &self.bytes,
        }
    }
}

impl Tails {
    /// The entries of a match's tail from a place in its log on, and some before them; `None` if it has no tail.
    pub(in super::super) fn read(&self, match_id: u64, from: usize) -> Option<TailRead> {
        self.0.read().get(&match_id).map(|tail| tail.from(from))
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

#[cfg(test)]
mod tests {
    use broadside_record::chain::{Chain, Entry};

    use super::*;
    use crate::store::sqlite::journal::{entries, stretch::Origin};

    const OF: Origin = Origin {
        match_id: 7,
        create_time_ms: 9,
    };

    /// A log of so many entries, and the tail that begins at a place in it, appended to with so many at a time.
    fn tail(length: usize, first: usize, at_a_time: usize) -> (Vec<Entry>, Tail) {
        let mut chain = Chain::new(OF.match_id, OF.create_time_ms);
        let log = (0..length).map(|at| Entry {
            body: vec![at as u8; at % 7],
            link: chain.push_encoded(&vec![at as u8; at % 7]),
        });
        let log: Vec<_> = log.collect();
        let before = first.checked_sub(1).map_or([0; 32], |last| log[last].link);
        let mut tail = Tail::begin(first, before, 1);
        for (at, appended) in log[first..].chunks(at_a_time).enumerate() {
            let mut bytes = Vec::new();
            for entry in appended {
                entries::push(&mut bytes, &entry.body);
            }
            tail.push(Piece {
                count: appended.len(),
                moves: at as u32,
                link: appended[appended.len() - 1].link,
                entries: &bytes,
            });
        }
        (log, tail)
    }

    #[test]
    fn a_tail_is_read_from_any_place_on_and_from_little_before_it() {
        for (first, at_a_time) in [(0, 1), (5, 1), (5, 3), (0, 50)] {
            let (log, tail) = tail(150, first, at_a_time);
            for from in first..=log.len() + 1 {
                let read = tail.from(from);
                let begin = read.stretch().first;
                let least = from.min(log.len()).saturating_sub(MARKED + at_a_time);
                assert!((least..=from).contains(&begin), "{begin} for {from}");
                let rest = log.get(from..).unwrap_or_default();
                let entries = read.stretch().entries_from(OF, from);
                assert_eq!(entries.as_deref(), Ok(rest), "from {from}");
            }
        }
    }
}
