//! Arenas that keep their matches in PostgreSQL. They need a server; without one they are skipped loudly, and fail with CI=true.

use std::{collections::HashMap, time::Duration};

use anyhow::{Context, ensure};
use broadside_arena::{
    Settings,
    store::{Durability, StorePlace},
};
use broadside_proto::v1::{self, MatchState, Termination, connect_response::Message};
use broadside_record::verify;
use broadside_tests::{
    Bot, TestArena, TestDatabase, VARIANTS, named,
    proxy::{Cut, FaultProxy},
    request,
};

async fn arena_at(url: String) -> anyhow::Result<TestArena> {
    TestArena::start_with(|settings: &mut Settings| {
        settings.store = StorePlace::Postgres(url);
        settings.durability = Durability::Power;
        // A test that leaves a match in play does not wait for it.
        settings.drain_timeout = Duration::from_millis(1);
    })
    .await
}

async fn bots(arena: &TestArena) -> anyhow::Result<(Bot, Bot)> {
    Ok((
        Bot::connect(arena.channel(), Bot::profile("one")).await?,
        Bot::connect(arena.channel(), Bot::profile("two")).await?,
    ))
}

fn between(variant: v1::Variant) -> v1::CreateMatchRequest {
    request(variant, named("one"), named("two"))
}

async fn list(arena: &TestArena) -> anyhow::Result<Vec<v1::Match>> {
    let response = arena
        .matches()
        .list_matches(v1::ListMatchesRequest::default())
        .await?;
    Ok(response.into_inner().matches)
}

async fn get(arena: &TestArena, match_id: u64) -> anyhow::Result<v1::GetMatchResponse> {
    let request = v1::GetMatchRequest { match_id };
    Ok(arena.matches().get_match(request).await?.into_inner())
}

/// Sees that a match ended as its rules say, and that its record holds.
async fn ended_by_its_rules(arena: &TestArena, match_id: u64) -> anyhow::Result<()> {
    let outcome = arena.outcome(match_id).await?;
    ensure!(
        matches!(
            outcome.termination(),
            Termination::WonByPlay | Termination::DrawByRule
        ),
        "match {match_id}: {}",
        outcome.message
    );
    let record = arena.record(match_id).await?;
    verify::verify(&record, None)
        .map_err(|found| anyhow::anyhow!("match {match_id}: {found:?}"))?;
    Ok(())
}

#[tokio::test]
async fn an_arena_goes_on_where_the_one_before_it_on_the_same_database_stopped()
-> anyhow::Result<()> {
    let Some(database) = TestDatabase::create().await? else {
        return Ok(());
    };
    let arena = arena_at(database.url()).await?;
    let (mut one, mut two) = bots(&arena).await?;
    for (variant, _) in VARIANTS {
        let match_id = arena.create(between(variant)).await?;
        let (first, second) = tokio::join!(one.play_first_legal(), two.play_first_legal());
        first?;
        second?;
        ended_by_its_rules(&arena, match_id).await?;
    }
    let over = list(&arena).await?;
    ensure!(over.len() == VARIANTS.len());
    let mut kept = HashMap::new();
    for played in &over {
        let match_id = played.match_id;
        let record = arena.record(match_id).await?;
        kept.insert(match_id, (get(&arena, match_id).await?, record));
    }

    // One is left in the middle.
    let left = arena.create(between(v1::Variant::Classic)).await?;
    loop {
        let (bot, message) = tokio::select! {
            message = one.next() => (&one, message?),
            message = two.next() => (&two, message?),
        };
        match message {
            // All moves before it are kept.
            Message::Turn(turn) if turn.turn_id >= 7 => break,
            Message::Turn(turn) => bot.answer(&turn, Bot::first_legal(&turn)?).await?,
            _ => {}
        }
    }
    let moves = get(&arena, left).await?.r#match.context("no match")?.moves;
    ensure!(moves > 0);
    drop((one, two));
    arena.stop().await?;

    let arena = arena_at(database.url()).await?;
    let (mut one, mut two) = bots(&arena).await?;
    let now = list(&arena).await?;
    ensure!(now.len() == over.len() + 1 && now.get(1..) == Some(&over[..]));
    for (match_id, (played, record)) in kept {
        ensure!(get(&arena, match_id).await? == played, "match {match_id}");
        ensure!(arena.record(match_id).await? == record, "match {match_id}");
    }
    let resumed = get(&arena, left).await?.r#match.context("no match")?;
    ensure!(resumed.state() == MatchState::Running && resumed.moves == moves);
    let (first, second) = tokio::join!(one.play_first_legal(), two.play_first_legal());
    ensure!(first?.match_id == left && second?.match_id == left);
    ended_by_its_rules(&arena, left).await?;
    arena.stop().await
}

/// Plays until so many matches are over, and cuts what is between the arena and its database every few turns.
async fn play_and_cut(bot: &mut Bot, matches: usize, network: &FaultProxy) -> anyhow::Result<()> {
    let (mut turns, mut over) = (0_u32, 0);
    while over < matches {
        match bot.next().await? {
            Message::Turn(turn) => {
                bot.answer(&turn, Bot::first_legal(&turn)?).await?;
                turns += 1;
                if turns.is_multiple_of(60) {
                    network.cut(if turns.is_multiple_of(120) {
                        Cut::Reset
                    } else {
                        Cut::Finish
                    });
                }
            }
            Message::MatchEnd(_) => over += 1,
            _ => {}
        }
    }
    Ok(())
}

#[tokio::test]
async fn connections_to_the_database_that_are_cut_cost_no_match_and_no_move() -> anyhow::Result<()>
{
    const MATCHES: usize = 8;
    let Some(database) = TestDatabase::create().await? else {
        return Ok(());
    };
    let network = FaultProxy::start(database.address().await?, 7)?;
    let arena = arena_at(database.url_through(network.address())?).await?;
    let (mut one, mut two) = bots(&arena).await?;
    let mut created = Vec::new();
    for index in 0..MATCHES {
        let (variant, _) = VARIANTS[index % 3];
        created.push(arena.create(between(variant)).await?);
    }
    let before = network.accepted();
    let (first, second) = tokio::join!(
        play_and_cut(&mut one, MATCHES, &network),
        play_and_cut(&mut two, MATCHES, &network),
    );
    first?;
    second?;
    ensure!(network.accepted() > before, "nothing was cut");
    for match_id in created {
        ended_by_its_rules(&arena, match_id).await?;
    }
    arena.stop().await
}

#[tokio::test]
async fn an_arena_without_its_database_does_not_start() -> anyhow::Result<()> {
    // Nothing listens on port 1.
    let url = "postgres://ada:secret@127.0.0.1:1/arena".to_owned();
    let Err(error) = arena_at(url).await else {
        anyhow::bail!("it started without a store");
    };
    let error = format!("{error:#}");
    ensure!(error.contains("postgres://127.0.0.1/arena"), "{error}");
    ensure!(
        !error.contains("secret") && !error.contains('\n'),
        "{error}"
    );
    Ok(())
}
