//! Every language against an arena of a contract that has more of everything: what a bot does not know it ignores.

use anyhow::{Context, ensure};
use broadside_agents::{Config, DialIn, Random, Seed, profile};
use broadside_tests::{
    TestArena, VARIANTS, dialled, named,
    newer::{Newer, NewerEnd},
};

use crate::{
    bot::RunningBot,
    language::languages,
    matches::{create, ended_well},
};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_language_plays_every_variant_with_an_arena_of_a_newer_contract() -> anyhow::Result<()>
{
    let arena = TestArena::start().await?;
    let config = Config::new(
        arena.url(),
        profile::every_variant("opponent", 1_000).with_legal_moves(),
    );
    let opponent = DialIn::spawn(config, std::sync::Arc::new(Random::new(Seed(1))));
    let newer = NewerEnd::start(arena.address(), Newer::Called).await?;
    for language in languages().await? {
        let dials = RunningBot::dials(language, &newer.url(), &[]).await?;
        let serves = RunningBot::serves(language, &[]).await?;
        let address = serves.address.as_ref().context("it serves")?;
        let calls = NewerEnd::start(address.parse()?, Newer::Caller).await?;
        for (player, bot) in [
            (named(language.name), &dials),
            (dialled(calls.address()), &serves),
        ] {
            let mut created = Vec::new();
            for (variant, name) in VARIANTS {
                let match_id = create(&arena, variant, player.clone(), named("opponent")).await?;
                created.push((name, match_id));
            }
            for (name, match_id) in created {
                ended_well(&arena, match_id)
                    .await
                    .with_context(|| format!("{}, {name}:\n{}", language.name, bot.said()))?;
            }
        }
        ensure!(calls.enriched() > 70, "{}", calls.enriched());
    }
    ensure!(newer.enriched() > 70, "{}", newer.enriched());
    opponent.leave().await?;
    arena.stop().await
}
