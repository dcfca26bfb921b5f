//! Logs that stand in a file's journal: whatever happens, they are what was acknowledged.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use broadside_arena::store::{
    Append, Durability, ListQuery, Reader, SqliteStore, Store, StoreError, sqlite::Access,
};
use broadside_proto::v1::{self, MatchState, log_entry::Entry as Logged};
use broadside_record::chain::{Chain, Entry};
use futures_util::future::join_all;
use rusqlite::{Connection, params};
use tempfile::TempDir;

use crate::given::{Written, claim_of, classic};

async fn open(path: &Path) -> SqliteStore {
    let store = SqliteStore::open(path, Durability::Process, 0, Access::Whole);
    store.await.unwrap()
}

fn new_folder() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("matches.sqlite");
    (folder, path)
}

/// The files as they are now, as a crash would leave them.
fn crash(path: &Path) -> (TempDir, PathBuf) {
    let (folder, left) = new_folder();
    for suffix in ["", "-wal"] {
        let with_suffix = |path: &Path| format!("{}{suffix}", path.display());
        fs::copy(with_suffix(path), with_suffix(&left)).unwrap();
    }
    (folder, left)
}

fn count(path: &Path, sql: &str) -> i64 {
    let connection = Connection::open(path).unwrap();
    connection.query_row(sql, [], |row| row.get(0)).unwrap()
}

fn journal_rows(path: &Path) -> i64 {
    count(path, "SELECT count(*) FROM journal")
}

/// So many matches, in which some moves were made, one after the other.
async fn played(store: &SqliteStore, matches: u64) -> Vec<Written> {
    let mut played = Vec::new();
    for match_id in 1..=matches {
        played.push(Written::created(store, classic(match_id)).await);
    }
    for moves in 1..=3 {
        for written in &mut played {
            let append = written.moves(moves, 5);
            written.append(store, append).await;
        }
    }
    played
}

async fn are_kept(store: &SqliteStore, played: &[Written]) {
    for written in played {
        written.is_kept(store).await;
    }
    let query = ListQuery {
        limit: 1_000,
        reader: Reader::Operator,
        ..ListQuery::default()
    };
    let listed = store.list(query).await.unwrap().matches;
    let expected: Vec<_> = played.iter().rev().map(|one| one.summary.clone()).collect();
    assert_eq!(listed, expected);
}

#[tokio::test]
async fn what_was_acknowledged_before_a_crash_is_there_once_and_goes_on() {
    let (_folder, path) = new_folder();
    let store = open(&path).await;
    let mut played = played(&store, 5).await;
    let end = played[1].turned(MatchState::Over);
    played[1].append(&store, end).await;
    assert!(journal_rows(&path) > 0);
    let (_left, mut path) = crash(&path);
    drop(store);
    let mut folders = Vec::new();
    for epoch in 2..5 {
        let store = open(&path).await;
        assert_eq!(journal_rows(&path), 0);
        are_kept(&store, &played).await;
        let claimed = store.claim().await.unwrap();
        assert_eq!(claimed.len(), 4);
        for written in &mut played {
            if written.summary.state() == MatchState::Over {
                assert_eq!(claim_of(&claimed, written.summary.match_id), None);
                continue;
            }
            let append = written.moves(2, epoch);
            let fenced = store.append(Arc::new(append.clone())).await;
            assert_eq!(fenced, Err(StoreError::Fenced(written.summary.match_id)));
            written.epoch = epoch;
            let append = Append { epoch, ..append };
            written.append(&store, append.clone()).await;
            // Made again.
            assert_eq!(store.append(Arc::new(append)).await, Ok(()));
        }
        are_kept(&store, &played).await;
        let (folder, left) = crash(&path);
        folders.push(folder);
        path = left;
    }
}

