//! What the bots of every language do when the arena, another bot or a signal ends their stream.

use anyhow::{Context, ensure};
use broadside_proto::v1::{self, connect_response::Message};
use broadside_tests::{Bot, TestArena, named, request};
use tokio::net::TcpListener;

use crate::{bot::RunningBot, language::languages};

/// Waits until a bot plays, by the start of a match with it.
async fn plays(arena: &TestArena, bot: &RunningBot, opponent: &mut Bot) -> anyhow::Result<()> {
    let request = request(v1::Variant::Classic, named(&bot.name), named("opponent"));
    let match_id = arena.create(request).await?;
    loop {
        let next = opponent.next().await;
        match next.with_context(|| format!("{} does not come: {}", bot.name, bot.said()))? {
            Message::MatchStart(start) if start.match_id == match_id => return Ok(()),
            _ => {}
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_bot_whose_name_another_bot_takes_over_ends_with_status_3() -> anyhow::Result<()> {
    let arena = TestArena::start().await?;
    let mut opponent = Bot::connect(arena.channel(), Bot::profile("opponent")).await?;
    for language in languages().await? {
        let mut bot = RunningBot::dials(language, &arena.url(), &[]).await?;
        plays(&arena, &bot, &mut opponent).await?;
        let _other = Bot::connect(arena.channel(), Bot::profile(language.name)).await?;
        let status = bot.exit_status().await?;
        ensure!(
            status == 3,
            "{} ended with {status}: {}",
            bot.name,
            bot.said()
        );
    }
    arena.stop().await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_bot_that_the_arena_refuses_ends_with_status_1_and_says_why() -> anyhow::Result<()> {
    let arena = TestArena::start_with(|settings| settings.require_tokens = true).await?;
    for language in languages().await? {
        let mut bot = RunningBot::dials(language, &arena.url(), &[]).await?;
        let status = bot.exit_status().await?;
        ensure!(
            status == 1,
            "{} ended with {status}: {}",
            bot.name,
            bot.said()
        );
        ensure!(
            bot.said().contains("token"),
            "{} said {}",
            bot.name,
            bot.said()
        );
    }
    arena.stop().await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_bot_that_is_told_to_stop_leaves_in_order() -> anyhow::Result<()> {
    let arena = TestArena::start().await?;
    let mut opponent = Bot::connect(arena.channel(), Bot::profile("opponent")).await?;
    for language in languages().await? {
        for signal in ["TERM", "INT"] {
            let mut dials = RunningBot::dials(language, &arena.url(), &[]).await?;
            plays(&arena, &dials, &mut opponent).await?;
            let mut serves = RunningBot::serves(language, &[]).await?;
            for bot in [&mut dials, &mut serves] {
                bot.signal(signal).await?;
                let status = bot.exit_status().await?;
                ensure!(
                    status == 0,
                    "{} ended with {status} at SIG{signal}: {}",
                    bot.name,
                    bot.said()
                );
            }
        }
    }
    arena.stop().await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_bot_whose_address_is_taken_ends_with_status_1() -> anyhow::Result<()> {
    let taken = TcpListener::bind(("127.0.0.1", 0)).await?;
    let address = taken.local_addr()?.to_string();
    for language in languages().await? {
        let mut bot = RunningBot::wants_to_serve(language, &address).await?;
        let status = bot.exit_status().await?;
        ensure!(
            status == 1,
            "{} ended with {status}: {}",
            bot.name,
            bot.said()
        );
        ensure!(
            bot.said().contains(&address),
            "{} said {}",
            bot.name,
            bot.said()
        );
    }
    Ok(())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_bot_that_is_used_wrongly_ends_with_status_2() -> anyhow::Result<()> {
    for language in languages().await? {
        for wrong in [
            ["--matches", "0"],
            ["--matches", "many"],
            ["--no-such-flag", "x"],
        ] {
            let wrong = wrong.map(std::ffi::OsStr::new);
            let mut bot = RunningBot::dials(language, "http://127.0.0.1:1", &wrong).await?;
            let status = bot.exit_status().await?;
            ensure!(
                status == 2,
                "{} ended with {status} for {wrong:?}: {}",
                bot.name,
                bot.said()
            );
        }
    }
    Ok(())
}
