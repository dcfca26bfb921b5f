//! A task that panics: the match is nobody's loss, and everybody else plays on.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

use anyhow::Context;
use broadside_arena::{
    panics,
    store::{Append, Appending, Log, MemoryStore, Reading, Store},
};
use broadside_proto::v1::{self, Termination, log_entry::Entry};
use broadside_record::verify::verify;
use broadside_tests::{Bot, TestArena, Whims, WhimsicalStore, named, request};

/// Panics once when a match has so many entries, before or after it has kept them.
struct Panicking {
    /// The match; 0 for none.
    cursed: AtomicU64,
    at: usize,
    before: bool,
    /// Whether its log cannot be read either.
    unreadable: bool,
}

impl Panicking {
    fn store(at: usize, before: bool, unreadable: bool) -> Arc<WhimsicalStore<Self>> {
        Arc::new(WhimsicalStore::new(Self {
            cursed: AtomicU64::new(0),
            at,
            before,
            unreadable,
        }))
    }

    fn is_time(&self, append: &Append) -> bool {
        let reached = append.first <= self.at && self.at < append.first + append.entries.len();
        let lifted = || {
            self.cursed
                .compare_exchange(append.match_id, 0, Ordering::Relaxed, Ordering::Relaxed)
        };
        reached && lifted().is_ok()
    }
}

impl Whims for Panicking {
    fn is_durable(&self) -> bool {
        self.unreadable
    }

    fn append(&self, kept: &Arc<MemoryStore>, append: Arc<Append>) -> Appending {
        let now = self.is_time(&append);
        assert!(!(now && self.before), "a test's own panic");
        let kept = kept.append(append);
        assert!(!now, "a test's own panic");
        kept
    }

    fn log<'a>(&self, kept: &'a MemoryStore, match_id: u64, from: usize) -> Reading<'a, Log> {
        let cursed = self.cursed.load(Ordering::Relaxed) == match_id;
        assert!(!(self.unreadable && cursed), "a test's own panic");
        kept.log(match_id, from)
    }
}

#[tokio::test]
async fn fault_72_a_match_whose_task_panics_is_void_and_others_play_on() -> anyhow::Result<()> {
    panics::watch();
    // Created, started, two deployments; then in the battle.
    for at in [1, 3, 9] {
        for before in [true, false] {
            let counted = panics::count();
            let store = Panicking::store(at, before, false);
            let arena = TestArena::start_on(store.clone(), |_| {}).await?;
            let asked = || request(v1::Variant::Classic, named("one"), named("two"));
            let cursed = arena.create(asked()).await?;
            store.whims.cursed.store(cursed, Ordering::Relaxed);
            let other = arena.create(asked()).await?;
            let mut one = Bot::connect(arena.channel(), Bot::profile("one")).await?;
            let mut two = Bot::connect(arena.channel(), Bot::profile("two")).await?;
            for _ in 0..2 {
                let (one, two) = tokio::join!(one.play_first_legal(), two.play_first_legal());
                let (one, two) = (one?, two?);
                let outcomes = [one.outcome, two.outcome];
                let ended = outcomes.map(|outcome| outcome.unwrap_or_default().termination());
                let wanted = match one.match_id == cursed {
                    true => Termination::PlatformFault,
                    false => Termination::WonByPlay,
                };
                // The two bots may hear of the two ends in another order.
                if one.match_id == two.match_id {
                    assert_eq!(ended, [wanted; 2], "entry {at}");
                }
            }
            let record = arena.record(cursed).await?;
            let verified = verify(&record, None)?;
            assert_eq!(verified.outcome.termination(), Termination::PlatformFault);
            assert_eq!(verified.outcome.result(), v1::MatchResult::Void);
            assert_eq!(verified.outcome.fault(), v1::Fault::Platform);
            // What was kept before is in it, and nothing else.
            let kept = record.entries.len() - 1;
            assert!(kept >= if before { at } else { at + 1 }, "{kept}");
            let verified = verify(&arena.record(other).await?, None)?;
            assert_eq!(verified.outcome.termination(), Termination::WonByPlay);
            assert!(panics::count() > counted);
            arena.stop().await?;
        }
    }
    Ok(())
}

#[tokio::test]
async fn fault_72_an_end_that_was_kept_stands_whatever_panics_after_it() -> anyhow::Result<()> {
    // How many entries such a match has.
    let asked = || v1::CreateMatchRequest {
        seed: Some(7),
        ..request(v1::Variant::Classic, named("one"), named("two"))
    };
    let mut last = usize::MAX;
    for _ in 0..2 {
        let store = Panicking::store(last, false, false);
        let arena = TestArena::start_on(store.clone(), |_| {}).await?;
        let match_id = arena.create(asked()).await?;
        store.whims.cursed.store(match_id, Ordering::Relaxed);
        let mut one = Bot::connect(arena.channel(), Bot::profile("one")).await?;
        let mut two = Bot::connect(arena.channel(), Bot::profile("two")).await?;
        let (one, two) = tokio::join!(one.play_first_legal(), two.play_first_legal());
        for end in [one?, two?] {
            let outcome = end.outcome.context("no outcome")?;
            assert_eq!(outcome.termination(), Termination::WonByPlay);
        }
        let record = arena.record(match_id).await?;
        verify(&record, None)?;
        let ended = |entry: &v1::LogEntry| matches!(entry.entry, Some(Entry::Ended(_)));
        last = record.entries.len() - 1;
        assert_eq!(record.entries.iter().position(ended), Some(last));
        arena.stop().await?;
        let lifted = store.whims.cursed.load(Ordering::Relaxed) == 0;
        assert_eq!(lifted, store.whims.at != usize::MAX, "it panicked");
    }
    Ok(())
}

#[tokio::test]
async fn fault_72_a_match_that_cannot_be_read_without_a_panic_keeps_no_other_from_being_resumed()
-> anyhow::Result<()> {
    let store = Panicking::store(usize::MAX, true, true);
    let start = || TestArena::start_on(store.clone(), |_| {});
    let arena = start().await?;
    let asked = || request(v1::Variant::Salvo, named("one"), named("two"));
    let cursed = arena.create(asked()).await?;
    let other = arena.create(asked()).await?;
    arena.stop().await?;
    store.whims.cursed.store(cursed, Ordering::Relaxed);
    let arena = start().await?;
    let mut one = Bot::connect(arena.channel(), Bot::profile("one")).await?;
    let mut two = Bot::connect(arena.channel(), Bot::profile("two")).await?;
    let (one, two) = tokio::join!(one.play_first_legal(), two.play_first_legal());
    assert_eq!([one?.match_id, two?.match_id], [other; 2]);
    // To ask for it breaks that call, and no other on the same connection.
    let (asked, listed) = tokio::join!(
        async { arena.record(other).await.map(|record| record.match_id) },
        async {
            let mut matches = arena.matches();
            let cursed = v1::GetMatchRequest { match_id: cursed };
            matches.get_match(cursed).await
        }
    );
    assert_eq!(asked?, other);
    assert!(listed.is_err());
    arena.stop().await
}
