//! An arena that is killed at any moment and started again: every match ends as if nothing had happened.

mod bot;
mod season;

use anyhow::Context;
use broadside_tests::TestDatabase;
use season::Season;

/// Matches in play at any time.
const MATCHES: usize = 50;
/// How often the arena is killed.
const KILLS: usize = 100;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn fault_65_66_67_a_hundred_kills_lose_and_double_nothing_on_sqlite() -> anyhow::Result<()> {
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("arena.sqlite");
    let store = file.to_str().context("a path that is no text")?;
    Season::play(store, MATCHES, KILLS).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn fault_65_66_67_a_hundred_kills_lose_and_double_nothing_on_postgres() -> anyhow::Result<()>
{
    let Some(database) = TestDatabase::create().await? else {
        return Ok(());
    };
    Season::play(&database.url(), MATCHES, KILLS).await
}
