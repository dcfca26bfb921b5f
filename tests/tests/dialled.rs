//! Bots that the arena dials.

use std::{
    collections::HashSet,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::Duration,
};

use anyhow::Context;
use broadside_agents::{Hunter, Random, Seed, profile, serve};
use broadside_arena::store::{Log, MemoryStore, Reading, Store};
use broadside_proto::v1::{
    self, IllegalMoveReason, MatchResult, Phase, Termination, choose_move_response::Decision,
};
use broadside_tests::{
    Bot, DialledBot, PATIENCE, TestArena, VARIANTS, Whims, WhimsicalStore, dialled, fast, named,
    request,
};
use tokio::{net::TcpListener, sync::watch};
use tokio_util::sync::CancellationToken;
use tonic::Status;

fn first_legal(turn: &v1::Turn) -> Result<v1::ChooseMoveResponse, Status> {
    let action = Bot::first_legal(turn).map_err(|error| Status::internal(error.to_string()))?;
    Ok(v1::ChooseMoveResponse {
        decision: Some(Decision::Move(action)),
    })
}

async fn outcome_between(
    arena: &TestArena,
    variant: v1::Variant,
    one: v1::Player,
    two: v1::Player,
) -> anyhow::Result<(u64, v1::Outcome)> {
    let match_id = arena.create(request(variant, one, two)).await?;
    Ok((match_id, arena.outcome(match_id).await?))
}

