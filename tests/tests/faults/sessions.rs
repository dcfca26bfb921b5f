//! Who is in a match, and who is not.

use anyhow::Context;
use broadside_proto::v1::{self, RejectedReason, Termination, connect_request};
use broadside_tests::{Bot, Table, TestArena, named, request};
use tonic::Code;

#[tokio::test]
async fn fault_27_one_agent_has_both_seats_only_if_the_request_names_it_twice() -> anyhow::Result<()>
{
    let mut table = Table::set(v1::Variant::Salvo).await?;
    let turn = table.deployed().await?;
    // The same agent once more: it takes its own seat over, and not the other's.
    let mut again = Bot::connect(table.arena.channel(), Bot::profile("one")).await?;
    let same = again.turn().await?;
    assert_eq!((same.turn_id, same.seat()), (turn.turn_id, v1::Seat::One));
    again
        .answer_id(table.match_id, turn.turn_id + 1, Bot::first_legal(&same)?)
        .await?;
    let rejected = again.rejected().await?;
    assert_eq!(rejected.reason(), RejectedReason::UnknownTurn);
    table.one = again;
    let mirror = table
        .arena
        .create(request(v1::Variant::Salvo, named("one"), named("one")))
        .await?;
    let resigned = connect_request::Message::Resignation(v1::Resignation {
        match_id: mirror,
        seat: v1::Seat::Two.into(),
    });
    loop {
        let start = table.one.next().await?;
        if let v1::connect_response::Message::MatchStart(start) = start
            && start.match_id == mirror
        {
            break;
        }
    }
    table.one.send(resigned).await?;
    for _ in 0..2 {
        assert_eq!(table.one.match_end().await?.match_id, mirror);
    }
    table.plays_on(same).await
}

#[tokio::test]
async fn fault_28_a_match_that_is_over_or_cancelled_takes_nobody_in() -> anyhow::Result<()> {
    let arena = TestArena::start().await?;
    let cancel = |match_id| v1::CancelMatchRequest {
        match_id,
        reason: String::new(),
    };
    // Cancelled while it waited for its agents: it does not come back to life when they come.
    let waiting = arena
        .create(request(v1::Variant::Classic, named("one"), named("two")))
        .await?;
    arena.matches().cancel_match(cancel(waiting)).await?;
    let (mut one, welcome) = Bot::resume(arena.channel(), Bot::profile("one"), "").await?;
    let mut two = Bot::connect(arena.channel(), Bot::profile("two")).await?;
    assert!(welcome.running_matches.is_empty());
    let status = arena.matches().cancel_match(cancel(waiting)).await;
    assert_eq!(
        status.expect_err("it is over").code(),
        Code::FailedPrecondition
    );
    one.answer_id(waiting, 1, v1::Move::default()).await?;
    let rejected = one.rejected().await?;
    assert_eq!(rejected.reason(), RejectedReason::UnknownMatch);

    // A match that is played has its two agents, and no third.
    let running = arena
        .create(request(v1::Variant::Classic, named("one"), named("two")))
        .await?;
    let mut third = Bot::connect(arena.channel(), Bot::profile("third")).await?;
    let turn = one.turn().await?;
    third
        .answer_id(running, turn.turn_id, Bot::first_legal(&turn)?)
        .await?;
    let stranger = third.rejected().await?;
    assert_eq!(stranger.reason(), RejectedReason::UnknownMatch);
    assert_eq!(stranger.message, format!("you play no match {running}"));
    one.answer(&turn, Bot::first_legal(&turn)?).await?;
    let (one_end, two_end) = tokio::join!(one.play_first_legal(), two.play_first_legal());
    let outcome = one_end?.outcome.context("no outcome")?;
    two_end?;
    assert_eq!(outcome.termination(), Termination::WonByPlay);
    let status = arena.matches().cancel_match(cancel(running)).await;
    assert_eq!(
        status.expect_err("it is over").code(),
        Code::FailedPrecondition
    );
    arena.stop().await
}
