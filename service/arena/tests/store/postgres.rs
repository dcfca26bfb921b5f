//! What concerns a database that several arenas use, and a server that goes away.

#[path = "../../../../tests/src/database.rs"]
#[allow(dead_code, unreachable_pub)]
mod database;

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU32, Ordering},
    },
    time::Duration,
};

use broadside_arena::store::{
    Append, Creation, Durability, ListQuery, PostgresStore, Reader, Store, StoreError,
};
use broadside_proto::v1::MatchState;

use self::database::TestDatabase;
use crate::{
    backend::Durable,
    given::{Written, claim_of, classic},
};

/// In a schema of its own.
pub(crate) struct Postgres {
    store: Arc<dyn Store>,
    database: TestDatabase,
}

impl Postgres {
    /// A new one; `None` without a server.
    pub(crate) async fn open() -> Option<Self> {
        let database = TestDatabase::create().await.unwrap()?;
        Some(Self {
            store: opened(&database).await,
            database,
        })
    }
}

impl Durable for Postgres {
    fn store(&self) -> &Arc<dyn Store> {
        &self.store
    }

    async fn again(self) -> Self {
        let Self { store, database } = self;
        drop(store);
        Self {
            store: opened(&database).await,
            database,
        }
    }
}

async fn opened(database: &TestDatabase) -> Arc<dyn Store> {
    let store = PostgresStore::open(&database.url(), Durability::Power).await;
    Arc::new(store.unwrap())
}

