//! Every language in every variant, and against every other.

use anyhow::{Context, ensure};
use broadside_agents::{Config, DialIn, Random, Seed, profile};
use broadside_proto::v1::{self, Termination};
use broadside_tests::{TestArena, VARIANTS, dialled, named, request};

use crate::{bot::RunningBot, language::languages};

/// Both ways in which a language's bot is reached.
struct Both {
    name: &'static str,
    dials: RunningBot,
    serves: RunningBot,
}

impl Both {
    fn dialling(&self) -> v1::Player {
        named(self.name)
    }

    fn serving(&self) -> anyhow::Result<v1::Player> {
        let address = self.serves.address.as_ref().context("it serves")?;
        Ok(dialled(address))
    }
}

async fn start_all(arena: &TestArena) -> anyhow::Result<Vec<Both>> {
    let mut bots = Vec::new();
    for language in languages().await? {
        bots.push(Both {
            name: language.name,
            dials: RunningBot::dials(language, &arena.url(), &[]).await?,
            serves: RunningBot::serves(language, &[]).await?,
        });
    }
    Ok(bots)
}

/// A request for a match with all the time that a machine with much to do may need: what it is about is how it ends.
pub(crate) fn patient_request(
    variant: v1::Variant,
    one: v1::Player,
    two: v1::Player,
) -> v1::CreateMatchRequest {
    v1::CreateMatchRequest {
        time_control: Some(v1::TimeControl {
            turn_cap_ms: Some(60_000),
            deployment_ms: Some(60_000),
            ..Default::default()
        }),
        ..request(variant, one, two)
    }
}

/// Creates a match of a [`patient_request`].
pub(crate) async fn create(
    arena: &TestArena,
    variant: v1::Variant,
    one: v1::Player,
    two: v1::Player,
) -> anyhow::Result<u64> {
    Ok(arena.create(patient_request(variant, one, two)).await?)
}

/// It was played to the end that the rules gave it, and no move was refused.
pub(crate) async fn ended_well(arena: &TestArena, match_id: u64) -> anyhow::Result<()> {
    let outcome = arena.outcome(match_id).await?;
    ensure!(
        matches!(
            outcome.termination(),
            Termination::WonByPlay | Termination::DrawByRule
        ),
        "{}",
        outcome.message
    );
    let record = arena.record(match_id).await?;
    let refused = record
        .entries
        .iter()
        .find(|entry| matches!(&entry.entry, Some(v1::log_entry::Entry::Refused(_))));
    ensure!(refused.is_none(), "a move was refused: {refused:?}");
    Ok(())
}

async fn all_end_well(
    arena: &TestArena,
    bots: &[Both],
    created: Vec<(String, u64)>,
) -> anyhow::Result<()> {
    for (what, match_id) in created {
        ended_well(arena, match_id).await.with_context(|| {
            let said = |bot: &RunningBot| format!("\n--- {} said:\n{}", bot.name, bot.said());
            let said = bots
                .iter()
                .flat_map(|bot| [&bot.dials, &bot.serves])
                .filter(|bot| what.contains(&bot.name))
                .map(said);
            format!("{what}{}", said.collect::<String>())
        })?;
    }
    Ok(())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_language_plays_every_variant_in_both_directions() -> anyhow::Result<()> {
    let arena = TestArena::start().await?;
    let config = Config::new(
        arena.url(),
        profile::every_variant("opponent", 1_000).with_legal_moves(),
    );
    let opponent = DialIn::spawn(config, std::sync::Arc::new(Random::new(Seed(1))));
    let bots = start_all(&arena).await?;
    let mut created = Vec::new();
    for bot in &bots {
        for (index, (variant, name)) in VARIANTS.into_iter().enumerate() {
            for (direction, player) in [("dials", bot.dialling()), ("serves", bot.serving()?)] {
                let (one, two) = if index % 2 == 0 {
                    (player, named("opponent"))
                } else {
                    (named("opponent"), player)
                };
                let match_id = create(&arena, variant, one, two).await?;
                created.push((format!("{} {direction}, {name}", bot.name), match_id));
            }
        }
    }
    all_end_well(&arena, &bots, created).await?;
    opponent.leave().await?;
    arena.stop().await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_ordered_pair_of_languages_plays() -> anyhow::Result<()> {
    let arena = TestArena::start().await?;
    let bots = start_all(&arena).await?;
    let mut variants = VARIANTS.into_iter().cycle();
    let mut created = Vec::new();
    for (number, one) in bots.iter().enumerate() {
        for (other, two) in bots.iter().enumerate() {
            let (variant, name) = variants.next().context("they go round")?;
            // Each direction against each, turn by turn.
            let first = if (number + other) % 2 == 0 {
                one.dialling()
            } else {
                one.serving()?
            };
            let second = if number % 2 == 0 {
                two.serving()?
            } else {
                two.dialling()
            };
            let match_id = create(&arena, variant, first, second).await?;
            created.push((
                format!("{} against {}, {name}", one.name, two.name),
                match_id,
            ));
        }
    }
    all_end_well(&arena, &bots, created).await?;
    arena.stop().await
}