#[tokio::test]
async fn an_append_of_before_a_crash_made_again_is_kept_once() {
    let (_folder, path) = new_folder();
    let store = open(&path).await;
    let mut written = Written::created(&store, classic(1)).await;
    let mut appends = Vec::new();
    for moves in 1..4 {
        let append = written.moves(moves, 5);
        written.append(&store, append.clone()).await;
        appends.push(append);
    }
    let (_left, path) = crash(&path);
    let store = open(&path).await;
    for append in appends {
        assert_eq!(store.append(Arc::new(append)).await, Ok(()));
    }
    written.is_kept(&store).await;
}

#[tokio::test]
async fn the_journal_stays_small_while_matches_end_and_is_empty_once_it_is_closed() {
    let (_folder, path) = new_folder();
    let store = open(&path).await;
    let mut over = Vec::new();
    for match_id in 1..=100 {
        let mut written = Written::created(&store, classic(match_id)).await;
        for at in 0..10 {
            let append = written.moves(1, at);
            written.append(&store, append).await;
        }
        let end = written.turned(MatchState::Over);
        written.append(&store, end).await;
        over.push(written);
    }
    let rows = journal_rows(&path);
    assert!(rows < 100, "{rows} rows of 1200");
    assert_eq!(count(&path, "SELECT count(*) FROM match_chunk"), 100);
    let mut running = Written::created(&store, classic(101)).await;
    let append = running.moves(3, 5);
    running.append(&store, append).await;
    over.push(running);
    are_kept(&store, &over).await;
    drop(store);
    assert_eq!(journal_rows(&path), 0);
    assert_eq!(count(&path, "SELECT count(*) FROM match_chunk"), 101);
    are_kept(&open(&path).await, &over).await;
}

/// An append of one entry, so many bytes long.
fn long(written: &Written, bytes: usize) -> Append {
    let created = v1::MatchCreated {
        request_id: "x".repeat(bytes),
        ..v1::MatchCreated::default()
    };
    let entry = v1::LogEntry {
        at_us: 5,
        entry: Some(Logged::Created(created)),
    };
    let mut chain = Chain::new(written.summary.match_id, written.summary.create_time_ms);
    for entry in &written.entries {
        chain.push_encoded(&entry.body);
    }
    Append {
        entries: vec![chain.push(&entry)],
        ..written.moves(0, 5)
    }
}

#[tokio::test]
async fn a_long_match_that_needs_old_rows_does_not_keep_the_journal_long() {
    const BYTES: usize = 1 << 20;
    let (_folder, path) = new_folder();
    let store = open(&path).await;
    let mut played = played(&store, 3).await;
    // A match that goes on alone, and longer than all of the journal may be.
    for _ in 0..80 {
        let append = long(&played[0], BYTES);
        played[0].append(&store, append).await;
        let bytes = count(&path, "SELECT sum(length(frames)) FROM journal");
        assert!(bytes < 50 * BYTES as i64, "{bytes}");
    }
    for match_id in 1..=3 {
        let sql = format!("SELECT count(*) FROM match_chunk WHERE match_id = {match_id}");
        assert!(count(&path, &sql) > 0, "match {match_id}");
    }
    are_kept(&store, &played).await;
    for written in &mut played {
        let append = written.moves(2, 5);
        written.append(&store, append).await;
    }
    are_kept(&store, &played).await;
    let (_left, left) = crash(&path);
    are_kept(&open(&left).await, &played).await;
    for written in &mut played {
        let end = written.turned(MatchState::Over);
        written.append(&store, end).await;
    }
    are_kept(&store, &played).await;
    drop(store);
    are_kept(&open(&path).await, &played).await;
}

#[tokio::test]
async fn fault_71_long_appends_that_come_at_once_go_into_several_transactions() {
    const BYTES: usize = 1 << 20;
    let (_folder, path) = new_folder();
    let store = open(&path).await;
    let mut played = played(&store, 20).await;
    at_once(&store, &path, &mut played, |written| long(written, BYTES)).await;
    let longest = count(&path, "SELECT max(length(frames)) FROM journal");
    assert!(longest <= 8 * BYTES as i64, "{longest}");
    // Longer than any transaction is to be: by itself.
    let append = long(&played[0], 9 * BYTES);
    played[0].append(&store, append).await;
    are_kept(&store, &played).await;
}

