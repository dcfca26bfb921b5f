//! Connections come and go: sessions are taken up, taken over, lost; and matches wait, go on, or end by it.

use std::time::Duration;

use anyhow::Context;
use broadside_proto::v1::{
    self, MatchResult, SessionEndReason, Termination, connect_request, connect_response::Message,
};
use broadside_tests::{Bot, TestArena, dialled, named, request};
use tonic::Code;

async fn arena_with_grace(grace: Duration) -> anyhow::Result<TestArena> {
    TestArena::start_with(|settings| settings.grace = grace).await
}

const LONG: Duration = Duration::from_secs(600);
const SHORT: Duration = Duration::from_millis(50);

async fn classic_between_one_and_two(arena: &TestArena) -> anyhow::Result<u64> {
    Ok(arena
        .create(request(v1::Variant::Classic, named("one"), named("two")))
        .await?)
}

#[tokio::test]
async fn fault_32_a_bot_that_reconnects_with_its_token_gets_the_same_turn_with_the_time_that_is_left()
-> anyhow::Result<()> {
    let arena = arena_with_grace(LONG).await?;
    let (mut one, welcome) = Bot::resume(arena.channel(), Bot::profile("one"), "").await?;
    assert!(!welcome.resumed);
    let mut two = Bot::connect(arena.channel(), Bot::profile("two")).await?;
    let match_id = classic_between_one_and_two(&arena).await?;
    let turn = one.turn().await?;
    drop(one);

    let (mut one, again) =
        Bot::resume(arena.channel(), Bot::profile("one"), &welcome.resume_token).await?;
    assert!(again.resumed);
    // A bot that does not hear this welcome can still come back with what it has.
    assert_eq!(again.resume_token, welcome.resume_token);
    assert_eq!(again.running_matches, [match_id]);
    // The bot remembers the match: its turn comes first, and nothing is told twice.
    let Message::Turn(same) = one.next().await? else {
        anyhow::bail!("not the turn");
    };
    assert_eq!(same.turn_id, turn.turn_id);
    assert!(same.time_left_us <= turn.time_left_us);
    assert_eq!(
        v1::Turn {
            time_left_us: 0,
            ..same.clone()
        },
        v1::Turn {
            time_left_us: 0,
            ..turn
        }
    );

    one.answer(&same, Bot::first_legal(&same)?).await?;
    let (ends, _) = tokio::join!(one.play_first_legal(), two.play_first_legal());
    let outcome = ends?.outcome.context("no outcome")?;
    assert_eq!(outcome.termination(), Termination::WonByPlay);
    let kinds: Vec<_> = arena
        .record(match_id)
        .await?
        .entries
        .into_iter()
        .filter_map(|entry| entry.entry)
        .collect();
    let lost = kinds
        .iter()
        .filter(|entry| matches!(entry, v1::log_entry::Entry::Disconnected(_)))
        .count();
    let found = kinds
        .iter()
        .filter(|entry| matches!(entry, v1::log_entry::Entry::Reconnected(_)))
        .count();
    // Either it was seen to go and come back, or the new stream was there before the old one was seen to end.
    assert!(lost == found && lost <= 1, "{lost} {found}");
    arena.stop().await
}

#[tokio::test]
async fn fault_33_a_token_that_is_not_the_sessions_is_refused() -> anyhow::Result<()> {
    let arena = arena_with_grace(LONG).await?;
    let (_one, welcome) = Bot::resume(arena.channel(), Bot::profile("one"), "").await?;
    let mut thief = Bot::open(arena.channel()).await?;
    thief
        .send(connect_request::Message::Hello(v1::Hello {
            protocol_version: 1,
            profile: Some(Bot::profile("one")),
            resume_token: "0".repeat(32),
            ..Default::default()
        }))
        .await?;
    let status = thief.ended().await?;
    assert_eq!(status.code(), Code::FailedPrecondition);
    assert!(!status.message().contains(&welcome.resume_token));
    // The session itself is unharmed.
    let listed = arena
        .catalog()
        .list_agents(v1::ListAgentsRequest::default())
        .await?
        .into_inner();
    assert!(
        listed
            .agents
            .iter()
            .any(|agent| agent.name == "one" && agent.connected)
    );
    arena.stop().await
}

