//! An arena, agents that come again, and what must hold of every match whatever the network does.

use std::{
    collections::{BTreeMap, HashSet},
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};

use anyhow::{Context, ensure};
use broadside_agents::{Agent, Config, DialIn, Random, Retry, Seed, profile};
use broadside_proto::v1::{self, Termination, log_entry::Entry};
use broadside_tests::{PATIENCE, TestArena, VARIANTS, fast, request};

/// An arena, and how many tasks there are while it has nothing to do.
pub(crate) struct Rig {
    pub(crate) arena: TestArena,
    idle_tasks: usize,
}

impl Rig {
    pub(crate) async fn start() -> anyhow::Result<Self> {
        Self::start_with(|_| {}).await
    }

    pub(crate) async fn start_with(
        change: impl FnOnce(&mut broadside_arena::Settings),
    ) -> anyhow::Result<Self> {
        let arena = TestArena::start_with(change).await?;
        // Once asked, its own connection is up.
        arena
            .catalog()
            .list_agents(v1::ListAgentsRequest::default())
            .await?;
        Ok(Self {
            arena,
            idle_tasks: idle_tasks().await,
        })
    }

    /// Matches of every variant in turn, with their seeds.
    pub(crate) async fn create(
        &self,
        count: u64,
        one: &v1::Player,
        two: &v1::Player,
    ) -> anyhow::Result<Vec<u64>> {
        let mut created = Vec::new();
        for (seed, (variant, _)) in (0..count).zip(VARIANTS.iter().cycle()) {
            let request = v1::CreateMatchRequest {
                seed: Some(seed),
                // A storm may last, and a busy machine may be slow to find its way back.
                time_control: Some(fast(50_000)),
                ..request(*variant, one.clone(), two.clone())
            };
            created.push(self.arena.create(request).await?);
        }
        Ok(created)
    }

    /// Waits until these matches are over: each properly, and by its record with nobody's answer counted twice.
    pub(crate) async fn end_properly(
        &self,
        created: &[u64],
    ) -> anyhow::Result<Vec<v1::MatchRecord>> {
        let mut records = Vec::new();
        for match_id in created {
            let outcome = self.arena.outcome(*match_id).await?;
            ensure!(
                matches!(
                    outcome.termination(),
                    Termination::WonByPlay | Termination::DrawByRule
                ),
                "match {match_id}: {}",
                outcome.message
            );
            let record = self.arena.record(*match_id).await?;
            check(&record).with_context(|| format!("the record of match {match_id}"))?;
            records.push(record);
        }
        Ok(records)
    }

    /// The agents that the arena knows.
    pub(crate) async fn agents(&self) -> anyhow::Result<Vec<v1::AgentInfo>> {
        let request = v1::ListAgentsRequest::default();
        let listed = self.arena.catalog().list_agents(request).await?;
        Ok(listed.into_inner().agents)
    }

    /// Nothing is left of bots and matches that are gone: neither in the arena's lists nor as a task.
    pub(crate) async fn nothing_is_left(&self) -> anyhow::Result<()> {
        let mut left = String::new();
        let empty = async {
            loop {
                let agents = self.agents().await?;
                if agents.is_empty() && tasks() <= self.idle_tasks {
                    return anyhow::Ok(());
                }
                left = format!(
                    "{} tasks, {} when idle, {agents:?}",
                    tasks(),
                    self.idle_tasks
                );
                tokio::task::yield_now().await;
            }
        };
        let waited = tokio::time::timeout(PATIENCE, empty).await;
        waited.with_context(|| format!("something is left: {left}"))?
    }
}

/// The fewest of some time: a call that has just been answered may still have its task.
async fn idle_tasks() -> usize {
    let mut fewest = tasks();
    for _ in 0..100 {
        tokio::task::yield_now().await;
        fewest = fewest.min(tasks());
    }
    fewest
}

fn tasks() -> usize {
    tokio::runtime::Handle::current()
        .metrics()
        .num_alive_tasks()
}

