//! What concerns a database in a file alone.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

use broadside_arena::store::{
    Creation, Durability, Holder, SqliteStore, Store, StoreError, sqlite::Access,
};
use futures_util::future::join_all;
use tempfile::TempDir;

use crate::{
    given::{Written, classic},
    keys::token,
};

async fn open(path: &Path) -> anyhow::Result<SqliteStore> {
    SqliteStore::open(path, Durability::Power, 0, Access::Whole).await
}

/// Why a file is refused: in one line that names it.
async fn refused(path: &Path) -> String {
    let error = format!("{:#}", open(path).await.unwrap_err());
    assert_eq!(error.lines().count(), 1, "{error}");
    assert!(error.contains(path.to_str().unwrap()), "{error}");
    error
}

/// A database with so many matches, closed.
async fn database(matches: u64) -> (TempDir, PathBuf) {
    let (folder, path, _) = played(matches).await;
    (folder, path)
}

/// The same with what it holds.
async fn played(matches: u64) -> (TempDir, PathBuf, Vec<Written>) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("matches.sqlite");
    let store = open(&path).await.unwrap();
    let mut played = Vec::new();
    for match_id in 1..=matches {
        let mut written = Written::created(&store, classic(match_id)).await;
        let append = written.moves(20, 5);
        written.append(&store, append).await;
        played.push(written);
    }
    drop(store);
    (folder, path, played)
}

/// Changes a closed database.
fn change(path: &Path, sql: &str) {
    let connection = rusqlite::Connection::open(path).unwrap();
    connection.execute_batch(sql).unwrap();
}

#[tokio::test]
async fn fault_69_a_missing_folder_is_named_and_not_made() {
    let folder = tempfile::tempdir().unwrap();
    let missing = folder.path().join("missing");
    let error = refused(&missing.join("matches.sqlite")).await;
    assert!(error.contains("there is no folder"), "{error}");
    assert!(!missing.exists());
}

#[tokio::test]
async fn fault_69_a_folder_is_no_file() {
    let folder = tempfile::tempdir().unwrap();
    let error = refused(folder.path()).await;
    assert!(error.contains("it is a folder"), "{error}");
}

#[tokio::test]
async fn fault_69_a_second_arena_on_the_same_file_is_refused_and_the_first_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("matches.sqlite");
    let store = open(&path).await.unwrap();
    let error = refused(&path).await;
    assert!(error.contains("another arena"), "{error}");
    assert!(error.contains(&std::process::id().to_string()), "{error}");
    Written::created(&store, classic(1)).await;
    drop(store);
    assert!(open(&path).await.unwrap().get(1).await.unwrap().is_some());
}

#[tokio::test]
async fn a_file_that_another_arena_uses_is_refused_by_any_link_to_it() {
    let (folder, path) = database(0).await;
    let _first = open(&path).await.unwrap();
    let elsewhere = tempfile::tempdir().unwrap();
    let link = elsewhere.path().join("link.sqlite");
    std::os::unix::fs::symlink(&path, &link).unwrap();
    let error = format!("{:#}", open(&link).await.unwrap_err());
    assert!(error.contains("another arena"), "{error}");
    drop(folder);
}

#[tokio::test]
async fn a_file_is_for_its_owner_alone() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("matches.sqlite");
    let store = open(&path).await.unwrap();
    Written::created(&store, classic(1)).await;
    for file in fs::read_dir(folder.path()).unwrap() {
        let file = file.unwrap();
        let mode = file.metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o077, 0, "{}", file.path().display());
    }
}

#[tokio::test]
async fn fault_70_a_file_that_is_no_database_is_refused_and_left_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("notes.txt");
    let notes = "not a database, but dear to somebody\n".repeat(9);
    fs::write(&path, &notes).unwrap();
    let error = refused(&path).await;
    assert!(error.contains("is no SQLite database"), "{error}");
    assert_eq!(fs::read_to_string(&path).unwrap(), notes);
}

#[tokio::test]
async fn fault_70_a_database_of_another_program_is_refused_and_left_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("photos.sqlite");
    change(&path, "CREATE TABLE photo (name TEXT)");
    let before = fs::read(&path).unwrap();
    let error = refused(&path).await;
    assert!(error.contains("of another program"), "{error}");
    assert_eq!(fs::read(&path).unwrap(), before);
}

#[tokio::test]
async fn fault_70_a_newer_schema_is_refused_and_left_as_it_is() {
    let (_folder, path) = database(1).await;
    change(&path, "PRAGMA user_version = 99");
    let before = fs::read(&path).unwrap();
    let error = refused(&path).await;
    assert!(error.contains("newer version"), "{error}");
    assert!(error.contains("99"), "{error}");
    assert_eq!(fs::read(&path).unwrap(), before);
}