#[tokio::test]
async fn choose_move_alone_makes_a_bot_that_plays_every_variant() -> anyhow::Result<()> {
    let arena = TestArena::start().await?;
    let bot = DialledBot::serve(|turn| first_legal(&turn)).await?;
    for (variant, name) in VARIANTS {
        let (_, outcome) =
            outcome_between(&arena, variant, dialled(bot.address), dialled(bot.address)).await?;
        assert!(
            matches!(
                outcome.termination(),
                Termination::WonByPlay | Termination::DrawByRule
            ),
            "{name}: {}",
            outcome.message
        );
    }
    arena.stop().await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn reference_agents_are_dialled_in_every_variant_against_bots_that_dial_in()
-> anyhow::Result<()> {
    let arena = TestArena::start().await?;
    let stop = CancellationToken::new();
    let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
    let address = listener.local_addr()?;
    let hunter = tokio::spawn(serve(
        listener,
        profile::every_variant("hunter", 64),
        Arc::new(Hunter::new(Seed(5))),
        stop.clone(),
    ));
    let random = broadside_agents::DialIn::spawn(
        broadside_agents::Config::new(
            arena.url(),
            profile::every_variant("random", 64).with_legal_moves(),
        ),
        Arc::new(Random::new(Seed(6))),
    );
    for (variant, name) in VARIANTS {
        for (one, two) in [
            (dialled(address), named("random")),
            (named("random"), dialled(address)),
        ] {
            let (_, outcome) = outcome_between(&arena, variant, one, two).await?;
            assert!(
                matches!(
                    outcome.termination(),
                    Termination::WonByPlay | Termination::DrawByRule
                ),
                "{name}: {}",
                outcome.message
            );
        }
    }
    random.leave().await?;
    stop.cancel();
    hunter.await??;
    arena.stop().await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_bot_that_allows_few_calls_on_a_connection_plays_many_matches_at_once()
-> anyhow::Result<()> {
    let arena = TestArena::start().await?;
    let bot = DialledBot::serve(|turn| first_legal(&turn)).await?;
    let mut created = Vec::new();
    for _ in 0..100 {
        let request = v1::CreateMatchRequest {
            time_control: Some(fast(5_000)),
            ..request(
                v1::Variant::Salvo,
                dialled(bot.address),
                dialled(bot.address),
            )
        };
        created.push(arena.create(request).await?);
    }
    for match_id in created {
        let outcome = arena.outcome(match_id).await?;
        assert_eq!(
            outcome.termination(),
            Termination::WonByPlay,
            "{}",
            outcome.message
        );
    }
    arena.stop().await
}

#[tokio::test]
async fn an_error_in_a_bot_is_a_refused_move_and_the_turn_comes_again_with_the_reason()
-> anyhow::Result<()> {
    let arena = TestArena::start().await?;
    let calls = Arc::new(AtomicUsize::new(0));
    let bot = {
        let calls = calls.clone();
        DialledBot::serve(move |turn| match calls.fetch_add(1, Ordering::Relaxed) {
            0 => Err(Status::internal("oops")),
            1 => {
                let refusal = turn.refusal.clone().unwrap_or_default();
                if refusal.reason() != IllegalMoveReason::AgentError
                    || !refusal.message.contains("oops")
                {
                    return Err(Status::internal("the turn does not say what was wrong"));
                }
                Ok(v1::ChooseMoveResponse { decision: None })
            }
            _ => first_legal(&turn),
        })
        .await?
    };
    let good = DialledBot::serve(|turn| first_legal(&turn)).await?;
    let (match_id, outcome) = outcome_between(
        &arena,
        v1::Variant::Amiral,
        dialled(bot.address),
        dialled(good.address),
    )
    .await?;
    assert_eq!(
        outcome.termination(),
        Termination::WonByPlay,
        "{}",
        outcome.message
    );
    let record = arena.record(match_id).await?;
    let refused: Vec<_> = record
        .entries
        .into_iter()
        .filter_map(|entry| match entry.entry {
            Some(v1::log_entry::Entry::Refused(refused)) => refused.illegal_move,
            _ => None,
        })
        .map(|illegal| illegal.reason())
        .collect();
    assert_eq!(refused.len(), 2, "{refused:?}");
    assert!(refused.contains(&IllegalMoveReason::AgentError));
    assert!(refused.contains(&IllegalMoveReason::UnsetField));
    arena.stop().await
}

#[tokio::test]
async fn a_bot_that_always_fails_loses_by_illegal_moves() -> anyhow::Result<()> {
    let arena = TestArena::start().await?;
    let failing = DialledBot::serve(|_| Err(Status::unknown("always"))).await?;
    let good = DialledBot::serve(|turn| first_legal(&turn)).await?;
    let (_, outcome) = outcome_between(
        &arena,
        v1::Variant::Salvo,
        dialled(good.address),
        dialled(failing.address),
    )
    .await?;
    assert_eq!(outcome.termination(), Termination::IllegalMoves);
    assert_eq!(outcome.result(), MatchResult::SeatOneWins);
    assert!(outcome.message.contains("always"), "{}", outcome.message);
    arena.stop().await
}

#[tokio::test]
async fn a_dialled_bot_may_resign() -> anyhow::Result<()> {
    let arena = TestArena::start().await?;
    let quitter = DialledBot::serve(|turn| match turn.phase() {
        v1::Phase::Deployment => first_legal(&turn),
        _ => Ok(v1::ChooseMoveResponse {
            decision: Some(Decision::Resignation(v1::Resignation::default())),
        }),
    })
    .await?;
    let good = DialledBot::serve(|turn| first_legal(&turn)).await?;
    let (_, outcome) = outcome_between(
        &arena,
        v1::Variant::Classic,
        dialled(quitter.address),
        dialled(good.address),
    )
    .await?;
    assert_eq!(outcome.termination(), Termination::Resigned);
    assert_eq!(outcome.result(), MatchResult::SeatTwoWins);
    arena.stop().await
}

#[tokio::test]
async fn a_dialled_bot_that_is_gone_in_mid_match_loses_after_the_grace() -> anyhow::Result<()> {
    let arena =
        TestArena::start_with(|settings| settings.grace = Duration::from_millis(100)).await?;
    let good = DialledBot::serve(|turn| first_legal(&turn)).await?;
    // A bot that answers its deployment and then cuts every connection.
    let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
    let address = listener.local_addr()?;
    let died = CancellationToken::new();
    let runtime = std::thread::spawn({
        let died = died.clone();
        let listener = listener.into_std()?;
        move || -> anyhow::Result<()> {
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()?;
            runtime.block_on(async {
                let listener = TcpListener::from_std(listener)?;
                let dying = died.clone();
                let _bot = DialledBot::serve_on(listener, move |turn| match turn.phase() {
                    v1::Phase::Deployment => first_legal(&turn),
                    _ => {
                        dying.cancel();
                        Err(Status::unavailable("dying"))
                    }
                })?;
                died.cancelled().await;
                anyhow::Ok(())
            })?;
            // Its connections go with the runtime.
            drop(runtime);
            Ok(())
        }
    });
    let (match_id, outcome) = outcome_between(
        &arena,
        v1::Variant::Classic,
        dialled(address),
        dialled(good.address),
    )
    .await?;
    assert_eq!(
        outcome.termination(),
        Termination::Disconnected,
        "{}",
        outcome.message
    );
    assert_eq!(outcome.result(), MatchResult::SeatTwoWins);
    let record = arena.record(match_id).await?;
    assert!(record.entries.iter().any(|entry| matches!(
        &entry.entry,
        Some(v1::log_entry::Entry::Disconnected(lost)) if lost.seat() == v1::Seat::One
    )));
    runtime
        .join()
        .map_err(|_| anyhow::anyhow!("the bot's thread panicked"))??;
    arena.stop().await
}

// With a thread for the bot to sleep on: time in which the arena itself stands still is charged to nobody.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_dialled_bot_that_thinks_too_long_loses_on_time() -> anyhow::Result<()> {
    let arena = TestArena::start().await?;
    let good = DialledBot::serve(|turn| first_legal(&turn)).await?;
    // Accepts connections at the level of the system, and answers GetProfile never: never connected.
    let deaf = TcpListener::bind(("127.0.0.1", 0)).await?;
    let slow_arena = TestArena::start_with(|settings| {
        settings.connect_timeout = Duration::from_millis(100);
        settings.dial_timeout = Duration::from_millis(50);
    })
    .await?;
    let (_, outcome) = outcome_between(
        &slow_arena,
        v1::Variant::Classic,
        dialled(deaf.local_addr()?),
        dialled(good.address),
    )
    .await?;
    assert_eq!(
        outcome.termination(),
        Termination::NeverConnected,
        "{}",
        outcome.message
    );
    slow_arena.stop().await?;

    let slow = DialledBot::serve(|turn| {
        if turn.phase() == v1::Phase::Battle {
            // Longer than the cap below by far, and on a thread of the server's own.
            std::thread::sleep(Duration::from_millis(300));
        }
        first_legal(&turn)
    });
    let slow = slow.await?;
    let request = v1::CreateMatchRequest {
        time_control: Some(fast(30)),
        ..request(
            v1::Variant::Abalone,
            dialled(slow.address),
            named("patient"),
        )
    };
    let _patient = Bot::connect(arena.channel(), Bot::profile("patient")).await?;
    let match_id = arena.create(request).await?;
    let outcome = arena.outcome(match_id).await?;
    assert_eq!(
        outcome.termination(),
        Termination::Time,
        "{}",
        outcome.message
    );
    assert_eq!(outcome.result(), MatchResult::SeatTwoWins);
    let record = arena.record(match_id).await?;
    let created = record.entries.first().context("an empty record")?;
    assert!(
        matches!(&created.entry, Some(v1::log_entry::Entry::Created(created)) if created.seat_one_dialled)
    );
    arena.stop().await
}

/// Once it is armed, the second log that is read is not to be had before the bot has been asked for a move.
struct SecondLogLate {
    armed: AtomicBool,
    read: AtomicUsize,
    asked: watch::Receiver<HashSet<u64>>,
}

impl Whims for SecondLogLate {
    fn log<'a>(&self, kept: &'a MemoryStore, match_id: u64, from: usize) -> Reading<'a, Log> {
        let is_second =
            self.armed.load(Ordering::Relaxed) && self.read.fetch_add(1, Ordering::Relaxed) == 1;
        let mut asked = self.asked.clone();
        Box::pin(async move {
            if is_second {
                let _ = asked.wait_for(|asked| !asked.is_empty()).await;
            }
            kept.log(match_id, from).await
        })
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_dialled_bot_gets_back_a_match_that_is_resumed_after_the_bot_was_reached_for_another()
-> anyhow::Result<()> {
    let asked = watch::Sender::new(HashSet::new());
    let has_moved = Arc::new(AtomicBool::new(false));
    let (asking, moves) = (asked.clone(), has_moved.clone());
    let bot = DialledBot::serve(move |turn| {
        if turn.phase() == Phase::Battle {
            asking.send_modify(|asked| {
                asked.insert(turn.match_id);
            });
            if !moves.load(Ordering::Relaxed) {
                return Err(Status::unavailable("after the restart"));
            }
        }
        first_legal(&turn)
    })
    .await?;
    let store = Arc::new(WhimsicalStore::new(SecondLogLate {
        armed: AtomicBool::new(false),
        read: AtomicUsize::new(0),
        asked: asked.subscribe(),
    }));
    let at_once = |settings: &mut broadside_arena::Settings| {
        settings.drain_timeout = Duration::from_millis(1);
    };
    let arena = TestArena::start_on(store.clone(), at_once).await?;
    let mut two = Bot::connect(arena.channel(), Bot::profile("two")).await?;
    let mut created = Vec::new();
    for _ in 0..2 {
        let asked = request(v1::Variant::Classic, dialled(bot.address), named("two"));
        created.push(arena.create(asked).await?);
        let turn = two.turn().await?;
        two.answer(&turn, Bot::first_legal(&turn)?).await?;
    }
    let mut both = asked.subscribe();
    let both = both.wait_for(|asked| asked.len() == 2);
    drop(tokio::time::timeout(PATIENCE, both).await??);
    arena.stop().await?;

    asked.send_modify(HashSet::clear);
    has_moved.store(true, Ordering::Relaxed);
    store.whims.armed.store(true, Ordering::Relaxed);
    let arena = TestArena::start_on(store.clone(), at_once).await?;
    let mut two = Bot::connect(arena.channel(), Bot::profile("two")).await?;
    for _ in 0..2 {
        two.play_first_legal().await?;
    }
    for match_id in created {
        let outcome = arena.outcome(match_id).await?;
        assert_eq!(outcome.termination(), Termination::WonByPlay, "{outcome:?}");
    }
    arena.stop().await
}