/// Three matches that are appended to in one transaction, as a crash leaves them.
async fn three_in_a_row() -> (TempDir, PathBuf, Vec<Written>) {
    let (_folder, path) = new_folder();
    let store = open(&path).await;
    let mut played = played(&store, 3).await;
    let over = Written::created(&store, classic(4)).await;
    let append = over.turned(MatchState::Over);
    assert_eq!(store.append(Arc::new(append)).await, Ok(()));
    at_once(&store, &path, &mut played, |written| written.moves(1, 9)).await;
    let (left, path) = crash(&path);
    (left, path, played)
}

/// Has appends go into one transaction.
async fn at_once(
    store: &SqliteStore,
    path: &Path,
    played: &mut [Written],
    append: impl Fn(&Written) -> Append,
) {
    // While somebody else has the file locked, the writer waits with its first request, and all others gather.
    let slow = Connection::open(path).unwrap();
    slow.execute_batch("BEGIN IMMEDIATE").unwrap();
    let secret = tokio::join!(store.secret("any", [1; 32]), async {
        while store.queued() > 0 {
            tokio::task::yield_now().await;
        }
        let appends: Vec<_> = played.iter().map(|one| Arc::new(append(one))).collect();
        let kept: Vec<_> = appends
            .iter()
            .map(|one| store.append(one.clone()))
            .collect();
        slow.execute_batch("COMMIT").unwrap();
        for (written, append) in played.iter_mut().zip(&appends) {
            written.take(append);
        }
        for kept in join_all(kept).await {
            assert_eq!(kept, Ok(()));
        }
    });
    secret.0.unwrap();
}

/// Changes a column of the last row of the journal.
fn damage(path: &Path, column: &str, change: impl FnOnce(&mut Vec<u8>)) {
    let connection = Connection::open(path).unwrap();
    let sql = format!("SELECT place, {column} FROM journal ORDER BY place DESC LIMIT 1");
    let (place, mut bytes): (i64, Vec<u8>) = connection
        .query_row(&sql, [], |row| Ok((row.get(0)?, row.get(1)?)))
        .unwrap();
    change(&mut bytes);
    let sql = format!("UPDATE journal SET {column} = ?2 WHERE place = ?1");
    connection.execute(&sql, params![place, bytes]).unwrap();
}

async fn is_damaged(store: &SqliteStore, written: &Written) {
    let match_id = written.summary.match_id;
    let append = store.append(Arc::new(written.moves(1, 5))).await;
    for error in [
        store.log(match_id, 0).await.map(drop).unwrap_err(),
        append.unwrap_err(),
    ] {
        assert!(
            matches!(&error, StoreError::Corrupt { match_id: of, why }
                if *of == match_id && why.contains("the journal")),
            "{error}"
        );
    }
    // It can be named still.
    assert!(store.get(match_id).await.unwrap().is_some());
}

#[tokio::test]
async fn fault_70_a_damaged_frame_of_the_journal_costs_its_match_for_good_and_no_other() {
    let (_folder, path, mut played) = three_in_a_row().await;
    damage(&path, "frames", |frames| {
        let middle = frames.len() / 2;
        frames[middle] ^= 1;
    });
    for _ in 0..3 {
        let store = open(&path).await;
        is_damaged(&store, &played[1]).await;
        for written in [0, 2] {
            played[written].is_kept(&store).await;
            let append = played[written].moves(1, 5);
            played[written].append(&store, append).await;
        }
        assert_eq!(store.log(4, 0).await.unwrap().entries.len(), 2);
        assert!(store.claim().await.unwrap().len() >= 2);
        for written in &mut played {
            written.epoch += 1;
        }
    }
    // What is left of the row is there for people.
    assert_eq!(count(&path, "SELECT place FROM journal"), -1);
}

