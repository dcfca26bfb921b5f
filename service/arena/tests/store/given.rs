//! Matches as tests need them.

use std::sync::Arc;

use broadside_arena::store::{Append, Claimed, NewMatch, Store};
use broadside_proto::v1::{self, log_entry::Entry as Logged, options::Variant as Of};
use broadside_record::chain::{Chain, Entry};

/// A match being written by a test: its chain, and where it stands.
pub(crate) struct Written {
    pub(crate) summary: v1::Match,
    pub(crate) entries: Vec<Entry>,
    pub(crate) epoch: u64,
    chain: Chain,
}

/// A classic match between ada and bob.
pub(crate) fn classic(match_id: u64) -> v1::Match {
    between(match_id, "ada", "bob")
}

/// A classic match.
pub(crate) fn between(match_id: u64, one: &str, two: &str) -> v1::Match {
    let player = |name: &str| v1::Player {
        agent: Some(if name.starts_with("http") {
            v1::player::Agent::Address(name.to_owned())
        } else {
            v1::player::Agent::Name(name.to_owned())
        }),
    };
    v1::Match {
        match_id,
        options: Some(v1::Options {
            variant: Some(Of::Classic(v1::ClassicOptions::default())),
        }),
        players: vec![player(one), player(two)],
        state: v1::MatchState::Waiting.into(),
        create_time_ms: 1_000 + match_id,
        ..Default::default()
    }
}

/// The same as a match of abalone.
pub(crate) fn abalone(summary: v1::Match) -> v1::Match {
    v1::Match {
        options: Some(v1::Options {
            variant: Some(Of::Abalone(v1::AbaloneOptions::default())),
        }),
        ..summary
    }
}

/// The same as a private match.
pub(crate) fn private(summary: v1::Match) -> v1::Match {
    v1::Match {
        private: true,
        ..summary
    }
}

impl Written {
    /// A match and the call that creates it.
    pub(crate) fn new(summary: v1::Match, request_id: &str) -> (Self, NewMatch) {
        let mut chain = Chain::new(summary.match_id, summary.create_time_ms);
        let created = chain.push(&v1::LogEntry {
            at_us: 0,
            entry: Some(Logged::Created(v1::MatchCreated::default())),
        });
        let new = NewMatch {
            summary: summary.clone(),
            request_id: request_id.to_owned(),
            fingerprint: u64::MAX - summary.match_id,
            created: created.clone(),
        };
        let written = Self {
            summary,
            entries: vec![created],
            epoch: 1,
            chain,
        };
        (written, new)
    }

    /// A match that the store has.
    pub(crate) async fn created(store: &dyn Store, summary: v1::Match) -> Self {
        let (written, new) = Self::new(summary, "");
        store.create(new).await.unwrap();
        written
    }

    /// The append of so many moves, made at this time; they count once they are [taken](Self::take).
    pub(crate) fn moves(&self, count: u32, at_us: u64) -> Append {
        let mut chain = self.chain.clone();
        let entries = (0..count).map(|_| {
            chain.push(&v1::LogEntry {
                at_us,
                entry: Some(Logged::Accepted(v1::MoveAccepted::default())),
            })
        });
        Append {
            match_id: self.summary.match_id,
            epoch: self.epoch,
            first: self.entries.len(),
            entries: entries.collect(),
            moves: self.summary.moves + count,
            summary: None,
            signature: None,
        }
    }

    /// The append that changes the state.
    pub(crate) fn turned(&self, state: v1::MatchState) -> Append {
        let entry = match state {
            v1::MatchState::Over => Logged::Ended(v1::MatchEnded::default()),
            _ => Logged::Started(v1::MatchStarted::default()),
        };
        let summary = v1::Match {
            state: state.into(),
            ..self.summary.clone()
        };
        Append {
            match_id: self.summary.match_id,
            epoch: self.epoch,
            first: self.entries.len(),
            entries: vec![self.chain.clone().push(&v1::LogEntry {
                at_us: 7,
                entry: Some(entry),
            })],
            moves: self.summary.moves,
            summary: Some(Box::new(summary)),
            signature: (state == v1::MatchState::Over).then_some([9; 64]),
        }
    }

    /// Counts an append as kept.
    pub(crate) fn take(&mut self, append: &Append) {
        for entry in &append.entries {
            self.chain.push_encoded(&entry.body);
            self.entries.push(entry.clone());
        }
        if let Some(summary) = &append.summary {
            self.summary = (**summary).clone();
        }
        self.summary.moves = append.moves;
    }

    /// Appends, and counts that as kept.
    pub(crate) async fn append(&mut self, store: &dyn Store, append: Append) {
        let append = Arc::new(append);
        store.append(append.clone()).await.unwrap();
        self.take(&append);
    }

    /// Sees that the store holds just this.
    pub(crate) async fn is_kept(&self, store: &dyn Store) {
        let match_id = self.summary.match_id;
        let log = store.log(match_id, 0).await.unwrap();
        assert_eq!(log.entries, self.entries);
        assert_eq!(log.create_time_ms, self.summary.create_time_ms);
        assert_eq!(
            store.get(match_id).await.unwrap().as_ref(),
            Some(&self.summary)
        );
    }
}

/// The claims that concern a match.
pub(crate) fn claim_of(claimed: &[Claimed], match_id: u64) -> Option<u64> {
    let claim = claimed.iter().find(|claim| claim.match_id == match_id);
    claim.map(|claim| claim.epoch)
}
