//! Moves what stands in the journal to the logs of its matches.
//!
//! A match whose log cannot be continued as it was written is marked as damaged, for good: what follows is lost then, and nobody
//! may take its log for the whole.

use std::collections::{BTreeSet, hash_map::Entry};

use broadside_proto::v1;
use broadside_record::chain::Chain;
use rusqlite::{Connection, Transaction, TransactionBehavior, params};
use rustc_hash::FxHashMap;

use super::{
    chunk,
    entries::Entries,
    row::{self, Frame, RowRead},
    tails::{Piece, Tail},
};
use crate::store::{
    StoreError,
    sqlite::{
        fault::{self, Fault, Why},
        log, read,
    },
};

/// What the journal says of matches.
#[derive(Default)]
struct Folding {
    found: FxHashMap<u64, Found>,
    /// Matches of frames that could not be read, with the last row in which there was one.
    lost: FxHashMap<u64, Hole>,
    /// The last row that may have held frames of any match.
    cut: Option<Hole>,
    /// Rows of which not all is moved: they are set aside.
    aside: BTreeSet<i64>,
}

/// A row that cannot be read, or not all of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Hole {
    row: i64,
    /// Whether it is not there at all.
    missing: bool,
}

/// What was found of a match.
struct Found {
    /// How its log goes on, or why it cannot.
    grown: Result<Grown, String>,
    /// The rows with something of it, in order.
    rows: Vec<i64>,
}

/// How a log goes on.
struct Grown {
    tail: Tail,
    chain: Chain,
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

/// Why one match cannot go on: what is kept of it is damaged. The others are not concerned.
///
/// # Errors
/// If they are.
fn of_one(fault: Fault) -> rusqlite::Result<String> {
    match fault {
        Fault::Request(StoreError::Corrupt { why, .. }) => Ok(why),
        Fault::Request(error) => Ok(error.to_string()),
        Fault::Database(error) if fault::why(&error) == Why::Outage => Err(error),
        Fault::Database(error) => Ok(error.to_string()),
    }
}

impl Grown {
    /// The log of a match as it is in the tables, to go on with this row of the journal.
    fn begin(transaction: &Transaction<'_>, match_id: u64, row: i64) -> Result<Self, Fault> {
        let of = log::origin(transaction, match_id)?;
        let end = read::end(transaction, match_id)?;
        let last = log::link_before(transaction, match_id, end)?;
        Ok(Self {
            tail: Tail::begin(end, last, row),
            chain: Chain::after(match_id, of.create_time_ms, end, last),
            gap: None,
        })
    }