#[tokio::test]
async fn fault_70_damaged_contents_of_a_row_of_the_journal_cost_nothing() {
    let (_folder, path, played) = three_in_a_row().await;
    damage(&path, "contents", |contents| contents[3] ^= 1);
    let store = open(&path).await;
    for written in &played {
        written.is_kept(&store).await;
    }
}

#[tokio::test]
async fn fault_70_a_row_of_the_journal_that_is_something_else_costs_those_that_it_may_concern() {
    let (_folder, path, mut played) = three_in_a_row().await;
    for column in ["contents", "frames"] {
        damage(&path, column, |bytes| bytes.fill(0xa5));
    }
    let store = open(&path).await;
    for written in &played {
        is_damaged(&store, written).await;
    }
    // Over before that, or not begun.
    assert_eq!(store.log(4, 0).await.unwrap().entries.len(), 2);
    played.push(Written::created(&store, classic(5)).await);
    drop(store);
    let store = open(&path).await;
    let append = played[3].moves(1, 5);
    played[3].append(&store, append).await;
    played[3].is_kept(&store).await;
}

#[tokio::test]
async fn fault_70_a_row_of_the_journal_that_is_missing_costs_those_that_were_in_it() {
    let (_folder, path) = new_folder();
    let store = open(&path).await;
    let mut played = played(&store, 2).await;
    let append = played[0].moves(1, 5);
    played[0].append(&store, append).await;
    for written in &mut played {
        let append = written.moves(1, 5);
        written.append(&store, append).await;
    }
    let (_left, path) = crash(&path);
    let connection = Connection::open(&path).unwrap();
    connection
        .execute_batch("DELETE FROM journal WHERE place = (SELECT max(place) - 2 FROM journal)")
        .unwrap();
    drop(connection);
    let store = open(&path).await;
    is_damaged(&store, &played[0]).await;
    played[1].is_kept(&store).await;
    // What came after it cannot be added to the log, and is not thrown away.
    assert_eq!(
        count(&path, "SELECT count(*) FROM journal WHERE place < 0"),
        1
    );
}

#[tokio::test]
async fn fault_70_a_row_of_the_journal_that_is_missing_with_the_end_of_a_log_is_noticed() {
    let (_folder, path) = new_folder();
    let store = open(&path).await;
    let mut played = played(&store, 3).await;
    let end = played[2].turned(MatchState::Over);
    played[2].append(&store, end).await;
    for at in [1, 0, 1] {
        let append = played[at].moves(1, 5);
        played[at].append(&store, append).await;
    }
    let (_left, path) = crash(&path);
    let connection = Connection::open(&path).unwrap();
    let row: i64 = connection
        .query_row(
            "DELETE FROM journal WHERE place = (SELECT max(place) - 1 FROM journal) RETURNING place",
            [],
            |row| row.get(0),
        )
        .unwrap();
    drop(connection);
    for _ in 0..2 {
        let store = open(&path).await;
        is_damaged(&store, &played[0]).await;
        let error = store.log(1, 0).await.unwrap_err().to_string();
        assert_eq!(
            error,
            format!(
                "match 1: row {row} of the journal is missing, and may have held more of its log"
            )
        );
        for at in [1, 2] {
            played[at].is_kept(&store).await;
        }
    }
}

#[tokio::test]
async fn fault_69_a_journal_that_another_process_writes_is_written_no_more_and_left_as_it_is() {
    for (strange, end) in [
        (
            "INSERT INTO journal SELECT place + 1, contents, frames FROM journal ORDER BY place DESC LIMIT 1",
            "row 13",
        ),
        // As an arena does that opens it.
        ("DELETE FROM journal", "no row"),
    ] {
        let (_folder, path) = new_folder();
        let store = open(&path).await;
        let played = played(&store, 3).await;
        let other = Connection::open(&path).unwrap();
        other.execute_batch(strange).unwrap();
        let rows = journal_rows(&path);
        for _ in 0..2 {
            let refused = store.append(Arc::new(played[0].moves(1, 5))).await;
            let why = format!(
                "{}: another process writes it: its journal ends with {end}, and not with row 12 as this one left it; stop both, and start one",
                path.display()
            );
            assert_eq!(refused, Err(StoreError::Unavailable(why)));
        }
        // What was acknowledged can be read.
        are_kept(&store, &played).await;
        drop(store);
        assert_eq!(journal_rows(&path), rows);
    }
}

