//! What a match writes: its log as it is kept, chained, and signed at its end.

use std::sync::Arc;

use broadside_proto::v1::{self, log_entry::Entry as Logged};
use broadside_record::{
    Summary,
    chain::{BrokenChain, Chain, Entry},
    signature::Signatory,
};

use super::MatchSpec;
use crate::store::{Append, Log, NewMatch};

/// A match's log as far as it is kept.
#[derive(Clone, Debug)]
pub struct Ledger {
    epoch: u64,
    chain: Chain,
    summary: Summary,
    signatory: Arc<Signatory>,
}

/// What is to be kept next. The ledger does not count it before it is.
#[derive(Debug)]
pub(super) struct Written {
    pub(super) append: Arc<Append>,
    chain: Chain,
    summary: Option<Box<Summary>>,
}

impl Ledger {
    /// The ledger of a new match, and what creates it.
    pub fn open(
        spec: &MatchSpec,
        create_time_ms: u64,
        fingerprint: u64,
        signatory: Arc<Signatory>,
    ) -> (Self, NewMatch) {
        let created = spec.created();
        let summary = Summary::new(spec.match_id, create_time_ms, &created);
        let mut chain = Chain::new(spec.match_id, create_time_ms);
        let entry = chain.push(&v1::LogEntry {
            at_us: 0,
            entry: Some(Logged::Created(created)),
        });
        let new = NewMatch {
            summary: summary.get().clone(),
            request_id: spec.request_id.clone(),
            fingerprint,
            created: entry,
        };
        let ledger = Self {
            epoch: 1,
            chain,
            summary,
            signatory,
        };
        (ledger, new)
    }

    /// The ledger of a match that was claimed with this epoch, and its log.
    ///
    /// # Errors
    /// If the log is not as it was written.
    pub fn reopen(
        match_id: u64,
        epoch: u64,
        log: &Log,
        signatory: Arc<Signatory>,
    ) -> Result<(Self, Vec<v1::LogEntry>), BrokenChain> {
        let mut chain = Chain::new(match_id, log.create_time_ms);
        let mut summary: Option<Summary> = None;
        let mut entries = Vec::with_capacity(log.entries.len());
        for kept in &log.entries {
            let entry = chain.read(kept)?;
            match (&mut summary, &entry.entry) {
                (Some(summary), _) => summary.apply(&entry),
                (None, Some(Logged::Created(created))) => {
                    summary = Some(Summary::new(match_id, log.create_time_ms, created));
                }
                (None, _) => {}
            }
            entries.push(entry);
        }
        let summary = summary.ok_or_else(|| {
            BrokenChain::Unreadable(0, "the log does not create its match".to_owned())
        })?;
        let ledger = Self {
            epoch,
            chain,
            summary,
            signatory,
        };
        Ok((ledger, entries))
    }

    /// With which the match is appended to.
    pub(super) fn epoch(&self) -> u64 {
        self.epoch
    }

    /// How many entries are kept.
    pub fn entries(&self) -> usize {
        self.chain.entries()
    }

    /// Puts entries down; they count once they are [kept](Self::kept).
    pub(super) fn write(&self, log: &[v1::LogEntry]) -> Written {
        let mut chain = self.chain.clone();
        let entries: Vec<Entry> = log.iter().map(|entry| chain.push(entry)).collect();
        let more = log
            .iter()
            .any(|entry| matches!(entry.entry, Some(Logged::Started(_) | Logged::Ended(_))));
        let accepted = log
            .iter()
            .filter(|entry| matches!(entry.entry, Some(Logged::Accepted(_))))
            .fold(0_u32, |count, _| count + 1);
        // Nearly all turns change nothing but the number of moves.
        let summary = more.then(|| {
            let mut summary = Box::new(self.summary.clone());
            for entry in log {
                summary.apply(entry);
            }
            summary
        });
        let over = summary.as_ref().is_some_and(|summary| summary.is_over());
        let append = Append {
            match_id: self.summary.get().match_id,
            epoch: self.epoch,
            first: self.chain.entries(),
            entries,
            moves: self.summary.get().moves + accepted,
            summary: summary
                .as_ref()
                .map(|summary| Box::new(summary.get().clone())),
            signature: over.then(|| self.signatory.sign(&chain.last())),
        };
        Written {
            append: Arc::new(append),
            chain,
            summary,
        }
    }

    /// What was written is kept.
    pub(super) fn kept(&mut self, written: Written) {
        let moves = written.append.moves;
        self.chain = written.chain;
        if let Some(summary) = written.summary {
            self.summary = *summary;
        }
        self.summary.set_moves(moves);
    }
}