    fn take(&mut self, row: i64, frame: &Frame<'_>) {
        let end = self.tail.end();
        if frame.first == end {
            for body in Entries::new(frame.entries).map_while(Result::ok) {
                self.chain.push_encoded(body);
            }
            self.tail.push(Piece {
                count: frame.count,
                moves: frame.moves,
                link: self.chain.last(),
                entries: frame.entries,
            });
        } else if frame.first.saturating_add(frame.count) > end {
            self.gap.get_or_insert((row, end));
        }
    }
}

impl Found {
    /// Why its log cannot be continued as it was written, if it cannot.
    fn fault(&self) -> Option<String> {
        match &self.grown {
            Ok(grown) => grown.gap.map(|(row, entry)| {
                format!("entry {entry} of its log is missing before row {row} of the journal")
            }),
            Err(why) => Some(format!(
                "what stands in the journal could not be added to its log: {why}"
            )),
        }
    }
}

impl Folding {
    fn read(&mut self, transaction: &Transaction<'_>) -> rusqlite::Result<()> {
        let mut rows = transaction.prepare(
            "SELECT place, contents, frames FROM journal WHERE place > 0 ORDER BY place",
        )?;
        let mut rows = rows.query([])?;
        let mut next = None;
        while let Some(kept) = rows.next()? {
            let place: i64 = kept.get(0)?;
            // Rows go from the front alone.
            if next.is_some_and(|next| next < place) {
                let row = place - 1;
                tracing::error!(row, "a row of the journal is missing");
                self.cut = Some(Hole { row, missing: true });
            }
            next = place.checked_add(1);
            let read = match (kept.get_ref(1)?.as_bytes(), kept.get_ref(2)?.as_bytes()) {
                (Ok(contents), Ok(frames)) => row::read(contents, frames),
                // Not even bytes.
                _ => RowRead {
                    cut: true,
                    ..RowRead::default()
                },
            };
            for frame in read.frames {
                self.take(transaction, place, &frame)?;
            }
            if read.cut || !read.lost.is_empty() {
                tracing::error!(row = place, "a row of the journal is damaged");
                self.aside.insert(place);
                let hole = Hole {
                    row: place,
                    missing: false,
                };
                self.cut = read.cut.then_some(hole).or(self.cut);
                self.lost.extend(read.lost.iter().map(|of| (*of, hole)));
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
            Entry::Occupied(found) => found.into_mut(),
            Entry::Vacant(vacant) => {
                let begun = Grown::begin(transaction, frame.match_id, row);
                let grown = match begun.map_err(of_one) {
                    Ok(grown) => Ok(grown),
                    Err(why) => Err(why?),
                };
                vacant.insert(Found {
                    grown,
                    rows: Vec::new(),
                })
            }
        };
        if let Ok(grown) = &mut found.grown {
            grown.take(row, frame);
        }
        found.rows.push(row);
        Ok(())
    }

    fn write(&mut self, transaction: &Transaction<'_>) -> rusqlite::Result<()> {
        for (match_id, found) in &mut self.found {
            if let Ok(Grown { tail, .. }) = &found.grown
                && tail.count > 0
                && let Err(error) = chunk::insert(transaction, *match_id, tail)
            {
                found.grown = Err(of_one(error.into())?);
            }
            // What could not be added stands there alone.
            let lost = found.rows.iter().filter(|row| match &found.grown {
                Ok(Grown { gap: None, .. }) => false,
                Ok(Grown {
                    gap: Some((gap, _)),
                    ..
                }) => *row >= gap,
                Err(_) => true,
            });
            self.aside.extend(lost);
        }
        for (match_id, why) in self.damaged(transaction)? {
            tracing::error!(match_id, %why, "the log of a match is damaged");
            let marked = transaction.execute(
                "UPDATE match SET damage = ?2 WHERE match_id = ?1 AND damage IS NULL",
                params![match_id.cast_signed(), why],
            );
            if let Err(error) = marked {
                let why = of_one(error.into())?;
                tracing::error!(match_id, %why, "the match could not be marked as damaged");
            }
        }
        for row in &self.aside {
            tracing::error!(row, "a row of the journal is set aside");
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
            damaged.extend(found.fault().map(|why| (*match_id, why)));
        }
        if self.lost.is_empty() && self.cut.is_none() {
            return Ok(damaged);
        }
        // All of the log of a match that is over stands elsewhere.
        let mut open = transaction.prepare("SELECT match_id FROM match WHERE state <> ?1")?;
        let open = open.query_map([v1::MatchState::Over as i32], |row| row.get::<_, i64>(0))?;
        for match_id in open {
            let match_id = match_id?.cast_unsigned();
            let found = self.found.get(&match_id);
            if found.is_some_and(|found| found.fault().is_some()) {
                continue;
            }
            // What follows in a later row without a gap says that nothing was lost before.
            let lost = self.lost.get(&match_id).copied().max(self.cut);
            if let Some(Hole { row, missing }) = lost
                && found.is_none_or(|found| found.rows.last() <= Some(&row))
            {
                let is = if missing { "missing" } else { "damaged" };
                let why =
                    format!("row {row} of the journal is {is}, and may have held more of its log");
                damaged.push((match_id, why));
            }
        }
        Ok(damaged)
    }
}
