//! Memory after many matches over a bad network. In a process of its own: it is this process's memory that is measured.

use std::time::Duration;

use anyhow::{Context, ensure};
use broadside_agents::{Config, DialIn, Random, Retry, Seed, profile};
use broadside_proto::v1::{self, Termination};
use broadside_tests::{
    TestArena, VARIANTS, named,
    proxy::{Cut, FaultProxy, Mischief, StreamProxy},
    request,
};

const ROUNDS: usize = 16;
/// The first few let the allocator settle.
const SETTLED: usize = 5;
const AT_ONCE: usize = 60;

/// Resident memory of this process, arena, bots and proxies included, in bytes.
fn resident() -> anyhow::Result<u64> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find(|line| line.starts_with("VmRSS:"));
    let kib = line.and_then(|line| line.split_whitespace().nth(1));
    Ok(kib.context("no figure")?.parse::<u64>()? * 1024)
}

fn agent(url: String, name: &str) -> DialIn {
    let mut config = Config::new(url, profile::every_variant(name, 256).with_legal_moves());
    config.retry = Retry {
        first: Duration::from_millis(2),
        longest: Duration::from_millis(50),
        attempts: None,
    };
    DialIn::spawn(config, std::sync::Arc::new(Random::new(Seed(3))))
}

/// Bots come, play while their connections are cut and their messages doubled, and go.
async fn round(arena: &TestArena, seed: u64) -> anyhow::Result<()> {
    let some = Mischief::some(Duration::ZERO);
    let stream = StreamProxy::start(arena.address(), seed, some, some).await?;
    let lines = FaultProxy::start(stream.address(), seed)?;
    let (one, two) = (agent(lines.url(), "one"), agent(lines.url(), "two"));
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
    let cutting = async {
        let mut ticks = tokio::time::interval(Duration::from_millis(50));
        loop {
            ticks.tick().await;
            lines.cut(Cut::Reset);
        }
    };
    tokio::select! {
        played = played => played?,
        () = cutting => {}
    }
    one.leave().await?;
    two.leave().await?;
    lines.until_closed().await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_thousand_matches_over_a_bad_network_leave_no_memory_behind() -> anyhow::Result<()> {
    let arena = TestArena::start_with(|settings| settings.keep_matches = 100).await?;
    let mut settled = 0;
    for number in 0..ROUNDS {
        round(&arena, number as u64).await?;
        if number == SETTLED {
            settled = resident()?;
        }
    }
    let grown = resident()?.saturating_sub(settled);
    // Six hundred matches and hundreds of broken streams later: 5 KiB left behind by each match would show. Half a MiB is seen.
    assert!(
        grown < 3 << 20,
        "resident memory grew by {} KiB",
        grown >> 10
    );
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
