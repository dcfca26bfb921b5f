//! Matches of every variant between the reference agents, over gRPC, by the thousand.

use std::{collections::BTreeMap, env, sync::Arc};

use anyhow::{Context, ensure};
use broadside_agents::{Agent, Config, DialIn, Hunter, Random, Seed, profile};
use broadside_proto::v1::{self, MatchResult, Termination};
use broadside_tests::{TestArena, VARIANTS, named, request};
use futures_util::{StreamExt, TryStreamExt, stream};

/// Matches of each variant and pairing: BROADSIDE_MATCHES, else this many.
const MATCHES: usize = 1_000;
/// How many of them at once.
const AT_ONCE: usize = 64;

fn matches() -> usize {
    env::var("BROADSIDE_MATCHES")
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(MATCHES)
}

fn agent(arena: &TestArena, name: &str, agent: impl Agent) -> DialIn {
    let profile = profile::every_variant(name, 256);
    let profile = if name.starts_with("random") {
        profile.with_legal_moves()
    } else {
        profile
    };
    DialIn::spawn(Config::new(arena.url(), profile), Arc::new(agent))
}

/// Plays matches of one variant; seats change from match to match. Returns the outcomes, with the seat of the first player.
async fn play(
    arena: &TestArena,
    variant: v1::Variant,
    players: [&str; 2],
    count: usize,
) -> anyhow::Result<Vec<(v1::Seat, v1::Outcome)>> {
    stream::iter(0..count)
        .map(|index| async move {
            let [one, two] = players.map(named);
            let (seat, one, two) = if index % 2 == 0 {
                (v1::Seat::One, one, two)
            } else {
                (v1::Seat::Two, two, one)
            };
            let request = v1::CreateMatchRequest {
                seed: Some(index as u64),
                ..request(variant, one, two)
            };
            let match_id = arena.create(request).await?;
            let outcome = arena.outcome(match_id).await?;
            ensure!(
                matches!(
                    outcome.termination(),
                    Termination::WonByPlay | Termination::DrawByRule
                ),
                "match {match_id} of {variant:?} ended otherwise: {}",
                outcome.message
            );
            let record = arena.record(match_id).await?;
            for entry in &record.entries {
                if let Some(v1::log_entry::Entry::Refused(refused)) = &entry.entry {
                    anyhow::bail!("match {match_id} of {variant:?}: {refused:?}");
                }
            }
            Ok((seat, outcome))
        })
        .buffer_unordered(AT_ONCE)
        .try_collect()
        .await
}

fn won(seat: v1::Seat, outcome: &v1::Outcome) -> bool {
    let result = match seat {
        v1::Seat::One => MatchResult::SeatOneWins,
        _ => MatchResult::SeatTwoWins,
    };
    outcome.result() == result
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn random_against_random_ends_by_the_rules_in_every_variant() -> anyhow::Result<()> {
    let arena = TestArena::start().await?;
    let one = agent(&arena, "random-one", Random::new(Seed(1)));
    let two = agent(&arena, "random-two", Random::new(Seed(2)));
    for (variant, name) in VARIANTS {
        let outcomes = play(&arena, variant, ["random-one", "random-two"], matches()).await?;
        let mut endings = BTreeMap::new();
        for (_, outcome) in &outcomes {
            *endings.entry(outcome.ending().as_str_name()).or_insert(0) += 1;
        }
        println!("{name}: {endings:?}");
        assert_eq!(outcomes.len(), matches());
    }
    one.leave().await?;
    two.leave().await?;
    arena.stop().await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn hunter_beats_random() -> anyhow::Result<()> {
    let arena = TestArena::start().await?;
    let hunter = agent(&arena, "hunter", Hunter::new(Seed(3)));
    let random = agent(&arena, "random", Random::new(Seed(4)));
    let mut shares = Vec::new();
    for (variant, name) in VARIANTS {
        let outcomes = play(&arena, variant, ["hunter", "random"], matches()).await?;
        let wins = outcomes
            .iter()
            .filter(|(seat, outcome)| won(*seat, outcome))
            .count();
        println!("{name}: hunter won {wins} of {}", outcomes.len());
        shares.push((variant, name, wins as f64 / outcomes.len() as f64));
    }
    for (variant, name, share) in shares {
        let least = match variant {
            v1::Variant::AdvancedSalvo => 0.75,
            _ => 0.95,
        };
        assert!(share >= least, "hunter won {share} of {name}, not {least}");
    }
    hunter.leave().await.context("hunter")?;
    random.leave().await?;
    arena.stop().await
}
