//! Answers that come twice, from elsewhere, or out of turn.

use broadside_proto::v1::{self, RejectedReason, Termination, connect_request, log_entry::Entry};
use broadside_tests::{Bot, PATIENCE, Table, named, request, shot};

/// Turns that have an answer in the record, in its order.
fn accepted(record: &v1::MatchRecord) -> Vec<u32> {
    record
        .entries
        .iter()
        .filter_map(|entry| match &entry.entry {
            Some(Entry::Accepted(accepted)) => Some(accepted.turn_id),
            _ => None,
        })
        .collect()
}

async fn two_is_to_act(table: &Table) -> anyhow::Result<bool> {
    let request = v1::GetMatchRequest {
        match_id: table.match_id,
    };
    let shown = table.arena.matches().get_match(request).await?.into_inner();
    let to_act = shown.position.map(|position| position.to_act);
    Ok(to_act == Some(vec![i32::from(v1::Seat::Two)]))
}

#[tokio::test]
async fn fault_15_of_an_answer_whose_stream_breaks_the_pending_turn_says_whether_it_counts()
-> anyhow::Result<()> {
    let mut table = Table::set_with(v1::Variant::Classic, |request| request.seed = Some(1)).await?;
    let first = table.deployed().await?;
    let (mut pending, mut counted, mut lost) = (first, 0, 0);
    while counted + lost < 36 {
        table
            .one
            .answer(&pending, Bot::first_legal(&pending)?)
            .await?;
        // Sometimes it is there, sometimes it is on its way or not even that.
        let step = (counted + lost) % 12;
        for _ in 0..step {
            tokio::task::yield_now().await;
        }
        if step == 11 {
            tokio::time::timeout(PATIENCE, async {
                while !two_is_to_act(&table).await? {}
                anyhow::Ok(())
            })
            .await??;
        }
        table.one = Bot::connect(table.arena.channel(), Bot::profile("one")).await?;
        if two_is_to_act(&table).await? {
            counted += 1;
            let turn = table.two.turn().await?;
            table.two.answer(&turn, Bot::first_legal(&turn)?).await?;
            // It may have been asked again before its answer was taken.
            let answered = pending.turn_id;
            while pending.turn_id == answered {
                pending = table.one.turn().await?;
            }
        } else {
            lost += 1;
            let turn = table.one.turn().await?;
            assert_eq!(turn.turn_id, pending.turn_id);
            pending = turn;
        }
    }
    assert!(counted > 0, "no answer ever arrived");
    table.plays_on(pending).await
}

#[tokio::test]
async fn fault_19_the_same_answer_twice_counts_once() -> anyhow::Result<()> {
    let mut table = Table::set(v1::Variant::Classic).await?;
    let turn = table.deployed().await?;
    for _ in 0..3 {
        table.one.answer(&turn, shot(4, 4)).await?;
    }
    for _ in 0..2 {
        let rejected = table.one.rejected().await?;
        assert_eq!(rejected.reason(), RejectedReason::AlreadyAnswered);
        assert_eq!(
            rejected.message,
            format!(
                "turn {} was answered before: that answer counts",
                turn.turn_id
            )
        );
    }
    let theirs = table.two.turn().await?;
    table
        .two
        .answer(&theirs, Bot::first_legal(&theirs)?)
        .await?;
    let next = table.one.turn().await?;
    let shown = table
        .arena
        .matches()
        .get_match(v1::GetMatchRequest {
            match_id: table.match_id,
        })
        .await?
        .into_inner();
    // Two deployments, one shot of each: and not three of seat 1's.
    assert_eq!(shown.r#match.map(|running| running.moves), Some(4));
    table.plays_on(next).await
}

#[tokio::test]
async fn fault_24_a_move_out_of_turn_changes_nothing() -> anyhow::Result<()> {
    let mut table = Table::set(v1::Variant::Classic).await?;
    let deployment = table.one.turn().await?;
    // A shot before both have deployed.
    table
        .one
        .answer_id(table.match_id, deployment.turn_id + 2, shot(1, 1))
        .await?;
    let rejected = table.one.rejected().await?;
    assert_eq!(rejected.reason(), RejectedReason::UnknownTurn);
    let deployment = table
        .refused(
            &deployment,
            shot(1, 1),
            v1::IllegalMoveReason::OutOfTurn,
            "",
        )
        .await?;
    let turn = table.deployed_after(&deployment).await?;
    // Seat 2, while it is seat 1's turn: neither by the turn that it would have next, nor by the other's.
    for turn_id in [turn.turn_id, turn.turn_id + 1] {
        table
            .two
            .answer_id(table.match_id, turn_id, shot(1, 1))
            .await?;
        let rejected = table.two.rejected().await?;
        assert_eq!(rejected.reason(), RejectedReason::UnknownTurn);
    }
    table.plays_on(turn).await
}

#[tokio::test]
async fn fault_46_what_was_recorded_and_is_sent_again_changes_nothing() -> anyhow::Result<()> {
    let mut table = Table::set(v1::Variant::Salvo).await?;
    let mut recorded = Vec::new();
    // Seat 1 plays its whole match, and all that it says is kept.
    let opponent = async {
        let end = table.two.play_first_legal().await;
        anyhow::Ok((table.two, end?))
    };
    let recording = async {
        use v1::connect_response::Message;
        loop {
            match table.one.next().await? {
                Message::Turn(turn) => {
                    let answer = v1::TurnAnswer {
                        match_id: turn.match_id,
                        turn_id: turn.turn_id,
                        r#move: Some(Bot::first_legal(&turn)?),
                    };
                    recorded.push(answer.clone());
                    table
                        .one
                        .send(connect_request::Message::Answer(answer))
                        .await?;
                }
                Message::MatchEnd(end) => return anyhow::Ok((table.one, end)),
                _ => {}
            }
        }
    };
    let (two, one) = tokio::join!(opponent, recording);
    let ((_two, _), (_one, _)) = (two?, one?);
    let before = table.arena.record(table.match_id).await?;

    // Another session of the same bot says it all again, while another match of it runs.
    let mut again = Bot::connect(table.arena.channel(), Bot::profile("one")).await?;
    let running = table
        .arena
        .create(request(v1::Variant::Salvo, named("one"), named("two")))
        .await?;
    let turn = again.turn().await?;
    for answer in &recorded {
        again
            .send(connect_request::Message::Answer(answer.clone()))
            .await?;
        let rejected = again.rejected().await?;
        assert_eq!(rejected.reason(), RejectedReason::UnknownMatch);
    }
    let after = table.arena.record(table.match_id).await?;
    assert_eq!(before, after);
    assert!(
        recorded
            .iter()
            .all(|answer| accepted(&after).contains(&answer.turn_id))
    );
    // Nor has the match that runs taken any of it.
    let shown = table
        .arena
        .matches()
        .get_match(v1::GetMatchRequest { match_id: running })
        .await?
        .into_inner();
    assert_eq!(shown.r#match.map(|running| running.moves), Some(0));
    again.answer(&turn, Bot::first_legal(&turn)?).await?;
    let resigned = connect_request::Message::Resignation(v1::Resignation {
        match_id: running,
        seat: 0,
    });
    again.send(resigned).await?;
    let outcome = table.arena.outcome(running).await?;
    assert_eq!(outcome.termination(), Termination::Resigned);
    table.arena.stop().await
}
