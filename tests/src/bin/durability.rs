//! What durability costs: turns a second in memory and in SQLite at both levels, and reads among many matches.
//!
//! `cargo run --release -p broadside-tests --bin durability`. All stores take turns in each round, so that whatever else the machine
//! does falls on all of them alike; a figure is the median of its rounds. The file is where temporary files are (`TMPDIR`).

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use anyhow::{Context, ensure};
use broadside_arena::store::{
    Durability, ListQuery, NewMatch, Reader, SqliteStore, Store, StorePlace, sqlite::Access,
};
use broadside_proto::v1::{self, connect_response::Message};
use broadside_tests::{Bot, TestArena, named, options, request};
use futures_util::{StreamExt, TryStreamExt, stream};
use tokio::sync::mpsc;

/// Matches at once.
const MATCHES: [usize; 3] = [1, 64, 512];
const ROUNDS: usize = 3;
/// How long turns are counted in a round, and how long they are played before that.
const COUNTED: Duration = Duration::from_millis(1_500);
const WARM_UP: Duration = Duration::from_millis(500);

/// Matches in the store that is read.
const KEPT: u64 = 100_000;
const READS: usize = 200;

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Memory,
    Sqlite(Durability),
}

const KINDS: [(Kind, &str); 3] = [
    (Kind::Memory, "memory"),
    (Kind::Sqlite(Durability::Process), "sqlite, process"),
    (Kind::Sqlite(Durability::Power), "sqlite, power"),
];

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    println!(
        "turns a second, median of {ROUNDS} rounds (lowest-highest), and as a share of memory\n"
    );
    println!(
        "{:>8}  {:<18}{:>10}  {:<17}{:>6}",
        "matches", "store", "turns/s", "", "share"
    );
    for matches in MATCHES {
        let mut rates = [const { Vec::new() }; KINDS.len()];
        for _ in 0..ROUNDS {
            for ((kind, _), rates) in KINDS.iter().zip(&mut rates) {
                rates.push(turns_a_second(*kind, matches).await?);
            }
        }
        for rates in &mut rates {
            rates.sort_by(f64::total_cmp);
        }
        for ((_, name), of) in KINDS.iter().zip(&rates) {
            let median = of[ROUNDS / 2];
            println!(
                "{matches:>8}  {name:<18}{median:>10.0}  {:<17}{:>6.2}",
                format!("({:.0}-{:.0})", of[0], of[ROUNDS - 1]),
                median / rates[0][ROUNDS / 2]
            );
        }
    }
    reads().await
}

async fn turns_a_second(kind: Kind, matches: usize) -> anyhow::Result<f64> {
    let folder = tempfile::tempdir()?;
    let arena = TestArena::start_with(|settings| {
        if let Kind::Sqlite(durability) = kind {
            settings.store = StorePlace::File(folder.path().join("matches.sqlite"));
            settings.durability = durability;
        }
        settings.drain_timeout = Duration::from_millis(1);
    })
    .await?;
    let turns = Arc::new(AtomicU64::new(0));
    let (ended, mut ends) = mpsc::unbounded_channel();
    let mut bots = Vec::new();
    for name in ["one", "two"] {
        let profile = v1::AgentProfile {
            max_matches: u32::try_from(matches)?,
            ..Bot::profile(name)
        };
        let bot = Bot::connect(arena.channel(), profile).await?;
        bots.push(tokio::spawn(play(bot, turns.clone(), ended.clone())));
    }
    let wanted = request(v1::Variant::Classic, named("one"), named("two"));
    for _ in 0..matches {
        arena.create(wanted.clone()).await?;
    }
    // Another match for each that ends.
    let mut client = arena.matches();
    let refill = tokio::spawn(async move {
        while ends.recv().await.is_some() {
            // Both bots say so of each match.
            if ends.recv().await.is_none() || client.create_match(wanted.clone()).await.is_err() {
                return;
            }
        }
    });
    tokio::time::sleep(WARM_UP).await;
    let (begun, before) = (Instant::now(), turns.load(Ordering::Relaxed));
    tokio::time::sleep(COUNTED).await;
    let played = turns.load(Ordering::Relaxed) - before;
    let rate = played as f64 / begun.elapsed().as_secs_f64();
    ensure!(played > 0, "no turn was played");
    for bot in bots {
        ensure!(!bot.is_finished(), "a bot stopped: {:?}", bot.await?);
        bot.abort();
    }
    refill.abort();
    arena.stop().await?;
    Ok(rate)
}

