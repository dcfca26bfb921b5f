//! What outlasts a crash of the arena: a store that takes its time, and that fails now and then, before or after it has kept an append.

use std::{sync::Arc, time::Duration};

use broadside_arena::store::{
    Append, Appending, Claimed, Creation, KeptToken, ListPage, ListQuery, Log, MemoryStore,
    NewMatch, Reading, Store, StoreError, TokenId,
};
use broadside_proto::v1;
use parking_lot::Mutex;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use tokio::sync::oneshot;

/// A store that is slow and fails.
pub(crate) struct FaultyStore {
    kept: Arc<MemoryStore>,
    draws: Mutex<ChaCha8Rng>,
    faulty: bool,
}

impl FaultyStore {
    pub(crate) fn new(seed: u64, faulty: bool) -> Self {
        Self {
            kept: Arc::new(MemoryStore::new(100)),
            draws: Mutex::new(ChaCha8Rng::seed_from_u64(seed)),
            faulty,
        }
    }
}

fn away() -> StoreError {
    StoreError::Unavailable("it is away".to_owned())
}

impl Store for FaultyStore {
    fn is_durable(&self) -> bool {
        true
    }

    fn append(&self, append: Arc<Append>) -> Appending {
        if !self.faulty {
            return self.kept.append(append);
        }
        let (fate, before_ms, after_ms) = {
            let mut draws = self.draws.lock();
            (
                draws.random_range(0..100),
                draws.random_range(0..5),
                draws.random_range(0..5),
            )
        };
        let (answer, answered) = oneshot::channel();
        let kept = self.kept.clone();
        // It ends with the arena, wherever it is then.
        tokio::spawn(async move {
            tokio::time::sleep(Duration::from_millis(before_ms)).await;
            let result = if fate == 0 {
                Err(away())
            } else {
                kept.append(append).await
            };
            tokio::time::sleep(Duration::from_millis(after_ms)).await;
            let _ = answer.send(if fate == 1 { Err(away()) } else { result });
        });
        Appending::Waiting(answered)
    }

    fn create(&self, new: NewMatch) -> Reading<'_, Creation> {
        self.kept.create(new)
    }

    fn find_request<'a>(&'a self, request_id: &'a str) -> Reading<'a, Option<(u64, u64)>> {
        self.kept.find_request(request_id)
    }

    fn claim(&self) -> Reading<'_, Vec<Claimed>> {
        self.kept.claim()
    }

    fn get(&self, match_id: u64) -> Reading<'_, Option<v1::Match>> {
        self.kept.get(match_id)
    }

    fn log(&self, match_id: u64, from: usize) -> Reading<'_, Log> {
        self.kept.log(match_id, from)
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
