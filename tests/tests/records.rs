//! Records of matches that ended in every way, over the wire: each verifies, as it came and through proto-JSON.

use std::{sync::Arc, time::Duration};

use anyhow::{Context, ensure};
use broadside_agents::{Config, DialIn, Random, Seed, profile};
use broadside_proto::v1::{
    self, IllegalMoveReason as Reason, Termination, connect_request::Message as Send,
    log_entry::Entry,
};
use broadside_record::verify;
use broadside_tests::{
    Bot, DialledBot, Table, TestArena, VARIANTS, dialled, fast, named, request, shot,
};

/// The record of a match, verified with the arena's key, which must have ended so.
async fn verified(
    arena: &TestArena,
    match_id: u64,
    termination: Termination,
) -> anyhow::Result<v1::MatchRecord> {
    let outcome = arena.outcome(match_id).await?;
    ensure!(outcome.termination() == termination, "{}", outcome.message);
    let record = arena.record(match_id).await?;
    let key = record.public_key.as_slice().try_into()?;
    let verified = verify(&record, Some(key))?;
    ensure!(verified.outcome == outcome);
    let json = serde_json::to_string(&record)?;
    let read: v1::MatchRecord = serde_json::from_str(&json)?;
    ensure!(verify(&read, Some(key))? == verified);
    Ok(record)
}

fn refusals(record: &v1::MatchRecord) -> usize {
    let refused = |entry: &&v1::LogEntry| matches!(entry.entry, Some(Entry::Refused(_)));
    record.entries.iter().filter(refused).count()
}

#[tokio::test]
async fn a_match_of_every_variant_is_verified_and_all_are_signed_with_one_key() -> anyhow::Result<()>
{
    let arena = TestArena::start().await?;
    let agents = ["random-a", "random-b"].map(|name| {
        let profile = profile::every_variant(name, 7).with_legal_moves();
        let random = Random::new(Seed(7));
        DialIn::spawn(Config::new(arena.url(), profile), Arc::new(random))
    });
    let mut keys = Vec::new();
    for (variant, _) in VARIANTS {
        let between = request(variant, named("random-a"), named("random-b"));
        let match_id = arena.create(between).await?;
        let outcome = arena.outcome(match_id).await?;
        let record = verified(&arena, match_id, outcome.termination()).await?;
        ensure!(
            outcome.ending() != v1::Ending::Unspecified,
            "{}",
            outcome.message
        );
        keys.push(record.public_key);
    }
    keys.dedup();
    ensure!(keys.len() == 1, "{keys:?}");
    drop(agents);
    arena.stop().await
}

#[tokio::test]
async fn refused_moves_and_one_too_many_are_verified() -> anyhow::Result<()> {
    let mut table = Table::set_with(v1::Variant::Classic, |it| it.strikes = Some(2)).await?;
    let turn = table.deployed().await?;
    let turn = table
        .refused(&turn, None, Reason::UnsetField, "move")
        .await?;
    let turn = table
        .refused(&turn, shot(11, 1), Reason::OffGrid, "11")
        .await?;
    table.one.answer(&turn, shot(0, 0)).await?;
    let record = verified(&table.arena, table.match_id, Termination::IllegalMoves).await?;
    ensure!(refusals(&record) == 3);
    table.arena.stop().await
}

#[tokio::test]
async fn time_losses_are_verified_in_the_deployment_and_in_the_battle() -> anyhow::Result<()> {
    let mut table = Table::set_with(v1::Variant::Amiral, |it| {
        it.time_control = Some(v1::TimeControl {
            deployment_ms: Some(20),
            ..fast(10_000)
        });
    })
    .await?;
    let turn = table.two.turn().await?;
    let _ = table.two.answer(&turn, Bot::first_legal(&turn)?).await;
    let outcome = table.arena.outcome(table.match_id).await?;
    ensure!(
        outcome.termination() == Termination::Time,
        "{}",
        outcome.message
    );
    verified(&table.arena, table.match_id, Termination::Time).await?;
    table.arena.stop().await?;

    let mut table = Table::set_with(v1::Variant::Salvo, |it| {
        it.time_control = Some(fast(20));
    })
    .await?;
    table.deployed().await?;
    verified(&table.arena, table.match_id, Termination::Time).await?;
    table.arena.stop().await
}

#[tokio::test]
async fn resignations_and_cancellations_are_verified() -> anyhow::Result<()> {
    let mut table = Table::set(v1::Variant::Naumachia).await?;
    table.deployed().await?;
    let resignation = v1::Resignation {
        match_id: table.match_id,
        ..v1::Resignation::default()
    };
    table.two.send(Send::Resignation(resignation)).await?;
    verified(&table.arena, table.match_id, Termination::Resigned).await?;
    table.arena.stop().await?;

    let mut table = Table::set(v1::Variant::Abalone).await?;
    table.one.turn().await?;
    let cancel = v1::CancelMatchRequest {
        match_id: table.match_id,
        reason: "a test".to_owned(),
    };
    table.arena.matches().cancel_match(cancel).await?;
    verified(&table.arena, table.match_id, Termination::Cancelled).await?;
    // And one that never started.
    let between = request(v1::Variant::Classic, named("one"), named("nobody"));
    let match_id = table.arena.create(between).await?;
    let cancel = v1::CancelMatchRequest {
        match_id,
        reason: String::new(),
    };
    table.arena.matches().cancel_match(cancel).await?;
    verified(&table.arena, match_id, Termination::Cancelled).await?;
    table.arena.stop().await
}

#[tokio::test]
async fn seats_that_are_gone_or_never_came_are_verified() -> anyhow::Result<()> {
    let arena = TestArena::start_with(|settings| {
        settings.grace = Duration::from_millis(50);
        settings.connect_timeout = Duration::from_millis(50);
    })
    .await?;
    let mut one = Bot::connect(arena.channel(), Bot::profile("one")).await?;
    let two = Bot::connect(arena.channel(), Bot::profile("two")).await?;
    let between = request(v1::Variant::Abalone, named("one"), named("two"));
    let match_id = arena.create(between).await?;
    one.turn().await?;
    drop(two);
    verified(&arena, match_id, Termination::Disconnected).await?;
    let between = request(v1::Variant::Abalone, named("one"), named("nobody"));
    let match_id = arena.create(between).await?;
    verified(&arena, match_id, Termination::NeverConnected).await?;
    arena.stop().await
}

#[tokio::test]
async fn errors_of_a_dialled_bot_are_verified() -> anyhow::Result<()> {
    let arena = TestArena::start().await?;
    let failing = DialledBot::serve(|_| Err(tonic::Status::internal("no idea"))).await?;
    let playing = DialledBot::serve(|turn| {
        let action =
            Bot::first_legal(&turn).map_err(|error| tonic::Status::internal(error.to_string()))?;
        Ok(v1::ChooseMoveResponse {
            decision: Some(v1::choose_move_response::Decision::Move(action)),
        })
    })
    .await?;
    let between = request(
        v1::Variant::Abalone,
        dialled(failing.address),
        dialled(playing.address),
    );
    let match_id = arena.create(between).await?;
    let record = verified(&arena, match_id, Termination::IllegalMoves).await?;
    let reasons = record
        .entries
        .iter()
        .filter_map(|entry| match &entry.entry {
            Some(Entry::Refused(refused)) => refused.illegal_move.as_ref(),
            _ => None,
        });
    let reasons: Vec<_> = reasons.map(v1::IllegalMove::reason).collect();
    ensure!(reasons == [Reason::AgentError; 4], "{reasons:?}");
    reasons.first().context("a refusal")?;
    arena.stop().await
}
