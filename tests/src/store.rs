//! A store in memory with a test's own say in what it does.

use std::sync::Arc;

use broadside_arena::store::{
    Append, Appending, Claimed, Creation, KeptToken, ListPage, ListQuery, Log, MemoryStore,
    NewMatch, Reading, Store, TokenId,
};
use broadside_proto::v1;

/// What a test's store does otherwise than one in memory.
pub trait Whims: Send + Sync + 'static {
    /// Whether it says that what it keeps outlasts the arena: so it does, as long as the test holds it.
    fn is_durable(&self) -> bool {
        true
    }

    /// Appends to what is `kept`, or does not.
    fn append(&self, kept: &Arc<MemoryStore>, append: Arc<Append>) -> Appending {
        kept.append(append)
    }

    /// Reads from what is `kept`, or does not.
    fn log<'a>(&self, kept: &'a MemoryStore, match_id: u64, from: usize) -> Reading<'a, Log> {
        kept.log(match_id, from)
    }
}

/// A store in memory with whims.
pub struct WhimsicalStore<W> {
    kept: Arc<MemoryStore>,
    /// What it does otherwise.
    pub whims: W,
}

impl<W> WhimsicalStore<W> {
    /// An empty one.
    pub fn new(whims: W) -> Self {
        Self {
            kept: Arc::new(MemoryStore::new(100)),
            whims,
        }
    }
}

impl<W: Whims> Store for WhimsicalStore<W> {
    fn is_durable(&self) -> bool {
        self.whims.is_durable()
    }

    fn create(&self, new: NewMatch) -> Reading<'_, Creation> {
        self.kept.create(new)
    }

    fn find_request<'a>(&'a self, request_id: &'a str) -> Reading<'a, Option<(u64, u64)>> {
        self.kept.find_request(request_id)
    }

    fn append(&self, append: Arc<Append>) -> Appending {
        self.whims.append(&self.kept, append)
    }

    fn claim(&self) -> Reading<'_, Vec<Claimed>> {
        self.kept.claim()
    }

    fn get(&self, match_id: u64) -> Reading<'_, Option<v1::Match>> {
        self.kept.get(match_id)
    }

    fn log(&self, match_id: u64, from: usize) -> Reading<'_, Log> {
        self.whims.log(&self.kept, match_id, from)
    }

    fn list(&self, query: ListQuery) -> Reading<'_, ListPage> {
        self.kept.list(query)
    }

    fn secret<'a>(&'a self, name: &'a str, fresh: [u8; 32]) -> Reading<'a, [u8; 32]> {
        self.kept.secret(name, fresh)
    }

    fn add_token(&self, token: KeptToken) -> Reading<'_, ()> {
        self.kept.add_token(token)
    }

    fn tokens(&self) -> Reading<'_, Vec<KeptToken>> {
        self.kept.tokens()
    }

    fn revoke_token<'a>(&'a self, id: &'a TokenId, at_ms: u64) -> Reading<'a, bool> {
        self.kept.revoke_token(id, at_ms)
    }
}
