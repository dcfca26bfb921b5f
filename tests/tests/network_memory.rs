//! Memory after many matches over a bad network. In a process of its own: it is this process's memory that is measured.

use std::{alloc::System, time::Duration};

use anyhow::ensure;
use broadside_agents::{Agent, Config, DialIn, Random, Retry, Seed, profile};
use broadside_proto::v1::{self, Termination};
use broadside_tests::{
    TestArena, VARIANTS, named,
    proxy::{Cut, FaultProxy, Mischief, StreamProxy},
    request,
};
use stats_alloc::{INSTRUMENTED_SYSTEM, StatsAlloc};
use tokio::sync::watch;

const ROUNDS: usize = 14;
/// The first few let the allocator settle.
const SETTLED: usize = 3;
const AT_ONCE: usize = 40;
const TURNS_A_CUT: u32 = 250;

/// Counts what this process allocates: resident memory would tell of the allocator's habits as well.
#[global_allocator]
static HEAP: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// What this process has allocated and not freed, arena, bots and proxies included, in bytes.
fn live() -> usize {
    let stats = HEAP.stats();
    stats
        .bytes_allocated
        .saturating_sub(stats.bytes_deallocated)
}

/// Plays at random and counts the turns that it is asked for.
fn agent(url: String, name: &str, asked: &watch::Sender<u32>) -> DialIn {
    let mut config = Config::new(url, profile::every_variant(name, 256).with_legal_moves());
    config.retry = Retry {
        first: Duration::from_millis(2),
        longest: Duration::from_millis(50),
        attempts: None,
    };
    let (random, asked) = (Random::new(Seed(3)), asked.clone());
    let agent = move |turn: &v1::Turn| {
        asked.send_modify(|asked| *asked += 1);
        random.choose(turn)
    };
    DialIn::spawn(config, std::sync::Arc::new(agent))
}

/// Bots come, play while their connections are cut and their messages doubled, and go. Returns how often they were cut.
async fn round(arena: &TestArena, seed: u64) -> anyhow::Result<u32> {
    let some = Mischief::some(Duration::ZERO);
    let stream = StreamProxy::start(arena.address(), seed, some, some).await?;
    let lines = FaultProxy::start(stream.address(), seed)?;
    let asked = watch::Sender::new(0);
    let one = agent(lines.url(), "one", &asked);
    let two = agent(lines.url(), "two", &asked);
    let mut created = Vec::new();
    // Abalone takes longest, and leaves nothing that the others do not.
    for (variant, _) in VARIANTS[..6].iter().cycle().take(AT_ONCE) {
        created.push(
            arena
                .create(request(*variant, named("one"), named("two")))
                .await?,
        );
    }
    let played = async {
        for match_id in created {
            let outcome = arena.outcome(match_id).await?;
            ensure!(
                outcome.termination() == Termination::WonByPlay,
                "{}",
                outcome.message
            );
        }
        anyhow::Ok(())
    };
    let mut cuts = 0;
    // After so many turns, not after so much time: a busy machine gets on, too.
    let cutting = async {
        let mut news = asked.subscribe();
        let mut next = TURNS_A_CUT;
        while news.wait_for(|asked| *asked >= next).await.is_ok() {
            lines.cut(Cut::Reset);
            cuts += 1;
            next = *asked.borrow() + TURNS_A_CUT;
        }
    };
    tokio::select! {
        played = played => played?,
        () = cutting => {}
    }
    one.leave().await?;
    two.leave().await?;
    lines.until_closed().await?;
    Ok(cuts)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn hundreds_of_matches_over_a_bad_network_leave_no_memory_behind() -> anyhow::Result<()> {
    let arena = TestArena::start_with(|settings| settings.keep_matches = 100).await?;
    let (mut settled, mut cuts) = (0, 0);
    for number in 0..ROUNDS {
        cuts += round(&arena, number as u64).await?;
        if number == SETTLED {
            settled = live();
        }
    }
    let grown = live().saturating_sub(settled);
    // Four hundred matches and hundreds of broken streams later: 1.3 KiB left behind by each match would show. The hundred that
    // are kept differ by 100 KiB.
    assert!(grown < 512 << 10, "memory grew by {} KiB", grown >> 10);
    assert!(cuts > 100, "{cuts}");
    let agents = arena
        .catalog()
        .list_agents(v1::ListAgentsRequest::default())
        .await?
        .into_inner()
        .agents;
    assert!(
        agents.iter().all(|agent| agent.running_matches == 0),
        "{agents:?}"
    );
    arena.stop().await
}