#[tokio::test]
async fn fault_27_a_second_connection_takes_the_session_over_and_the_first_is_told()
-> anyhow::Result<()> {
    let arena = arena_with_grace(LONG).await?;
    let mut first = Bot::connect(arena.channel(), Bot::profile("one")).await?;
    let mut two = Bot::connect(arena.channel(), Bot::profile("two")).await?;
    classic_between_one_and_two(&arena).await?;
    let turn = first.turn().await?;

    let mut second = Bot::connect(arena.channel(), Bot::profile("one")).await?;
    loop {
        match first.next().await? {
            Message::SessionEnd(end) => {
                assert_eq!(end.reason(), SessionEndReason::TakenOver);
                break;
            }
            other => assert!(matches!(other, Message::Turn(_)), "{other:?}"),
        }
    }
    assert_eq!(first.ended().await?.code(), Code::Aborted);

    // The new bot knows nothing of the match: it is told of its start first.
    let Message::MatchStart(start) = second.next().await? else {
        anyhow::bail!("not the start");
    };
    assert_eq!(start.match_id, turn.match_id);
    let same = second.turn().await?;
    assert_eq!(same.turn_id, turn.turn_id);
    second.answer(&same, Bot::first_legal(&same)?).await?;
    let (ends, _) = tokio::join!(second.play_first_legal(), two.play_first_legal());
    assert_eq!(
        ends?.outcome.context("no outcome")?.termination(),
        Termination::WonByPlay
    );
    arena.stop().await
}

#[tokio::test]
async fn a_bot_that_closes_its_stream_in_its_turn_loses_after_the_grace() -> anyhow::Result<()> {
    let arena = arena_with_grace(SHORT).await?;
    let mut one = Bot::connect(arena.channel(), Bot::profile("one")).await?;
    let mut two = Bot::connect(arena.channel(), Bot::profile("two")).await?;
    classic_between_one_and_two(&arena).await?;
    for bot in [&mut one, &mut two] {
        let turn = bot.turn().await?;
        bot.answer(&turn, Bot::first_legal(&turn)?).await?;
    }
    one.turn().await?;
    drop(one);
    let outcome = two.match_end().await?.outcome.context("no outcome")?;
    assert_eq!(outcome.termination(), Termination::Disconnected);
    assert_eq!(outcome.at_fault(), v1::Seat::One);
    assert_eq!(outcome.result(), MatchResult::SeatTwoWins);
    assert!(outcome.message.contains("50 ms"), "{}", outcome.message);
    arena.stop().await
}

#[tokio::test]
async fn fault_30_if_both_are_gone_for_good_nobody_wins() -> anyhow::Result<()> {
    let arena = arena_with_grace(Duration::from_millis(500)).await?;
    let mut one = Bot::connect(arena.channel(), Bot::profile("one")).await?;
    let mut two = Bot::connect(arena.channel(), Bot::profile("two")).await?;
    let match_id = classic_between_one_and_two(&arena).await?;
    for bot in [&mut one, &mut two] {
        let turn = bot.turn().await?;
        bot.answer(&turn, Bot::first_legal(&turn)?).await?;
    }
    one.turn().await?;
    drop((one, two));
    let outcome = arena.outcome(match_id).await?;
    assert_eq!(outcome.termination(), Termination::Disconnected);
    assert_eq!(outcome.result(), MatchResult::Void);
    assert_eq!(outcome.at_fault(), v1::Seat::Unspecified);
    arena.stop().await
}

#[tokio::test]
async fn who_never_connects_loses_and_if_neither_does_there_is_no_result() -> anyhow::Result<()> {
    let arena = TestArena::start_with(|settings| {
        settings.connect_timeout = SHORT;
        settings.dial_timeout = SHORT;
    })
    .await?;
    let _there = Bot::connect(arena.channel(), Bot::profile("there")).await?;
    let one_sided = [
        (
            named("there"),
            named("nobody"),
            MatchResult::SeatOneWins,
            "(nobody) never connected",
        ),
        (
            named("nobody"),
            named("there"),
            MatchResult::SeatTwoWins,
            "(nobody) never connected",
        ),
        (
            named("there"),
            dialled("127.0.0.1:9"),
            MatchResult::SeatOneWins,
            "http://127.0.0.1:9",
        ),
        (
            named("nobody"),
            dialled("127.0.0.1:9"),
            MatchResult::Void,
            "no result",
        ),
    ];
    for (one, two, result, tells) in one_sided {
        let match_id = arena.create(request(v1::Variant::Salvo, one, two)).await?;
        let outcome = arena.outcome(match_id).await?;
        assert_eq!(outcome.termination(), Termination::NeverConnected);
        assert_eq!(outcome.result(), result, "{}", outcome.message);
        assert!(outcome.message.contains(tells), "{}", outcome.message);
    }
    arena.stop().await
}