#[tokio::test]
async fn fault_70_a_damaged_log_in_the_tables_does_not_keep_others_in_the_journal() {
    for damage in [
        "UPDATE match_chunk SET first = 1 << 40 WHERE match_id = 2",
        "UPDATE match_chunk SET link = x'00' WHERE match_id = 2",
        // Written already, as it seems.
        "INSERT INTO match_chunk (match_id, first, entries, moves, link, body)
         SELECT 2, 7, 0, moves, link, x'' FROM match_chunk WHERE match_id = 2",
        "DELETE FROM match WHERE match_id = 2",
    ] {
        let (_folder, path) = new_folder();
        let mut played = played(&open(&path).await, 3).await;
        let store = open(&path).await;
        for written in &mut played {
            let append = written.moves(2, 5);
            written.append(&store, append).await;
        }
        let (_left, path) = crash(&path);
        let connection = Connection::open(&path).unwrap();
        connection.execute_batch(damage).unwrap();
        drop(connection);
        for _ in 0..2 {
            let store = open(&path).await;
            if damage.starts_with("DELETE") {
                assert_eq!(store.get(2).await, Ok(None));
            } else {
                is_damaged(&store, &played[1]).await;
            }
            for at in [0, 2] {
                played[at].is_kept(&store).await;
            }
        }
        // What could not be added is there for people.
        let aside = "SELECT count(*) FROM journal WHERE place < 0";
        assert_eq!(count(&path, aside), 1, "{damage}");
    }
}

#[tokio::test]
async fn a_commit_that_fails_leaves_nothing_behind_and_what_was_kept_can_be_read() {
    let (_folder, path) = new_folder();
    let store = open(&path).await;
    let mut played = played(&store, 3).await;
    let other = Connection::open(&path).unwrap();
    other
        .execute_batch("ALTER TABLE journal RENAME TO hidden")
        .unwrap();
    for _ in 0..2 {
        let appends: Vec<_> = played.iter().map(|one| Arc::new(one.moves(2, 7))).collect();
        for refused in join_all(appends.into_iter().map(|one| store.append(one))).await {
            assert!(
                matches!(refused, Err(StoreError::Unavailable(_))),
                "{refused:?}"
            );
        }
        are_kept(&store, &played).await;
    }
    other
        .execute_batch("ALTER TABLE hidden RENAME TO journal")
        .unwrap();
    // Others than those that failed.
    for written in &mut played {
        let append = written.moves(1, 8);
        written.append(&store, append).await;
    }
    are_kept(&store, &played).await;
    drop(store);
    are_kept(&open(&path).await, &played).await;
}

