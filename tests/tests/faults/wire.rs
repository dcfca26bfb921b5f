//! Messages of other schemas, and none at all.

use anyhow::Context;
use broadside_proto::v1::{self, RejectedReason, connect_request, connect_response::Message};
use broadside_tests::{Bot, Table, TestArena, named, request};
use prost::Message as _;
use tonic::Code;

use crate::raw::{self, RawBot, message_field, unknown_field};

#[tokio::test]
async fn fault_34_an_unknown_variant_of_a_newer_bot_is_just_not_asked_for() -> anyhow::Result<()> {
    let arena = TestArena::start().await?;
    let newer = v1::AgentProfile {
        variants: vec![99, v1::Variant::Classic.into()],
        ..Bot::profile("newer")
    };
    let _bot = Bot::connect(arena.channel(), newer).await?;
    let agents = arena
        .catalog()
        .list_agents(v1::ListAgentsRequest::default())
        .await?
        .into_inner()
        .agents;
    let variants: Vec<_> = agents
        .into_iter()
        .flat_map(|agent| agent.variants)
        .collect();
    // Neither kept nor taken for the value 0.
    assert_eq!(variants, [i32::from(v1::Variant::Classic)]);
    arena.stop().await
}

#[tokio::test]
async fn fault_35_fields_of_a_newer_schema_are_ignored() -> anyhow::Result<()> {
    let arena = TestArena::start().await?;
    let mut hello = v1::Hello {
        protocol_version: 1,
        profile: Some(Bot::profile("newer")),
        ..Default::default()
    }
    .encode_to_vec();
    hello.extend(unknown_field(100));
    let mut bytes = message_field(1, &hello);
    bytes.extend(unknown_field(3));
    let mut newer = RawBot::open(arena.channel()).await?;
    newer.send(bytes).await?;
    assert!(matches!(newer.next().await?, Message::Welcome(_)));

    let mut two = Bot::connect(arena.channel(), Bot::profile("two")).await?;
    let match_id = arena
        .create(request(v1::Variant::Salvo, named("newer"), named("two")))
        .await?;
    let played = async {
        loop {
            match newer.next().await? {
                Message::Turn(turn) => {
                    let mut answer = v1::TurnAnswer {
                        match_id: turn.match_id,
                        turn_id: turn.turn_id,
                        r#move: Some(Bot::first_legal(&turn)?),
                    }
                    .encode_to_vec();
                    answer.extend(unknown_field(10));
                    newer.send(message_field(2, &answer)).await?;
                }
                Message::MatchEnd(_) => return anyhow::Ok(()),
                _ => {}
            }
        }
    };
    let (newer_end, two_end) = tokio::join!(played, two.play_first_legal());
    newer_end?;
    two_end?;
    let outcome = arena.outcome(match_id).await?;
    assert_eq!(
        outcome.termination(),
        v1::Termination::WonByPlay,
        "{}",
        outcome.message
    );
    // A message that holds nothing but what is unknown is an empty one.
    newer.send(unknown_field(5)).await?;
    loop {
        if let Message::Rejected(rejected) = newer.next().await? {
            assert_eq!(rejected.reason(), RejectedReason::EmptyMessage);
            break;
        }
    }
    arena.stop().await
}

#[tokio::test]
async fn fault_36_what_is_no_message_ends_its_stream_and_nothing_else() -> anyhow::Result<()> {
    let mut table = Table::set(v1::Variant::Classic).await?;
    let turn = table.deployed().await?;
    let channel = table.arena.channel();

    // A name that is no UTF-8.
    let mut bot = RawBot::open(channel.clone()).await?;
    let profile = message_field(1, &[0xff, 0xfe]);
    let hello = message_field(2, &profile);
    bot.send(message_field(1, &hello)).await?;
    let status = bot.ended().await?;
    assert_eq!(status.code(), Code::InvalidArgument, "{status:?}");
    assert!(status.message().contains("UTF-8"), "{status:?}");

    // Groups in groups, deeper than any message is.
    let mut bot = RawBot::connect(channel.clone(), Bot::profile("deep")).await?;
    bot.send(vec![0x7b; 10_000]).await?;
    let status = bot.ended().await?;
    assert_eq!(status.code(), Code::InvalidArgument, "{status:?}");
    assert!(status.message().contains("recursion"), "{status:?}");

    // A length that goes beyond the message.
    let mut bot = RawBot::connect(channel.clone(), Bot::profile("long")).await?;
    bot.send(vec![0x12, 0x7f, 1]).await?;
    let status = bot.ended().await?;
    assert_eq!(status.code(), Code::InvalidArgument, "{status:?}");

    // All defaults: an answer to no turn of no match.
    let mut bot = RawBot::connect(channel, Bot::profile("empty")).await?;
    bot.send(
        raw::request(connect_request::Message::Answer(v1::TurnAnswer::default())).encode_to_vec(),
    )
    .await?;
    let Message::Rejected(rejected) = bot.next().await? else {
        anyhow::bail!("not rejected");
    };
    assert_eq!(rejected.reason(), RejectedReason::UnknownMatch);
    bot.send(Vec::new()).await?;
    let Message::Rejected(rejected) = bot.next().await? else {
        anyhow::bail!("not rejected");
    };
    assert_eq!(rejected.reason(), RejectedReason::EmptyMessage);

    table.plays_on(turn).await
}

#[tokio::test]
async fn fault_37_another_protocol_version_is_told_which_one_is_spoken() -> anyhow::Result<()> {
    let arena = TestArena::start().await?;
    for version in [0, 2, u32::MAX] {
        let mut bot = Bot::open(arena.channel()).await?;
        bot.send(connect_request::Message::Hello(v1::Hello {
            protocol_version: version,
            profile: Some(Bot::profile("bot")),
            ..Default::default()
        }))
        .await?;
        let status = bot.ended().await?;
        assert_eq!(status.code(), Code::FailedPrecondition);
        assert_eq!(
            status.message(),
            format!("hello.protocol_version is {version}: this arena speaks version 1")
        );
    }
    let hello = v1::Hello {
        protocol_version: 1,
        profile: Some(Bot::profile("bot")),
        ..Default::default()
    };
    let (_bot, welcome) = Bot::greet(arena.channel(), hello).await?;
    assert_eq!(welcome.protocol_version, 1);
    welcome.limits.context("no limits")?;
    arena.stop().await
}
