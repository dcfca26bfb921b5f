//! What is nobody's to know before the end of a match, or ever.

use std::{collections::HashSet, sync::Arc};

use anyhow::Context;
use broadside_arena::store::MemoryStore;
use broadside_proto::v1::{self, connect_response::Message, log_entry::Entry};
use broadside_record::verify::verify;
use broadside_tests::{Bot, Table, TestArena, VARIANTS, named, request};
use prost::Message as _;
use tonic::Code;

#[tokio::test]
async fn fault_52_a_record_is_not_to_be_had_before_the_end_and_whole_after_it() -> anyhow::Result<()>
{
    let mut table = Table::set(v1::Variant::Classic).await?;
    let early = |status: tonic::Status| {
        assert_eq!(status.code(), Code::FailedPrecondition);
        assert!(status.message().contains("is not over"), "{status}");
    };
    early(
        table
            .arena
            .record(table.match_id)
            .await
            .err()
            .context("a record")?,
    );
    let turn = table.deployed().await?;
    early(
        table
            .arena
            .record(table.match_id)
            .await
            .err()
            .context("a record")?,
    );
    table.one.answer(&turn, Bot::first_legal(&turn)?).await?;
    let (one, two) = tokio::join!(table.one.play_first_legal(), table.two.play_first_legal());
    one?;
    two?;
    verify(&table.arena.record(table.match_id).await?, None)?;
    table.arena.stop().await
}

#[tokio::test]
async fn fault_53_ids_do_not_tell_how_many_there_are_or_which_comes_next() -> anyhow::Result<()> {
    let arena = TestArena::start().await?;
    let mut ids = Vec::new();
    for _ in 0..64 {
        let asked = request(v1::Variant::Classic, named("one"), named("two"));
        ids.push(arena.create(asked).await?);
    }
    let distinct: HashSet<_> = ids.iter().collect();
    assert_eq!(distinct.len(), ids.len());
    assert!(!ids.is_sorted(), "{ids:?}");
    // Of all 53 bits each is set in some and not in others.
    let (any, all) = ids
        .iter()
        .fold((0, u64::MAX), |(any, all), id| (any | id, all & id));
    assert_eq!((any, all), ((1 << 53) - 1, 0));
    arena.stop().await
}

/// Everything that a bot is sent, while it plays on, until its match is over.
async fn overhear(bot: &mut Bot) -> anyhow::Result<Vec<u8>> {
    let mut heard = Vec::new();
    loop {
        let message = bot.next().await?;
        match &message {
            Message::Turn(turn) => bot.answer(turn, Bot::first_legal(turn)?).await?,
            Message::MatchEnd(_) => return Ok(heard),
            _ => {}
        }
        let message = v1::ConnectResponse {
            message: Some(message),
        };
        message.encode(&mut heard)?;
    }
}

/// Everything that a spectator is sent until the match is over.
async fn oversee(arena: &TestArena, match_id: u64) -> anyhow::Result<Vec<u8>> {
    use v1::watch_match_response::Update;
    let watch = v1::WatchMatchRequest { match_id };
    let mut updates = arena.matches().watch_match(watch).await?.into_inner();
    let mut seen = Vec::new();
    while let Some(response) = updates.message().await? {
        if let Some(Update::Ended(_)) = &response.update {
            break;
        }
        response.encode(&mut seen)?;
    }
    Ok(seen)
}

fn holds(haystack: &[u8], needle: &[u8]) -> bool {
    haystack.windows(needle.len()).any(|part| part == needle)
}

#[tokio::test]
async fn fault_54_seed_and_key_are_in_nothing_that_is_sent_before_the_end() -> anyhow::Result<()> {
    let arena = TestArena::start().await?;
    let mut drawn = HashSet::new();
    for (variant, name) in VARIANTS {
        let match_id = arena
            .create(request(variant, named("one"), named("two")))
            .await?;
        let watched = oversee(&arena, match_id);
        let mut one = Bot::connect(arena.channel(), Bot::profile("one")).await?;
        let mut two = Bot::connect(arena.channel(), Bot::profile("two")).await?;
        let (one, two, seen) = tokio::join!(overhear(&mut one), overhear(&mut two), watched);
        let record = arena.record(match_id).await?;
        let first = record.entries.first().context("an empty record")?;
        let Some(Entry::Created(created)) = &first.entry else {
            anyhow::bail!("{name}: the first entry is {first:?}");
        };
        let mut varint = Vec::new();
        prost::encoding::encode_varint(created.seed, &mut varint);
        for sent in [one?, two?, seen?] {
            assert!(sent.len() > 500, "{name}: {} bytes", sent.len());
            for secret in [
                created.commitment_key.as_slice(),
                &created.seed.to_be_bytes(),
                &created.seed.to_le_bytes(),
                varint.as_slice(),
                created.seed.to_string().as_bytes(),
            ] {
                assert!(!holds(&sent, secret), "{name}: {secret:?}");
            }
        }
        assert!(drawn.insert(created.seed.to_be_bytes().to_vec()));
        assert!(drawn.insert(created.commitment_key.clone()));
        let everything = record.encode_to_vec();
        assert!(holds(&everything, &created.commitment_key) && holds(&everything, &varint));
    }
    arena.stop().await
}

