//! The stores under test, each new for each test.

use std::sync::Arc;

use broadside_arena::store::{Durability, MemoryStore, SqliteStore, Store, sqlite::Access};
use tempfile::TempDir;

/// In memory.
pub(crate) struct Memory;

impl Memory {
    pub(crate) fn open() -> Arc<dyn Store> {
        Arc::new(MemoryStore::new(1_000))
    }
}

/// What can be opened again.
pub(crate) trait Durable: Sized {
    fn store(&self) -> &Arc<dyn Store>;

    /// Closes it, and opens it again.
    async fn again(self) -> Self;
}

/// In a file.
pub(crate) struct Sqlite {
    store: Arc<dyn Store>,
    folder: TempDir,
}

impl Sqlite {
    pub(crate) async fn open() -> Self {
        Self::open_in(tempfile::tempdir().unwrap()).await
    }

    pub(crate) fn store(&self) -> &Arc<dyn Store> {
        &self.store
    }

    async fn open_in(folder: TempDir) -> Self {
        let path = folder.path().join("matches.sqlite");
        let store = SqliteStore::open(&path, Durability::Process, 0, Access::Whole);
        Self {
            store: Arc::new(store.await.unwrap()),
            folder,
        }
    }
}

impl Durable for Sqlite {
    fn store(&self) -> &Arc<dyn Store> {
        &self.store
    }

    async fn again(self) -> Self {
        let Self { store, folder } = self;
        drop(store);
        Self::open_in(folder).await
    }
}