/// Appends as a match does: again for as long as it is not known whether that was kept. Returns how often it was not.
async fn append_at_last(store: &dyn Store, append: &Arc<Append>) -> u32 {
    for unknown in 0.. {
        match store.append(append.clone()).await {
            Ok(()) => return unknown,
            Err(StoreError::Unavailable(_)) => {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
            Err(error) => panic!("{error}"),
        }
    }
    0
}

#[tokio::test]
async fn arenas_that_start_together_make_the_tables_once() {
    let Some(database) = TestDatabase::create().await.unwrap() else {
        return;
    };
    let url = database.url();
    let opening = (0..4).map(|_| {
        let url = url.clone();
        tokio::spawn(async move { PostgresStore::open(&url, Durability::Power).await })
    });
    let mut stores = Vec::new();
    for opened in opening.collect::<Vec<_>>() {
        stores.push(opened.await.unwrap().unwrap());
    }
    let admin = database.admin().await.unwrap();
    let applied = "SELECT count(*) FROM refinery_schema_history";
    let applied = admin.query_one(applied, &[]).await.unwrap();
    assert_eq!(applied.get::<_, i64>(0), 1);
    // They share what they keep.
    let mut written = Written::created(&stores[0], classic(1)).await;
    let append = written.moves(2, 5);
    written.append(&stores[1], append).await;
    written.is_kept(&stores[3]).await;
}

#[tokio::test]
async fn a_schema_of_a_newer_program_is_refused_and_left_alone() {
    let Some(database) = TestDatabase::create().await.unwrap() else {
        return;
    };
    drop(opened(&database).await);
    let admin = database.admin().await.unwrap();
    let newer = "UPDATE refinery_schema_history SET version = 99";
    admin.execute(newer, &[]).await.unwrap();
    let refused = PostgresStore::open(&database.url(), Durability::Power).await;
    let error = format!("{:#}", refused.unwrap_err());
    assert!(error.contains("its schema has version 99"), "{error}");
    assert!(!error.contains('\n'), "{error}");
}

#[tokio::test]
async fn a_history_that_cannot_be_read_or_was_changed_is_refused() {
    for change in [
        "applied_on = 'yesterday'",
        "checksum = 'none'",
        "checksum = '7'",
    ] {
        let Some(database) = TestDatabase::create().await.unwrap() else {
            return;
        };
        drop(opened(&database).await);
        let admin = database.admin().await.unwrap();
        let change = format!("UPDATE refinery_schema_history SET {change}");
        admin.execute(&change, &[]).await.unwrap();
        let refused = PostgresStore::open(&database.url(), Durability::Power).await;
        assert!(refused.is_err(), "{change}");
    }
}

#[tokio::test]
async fn a_server_that_is_not_there_is_named_without_its_password() {
    // Nothing listens on port 1.
    let url = "postgres://ada:secret@127.0.0.1:1/arena";
    let refused = PostgresStore::open(url, Durability::Power).await;
    let error = format!("{:#}", refused.unwrap_err());
    assert!(error.contains("postgres://127.0.0.1/arena"), "{error}");
    assert!(
        !error.contains("secret") && !error.contains('\n'),
        "{error}"
    );
}

#[tokio::test]
async fn a_claim_by_another_arena_fences_the_first() {
    let Some(database) = TestDatabase::create().await.unwrap() else {
        return;
    };
    let (first, second) = (opened(&database).await, opened(&database).await);
    let mut written = Written::created(&*first, classic(1)).await;
    let append = written.moves(2, 5);
    written.append(&*first, append).await;
    let claimed = second.claim().await.unwrap();
    assert_eq!(claim_of(&claimed, 1), Some(2));
    let late = Arc::new(written.moves(1, 6));
    assert_eq!(first.append(late).await, Err(StoreError::Fenced(1)));
    written.is_kept(&*second).await;
    written.epoch = 2;
    let append = written.moves(1, 7);
    written.append(&*second, append).await;
    written.is_kept(&*first).await;
}

#[tokio::test]
async fn claims_amid_appends_lose_nothing_that_was_kept_and_let_nothing_through() {
    let Some(database) = TestDatabase::create().await.unwrap() else {
        return;
    };
    let (first, second) = (opened(&database).await, opened(&database).await);
    let kept = Arc::new(AtomicU32::new(0));
    let played = (1..=20).map(|match_id| {
        let (store, kept) = (first.clone(), kept.clone());
        tokio::spawn(async move {
            let mut written = Written::created(&*store, classic(match_id)).await;
            loop {
                let append = Arc::new(written.moves(1, 5));
                match store.append(append.clone()).await {
                    Ok(()) => written.take(&append),
                    Err(StoreError::Fenced(_)) => return written,
                    Err(error) => panic!("{error}"),
                }
                kept.fetch_add(1, Ordering::Relaxed);
            }
        })
    });
    let played: Vec<_> = played.collect();
    while kept.load(Ordering::Relaxed) < 200 {
        tokio::task::yield_now().await;
    }
    // Those that are created after a claim are fenced by the next.
    while !played.iter().all(tokio::task::JoinHandle::is_finished) {
        second.claim().await.unwrap();
    }
    for written in played {
        written.await.unwrap().is_kept(&*second).await;
    }
}

#[tokio::test]
async fn connections_that_end_amid_appends_lose_nothing_and_double_nothing() {
    const MATCHES: u64 = 20;
    let Some(database) = TestDatabase::create().await.unwrap() else {
        return;
    };
    let store = opened(&database).await;
    let (kept, unknown) = (Arc::new(AtomicU32::new(0)), Arc::new(AtomicU32::new(0)));
    let enough = Arc::new(AtomicBool::new(false));
    let played = (1..=MATCHES).map(|match_id| {
        let (store, kept, unknown) = (store.clone(), kept.clone(), unknown.clone());
        let enough = enough.clone();
        tokio::spawn(async move {
            let mut written = Written::created(&*store, classic(match_id)).await;
            while !enough.load(Ordering::Relaxed) {
                let append = Arc::new(written.moves(1, 5));
                let failed = append_at_last(&*store, &append).await;
                written.take(&append);
                kept.fetch_add(1, Ordering::Relaxed);
                unknown.fetch_add(failed, Ordering::Relaxed);
            }
            let end = Arc::new(written.turned(MatchState::Over));
            append_at_last(&*store, &end).await;
            written.take(&end);
            written
        })
    });
    let played: Vec<_> = played.collect();
    for cut in 1..=6 {
        while kept.load(Ordering::Relaxed) < cut * 150 {
            tokio::task::yield_now().await;
        }
        // Now wherever they are, which may be between two appends or with one kept that is not answered yet, now in an append.
        if cut % 2 == 0 {
            database.end_connections_amid("match_event").await.unwrap();
        } else {
            assert!(database.end_connections().await.unwrap() > 0);
        }
    }
    enough.store(true, Ordering::Relaxed);
    for written in played {
        written.await.unwrap().is_kept(&*store).await;
    }
    assert!(unknown.load(Ordering::Relaxed) > 0);
}

#[tokio::test]
async fn matches_are_created_once_while_connections_end() {
    let Some(database) = TestDatabase::create().await.unwrap() else {
        return;
    };
    let store = opened(&database).await;
    let created = (1..=200).map(|match_id| {
        let store = store.clone();
        tokio::spawn(async move {
            let (_, new) = Written::new(classic(match_id), &format!("request {match_id}"));
            store.create(new).await
        })
    });
    let created: Vec<_> = created.collect();
    while !created.iter().any(tokio::task::JoinHandle::is_finished) {
        tokio::task::yield_now().await;
    }
    database.end_connections().await.unwrap();
    for creation in created {
        assert_eq!(creation.await.unwrap(), Ok(Creation::Created));
    }
    let query = ListQuery {
        limit: 1_000,
        reader: Reader::Operator,
        ..ListQuery::default()
    };
    assert_eq!(store.list(query).await.unwrap().matches.len(), 200);
}

#[tokio::test]
async fn a_text_that_no_match_can_have_finds_none() {
    let Some(backend) = Postgres::open().await else {
        return;
    };
    let store = backend.store();
    Written::created(&**store, classic(1)).await;
    assert_eq!(store.find_request("a\0b").await, Ok(None));
    for (agent, reader) in [
        (Some("a\0"), Reader::Operator),
        (Some("ada"), Reader::Agent("\0".to_owned())),
    ] {
        let expected = usize::from(agent == Some("ada"));
        let query = ListQuery {
            limit: 10,
            agent: agent.map(str::to_owned),
            reader,
            ..ListQuery::default()
        };
        assert_eq!(store.list(query).await.unwrap().matches.len(), expected);
    }
}