/// Answers every turn with the first legal move.
async fn play(
    mut bot: Bot,
    turns: Arc<AtomicU64>,
    ended: mpsc::UnboundedSender<()>,
) -> anyhow::Result<()> {
    loop {
        match bot.next().await? {
            Message::Turn(turn) => {
                bot.answer(&turn, Bot::first_legal(&turn)?).await?;
                turns.fetch_add(1, Ordering::Relaxed);
            }
            Message::MatchEnd(_) => ended.send(())?,
            _ => {}
        }
    }
}

/// How long a list and a look-up take among many matches.
async fn reads() -> anyhow::Result<()> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("matches.sqlite");
    let store = SqliteStore::open(&path, Durability::Process, 0, Access::Whole).await?;
    let store = &store;
    let begun = Instant::now();
    stream::iter(1..=KEPT)
        .map(|match_id| store.create(new_match(match_id)))
        .buffer_unordered(256)
        .try_collect::<Vec<_>>()
        .await?;
    let created = KEPT as f64 / begun.elapsed().as_secs_f64();
    println!(
        "\n{KEPT} matches in SQLite, created at {created:.0} a second; median and highest of {READS}\n"
    );
    let listed =
        |query: ListQuery| async move { store.list(query).await.map(|page| page.matches.len()) };
    let page = || ListQuery {
        limit: 50,
        reader: Reader::Operator,
        ..ListQuery::default()
    };
    let public = Reader::Public;
    let queries = [
        ("newest page", page()),
        (
            "page in the middle",
            ListQuery {
                after: Some(KEPT / 2),
                ..page()
            },
        ),
        (
            "of an agent",
            ListQuery {
                agent: Some("agent-7".to_owned()),
                ..page()
            },
        ),
        (
            "of an agent and a variant, public",
            ListQuery {
                agent: Some("agent-7".to_owned()),
                variants: vec![v1::Variant::Abalone],
                reader: public,
                ..page()
            },
        ),
        (
            "in no state that there is",
            ListQuery {
                states: vec![v1::MatchState::Over],
                ..page()
            },
        ),
        (
            "newest 1000",
            ListQuery {
                limit: 1_000,
                ..page()
            },
        ),
    ];
    for (name, query) in queries {
        let mut taken = Vec::with_capacity(READS);
        for _ in 0..READS {
            let begun = Instant::now();
            listed(query.clone()).await?;
            taken.push(begun.elapsed());
        }
        print(name, taken);
    }
    let mut taken = Vec::with_capacity(READS);
    for match_id in (1..=KEPT)
        .step_by(usize::try_from(KEPT)? / READS)
        .take(READS)
    {
        let begun = Instant::now();
        store.get(match_id).await?.context("a match is gone")?;
        taken.push(begun.elapsed());
    }
    print("one match", taken);
    Ok(())
}

fn print(name: &str, mut taken: Vec<Duration>) {
    taken.sort_unstable();
    println!(
        "{name:<36}{:>10.1?}{:>10.1?}",
        taken[taken.len() / 2],
        taken[taken.len() - 1]
    );
}

fn new_match(match_id: u64) -> NewMatch {
    let variant = [v1::Variant::Classic, v1::Variant::Abalone][match_id as usize % 2];
    let summary = v1::Match {
        match_id,
        options: Some(options(variant)),
        players: vec![
            named(&format!("agent-{}", match_id % 100)),
            named(&format!("agent-{}", match_id % 77)),
        ],
        state: v1::MatchState::Waiting.into(),
        create_time_ms: match_id,
        ..Default::default()
    };
    NewMatch {
        summary,
        request_id: format!("request {match_id}"),
        fingerprint: match_id,
        created: broadside_record::chain::Chain::new(match_id, match_id)
            .push(&v1::LogEntry::default()),
    }
}