#[tokio::test]
async fn fault_70_a_schema_that_was_changed_by_hand_is_refused() {
    let (_folder, path) = database(1).await;
    change(&path, "UPDATE refinery_schema_history SET checksum = '1'");
    let error = refused(&path).await;
    assert!(error.contains("schema"), "{error}");
    change(&path, "UPDATE refinery_schema_history SET checksum = 'x'");
    refused(&path).await;
}

#[tokio::test]
async fn fault_70_a_database_that_is_cut_short_is_refused() {
    let (_folder, path) = database(200).await;
    let whole = fs::read(&path).unwrap();
    for length in [50, 100, 4_096, whole.len() / 2, whole.len() - 4_096] {
        fs::write(&path, &whole[..length]).unwrap();
        let error = refused(&path).await;
        assert!(error.contains("backup"), "{length}: {error}");
    }
}

#[tokio::test]
async fn fault_70_a_database_with_a_page_of_something_else_is_refused() {
    let (_folder, path) = database(200).await;
    let whole = fs::read(&path).unwrap();
    let pages = whole.len() / 4_096;
    // A page that is not in use is missed by nobody.
    let unused: u32 = rusqlite::Connection::open(&path)
        .unwrap()
        .query_row("PRAGMA freelist_count", [], |row| row.get(0))
        .unwrap();
    // Each page but the first, which holds the header.
    let mut found = 0;
    for page in 1..pages {
        let mut damaged = whole.clone();
        damaged[page * 4_096..][..4_096].fill(0xa5);
        fs::write(&path, damaged).unwrap();
        if let Err(error) = open(&path).await {
            assert!(error.to_string().contains("damaged"), "{error}");
            found += 1;
        }
    }
    assert!(found + 1 + unused as usize >= pages, "{found} of {pages}");
    assert!(found > pages / 2, "{found} of {pages}");
}

#[tokio::test]
async fn fault_70_a_log_with_entries_missing_is_not_read_and_the_others_are() {
    let (_folder, path, mut played) = played(3).await;
    // Each time it is opened a piece more.
    for _ in 0..2 {
        let store = open(&path).await.unwrap();
        let append = played[1].moves(1, 5);
        played[1].append(&store, append).await;
    }
    change(
        &path,
        "DELETE FROM match_chunk WHERE match_id = 2 AND first = 21",
    );
    let store = open(&path).await.unwrap();
    // The link before the entry after it is gone, too.
    for from in [0, 21, 22] {
        let error = store.log(2, from).await.unwrap_err();
        assert!(
            matches!(&error, StoreError::Corrupt { match_id: 2, why } if why.contains("entry 21")),
            "{error}"
        );
    }
    for match_id in [1, 3] {
        assert_eq!(store.log(match_id, 0).await.unwrap().entries.len(), 21);
    }
}

#[tokio::test]
async fn fault_70_a_piece_of_a_log_that_is_cut_short_is_not_read_and_the_others_are() {
    let (_folder, path) = database(3).await;
    change(
        &path,
        "UPDATE match_chunk SET body = substr(body, 1, length(body) - 1) WHERE match_id = 2",
    );
    let store = open(&path).await.unwrap();
    let error = store.log(2, 0).await.unwrap_err();
    assert!(
        matches!(&error, StoreError::Corrupt { match_id: 2, why } if why.contains("21 entries")),
        "{error}"
    );
    assert_eq!(store.log(3, 0).await.unwrap().entries.len(), 21);
}

#[tokio::test]
async fn fault_70_a_bit_flipped_anywhere_in_a_piece_of_a_log_is_noticed_and_the_others_are_read() {
    let (_folder, path, played) = played(3).await;
    let store = open(&path).await.unwrap();
    let connection = rusqlite::Connection::open(&path).unwrap();
    for column in ["body", "link"] {
        let sql = format!("SELECT {column} FROM match_chunk WHERE match_id = 2");
        let whole: Vec<u8> = connection.query_row(&sql, [], |row| row.get(0)).unwrap();
        let sql = format!("UPDATE match_chunk SET {column} = ?1 WHERE match_id = 2");
        for bit in 0..whole.len() * 8 {
            let mut damaged = whole.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            connection.execute(&sql, [damaged]).unwrap();
            // Wherever one reads on from.
            let error = store.log(2, bit % 21).await.unwrap_err().to_string();
            let why = "match 2: the 21 entries of its log from 0 on ";
            let changed = "do not end with the link that is kept of them: they were changed";
            let unreadable = "cannot be read";
            assert!(
                [changed, unreadable].contains(&error.strip_prefix(why).unwrap_or(&error)),
                "bit {bit} of {column}: {error}"
            );
            assert!(column == "body" || error.ends_with(changed), "{error}");
        }
        connection.execute(&sql, [whole]).unwrap();
    }
    for written in &played {
        written.is_kept(&store).await;
    }
}

