//! What a bot sends that cannot be used, or does not send: each has its own answer, and harms no match.

use anyhow::Context;
use broadside_proto::v1::{self, RejectedReason, Termination, connect_request};
use broadside_tests::{
    Bot, Table, TestArena, VARIANTS, classic, fast, named, options, request, shot,
};
use tonic::Code;

#[tokio::test]
async fn fault_21_22_23_answers_to_other_turns_and_matches_are_told_so_and_change_nothing()
-> anyhow::Result<()> {
    let mut table = Table::set(v1::Variant::Classic).await?;
    let deployment = table.one.turn().await?;
    let first = table.deployed_after(&deployment).await?;
    let legal = Bot::first_legal(&first)?;

    // A second answer to a turn that was answered.
    table
        .one
        .answer(&deployment, Bot::first_legal(&deployment)?)
        .await?;
    let rejected = table.one.rejected().await?;
    assert_eq!(rejected.reason(), RejectedReason::AlreadyAnswered);
    assert_eq!(
        (rejected.match_id, rejected.turn_id),
        (table.match_id, deployment.turn_id)
    );

    // Turns that never were, and one of the opponent.
    for turn_id in [0, first.turn_id + 2, first.turn_id + 1, u32::MAX] {
        table
            .one
            .answer_id(table.match_id, turn_id, legal.clone())
            .await?;
        let rejected = table.one.rejected().await?;
        assert_eq!(
            rejected.reason(),
            RejectedReason::UnknownTurn,
            "turn {turn_id}"
        );
    }

    // A match that never was, and another match that this bot does play.
    table.one.answer_id(1, first.turn_id, legal.clone()).await?;
    let rejected = table.one.rejected().await?;
    assert_eq!(rejected.reason(), RejectedReason::UnknownMatch);
    let other = table
        .arena
        .create(request(v1::Variant::Classic, named("one"), named("two")))
        .await?;
    let others_turn = table.one.turn().await?;
    assert_eq!(others_turn.match_id, other);
    table
        .one
        .answer_id(other, first.turn_id + 2, legal.clone())
        .await?;
    let rejected = table.one.rejected().await?;
    assert_eq!(
        (rejected.match_id, rejected.reason()),
        (other, RejectedReason::UnknownTurn)
    );

    // A match of others is none of its own, in the same words as one that never was.
    let stranger = Bot::connect(table.arena.channel(), Bot::profile("stranger")).await?;
    let mut stranger = stranger;
    stranger
        .answer_id(table.match_id, first.turn_id, legal.clone())
        .await?;
    let theirs = stranger.rejected().await?;
    stranger.answer_id(1, first.turn_id, legal).await?;
    let none = stranger.rejected().await?;
    assert_eq!(theirs.reason, none.reason);
    assert_eq!(
        theirs.message.replace(&table.match_id.to_string(), "1"),
        none.message
    );

    let cancel = v1::CancelMatchRequest {
        match_id: other,
        reason: String::new(),
    };
    table.arena.matches().cancel_match(cancel).await?;
    for bot in [&mut table.one, &mut table.two] {
        bot.match_end().await?;
    }
    table.plays_on(first).await
}

#[tokio::test]
async fn fault_20_a_second_answer_to_a_turn_changes_nothing_even_with_another_move()
-> anyhow::Result<()> {
    let mut table = Table::set(v1::Variant::Classic).await?;
    let turn = table.deployed().await?;
    table.one.answer(&turn, shot(4, 4)).await?;
    table.one.answer(&turn, shot(9, 9)).await?;
    let rejected = table.one.rejected().await?;
    assert_eq!(rejected.reason(), RejectedReason::AlreadyAnswered);
    let turn = table.two.turn().await?;
    let Some(v1::view::Variant::Classic(view)) = turn.view.clone().and_then(|view| view.variant)
    else {
        anyhow::bail!("no view of classic");
    };
    assert_eq!(view.ocean.context("no ocean")?.fired_at, [34]);
    table.two.answer(&turn, Bot::first_legal(&turn)?).await?;
    let turn = table.one.turn().await?;
    table.plays_on(turn).await
}

#[tokio::test]
async fn a_second_hello_an_empty_message_and_a_wrong_resignation_change_nothing()
-> anyhow::Result<()> {
    let mut table = Table::set(v1::Variant::Classic).await?;
    let turn = table.deployed().await?;
    table
        .one
        .send(connect_request::Message::Hello(v1::Hello::default()))
        .await?;
    assert_eq!(
        table.one.rejected().await?.reason(),
        RejectedReason::SecondHello
    );
    table
        .one
        .send_raw(v1::ConnectRequest { message: None })
        .await?;
    assert_eq!(
        table.one.rejected().await?.reason(),
        RejectedReason::EmptyMessage
    );
    for seat in [v1::Seat::Two.into(), 17] {
        table
            .one
            .send(connect_request::Message::Resignation(v1::Resignation {
                match_id: table.match_id,
                seat,
            }))
            .await?;
        assert_eq!(
            table.one.rejected().await?.reason(),
            RejectedReason::WrongSeat
        );
    }
    table.plays_on(turn).await
}

