//! What an append costs in a file: how many are kept a second while so many matches append one after the other, and what each takes of
//! the processor: of the writer's thread, and of all, the bench's own part included.
//!
//! `cargo bench -p broadside-arena --bench appends`. The file is where temporary files are (`TMPDIR`): that must be a disk for
//! the figures to mean anything. Linux alone knows what a thread took.
#![allow(
    clippy::expect_used,
    clippy::unwrap_used,
    reason = "a bench fails by panicking"
)]

use std::{
    fs,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use broadside_arena::store::{Append, Durability, NewMatch, SqliteStore, Store, sqlite::Access};
use broadside_proto::v1::{self, options::Variant as Of};
use broadside_record::chain::Entry;

/// Matches at once.
const MATCHES: [u64; 4] = [1, 64, 512, 4_096];
/// Appends from the beginning of a match to its end, and the bytes of each: about those of a game of classic.
const APPENDS: usize = 120;
const BYTES: usize = 60;
/// How long they are counted, after a time in which they are not.
const COUNTED: Duration = Duration::from_secs(3);
const WARM_UP: Duration = Duration::from_secs(1);

fn main() {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .unwrap();
    println!("matches  durability   appends/s  in a commit  writer's us  all us");
    for durability in [Durability::Process, Durability::Power] {
        for matches in MATCHES {
            runtime.block_on(measure(matches, durability));
        }
    }
}

async fn measure(matches: u64, durability: Durability) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("matches.sqlite");
    let store = SqliteStore::open(&path, durability, 0, Access::Whole);
    let store = Arc::new(store.await.unwrap());
    let (ids, appends) = (Arc::new(AtomicU64::new(1)), Arc::new(AtomicU64::new(0)));
    let tasks: Vec<_> = (0..matches)
        .map(|_| tokio::spawn(play(store.clone(), ids.clone(), appends.clone())))
        .collect();
    tokio::time::sleep(WARM_UP).await;
    let before = (
        store.batches(),
        (taken("store writer"), taken("")),
        Instant::now(),
    );
    let first = appends.load(Ordering::Relaxed);
    tokio::time::sleep(COUNTED).await;
    let after = (
        store.batches(),
        (taken("store writer"), taken("")),
        Instant::now(),
    );
    let appends = appends.load(Ordering::Relaxed) - first;
    for task in tasks {
        task.abort();
    }
    let commits = after.0.commits - before.0.commits;
    let seconds = (after.2 - before.2).as_secs_f64();
    println!(
        "{matches:>7}  {:<10} {:>11.0} {:>12.1} {:>12.2} {:>7.2}",
        format!("{durability:?}"),
        appends as f64 / seconds,
        appends as f64 / commits.max(1) as f64,
        (after.1.0 - before.1.0).as_secs_f64() * 1e6 / appends as f64,
        (after.1.1 - before.1.1).as_secs_f64() * 1e6 / appends as f64,
    );
}

/// Matches one after the other, each from its beginning to its end.
async fn play(store: Arc<SqliteStore>, ids: Arc<AtomicU64>, appends: Arc<AtomicU64>) {
    loop {
        let match_id = ids.fetch_add(1, Ordering::Relaxed);
        store.create(new_match(match_id)).await.unwrap();
        for place in 0..APPENDS {
            store.append(append(match_id, place)).await.unwrap();
            appends.fetch_add(1, Ordering::Relaxed);
        }
    }
}

fn summary(match_id: u64, state: v1::MatchState) -> v1::Match {
    let player = |name: &str| v1::Player {
        agent: Some(v1::player::Agent::Name(name.to_owned())),
    };
    v1::Match {
        match_id,
        options: Some(v1::Options {
            variant: Some(Of::Classic(v1::ClassicOptions::default())),
        }),
        players: vec![player("one"), player("two")],
        state: state.into(),
        create_time_ms: match_id,
        ..v1::Match::default()
    }
}

fn entry() -> Entry {
    Entry {
        body: vec![7; BYTES],
        link: [7; 32],
    }
}

fn new_match(match_id: u64) -> NewMatch {
    NewMatch {
        summary: summary(match_id, v1::MatchState::Waiting),
        request_id: format!("request {match_id}"),
        fingerprint: match_id,
        created: entry(),
    }
}

fn append(match_id: u64, place: usize) -> Arc<Append> {
    let state = match place + 1 {
        1 => Some(v1::MatchState::Running),
        APPENDS => Some(v1::MatchState::Over),
        _ => None,
    };
    Arc::new(Append {
        match_id,
        epoch: 1,
        first: place + 1,
        entries: vec![entry()],
        moves: u32::try_from(place).unwrap(),
        summary: state.map(|state| Box::new(summary(match_id, state))),
        signature: (state == Some(v1::MatchState::Over)).then_some([7; 64]),
    })
}

/// What threads have taken of the processor whose names begin so.
fn taken(name: &str) -> Duration {
    let tasks = fs::read_dir("/proc/self/task").expect("Linux has it");
    let nanoseconds: u64 = tasks
        .filter_map(|task| {
            let task = task.ok()?.path();
            let is_one = fs::read_to_string(task.join("comm"))
                .ok()?
                .starts_with(name);
            let taken = fs::read_to_string(task.join("schedstat")).ok()?;
            is_one.then(|| taken.split(' ').next()?.parse::<u64>().ok())?
        })
        .sum();
    Duration::from_nanos(nanoseconds)
}
