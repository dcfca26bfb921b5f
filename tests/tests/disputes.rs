//! A bot that thinks a refusal wrong disputes it: the log is replayed and the move judged again, on the spot.

use anyhow::Context;
use broadside_proto::v1::{
    self, IllegalMoveReason as Reason, RejectedReason, choose_move_response::Decision,
    connect_request::Message, log_entry::Entry,
};
use broadside_record::verify;
use broadside_tests::{Bot, DialledBot, Table, TestArena, dialled, named, request, shot};

fn dispute(turn: &v1::Turn) -> Message {
    Message::Dispute(v1::Dispute {
        match_id: turn.match_id,
        turn_id: turn.turn_id,
    })
}

#[tokio::test]
async fn a_refusal_that_stands_is_told_again_and_is_in_the_record() -> anyhow::Result<()> {
    let mut table = Table::set(v1::Variant::Classic).await?;
    let (arena, match_id) = (table.arena.channel(), table.match_id);
    let turn = table.deployed().await?;
    let off_grid = shot(11, 1);
    let refused = table
        .refused(&turn, off_grid, Reason::OffGrid, "11")
        .await?;
    table.one.send(dispute(&refused)).await?;
    let again = table.one.turn().await?;
    assert_eq!(again.turn_id, turn.turn_id);
    assert_eq!(again.refusal, refused.refusal);
    assert_eq!(again.refusals_left, refused.refusals_left);
    // Once for each refusal.
    table.one.send(dispute(&again)).await?;
    let rejected = table.one.rejected().await?;
    assert_eq!(rejected.reason(), RejectedReason::NothingToDispute);
    assert_eq!(rejected.turn_id, turn.turn_id);
    // And another one can be disputed again.
    let refused = table
        .refused(&again, shot(0, 1), Reason::OffGrid, "0")
        .await?;
    table.one.send(dispute(&refused)).await?;
    let again = table.one.turn().await?;
    let keep = table.arena.matches();
    table.one.answer(&again, Bot::first_legal(&again)?).await?;
    let (one, two) = tokio::join!(table.one.play_first_legal(), table.two.play_first_legal());
    one?;
    two?;
    let mut client = keep;
    let record = client
        .get_match_record(v1::GetMatchRecordRequest { match_id })
        .await?
        .into_inner()
        .record
        .context("no record")?;
    verify(&record, None)?;
    let disputes = record
        .entries
        .iter()
        .filter_map(|entry| match &entry.entry {
            Some(Entry::Disputed(disputed)) => Some((disputed.turn_id, disputed.stands)),
            _ => None,
        });
    assert_eq!(
        disputes.collect::<Vec<_>>(),
        [(turn.turn_id, true), (turn.turn_id, true)]
    );
    drop(arena);
    Ok(())
}

#[tokio::test]
async fn there_is_nothing_to_dispute_but_ones_own_pending_refusal() -> anyhow::Result<()> {
    let mut table = Table::set(v1::Variant::Classic).await?;
    let turn = table.deployed().await?;
    // Not refused yet; the opponent's; none at all.
    table.one.send(dispute(&turn)).await?;
    let rejected = table.one.rejected().await?;
    assert_eq!(rejected.reason(), RejectedReason::NothingToDispute);
    let refused = table
        .refused(&turn, shot(11, 1), Reason::OffGrid, "11")
        .await?;
    table.two.send(dispute(&refused)).await?;
    let rejected = table.two.rejected().await?;
    assert_eq!(rejected.reason(), RejectedReason::NothingToDispute);
    let nowhere = v1::Turn {
        match_id: 1,
        ..refused.clone()
    };
    table.one.send(dispute(&nowhere)).await?;
    let rejected = table.one.rejected().await?;
    assert_eq!(rejected.reason(), RejectedReason::UnknownMatch);
    table.plays_on(refused).await
}

#[tokio::test]
async fn a_dialled_bot_disputes_by_its_answer_and_is_asked_again() -> anyhow::Result<()> {
    let arena = TestArena::start().await?;
    // Fires off the grid, disputes the refusal, disputes in vain, and then does as it should.
    let bot = DialledBot::serve(|turn| {
        let battle = turn.phase() == v1::Phase::Battle;
        let first = turn.turn_id == 3;
        let decision = match turn.refusals_left {
            3 if battle && first => Decision::Move(shot(11, 1)),
            2 if battle && first => Decision::Dispute(v1::Dispute::default()),
            _ => Decision::Move(
                Bot::first_legal(&turn)
                    .map_err(|error| tonic::Status::internal(error.to_string()))?,
            ),
        };
        Ok(v1::ChooseMoveResponse {
            decision: Some(decision),
        })
    })
    .await?;
    let mut other = Bot::connect(arena.channel(), Bot::profile("other")).await?;
    let asked = request(v1::Variant::Classic, dialled(bot.address), named("other"));
    let match_id = arena
        .create(v1::CreateMatchRequest {
            strikes: Some(3),
            ..asked
        })
        .await?;
    other.play_first_legal().await?;
    let record = arena.record(match_id).await?;
    verify(&record, None)?;
    let mut refusals = Vec::new();
    let mut disputes = 0;
    for entry in &record.entries {
        match &entry.entry {
            Some(Entry::Refused(refused)) => {
                refusals.push(refused.illegal_move.clone().unwrap_or_default().reason());
            }
            Some(Entry::Disputed(disputed)) => {
                assert!(disputed.stands);
                disputes += 1;
            }
            _ => {}
        }
    }
    // The second dispute of the same refusal is an answer that is none.
    assert_eq!(disputes, 1);
    assert_eq!(refusals, [Reason::OffGrid, Reason::AgentError]);
    arena.stop().await
}