/// What must hold of every record: each turn has one answer that counts, in its time by the record's own stamps; and who lost on time was late
/// by them.
pub(crate) fn check(record: &v1::MatchRecord) -> anyhow::Result<()> {
    let mut allowed_us = u64::MAX;
    let mut answered = HashSet::new();
    for entry in &record.entries {
        match &entry.entry {
            Some(Entry::Created(created)) => {
                let control = created.time_control.unwrap_or_default();
                let cap = control.turn_cap_ms.unwrap_or(u64::MAX / 2_000);
                allowed_us = 1_000 * (cap + control.lag_allowance_ms.unwrap_or(0));
            }
            Some(Entry::Accepted(accepted)) => {
                ensure!(
                    answered.insert(accepted.turn_id),
                    "turn {} has two answers",
                    accepted.turn_id
                );
                let timing = accepted.timing.context("no stamps")?;
                ensure!(
                    timing.asked_us <= timing.handed_us && timing.handed_us <= timing.answered_us,
                    "{timing:?}"
                );
                ensure!(
                    answered.len() <= 2 || used_us(&timing, timing.answered_us) <= allowed_us,
                    "accepted although late: {timing:?}"
                );
            }
            Some(Entry::Ended(ended)) => {
                let outcome = ended.outcome.clone().unwrap_or_default();
                let timing = match outcome.at_fault() {
                    v1::Seat::One => ended.seat_one_timing,
                    _ => ended.seat_two_timing,
                };
                if outcome.termination() == Termination::Time {
                    let timing = timing.context("a loss on time without stamps")?;
                    let until = match timing.answered_us {
                        0 => entry.at_us,
                        answered => answered,
                    };
                    ensure!(
                        timing.handed_us > 0 && used_us(&timing, until) > allowed_us,
                        "a loss on time, but by the stamps in time: {timing:?}, {}",
                        entry.at_us
                    );
                }
            }
            _ => {}
        }
    }
    Ok(())
}

/// How much of a turn's time is used at `until`.
fn used_us(timing: &v1::TurnTiming, until: u64) -> u64 {
    (timing.carried_us + until - timing.handed_us).saturating_sub(timing.forgiven_us)
}

/// An agent that plays at random, but the same in every match with the same seed, and comes again quickly.
pub(crate) fn random(arena: impl Into<String>, name: &str) -> DialIn {
    let random = Random::new(Seed(11));
    dial_in(arena, name, move |turn: &v1::Turn| {
        let anonymous = v1::Turn {
            match_id: 0,
            ..turn.clone()
        };
        random.choose(&anonymous)
    })
}

/// An agent that comes again quickly.
pub(crate) fn dial_in(arena: impl Into<String>, name: &str, agent: impl Agent) -> DialIn {
    let profile = profile::every_variant(name, 256).with_legal_moves();
    let mut config = Config::new(arena, profile);
    config.retry = Retry {
        first: Duration::from_millis(5),
        longest: Duration::from_millis(100),
        attempts: None,
    };
    DialIn::spawn(config, Arc::new(agent))
}

/// How often something happened.
#[derive(Clone, Debug, Default)]
pub(crate) struct Count(Arc<AtomicU32>);

impl Count {
    pub(crate) fn one_more(&self) -> u32 {
        self.0.fetch_add(1, Ordering::Relaxed)
    }

    pub(crate) fn get(&self) -> u32 {
        self.0.load(Ordering::Relaxed)
    }
}

/// How many times a seat's connection was lost.
pub(crate) fn losses(record: &v1::MatchRecord) -> usize {
    record
        .entries
        .iter()
        .filter(|entry| matches!(entry.entry, Some(Entry::Disconnected(_))))
        .count()
}

/// The moves of a match, by their turns. Both deploy at once, and either may be first.
pub(crate) fn moves(record: &v1::MatchRecord) -> BTreeMap<u32, Option<v1::Move>> {
    record
        .entries
        .iter()
        .filter_map(|entry| match &entry.entry {
            Some(Entry::Accepted(accepted)) => Some((accepted.turn_id, accepted.r#move.clone())),
            _ => None,
        })
        .collect()
}

/// The same games were played, match by match.
pub(crate) fn same_games(
    played: &[v1::MatchRecord],
    expected: &[v1::MatchRecord],
) -> anyhow::Result<()> {
    ensure!(played.len() == expected.len(), "not as many");
    for (number, (played, expected)) in played.iter().zip(expected).enumerate() {
        let (played, expected) = (moves(played), moves(expected));
        let differs = expected
            .iter()
            .find(|(turn_id, action)| played.get(turn_id) != Some(action));
        ensure!(
            differs.is_none() && played.len() == expected.len(),
            "game {number} differs: {differs:?}, {} moves instead of {}",
            played.len(),
            expected.len()
        );
    }
    Ok(())
}