#[tokio::test]
async fn a_log_in_pieces_is_read_from_any_place_on() {
    let (_folder, path, mut played) = played(1).await;
    let written = &mut played[0];
    for moves in [1, 5, 40] {
        let store = open(&path).await.unwrap();
        for moves in [moves, 2] {
            let append = written.moves(moves, 5);
            written.append(&store, append).await;
        }
        for from in 0..=written.entries.len() + 1 {
            let rest = written.entries.get(from..).unwrap_or_default();
            assert_eq!(store.log(1, from).await.unwrap().entries, rest, "{from}");
        }
    }
}

#[tokio::test]
async fn fault_70_a_summary_that_cannot_be_read_is_left_out_of_lists() {
    let (_folder, path) = database(3).await;
    change(&path, "UPDATE match SET summary = x'ff' WHERE match_id = 2");
    let store = open(&path).await.unwrap();
    let error = store.get(2).await.unwrap_err();
    assert!(
        matches!(error, StoreError::Corrupt { match_id: 2, .. }),
        "{error}"
    );
    let listed = store.list(crate::listing::all()).await.unwrap();
    let ids: Vec<_> = listed
        .matches
        .iter()
        .map(|summary| summary.match_id)
        .collect();
    assert_eq!(ids, [3, 1]);
}

#[tokio::test]
async fn fault_71_appends_that_wait_for_a_slow_disk_go_into_one_transaction() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("matches.sqlite");
    let store = open(&path).await.unwrap();
    let mut matches = Vec::new();
    for match_id in 1..=100 {
        matches.push(Written::created(&store, classic(match_id)).await);
    }
    // As long as somebody else has it locked, no transaction of the store's goes on.
    let slow = rusqlite::Connection::open(&path).unwrap();
    slow.execute_batch("BEGIN IMMEDIATE").unwrap();
    let before = store.batches();
    let appends: Vec<_> = matches
        .iter()
        .map(|written| store.append(Arc::new(written.moves(1, 5))))
        .collect();
    assert_eq!(store.batches(), before, "nothing is written meanwhile");
    slow.execute_batch("COMMIT").unwrap();
    for kept in join_all(appends).await {
        assert_eq!(kept, Ok(()));
    }
    let after = store.batches();
    assert_eq!(after.requests - before.requests, 100);
    // The first may have been taken before the others came.
    assert!(
        after.commits - before.commits <= 2,
        "{after:?} after {before:?}"
    );
}

#[tokio::test]
async fn fault_68_no_match_is_created_without_room_and_running_ones_go_on() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("matches.sqlite");
    let store = open(&path).await.unwrap();
    let (mut written, new) = Written::new(classic(1), "a request");
    store.create(new.clone()).await.unwrap();
    drop(store);
    // More than any disk has.
    let store = SqliteStore::open(&path, Durability::Power, u64::MAX, Access::Whole);
    let store = store.await.unwrap();
    let (_, other) = Written::new(classic(2), "");
    let error = store.create(other).await.unwrap_err();
    assert!(
        matches!(&error, StoreError::Unavailable(why) if why.contains("store_reserve")),
        "{error}"
    );
    assert_eq!(store.get(2).await, Ok(None));
    // The same request gets its match.
    assert_eq!(store.create(new).await, Ok(Creation::Existing(1)));
    let append = written.moves(1, 5);
    written.append(&store, append).await;
    written.is_kept(&store).await;
}

#[tokio::test]
async fn tokens_are_made_beside_a_running_arena_and_nothing_else_is() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("matches.sqlite");
    let shared = || SqliteStore::open(&path, Durability::Power, 0, Access::Tokens);
    // Before the arena was ever started, too.
    let before = shared().await.unwrap();
    before
        .add_token(token("abe", Holder::Operator))
        .await
        .unwrap();
    drop(before);
    let store = open(&path).await.unwrap();
    let beside = shared().await.unwrap();
    beside
        .add_token(token("zoe", Holder::Operator))
        .await
        .unwrap();
    let (written, new) = Written::new(classic(1), "");
    for refused in [
        beside.create(new).await.map(drop),
        beside.claim().await.map(drop),
        beside.append(Arc::new(written.moves(1, 5))).await,
    ] {
        assert!(matches!(refused, Err(StoreError::Failed(_))), "{refused:?}");
    }
    assert_eq!(store.tokens().await.unwrap().len(), 2);
    Written::created(&store, classic(1)).await;
}