#[tokio::test]
async fn a_match_waits_for_an_agent_that_comes_later() -> anyhow::Result<()> {
    let arena = TestArena::start().await?;
    let mut one = Bot::connect(arena.channel(), Bot::profile("one")).await?;
    let match_id = classic_between_one_and_two(&arena).await?;
    let get = v1::GetMatchRequest { match_id };
    let waiting = arena
        .matches()
        .get_match(get)
        .await?
        .into_inner()
        .r#match
        .context("no match")?;
    assert_eq!(waiting.state(), v1::MatchState::Waiting);
    let mut two = Bot::connect(arena.channel(), Bot::profile("two")).await?;
    let (ends, _) = tokio::join!(one.play_first_legal(), two.play_first_legal());
    assert_eq!(
        ends?.outcome.context("no outcome")?.termination(),
        Termination::WonByPlay
    );
    arena.stop().await
}

#[tokio::test]
async fn an_agent_never_has_more_matches_at_once_than_it_takes() -> anyhow::Result<()> {
    let arena = TestArena::start().await?;
    let one_at_a_time = v1::AgentProfile {
        max_matches: 1,
        ..Bot::profile("one")
    };
    let mut one = Bot::connect(arena.channel(), one_at_a_time).await?;
    let mut two = Bot::connect(arena.channel(), Bot::profile("two")).await?;
    for _ in 0..3 {
        classic_between_one_and_two(&arena).await?;
    }
    let play_one = async {
        let mut current = None;
        let mut ended = 0;
        while ended < 3 {
            match one.next().await? {
                Message::MatchStart(start) => {
                    assert_eq!(current, None, "a second match at once");
                    current = Some(start.match_id);
                }
                Message::Turn(turn) => {
                    assert_eq!(current, Some(turn.match_id));
                    one.answer(&turn, Bot::first_legal(&turn)?).await?;
                }
                Message::MatchEnd(_) => {
                    current = None;
                    ended += 1;
                }
                _ => {}
            }
        }
        anyhow::Ok(())
    };
    let play_two = async {
        for _ in 0..3 {
            two.play_first_legal().await?;
        }
        anyhow::Ok(())
    };
    let (played_one, played_two) = tokio::join!(play_one, play_two);
    played_one?;
    played_two?;
    arena.stop().await
}

#[tokio::test]
async fn a_bot_may_play_itself_and_the_turns_say_for_which_seat() -> anyhow::Result<()> {
    let arena = TestArena::start().await?;
    let profile = v1::AgentProfile {
        max_matches: 1,
        ..Bot::profile("one")
    };
    let mut one = Bot::connect(arena.channel(), profile).await?;
    let match_id = arena
        .create(request(v1::Variant::Naumachia, named("one"), named("one")))
        .await?;
    let mut seats = Vec::new();
    let outcome = loop {
        match one.next().await? {
            Message::MatchStart(start) => seats.push(start.seat()),
            Message::Turn(turn) => one.answer(&turn, Bot::first_legal(&turn)?).await?,
            Message::MatchEnd(end) => break end.outcome.context("no outcome")?,
            _ => {}
        }
    };
    assert_eq!(seats, [v1::Seat::One, v1::Seat::Two]);
    assert_eq!(outcome.termination(), Termination::WonByPlay);
    assert_eq!(arena.outcome(match_id).await?, outcome);
    arena.stop().await
}

#[tokio::test]
async fn a_resignation_loses_at_once() -> anyhow::Result<()> {
    let arena = TestArena::start().await?;
    let mut one = Bot::connect(arena.channel(), Bot::profile("one")).await?;
    let mut two = Bot::connect(arena.channel(), Bot::profile("two")).await?;
    let match_id = classic_between_one_and_two(&arena).await?;
    one.turn().await?;
    // Out of turn too: seat 2 may give up while seat 1 thinks.
    two.send(connect_request::Message::Resignation(v1::Resignation {
        match_id,
        seat: 0,
    }))
    .await?;
    let outcome = one.match_end().await?.outcome.context("no outcome")?;
    assert_eq!(outcome.termination(), Termination::Resigned);
    assert_eq!(outcome.result(), MatchResult::SeatOneWins);
    assert_eq!(two.match_end().await?.outcome, Some(outcome));
    arena.stop().await
}

