//! Where matches are kept: each as its log, from which everything else about it follows.

mod memory;
mod summary;

use std::{
    future::Future,
    pin::Pin,
    task::{Context, Poll},
};

use broadside_proto::v1;
use tokio::sync::oneshot;

pub use memory::MemoryStore;
pub use summary::Summary;

/// Why something could not be kept or read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StoreError {
    /// No match has this id.
    #[error("no match has the id {0}")]
    UnknownMatch(u64),
    /// The store cannot be used.
    #[error("the store failed: {0}")]
    Failed(String),
}

/// The future of a read.
pub type Reading<'a, T> = Pin<Box<dyn Future<Output = Result<T, StoreError>> + Send + 'a>>;

/// An append on its way: resolves once it is kept, to the count of the log's entries.
///
/// A type of its own and no boxed future, since it stands on the path of every turn.
#[derive(Debug)]
pub enum Append {
    /// Decided already.
    Done(Result<usize, StoreError>),
    /// Waits for a writer elsewhere.
    Waiting(oneshot::Receiver<Result<usize, StoreError>>),
}

impl Future for Append {
    type Output = Result<usize, StoreError>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        match &mut *self {
            Self::Done(result) => Poll::Ready(result.clone()),
            Self::Waiting(receiver) => Pin::new(receiver).poll(context).map(|answer| {
                answer.unwrap_or_else(|_| Err(StoreError::Failed("its writer is gone".to_owned())))
            }),
        }
    }
}

/// A match to be created.
#[derive(Clone, Debug)]
pub struct NewMatch {
    /// Its id.
    pub match_id: u64,
    /// When it is created, in milliseconds since 1970 (UTC).
    pub create_time_ms: u64,
    /// The first entry of its log.
    pub created: v1::MatchCreated,
    /// What identifies the request: the same request id with another fingerprint is another request.
    pub fingerprint: u64,
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
}

/// A page of matches, newest first.
#[derive(Clone, Debug, Default)]
pub struct ListPage {
    /// The matches.
    pub matches: Vec<v1::Match>,
    /// The place after which there are more, if there are.
    pub next: Option<u64>,
}

/// Keeps the logs of matches. What it has acknowledged is kept as durably as the store promises, and never changes.
pub trait Store: Send + Sync + 'static {
    /// Creates a match with the first entry of its log.
    fn create(&self, new: NewMatch) -> Reading<'_, Creation>;

    /// The fingerprint of the request with this id, and the match that it created; `None` for an empty id.
    fn find_request(&self, request_id: &str) -> Reading<'_, Option<(u64, u64)>>;

    /// Appends to a match's log, all or nothing, in order.
    fn append(&self, match_id: u64, entries: &[v1::LogEntry]) -> Append;

    /// A match as everybody may know it; `None` if there is none.
    fn get(&self, match_id: u64) -> Reading<'_, Option<v1::Match>>;

    /// A match's log from an entry on (0: the first), with the match's creation time in milliseconds since 1970 (UTC).
    fn log(&self, match_id: u64, from: usize) -> Reading<'_, (u64, Vec<v1::LogEntry>)>;

    /// A page of matches.
    fn list(&self, query: ListQuery) -> Reading<'_, ListPage>;
}
