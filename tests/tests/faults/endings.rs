//! Every match has one end, whatever comes together.

use anyhow::Context;
use broadside_proto::v1::{
    self, Ending, MatchResult, Termination, connect_request, log_entry::Entry,
};
use broadside_tests::{Bot, Table, TestArena, named, request};

fn ends(record: &v1::MatchRecord) -> usize {
    record
        .entries
        .iter()
        .filter(|entry| matches!(entry.entry, Some(Entry::Ended(_))))
        .count()
}

fn resignation(match_id: u64) -> connect_request::Message {
    connect_request::Message::Resignation(v1::Resignation { match_id, seat: 0 })
}

#[tokio::test]
async fn fault_29_a_resignation_in_the_opponents_turn_counts_at_once() -> anyhow::Result<()> {
    let mut table = Table::set(v1::Variant::Classic).await?;
    let turn = table.deployed().await?;
    assert_eq!(turn.seat(), v1::Seat::One);
    table.two.send(resignation(table.match_id)).await?;
    let outcome = table.one.match_end().await?.outcome.context("no outcome")?;
    assert_eq!(outcome.termination(), Termination::Resigned);
    assert_eq!(outcome.at_fault(), v1::Seat::Two);
    assert_eq!(outcome.result(), MatchResult::SeatOneWins);
    table.arena.stop().await
}

/// Black has ejected five and wins by the one move east; what it is told, and what resigns at the same moment, come in whatever order.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn fault_29_a_winning_move_and_a_resignation_in_the_same_instant_make_one_result()
-> anyhow::Result<()> {
    let arena = TestArena::start().await?;
    let mut one = Bot::connect(arena.channel(), Bot::profile("one")).await?;
    let mut two = Bot::connect(arena.channel(), Bot::profile("two")).await?;
    let last_ply = v1::Options {
        variant: Some(v1::options::Variant::Abalone(v1::AbaloneOptions {
            max_plies: Some(1),
            ..Default::default()
        })),
    };
    let (mut by_play, mut by_resignation) = (0, 0);
    for _ in 0..50 {
        let match_id = arena
            .create(v1::CreateMatchRequest {
                options: Some(last_ply.clone()),
                ..request(v1::Variant::Abalone, named("one"), named("two"))
            })
            .await?;
        let turn = one.turn().await?;
        let action = Bot::first_legal(&turn)?;
        let (answered, resigned) =
            tokio::join!(one.answer(&turn, action), two.send(resignation(match_id)));
        answered?;
        resigned?;
        let (one_end, two_end) = tokio::join!(one.match_end(), two.match_end());
        let (one_told, two_told) = (one_end?.outcome, two_end?.outcome);
        assert_eq!(one_told, two_told);
        let outcome = one_told.context("no outcome")?;
        match outcome.termination() {
            Termination::DrawByRule => by_play += 1,
            Termination::Resigned => {
                assert_eq!(outcome.result(), MatchResult::SeatOneWins);
                by_resignation += 1;
            }
            other => anyhow::bail!("{other:?}: {}", outcome.message),
        }
        let record = arena.record(match_id).await?;
        assert_eq!(ends(&record), 1);
        assert_eq!(arena.outcome(match_id).await?, outcome);
    }
    assert_eq!(by_play + by_resignation, 50);
    arena.stop().await
}

#[tokio::test]
async fn fault_30_both_out_of_time_make_no_result() -> anyhow::Result<()> {
    let arena = TestArena::start().await?;
    let mut one = Bot::connect(arena.channel(), Bot::profile("one")).await?;
    let _two = Bot::connect(arena.channel(), Bot::profile("two")).await?;
    let match_id = arena
        .create(v1::CreateMatchRequest {
            time_control: Some(v1::TimeControl {
                turn_cap_ms: Some(1_000),
                deployment_ms: Some(50),
                ..Default::default()
            }),
            ..request(v1::Variant::Classic, named("one"), named("two"))
        })
        .await?;
    let outcome = one.match_end().await?.outcome.context("no outcome")?;
    assert_eq!(outcome.result(), MatchResult::Void, "{}", outcome.message);
    assert_eq!(outcome.termination(), Termination::Time);
    assert_eq!(outcome.at_fault(), v1::Seat::Unspecified);
    assert_eq!(ends(&arena.record(match_id).await?), 1);
    arena.stop().await
}

/// Two bots that push one marble out and back for ever.
async fn shuffled(max_plies: u32, repetition_limit: u32) -> anyhow::Result<v1::Outcome> {
    let mut table = Table::set_with(v1::Variant::Abalone, |request| {
        request.options = Some(v1::Options {
            variant: Some(v1::options::Variant::Abalone(v1::AbaloneOptions {
                max_plies: Some(max_plies),
                repetition_limit: Some(repetition_limit),
                start: None,
            })),
        });
    })
    .await?;
    let (one, two) = tokio::join!(
        shuffle(&mut table.one, (3, 3), (4, 4)),
        shuffle(&mut table.two, (7, 7), (6, 6))
    );
    let (one, two) = (one?, two?);
    assert_eq!(one, two);
    table.arena.stop().await?;
    Ok(one)
}

async fn shuffle(bot: &mut Bot, home: (u32, u32), out: (u32, u32)) -> anyhow::Result<v1::Outcome> {
    use v1::{AbaloneDirection as Direction, connect_response::Message};
    let north_east = home < out;
    let mut at_home = true;
    loop {
        match bot.next().await? {
            Message::Turn(turn) => {
                let (row, number) = if at_home { home } else { out };
                let direction = if at_home == north_east {
                    Direction::NorthEast
                } else {
                    Direction::SouthWest
                };
                at_home = !at_home;
                let step = v1::AbaloneMove {
                    group: vec![v1::AbaloneCell { row, number }],
                    direction: direction.into(),
                };
                let action = v1::Move {
                    variant: Some(v1::r#move::Variant::Abalone(step)),
                };
                assert!(turn.refusal.is_none(), "{:?}", turn.refusal);
                bot.answer(&turn, action).await?;
            }
            Message::MatchEnd(end) => return end.outcome.context("no outcome"),
            _ => {}
        }
    }
}

#[tokio::test]
async fn fault_31_an_endless_game_is_ended_by_repetition_or_by_its_plies() -> anyhow::Result<()> {
    let repeated = shuffled(400, 3).await?;
    assert_eq!(repeated.termination(), Termination::DrawByRule);
    assert_eq!(repeated.ending(), Ending::Repetition);
    let at_last = shuffled(50, 0).await?;
    assert_eq!(at_last.termination(), Termination::DrawByRule);
    assert_eq!(at_last.ending(), Ending::MaxPlies);
    Ok(())
}