#[tokio::test]
async fn a_heartbeat_is_echoed_and_silence_is_broken_by_one() -> anyhow::Result<()> {
    let arena = TestArena::start_with(|settings| settings.heartbeat_interval = SHORT).await?;
    let (mut one, welcome) = Bot::resume(arena.channel(), Bot::profile("one"), "").await?;
    assert_eq!(
        welcome.limits.context("no limits")?.heartbeat_interval_ms,
        50
    );
    let Message::Heartbeat(own) = one.next().await? else {
        anyhow::bail!("no heartbeat");
    };
    assert_eq!(own.beat, 0);
    one.send(connect_request::Message::Heartbeat(v1::Heartbeat {
        beat: 41,
    }))
    .await?;
    loop {
        if let Message::Heartbeat(v1::Heartbeat { beat: 41 }) = one.next().await? {
            break;
        }
    }
    arena.stop().await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_bot_that_reconnects_again_and_again_is_not_taken_for_one_that_is_gone()
-> anyhow::Result<()> {
    let arena = TestArena::start_with(|settings| {
        settings.grace = Duration::from_secs(1);
        settings.heartbeat_interval = SHORT;
    })
    .await?;
    let (mut one, welcome) = Bot::resume(arena.channel(), Bot::profile("one"), "").await?;
    let mut two = Bot::connect(arena.channel(), Bot::profile("two")).await?;
    classic_between_one_and_two(&arena).await?;
    let turn = one.turn().await?;
    for _ in 0..50 {
        drop(one);
        (one, _) = Bot::resume(arena.channel(), Bot::profile("one"), &welcome.resume_token).await?;
    }
    // A session that is lost before its welcome is read can be taken up all the same.
    for _ in 0..3 {
        let unread = Bot::open(arena.channel()).await?;
        unread
            .send(connect_request::Message::Hello(v1::Hello {
                protocol_version: 1,
                profile: Some(Bot::profile("one")),
                resume_token: welcome.resume_token.clone(),
                ..Default::default()
            }))
            .await?;
        drop(unread);
    }
    (one, _) = Bot::resume(arena.channel(), Bot::profile("one"), &welcome.resume_token).await?;
    // Longer than the grace, by the arena's own heartbeats: a loss would come now.
    let mut beats = 0;
    while beats < 25 {
        match one.next().await? {
            Message::Heartbeat(_) => beats += 1,
            Message::Turn(_) => {}
            other => anyhow::bail!("{other:?}"),
        }
    }
    one.answer(&turn, Bot::first_legal(&turn)?).await?;
    let (ends, _) = tokio::join!(one.play_first_legal(), two.play_first_legal());
    let outcome = ends?.outcome.context("no outcome")?;
    assert_eq!(
        outcome.termination(),
        Termination::WonByPlay,
        "{}",
        outcome.message
    );
    arena.stop().await
}

#[tokio::test]
async fn a_match_that_ended_meanwhile_is_not_among_those_that_run() -> anyhow::Result<()> {
    let arena = arena_with_grace(LONG).await?;
    let (mut one, welcome) = Bot::resume(arena.channel(), Bot::profile("one"), "").await?;
    let two = Bot::connect(arena.channel(), Bot::profile("two")).await?;
    let goes_on = classic_between_one_and_two(&arena).await?;
    let ends = classic_between_one_and_two(&arena).await?;
    one.turn().await?;
    drop(one);
    let resigned = connect_request::Message::Resignation(v1::Resignation {
        match_id: ends,
        seat: 0,
    });
    two.send(resigned).await?;
    arena.outcome(ends).await?;
    // The match's task lets go of it right after its end is known.
    let welcomed = async {
        loop {
            let token = welcome.resume_token.as_str();
            let (_bot, again) = Bot::resume(arena.channel(), Bot::profile("one"), token).await?;
            if again.running_matches == [goes_on] {
                return anyhow::Ok(());
            }
        }
    };
    tokio::time::timeout(broadside_tests::PATIENCE, welcomed).await??;
    arena.stop().await
}

#[tokio::test]
async fn a_bot_that_closes_its_side_with_its_last_word_hears_what_comes_of_it() -> anyhow::Result<()>
{
    let arena = arena_with_grace(LONG).await?;
    let mut one = Bot::connect(arena.channel(), Bot::profile("one")).await?;
    let _two = Bot::connect(arena.channel(), Bot::profile("two")).await?;
    let match_id = classic_between_one_and_two(&arena).await?;
    one.turn().await?;
    one.send(connect_request::Message::Resignation(v1::Resignation {
        match_id,
        ..Default::default()
    }))
    .await?;
    one.close();
    let end = one.match_end().await?;
    let outcome = end.outcome.context("an outcome")?;
    assert_eq!(outcome.termination(), Termination::Resigned);
    let ended = one.ended().await.map(|status| status.code());
    assert!(ended.is_err(), "it ends well: {ended:?}");
    Ok(())
}