#[tokio::test]
async fn fault_54_a_player_does_not_choose_the_seed_that_its_opponents_fleet_is_dealt_from()
-> anyhow::Result<()> {
    use broadside_arena::{
        auth::mint,
        store::{Holder, Store},
        time::unix_ms,
    };
    use secrecy::ExposeSecret;
    let store = Arc::new(MemoryStore::new(100));
    let arena =
        TestArena::start_on(store.clone(), |settings| settings.require_tokens = true).await?;
    for (holder, wanted) in [
        (Holder::Agent("one".to_owned()), Code::PermissionDenied),
        (Holder::Operator, Code::Ok),
    ] {
        let minted = mint(holder, unix_ms(), None)?;
        store.add_token(minted.kept).await?;
        let mut asked = tonic::Request::new(v1::CreateMatchRequest {
            seed: Some(7),
            ..request(v1::Variant::Classic, named("one"), named("two"))
        });
        let bearer = format!("Bearer {}", minted.text.expose_secret());
        asked
            .metadata_mut()
            .insert("authorization", bearer.parse()?);
        let created = arena.matches().create_match(asked).await;
        assert_eq!(
            created.map_or_else(|status| status.code(), |_| Code::Ok),
            wanted
        );
    }
    arena.stop().await
}

#[tokio::test]
async fn fault_55_one_agent_is_its_own_opponent_only_where_that_was_asked_for() -> anyhow::Result<()>
{
    let arena = TestArena::start().await?;
    let mut one = Bot::connect(arena.channel(), Bot::profile("one")).await?;
    let with_other = arena
        .create(request(v1::Variant::Classic, named("one"), named("two")))
        .await?;
    let with_itself = arena
        .create(request(v1::Variant::Classic, named("one"), named("one")))
        .await?;
    // Whoever connects as "one" once more is that one, and does not fill the other seat.
    let mut again = Bot::connect(arena.channel(), Bot::profile("one")).await?;
    assert!(one.ended().await.is_ok());
    let end = again.play_first_legal().await?;
    assert_eq!(end.match_id, with_itself);
    let record = arena.record(with_itself).await?;
    assert_eq!(verify(&record, None)?.agents, ["one", "one"]);
    let waiting = v1::GetMatchRequest {
        match_id: with_other,
    };
    let waiting = arena.matches().get_match(waiting).await?.into_inner();
    let waiting = waiting.r#match.context("no match")?;
    assert_eq!(waiting.state(), v1::MatchState::Waiting);
    arena.stop().await
}

/// What a bot is sent in the battle, by kind, and what its shots met.
async fn kinds(bot: &mut Bot) -> anyhow::Result<(Vec<&'static str>, HashSet<String>)> {
    let mut kinds = Vec::new();
    let mut met = HashSet::new();
    loop {
        match bot.next().await? {
            Message::Turn(turn) => {
                bot.answer(&turn, Bot::first_legal(&turn)?).await?;
                kinds.push("turn");
            }
            Message::Accepted(accepted) => {
                let event = accepted.event.context("no event")?;
                met.insert(format!("{:?}", event.answer));
                kinds.push("accepted");
            }
            Message::MatchEnd(_) => return Ok((kinds, met)),
            _ => {}
        }
    }
}

#[tokio::test]
async fn fault_50_hit_miss_and_sunk_take_the_same_way() -> anyhow::Result<()> {
    let arena = TestArena::start().await?;
    let match_id = arena
        .create(request(v1::Variant::Amiral, named("one"), named("two")))
        .await?;
    let wants = |name| v1::AgentProfile {
        wants_accepted: true,
        ..Bot::profile(name)
    };
    let mut one = Bot::connect(arena.channel(), wants("one")).await?;
    let mut two = Bot::connect(arena.channel(), wants("two")).await?;
    let (one, two) = tokio::join!(kinds(&mut one), kinds(&mut two));
    let (mut accepted, mut answers) = (0, HashSet::new());
    for (kinds, met) in [one?, two?] {
        accepted += kinds.iter().filter(|kind| **kind == "accepted").count();
        answers.extend(met);
        // Whatever a shot met, it is one turn and one answer.
        for pair in kinds.chunks(2) {
            assert!(matches!(pair, ["turn", "accepted"] | ["turn"]), "{kinds:?}");
        }
    }
    for kind in [
        "hit: false",
        "hit: true, sunk: None",
        "hit: true, sunk: Some",
    ] {
        assert!(
            answers.iter().any(|answer| answer.contains(kind)),
            "{answers:?}"
        );
    }
    // And one entry of the log.
    let record = arena.record(match_id).await?;
    let moves = verify(&record, None)?.moves;
    assert_eq!(moves, accepted);
    arena.stop().await
}
