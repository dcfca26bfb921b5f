//! Where matches are kept: each as its log, from which everything else about it follows.
//!
//! A store keeps bytes: what they mean, and whether they are as they were written, is for those who read them.

mod memory;
mod open;
mod place;
mod postgres;
pub mod sqlite;
mod token;

use std::{
    future::Future,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};

use broadside_proto::v1;
use broadside_record::chain::{BrokenChain, Entry};
use tokio::sync::oneshot;

pub use memory::MemoryStore;
pub use open::{open, open_shared};
pub use place::{Durability, StorePlace};
pub use postgres::PostgresStore;
pub use sqlite::SqliteStore;
pub use token::{Holder, KeptToken, TokenId};

/// Why something could not be kept or read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StoreError {
    /// No match has this id.
    #[error("no match has the id {0}")]
    UnknownMatch(u64),
    /// Another arena has claimed the match meanwhile: nothing was kept.
    #[error("match {0} is run by another arena now")]
    Fenced(u64),
    /// The store cannot be used now. Nothing is known to be kept; the same call may be made again.
    #[error("the store cannot be used now: {0}")]
    Unavailable(String),
    /// What the store holds of a match is not what was written.
    #[error("match {match_id}: {why}")]
    Corrupt {
        /// The match.
        match_id: u64,
        /// What is wrong with it.
        why: String,
    },
    /// The store does not take this, now or later.
    #[error("the store failed: {0}")]
    Failed(String),
}

impl StoreError {
    /// The error for a match whose chain does not hold.
    pub fn broken(match_id: u64, broken: &BrokenChain) -> Self {
        Self::Corrupt {
            match_id,
            why: broken.to_string(),
        }
    }
}

/// The future of a call.
pub type Reading<'a, T> = Pin<Box<dyn Future<Output = Result<T, StoreError>> + Send + 'a>>;

/// An append on its way: resolves once it is kept.
///
/// A type of its own and no boxed future, since it stands on the path of every turn.
#[derive(Debug)]
pub enum Appending {
    /// Decided already.
    Done(Result<(), StoreError>),
    /// Waits for a writer elsewhere.
    Waiting(oneshot::Receiver<Result<(), StoreError>>),
}

impl Future for Appending {
    type Output = Result<(), StoreError>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        match &mut *self {
            Self::Done(result) => Poll::Ready(result.clone()),
            Self::Waiting(receiver) => Pin::new(receiver).poll(context).map(|answer| {
                answer.unwrap_or_else(|_| {
                    Err(StoreError::Unavailable("its writer is gone".to_owned()))
                })
            }),
        }
    }
}

/// A match to be created. It is created with epoch 1.
#[derive(Clone, Debug)]
pub struct NewMatch {
    /// The match as everybody may know it: waiting.
    pub summary: v1::Match,
    /// Of the call that creates it; may be empty.
    pub request_id: String,
    /// What identifies the request: the same request id with another fingerprint is another request.
    pub fingerprint: u64,
    /// The first entry of its log.
    pub created: Entry,
}

/// What came of a creation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Creation {
    /// The match is created.
    Created,
    /// The same request created this match before.
    Existing(u64),
    /// The request id was used for another request, which created this match.
    Conflict(u64),
    /// The id is taken: choose another.
    IdTaken,
}

/// Entries for a match's log.
#[derive(Clone, Debug)]
pub struct Append {
    /// The match.
    pub match_id: u64,
    /// With which the match was created or claimed.
    pub epoch: u64,
    /// The place in the log of the first of the entries: how many there are before it.
    pub first: usize,
    /// The entries; at least one.
    pub entries: Vec<Entry>,
    /// Moves accepted so far, these entries included.
    pub moves: u32,
    /// The match's summary, if the entries change more of it than `moves`: seldom, and so it is elsewhere.
    pub summary: Option<Box<v1::Match>>,
    /// The arena's signature, if the match is over with these entries.
    pub signature: Option<[u8; 64]>,
}

/// A match that is not over, claimed: no earlier epoch can append to it any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Claimed {
    /// The match.
    pub match_id: u64,
    /// Its new epoch.
    pub epoch: u64,
}

