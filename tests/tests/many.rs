//! Many matches at once over one stream of each of two agents.

use std::{alloc::System, collections::HashSet};

use anyhow::Context;
use broadside_proto::v1::{self, Termination, connect_response::Message};
use broadside_tests::{Bot, TestArena, VARIANTS, named, request};
use stats_alloc::{INSTRUMENTED_SYSTEM, StatsAlloc};

const AT_ONCE: usize = 200;
/// The first few let the allocator settle.
const ROUNDS: usize = 24;

/// Counts what this process allocates: resident memory would tell of the allocator's habits as well.
#[global_allocator]
static HEAP: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// What this process has allocated and not freed, the arena included, in bytes.
fn live() -> usize {
    let stats = HEAP.stats();
    stats
        .bytes_allocated
        .saturating_sub(stats.bytes_deallocated)
}

/// Answers nothing before all matches have begun, so that they are all in play at once.
async fn play(bot: &mut Bot) -> anyhow::Result<HashSet<u64>> {
    let mut started = 0;
    let mut held = Vec::new();
    let mut ended = HashSet::new();
    while ended.len() < AT_ONCE {
        match bot.next().await? {
            Message::MatchStart(_) => started += 1,
            Message::Turn(turn) => held.push(turn),
            Message::MatchEnd(end) => {
                let outcome = end.outcome.context("no outcome")?;
                anyhow::ensure!(
                    matches!(
                        outcome.termination(),
                        Termination::WonByPlay | Termination::DrawByRule
                    ),
                    "{}",
                    outcome.message
                );
                anyhow::ensure!(
                    ended.insert(end.match_id),
                    "match {} ended twice",
                    end.match_id
                );
            }
            other => anyhow::bail!("{other:?}"),
        }
        if started == AT_ONCE {
            for turn in held.drain(..) {
                bot.answer(&turn, Bot::first_legal(&turn)?).await?;
            }
        }
    }
    Ok(ended)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_hundred_matches_at_once_on_one_stream_each_and_memory_is_flat_afterwards()
-> anyhow::Result<()> {
    let arena = TestArena::start_with(|settings| settings.keep_matches = 100).await?;
    let mut one = Bot::connect(arena.channel(), Bot::profile("one")).await?;
    let mut two = Bot::connect(arena.channel(), Bot::profile("two")).await?;
    let mut settled = 0;
    for round in 0..ROUNDS {
        let mut created = HashSet::new();
        for index in 0..AT_ONCE {
            let (variant, _) = VARIANTS[index % VARIANTS.len()];
            created.insert(
                arena
                    .create(request(variant, named("one"), named("two")))
                    .await?,
            );
        }
        let (ones, twos) = tokio::join!(play(&mut one), play(&mut two));
        assert_eq!(ones?, created);
        assert_eq!(twos?, created);
        if round == 2 {
            settled = live();
        }
    }
    let grown = live().saturating_sub(settled);
    // Four thousand matches later: a match that left 250 bytes behind would show. The hundred that are kept differ by 100 KiB.
    assert!(grown < 1 << 20, "memory grew by {} KiB", grown >> 10);
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