#[tokio::test]
async fn an_append_that_the_database_refuses_fails_alone_and_leaves_nothing_behind() {
    let (_folder, path) = new_folder();
    let store = open(&path).await;
    let mut played = played(&store, 3).await;
    let slow = Connection::open(&path).unwrap();
    slow.execute_batch(
        "CREATE TRIGGER no BEFORE UPDATE ON match WHEN NEW.match_id = 2 BEGIN SELECT RAISE(ABORT, 'no'); END;
         BEGIN IMMEDIATE",
    )
    .unwrap();
    let ends: Vec<_> = played
        .iter()
        .map(|one| Arc::new(one.turned(MatchState::Over)))
        .collect();
    let kept: Vec<_> = ends.iter().map(|end| store.append(end.clone())).collect();
    slow.execute_batch("COMMIT").unwrap();
    let kept = join_all(kept).await;
    assert!(matches!(kept[1], Err(StoreError::Failed(_))), "{kept:?}");
    for at in [0, 2] {
        assert_eq!(kept[at], Ok(()));
        played[at].take(&ends[at]);
    }
    are_kept(&store, &played).await;
    slow.execute_batch("DROP TRIGGER no").unwrap();
    let append = played[1].moves(1, 5);
    played[1].append(&store, append).await;
    are_kept(&store, &played).await;
    drop(store);
    are_kept(&open(&path).await, &played).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn readers_see_what_was_acknowledged_and_nothing_that_was_not() {
    const MATCHES: u64 = 8;
    const APPENDS: usize = 60;
    let (_folder, path) = new_folder();
    let store = Arc::new(open(&path).await);
    let tasks = (1..=MATCHES).map(|match_id| {
        let store = store.clone();
        tokio::spawn(async move {
            let mut written = Written::created(&*store, classic(match_id)).await;
            let (asked, kept) = (AtomicUsize::new(1), AtomicUsize::new(1));
            let write = async {
                for at in 0..APPENDS {
                    let append = match at + 1 {
                        APPENDS => written.turned(MatchState::Over),
                        _ => written.moves(1, 5),
                    };
                    asked.store(append.first + append.entries.len(), Ordering::SeqCst);
                    written.append(&*store, append).await;
                    kept.store(written.entries.len(), Ordering::SeqCst);
                }
                written
            };
            let read = async {
                let mut reads = 0;
                loop {
                    let before = kept.load(Ordering::SeqCst);
                    let log = store.log(match_id, 0).await.unwrap();
                    let most = asked.load(Ordering::SeqCst);
                    let read = log.entries.len();
                    assert!((before..=most).contains(&read), "{before}..={most}: {read}");
                    let over = read == APPENDS + 1;
                    assert_eq!(log.signature.is_some(), over);
                    chain_holds(match_id, log.create_time_ms, &log.entries);
                    for moves in moves_of(&store, match_id).await {
                        // All entries but the first and the last are moves.
                        let (least, most) = (
                            read - 1 - usize::from(over),
                            asked.load(Ordering::SeqCst) - 1,
                        );
                        assert!((least..=most).contains(&moves), "{least}..={most}: {moves}");
                    }
                    reads += 1;
                    if over {
                        return reads;
                    }
                }
            };
            let (written, reads) = tokio::join!(write, read);
            written.is_kept(&*store).await;
            reads
        })
    });
    let mut reads = 0;
    for task in tasks.collect::<Vec<_>>() {
        reads += task.await.unwrap();
    }
    assert!(reads > MATCHES, "no log was read before its match's end");
}

fn chain_holds(match_id: u64, create_time_ms: u64, entries: &[Entry]) {
    let mut chain = Chain::new(match_id, create_time_ms);
    for entry in entries {
        chain.read(entry).unwrap();
    }
}

/// The moves of a match, as it is read by itself and in a list.
async fn moves_of(store: &SqliteStore, match_id: u64) -> [usize; 2] {
    let one = store.get(match_id).await.unwrap().unwrap();
    let query = ListQuery {
        limit: 100,
        reader: Reader::Operator,
        ..ListQuery::default()
    };
    let listed = store.list(query).await.unwrap().matches;
    let listed = listed.iter().find(|listed| listed.match_id == match_id);
    [one.moves, listed.unwrap().moves].map(|moves| moves as usize)
}

#[tokio::test]
async fn what_is_on_its_way_is_not_read() {
    let (_folder, path) = new_folder();
    let store = open(&path).await;
    let mut played = played(&store, 2).await;
    let slow = Connection::open(&path).unwrap();
    slow.execute_batch("BEGIN IMMEDIATE").unwrap();
    let append = Arc::new(played[0].moves(3, 5));
    let kept = store.append(append.clone());
    for _ in 0..20 {
        are_kept(&store, &played).await;
    }
    slow.execute_batch("COMMIT").unwrap();
    assert_eq!(kept.await, Ok(()));
    played[0].take(&append);
    are_kept(&store, &played).await;
}
