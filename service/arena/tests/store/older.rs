//! A file that an earlier version wrote.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use broadside_arena::store::{Append, Durability, SqliteStore, Store, StoreError, sqlite::Access};
use broadside_proto::v1::MatchState;
use prost::Message;
use rusqlite::{Connection, params};
use tempfile::TempDir;

use crate::given::{Written, claim_of, classic};

/// Its schema: each entry of a log is a row of match_event.
const SCHEMA_1: &str = include_str!("../../migrations/sqlite/V1__matches.sql");

async fn open(path: &Path) -> SqliteStore {
    let store = SqliteStore::open(path, Durability::Process, 0, Access::Whole);
    store.await.unwrap()
}

/// A file of schema 1, with a match that runs, one that is over and one that waits.
async fn older() -> (TempDir, PathBuf, Vec<Written>) {
    let folder = tempfile::tempdir().unwrap();
    let (new, path) = (folder.path().join("new"), folder.path().join("old"));
    drop(open(&new).await);
    let old = Connection::open(&path).unwrap();
    old.execute_batch(SCHEMA_1).unwrap();
    // The history of schemas as it was then.
    old.execute("ATTACH ?1 AS new", [new.to_str().unwrap()])
        .unwrap();
    let history: String = old
        .query_row(
            "SELECT sql FROM new.sqlite_schema WHERE name = 'refinery_schema_history'",
            [],
            |row| row.get(0),
        )
        .unwrap();
    old.execute_batch(&history).unwrap();
    old.execute_batch(
        "INSERT INTO main.refinery_schema_history SELECT * FROM new.refinery_schema_history WHERE version = 1;
         DETACH new",
    )
    .unwrap();

    let mut matches = Vec::new();
    for (match_id, state) in (1..).zip([MatchState::Running, MatchState::Over, MatchState::Waiting])
    {
        let (mut written, _) = Written::new(classic(match_id), "");
        if state != MatchState::Waiting {
            written.take(&written.turned(MatchState::Running));
            written.take(&written.moves(3, 5));
        }
        if state == MatchState::Over {
            written.take(&written.turned(state));
        }
        insert(&old, &written);
        matches.push(written);
    }
    (folder, path, matches)
}

fn insert(old: &Connection, written: &Written) {
    let summary = &written.summary;
    let match_id = summary.match_id.cast_signed();
    let over = summary.state() == MatchState::Over;
    old.execute(
        "INSERT INTO match (match_id, variant, state, private, epoch, create_time_ms, fingerprint, summary, signature) \
         VALUES (?1, 1, ?2, 0, 1, ?3, 0, ?4, ?5)",
        params![
            match_id,
            summary.state,
            summary.create_time_ms.cast_signed(),
            summary.encode_to_vec(),
            over.then_some([9_u8; 64])
        ],
    )
    .unwrap();
    for (seq, entry) in written.entries.iter().enumerate() {
        old.execute(
            "INSERT INTO match_event (match_id, seq, epoch, moves, body, link) VALUES (?1, ?2, 1, ?3, ?4, ?5)",
            params![match_id, seq as i64, summary.moves, entry.body, entry.link],
        )
        .unwrap();
    }
}

#[tokio::test]
async fn its_matches_are_read_claimed_and_go_on() {
    let (_folder, path, mut matches) = older().await;
    for epoch in 2..5 {
        let store = open(&path).await;
        for written in &matches {
            written.is_kept(&store).await;
            for from in 0..=written.entries.len() {
                let log = store.log(written.summary.match_id, from).await.unwrap();
                assert_eq!(log.entries, written.entries[from..], "from {from}");
            }
        }
        assert_eq!(store.log(2, 0).await.unwrap().signature, Some([9; 64]));
        let claimed = store.claim().await.unwrap();
        assert_eq!(claimed.len(), 2);
        for written in [0, 2] {
            let written = &mut matches[written];
            assert_eq!(claim_of(&claimed, written.summary.match_id), Some(epoch));
            written.epoch = epoch;
            let append = written.moves(2, epoch);
            written.append(&store, append).await;
            written.is_kept(&store).await;
        }
    }
    let store = open(&path).await;
    let end = matches[0].turned(MatchState::Over);
    matches[0].append(&store, end).await;
    drop(store);
    let store = open(&path).await;
    for written in &matches {
        written.is_kept(&store).await;
    }
    assert_eq!(store.claim().await.unwrap().len(), 1);
}

#[tokio::test]
async fn an_append_that_it_has_is_kept_once_and_another_is_refused() {
    let (_folder, path, mut matches) = older().await;
    let store = open(&path).await;
    let written = &mut matches[0];
    let again = |count| Append {
        first: 2,
        entries: written.entries[2..][..count].to_vec(),
        ..written.moves(1, 5)
    };
    for count in 1..=3 {
        assert_eq!(store.append(Arc::new(again(count))).await, Ok(()));
    }
    let mut other = again(3);
    other.entries[1].link[0] ^= 1;
    let refused = store.append(Arc::new(other)).await;
    assert!(matches!(refused, Err(StoreError::Failed(_))), "{refused:?}");
    let append = written.moves(1, 5);
    written.append(&store, append.clone()).await;
    // Of the older and of the newer.
    let across = Append {
        first: 4,
        entries: written.entries[4..].to_vec(),
        ..append
    };
    assert_eq!(store.append(Arc::new(across)).await, Ok(()));
    written.is_kept(&store).await;
}

#[tokio::test]
async fn fault_70_an_entry_of_it_that_is_missing_costs_its_match_and_no_other() {
    let (_folder, path, matches) = older().await;
    let old = Connection::open(&path).unwrap();
    old.execute_batch("DELETE FROM match_event WHERE match_id = 1 AND seq = 3")
        .unwrap();
    drop(old);
    let store = open(&path).await;
    let error = store.log(1, 0).await.unwrap_err();
    assert!(
        matches!(&error, StoreError::Corrupt { match_id: 1, why } if why.contains("entry 3")),
        "{error}"
    );
    for written in &matches[1..] {
        written.is_kept(&store).await;
    }
}