#[tokio::test]
async fn without_a_good_hello_there_is_no_session() -> anyhow::Result<()> {
    let arena = TestArena::start_with(|settings| {
        settings.hello_timeout = std::time::Duration::from_millis(50);
    })
    .await?;
    let hello = |change: fn(&mut v1::Hello)| {
        let mut hello = v1::Hello {
            protocol_version: 1,
            profile: Some(Bot::profile("bot")),
            resume_token: String::new(),
            ..Default::default()
        };
        change(&mut hello);
        Some(connect_request::Message::Hello(hello))
    };
    let answer = connect_request::Message::Answer(v1::TurnAnswer::default());
    let cases: [(Option<connect_request::Message>, Code, &str); 8] = [
        (
            Some(answer),
            Code::FailedPrecondition,
            "first message must be a hello",
        ),
        (
            None,
            Code::FailedPrecondition,
            "first message must be a hello",
        ),
        (
            hello(|hello| hello.protocol_version = 0),
            Code::FailedPrecondition,
            "version 1",
        ),
        (
            hello(|hello| hello.protocol_version = 2),
            Code::FailedPrecondition,
            "version 1",
        ),
        (
            hello(|hello| hello.profile = None),
            Code::InvalidArgument,
            "hello.profile",
        ),
        (
            hello(|hello| hello.profile = Some(Bot::profile("no spaces"))),
            Code::InvalidArgument,
            "profile.name",
        ),
        (
            hello(|hello| {
                if let Some(profile) = &mut hello.profile {
                    profile.max_matches = 0;
                }
            }),
            Code::InvalidArgument,
            "profile.max_matches is 0: it must be 1 to 4096",
        ),
        (
            hello(|hello| {
                if let Some(profile) = &mut hello.profile {
                    profile.variants.clear();
                }
            }),
            Code::InvalidArgument,
            "profile.variants",
        ),
    ];
    for (message, code, tells) in cases {
        let mut bot = Bot::open(arena.channel()).await?;
        bot.send_raw(v1::ConnectRequest { message }).await?;
        let status = bot.ended().await?;
        assert_eq!(status.code(), code, "{status:?}");
        assert!(status.message().contains(tells), "{tells}: {status:?}");
    }
    let mut silent = Bot::open(arena.channel()).await?;
    let status = silent.ended().await?;
    assert_eq!(status.code(), Code::DeadlineExceeded);
    assert!(status.message().contains("50 ms"), "{status:?}");
    arena.stop().await
}

#[tokio::test]
async fn a_message_of_a_mebibyte_ends_the_stream_and_the_match_goes_on_after_a_reconnection()
-> anyhow::Result<()> {
    let mut table = Table::set(v1::Variant::Classic).await?;
    let turn = table.deployed().await?;
    let ship = v1::PlacedShip::default();
    let huge = classic(Some(v1::classic_move::Move::Deployment(v1::Deployment {
        ships: vec![ship; 1 << 19],
    })));
    table.one.answer(&turn, huge).await?;
    let status = table.one.ended().await?;
    assert_eq!(status.code(), Code::OutOfRange, "{status:?}");
    assert!(status.message().contains("65536"), "{status:?}");

    table.one = Bot::connect(table.arena.channel(), Bot::profile("one")).await?;
    let again = table.one.turn().await?;
    assert_eq!((again.turn_id, &again.view), (turn.turn_id, &turn.view));
    assert_eq!(again.refusals_left, turn.refusals_left);
    table.plays_on(again).await
}

#[tokio::test]
async fn fault_17_a_bot_that_never_answers_loses_on_time_in_every_variant() -> anyhow::Result<()> {
    let arena = TestArena::start().await?;
    let mut lively = Bot::connect(arena.channel(), Bot::profile("lively")).await?;
    let _silent = Bot::connect(arena.channel(), Bot::profile("silent")).await?;
    for (variant, name) in VARIANTS {
        let request = v1::CreateMatchRequest {
            options: Some(options(variant)),
            time_control: Some(v1::TimeControl {
                deployment_ms: Some(400),
                ..fast(400)
            }),
            ..request(variant, named("silent"), named("lively"))
        };
        let match_id = arena.create(request).await?;
        let end = lively.play_first_legal().await?;
        let outcome = end.outcome.context("no outcome")?;
        assert_eq!(
            outcome.termination(),
            Termination::Time,
            "{name}: {}",
            outcome.message
        );
        assert_eq!(outcome.at_fault(), v1::Seat::One);
        assert_eq!(outcome.result(), v1::MatchResult::SeatTwoWins);
        // The loss can be recomputed from the record.
        let record = arena.record(match_id).await?;
        let last = record.entries.last().context("an empty record")?;
        let Some(v1::log_entry::Entry::Ended(ended)) = &last.entry else {
            anyhow::bail!("the last entry is {last:?}");
        };
        let timing = ended.seat_one_timing.context("no stamps")?;
        assert!(timing.handed_us >= timing.asked_us && timing.handed_us > 0);
        assert!(
            last.at_us >= timing.handed_us + 400_000,
            "{timing:?} {last:?}"
        );
    }
    arena.stop().await
}

#[tokio::test]
async fn fault_18_an_answer_after_the_deadline_is_told_that_it_is_late() -> anyhow::Result<()> {
    let mut table = Table::set_with(v1::Variant::Abalone, |request| {
        request.time_control = Some(fast(20));
    })
    .await?;
    let turn = table.one.turn().await?;
    let outcome = table.one.match_end().await?.outcome.context("no outcome")?;
    assert_eq!(outcome.termination(), Termination::Time);
    table.one.answer(&turn, Bot::first_legal(&turn)?).await?;
    let rejected = table.one.rejected().await?;
    assert_eq!(rejected.reason(), RejectedReason::Late);
    assert!(rejected.message.contains("is over"), "{}", rejected.message);
    assert_eq!(table.arena.outcome(table.match_id).await?, outcome);
    table.arena.stop().await
}