/// A match's log, or the rest of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Log {
    /// When the match was created, in milliseconds since 1970 (UTC).
    pub create_time_ms: u64,
    /// The entries.
    pub entries: Vec<Entry>,
    /// The arena's signature, once the match is over.
    pub signature: Option<[u8; 64]>,
}

/// Which matches a list holds.
#[derive(Clone, Debug, Default)]
pub struct ListQuery {
    /// At most so many.
    pub limit: usize,
    /// Only matches after this place: the [`next`](ListPage::next) of the page before.
    pub after: Option<u64>,
    /// Only these states; empty: all.
    pub states: Vec<v1::MatchState>,
    /// Only these variants; empty: all.
    pub variants: Vec<v1::Variant>,
    /// Only matches of this agent.
    pub agent: Option<String>,
    /// Who asks: private matches are left out, but for those that it may read.
    pub reader: Reader,
}

/// Who reads, as far as private matches are concerned.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Reader {
    /// May read every match.
    Operator,
    /// May read its own private matches.
    Agent(String),
    /// May read no private match.
    #[default]
    Public,
}

impl Reader {
    /// Whether it may read a match.
    pub fn may_read(&self, summary: &v1::Match) -> bool {
        match self {
            Self::Operator => true,
            Self::Agent(agent) => !summary.private || plays(summary, agent),
            Self::Public => !summary.private,
        }
    }
}

/// Whether an agent, by name or address, plays a match.
pub(crate) fn plays(summary: &v1::Match, agent: &str) -> bool {
    agents(summary).any(|text| text == agent)
}

/// The agents of a match, by name or address.
fn agents(summary: &v1::Match) -> impl Iterator<Item = &str> {
    summary
        .players
        .iter()
        .filter_map(|player| match &player.agent {
            Some(v1::player::Agent::Name(text) | v1::player::Agent::Address(text)) => {
                Some(text.as_str())
            }
            None => None,
        })
}

/// A page of matches, newest first.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ListPage {
    /// The matches.
    pub matches: Vec<v1::Match>,
    /// The place after which there are more, if there are.
    pub next: Option<u64>,
}

/// Keeps the logs of matches. What it has acknowledged is kept as durably as the store promises, and never changes.
pub trait Store: Send + Sync + 'static {
    /// Whether what it keeps outlasts the process, so that matches can be resumed.
    fn is_durable(&self) -> bool;

    /// Creates a match with the first entry of its log.
    fn create(&self, new: NewMatch) -> Reading<'_, Creation>;

    /// The fingerprint of the request with this id, and the match that it created; `None` for an empty id.
    fn find_request<'a>(&'a self, request_id: &'a str) -> Reading<'a, Option<(u64, u64)>>;

    /// Appends to a match's log, all or nothing, in order. The same append made again, because it is not known whether it was
    /// kept, is kept once.
    fn append(&self, append: Arc<Append>) -> Appending;

    /// Claims all matches that are not over.
    fn claim(&self) -> Reading<'_, Vec<Claimed>>;

    /// How many requests wait to be written.
    fn queued(&self) -> usize {
        0
    }

    /// A match as everybody may know it; `None` if there is none.
    fn get(&self, match_id: u64) -> Reading<'_, Option<v1::Match>>;

    /// A match's log from an entry on (0: the first).
    fn log(&self, match_id: u64, from: usize) -> Reading<'_, Log>;

    /// A page of matches.
    fn list(&self, query: ListQuery) -> Reading<'_, ListPage>;

    /// The secret of this name: the one that was kept first, `fresh` if there is none yet.
    fn secret<'a>(&'a self, name: &'a str, fresh: [u8; 32]) -> Reading<'a, [u8; 32]>;

    /// Keeps a new token.
    fn add_token(&self, token: KeptToken) -> Reading<'_, ()>;

    /// All tokens that were ever made, oldest first.
    fn tokens(&self) -> Reading<'_, Vec<KeptToken>>;

    /// Revokes a token at that time, in milliseconds since 1970 (UTC). Returns whether there is one that was not revoked before.
    fn revoke_token<'a>(&'a self, id: &'a TokenId, at_ms: u64) -> Reading<'a, bool>;
}
