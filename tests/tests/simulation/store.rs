//! What outlasts a crash of the arena: a store that takes its time, and that fails now and then, before or after it has kept an append.

use std::{sync::Arc, time::Duration};

use broadside_arena::store::{Append, Appending, MemoryStore, Store, StoreError};
use broadside_tests::{Whims, WhimsicalStore};
use parking_lot::Mutex;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use tokio::sync::oneshot;

/// A store that is slow and fails.
pub(crate) type FaultyStore = WhimsicalStore<Faults>;

/// How it does.
pub(crate) struct Faults {
    draws: Mutex<ChaCha8Rng>,
    faulty: bool,
}

/// A store that is slow and fails if it is `faulty`, by this seed.
pub(crate) fn store(seed: u64, faulty: bool) -> FaultyStore {
    WhimsicalStore::new(Faults {
        draws: Mutex::new(ChaCha8Rng::seed_from_u64(seed)),
        faulty,
    })
}

fn away() -> StoreError {
    StoreError::Unavailable("it is away".to_owned())
}

impl Whims for Faults {
    fn append(&self, kept: &Arc<MemoryStore>, append: Arc<Append>) -> Appending {
        if !self.faulty {
            return kept.append(append);
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
        let kept = kept.clone();
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
}
