//! Opens the store that the settings name.

use std::sync::Arc;

use super::{
    MemoryStore, PostgresStore, Store, StorePlace,
    sqlite::{Access, SqliteStore},
};
use crate::settings::Settings;

/// Opens the store of an arena that runs matches.
///
/// # Errors
/// In one line: what is wrong with it, and what to do. There is no other store in its place.
pub async fn open(settings: &Settings) -> anyhow::Result<Arc<dyn Store>> {
    open_for(settings, Access::Whole).await
}

/// Opens the store beside an arena that may be running, for tokens alone.
///
/// # Errors
/// As [`open`].
pub async fn open_shared(settings: &Settings) -> anyhow::Result<Arc<dyn Store>> {
    open_for(settings, Access::Tokens).await
}

async fn open_for(settings: &Settings, access: Access) -> anyhow::Result<Arc<dyn Store>> {
    match &settings.store {
        StorePlace::Memory => {
            anyhow::ensure!(
                access == Access::Whole,
                "the store is memory, which no other process can reach: name the arena's file with --store"
            );
            Ok(Arc::new(MemoryStore::new(settings.keep_matches)))
        }
        StorePlace::File(path) => {
            let store =
                SqliteStore::open(path, settings.durability, settings.store_reserve, access)
                    .await?;
            Ok(Arc::new(store))
        }
        // Any number of arenas, and of those who make tokens, may share it.
        StorePlace::Postgres(url) => {
            let store = PostgresStore::open(url, settings.durability).await?;
            Ok(Arc::new(store))
        }
    }
}
