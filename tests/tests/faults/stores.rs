//! A store that cannot be used for a moment costs a match nothing, whatever it was wanted for.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use anyhow::Context;
use broadside_arena::store::{Append, Appending, Log, MemoryStore, Reading, Store, StoreError};
use broadside_proto::v1::{self, Termination, connect_request::Message, log_entry::Entry};
use broadside_record::verify::verify;
use broadside_tests::{Bot, TestArena, Whims, WhimsicalStore, named, request, shot};

/// Fails the next append, or the next read of a log, if it is told to.
#[derive(Default)]
struct Hiccups {
    append: AtomicBool,
    log: AtomicBool,
}

fn away() -> StoreError {
    StoreError::Unavailable("it is away".to_owned())
}

impl Whims for Hiccups {
    fn append(&self, kept: &Arc<MemoryStore>, append: Arc<Append>) -> Appending {
        if self.append.swap(false, Ordering::Relaxed) {
            return Appending::Done(Err(away()));
        }
        kept.append(append)
    }

    fn log<'a>(&self, kept: &'a MemoryStore, match_id: u64, from: usize) -> Reading<'a, Log> {
        if self.log.swap(false, Ordering::Relaxed) {
            return Box::pin(async { Err(away()) });
        }
        kept.log(match_id, from)
    }
}

fn store() -> Arc<WhimsicalStore<Hiccups>> {
    Arc::new(WhimsicalStore::new(Hiccups::default()))
}

async fn arena_on(store: &Arc<WhimsicalStore<Hiccups>>) -> anyhow::Result<TestArena> {
    TestArena::start_on(store.clone(), |settings| {
        settings.drain_timeout = Duration::from_millis(1);
    })
    .await
}

/// Both have deployed. Returns seat 1's first turn of the battle.
async fn battle(one: &mut Bot, two: &mut Bot) -> anyhow::Result<v1::Turn> {
    for bot in [&mut *one, two] {
        let turn = bot.turn().await?;
        bot.answer(&turn, Bot::first_legal(&turn)?).await?;
    }
    one.turn().await
}

async fn sit_down(arena: &TestArena) -> anyhow::Result<(Bot, Bot)> {
    Ok((
        Bot::connect(arena.channel(), Bot::profile("one")).await?,
        Bot::connect(arena.channel(), Bot::profile("two")).await?,
    ))
}

fn asked() -> v1::CreateMatchRequest {
    request(v1::Variant::Classic, named("one"), named("two"))
}

async fn ends_by_play(arena: &TestArena, match_id: u64) -> anyhow::Result<v1::MatchRecord> {
    let outcome = arena.outcome(match_id).await?;
    assert_eq!(
        outcome.termination(),
        Termination::WonByPlay,
        "{}",
        outcome.message
    );
    let record = arena.record(match_id).await?;
    verify(&record, None)?;
    Ok(record)
}

#[tokio::test]
async fn a_store_that_is_away_as_the_arena_stops_leaves_the_match_to_be_resumed()
-> anyhow::Result<()> {
    let store = store();
    let arena = arena_on(&store).await?;
    let match_id = arena.create(asked()).await?;
    let (mut one, mut two) = sit_down(&arena).await?;
    let turn = battle(&mut one, &mut two).await?;
    // What is wanted next of the store is that it notes the clocks of the match that is left.
    store.whims.append.store(true, Ordering::Relaxed);
    arena.stop().await?;
    assert!(
        !store.whims.append.load(Ordering::Relaxed),
        "it was not asked"
    );

    let arena = arena_on(&store).await?;
    let (mut one, mut two) = sit_down(&arena).await?;
    let again = one.turn().await?;
    assert_eq!((again.turn_id, &again.view), (turn.turn_id, &turn.view));
    one.answer(&again, Bot::first_legal(&again)?).await?;
    let (one, two) = tokio::join!(one.play_first_legal(), two.play_first_legal());
    one?;
    two?;
    ends_by_play(&arena, match_id).await?;
    arena.stop().await
}

#[tokio::test]
async fn a_store_that_is_away_as_a_refusal_is_disputed_is_asked_again() -> anyhow::Result<()> {
    let store = store();
    let arena = arena_on(&store).await?;
    let match_id = arena.create(asked()).await?;
    let (mut one, mut two) = sit_down(&arena).await?;
    let turn = battle(&mut one, &mut two).await?;
    one.answer(&turn, shot(11, 1)).await?;
    let refused = one.turn().await?;
    refused.refusal.as_ref().context("no refusal")?;
    store.whims.log.store(true, Ordering::Relaxed);
    one.send(Message::Dispute(v1::Dispute {
        match_id,
        turn_id: turn.turn_id,
    }))
    .await?;
    let again = one.turn().await?;
    assert!(!store.whims.log.load(Ordering::Relaxed), "it was not asked");
    assert_eq!(again.turn_id, turn.turn_id);
    one.answer(&again, Bot::first_legal(&again)?).await?;
    let (one, two) = tokio::join!(one.play_first_legal(), two.play_first_legal());
    one?;
    two?;
    let record = ends_by_play(&arena, match_id).await?;
    let stood = record
        .entries
        .iter()
        .any(|entry| matches!(&entry.entry, Some(Entry::Disputed(disputed)) if disputed.stands));
    assert!(stood);
    arena.stop().await
}
