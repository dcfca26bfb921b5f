//! What is wrong is told exactly, each thing with its own answer, and harms no match.

use anyhow::Context;
use broadside_proto::v1::{
    self, IllegalMoveReason as Reason, RejectedReason, Termination, connect_request,
    r#move::Variant as Of,
};
use broadside_tests::{Bot, TestArena, VARIANTS, dialled, fast, named, options, request};
use tonic::Code;
use tonic_types::StatusExt;

/// Two bots in a match of `variant`, both in the deployment.
struct Table {
    arena: TestArena,
    match_id: u64,
    one: Bot,
    two: Bot,
}

impl Table {
    async fn set(variant: v1::Variant) -> anyhow::Result<Self> {
        Self::set_with(variant, |_| {}).await
    }

    async fn set_with(
        variant: v1::Variant,
        change: impl FnOnce(&mut v1::CreateMatchRequest),
    ) -> anyhow::Result<Self> {
        let arena = TestArena::start().await?;
        let one = Bot::connect(arena.channel(), Bot::profile("one")).await?;
        let two = Bot::connect(arena.channel(), Bot::profile("two")).await?;
        let mut request = request(variant, named("one"), named("two"));
        request.strikes = (variant != v1::Variant::Naumachia).then_some(100);
        change(&mut request);
        let match_id = arena.create(request).await?;
        Ok(Self {
            arena,
            match_id,
            one,
            two,
        })
    }

    /// Both deploy what they are dealt. Returns seat 1's first turn of the battle.
    async fn deployed(&mut self) -> anyhow::Result<v1::Turn> {
        for bot in [&mut self.one, &mut self.two] {
            let turn = bot.turn().await?;
            bot.answer(&turn, Bot::first_legal(&turn)?).await?;
        }
        self.one.turn().await
    }

    /// Sends a move that must be refused for this reason; the turn comes again as it was, with one refusal less.
    async fn refused(
        &mut self,
        turn: &v1::Turn,
        action: impl Into<Option<v1::Move>>,
        reason: Reason,
        tells: &str,
    ) -> anyhow::Result<v1::Turn> {
        self.one.answer(turn, action).await?;
        let again = self.one.turn().await?;
        let refusal = again.refusal.clone().context("no refusal")?;
        assert_eq!(refusal.reason(), reason, "{}", refusal.message);
        assert!(refusal.message.contains(tells), "{}", refusal.message);
        assert_eq!(again.turn_id, turn.turn_id);
        assert_eq!(again.view, turn.view);
        assert_eq!(again.refusals_left + 1, turn.refusals_left);
        Ok(again)
    }

    /// The match goes on as if nothing had been, to its proper end.
    async fn plays_on(mut self, turn: v1::Turn) -> anyhow::Result<()> {
        self.one.answer(&turn, Bot::first_legal(&turn)?).await?;
        let (one, two) = tokio::join!(self.one.play_first_legal(), self.two.play_first_legal());
        for end in [one?, two?] {
            let outcome = end.outcome.context("no outcome")?;
            assert!(
                matches!(
                    outcome.termination(),
                    Termination::WonByPlay | Termination::DrawByRule
                ),
                "{}",
                outcome.message
            );
        }
        self.arena.stop().await
    }
}

fn shot(row: u32, column: u32) -> v1::Move {
    v1::Move {
        variant: Some(Of::Classic(v1::ClassicMove {
            r#move: Some(v1::classic_move::Move::Shot(v1::Shot {
                cell: Some(v1::Cell { row, column }),
            })),
        })),
    }
}

fn classic(action: Option<v1::classic_move::Move>) -> v1::Move {
    v1::Move {
        variant: Some(Of::Classic(v1::ClassicMove { r#move: action })),
    }
}

fn dealt_ships(turn: &v1::Turn) -> anyhow::Result<Vec<v1::PlacedShip>> {
    match Bot::first_legal(turn)?.variant {
        Some(Of::Classic(v1::ClassicMove {
            r#move: Some(v1::classic_move::Move::Deployment(deployment)),
        })) => Ok(deployment.ships),
        other => anyhow::bail!("no deployment but {other:?}"),
    }
}

#[tokio::test]
async fn a_deployment_with_an_unset_or_unknown_field_is_refused_by_name() -> anyhow::Result<()> {
    let mut table = Table::set(v1::Variant::Classic).await?;
    let turn = table.one.turn().await?;
    let ships = dealt_ships(&turn)?;
    let deploy = |change: fn(&mut v1::PlacedShip)| {
        let mut ships = ships.clone();
        change(&mut ships[2]);
        classic(Some(v1::classic_move::Move::Deployment(v1::Deployment {
            ships,
        })))
    };
    let cases: [(v1::Move, Reason, &str); 6] = [
        (
            deploy(|ship| ship.ship_class = 0),
            Reason::UnsetField,
            "ships[2].ship_class",
        ),
        (
            deploy(|ship| ship.ship_class = 77),
            Reason::UnknownValue,
            "77",
        ),
        (
            deploy(|ship| ship.orientation = 0),
            Reason::UnsetField,
            "ships[2].orientation",
        ),
        (
            deploy(|ship| ship.orientation = -5),
            Reason::UnknownValue,
            "-5",
        ),
        (
            deploy(|ship| ship.cell = None),
            Reason::UnsetField,
            "ships[2].cell",
        ),
        (
            deploy(|ship| ship.cell = Some(v1::Cell::default())),
            Reason::ShipOffGrid,
            "row 0, column 0",
        ),
    ];
    let mut turn = turn;
    for (action, reason, tells) in cases {
        turn = table.refused(&turn, action, reason, tells).await?;
    }
    table.plays_on(turn).await
}

#[tokio::test]
async fn a_shot_that_is_none_is_refused() -> anyhow::Result<()> {
    let mut table = Table::set(v1::Variant::Classic).await?;
    let mut turn = table.deployed().await?;
    let cases = [
        (Some(shot(0, 5)), Reason::OffGrid, "row 0, column 5"),
        (Some(shot(5, 0)), Reason::OffGrid, "row 5, column 0"),
        (Some(shot(11, 1)), Reason::OffGrid, "1 to 10"),
        (Some(shot(1, u32::MAX)), Reason::OffGrid, "4294967295"),
        (
            Some(classic(Some(v1::classic_move::Move::Shot(v1::Shot {
                cell: None,
            })))),
            Reason::UnsetField,
            "shot.cell",
        ),
        (Some(classic(None)), Reason::UnsetField, "classic.move"),
        (Some(v1::Move { variant: None }), Reason::UnsetField, "move"),
        (None, Reason::UnsetField, "move"),
    ];
    for (action, reason, tells) in cases {
        turn = table.refused(&turn, action, reason, tells).await?;
    }
    table.plays_on(turn).await
}

#[tokio::test]
async fn a_move_of_another_variant_is_refused() -> anyhow::Result<()> {
    let mut table = Table::set(v1::Variant::Classic).await?;
    let turn = table.deployed().await?;
    let amiral = v1::Move {
        variant: Some(Of::Amiral(v1::AmiralMove {
            r#move: Some(v1::amiral_move::Move::Shot(v1::Shot {
                cell: Some(v1::Cell { row: 1, column: 1 }),
            })),
        })),
    };
    let turn = table
        .refused(&turn, amiral, Reason::MoveNotOfVariant, "amiral")
        .await?;
    table.plays_on(turn).await
}

#[tokio::test]
async fn abalone_moves_that_are_none_are_refused() -> anyhow::Result<()> {
    let mut table = Table::set_with(v1::Variant::Abalone, |request| {
        request.options = Some(v1::Options {
            variant: Some(v1::options::Variant::Abalone(v1::AbaloneOptions {
                max_plies: Some(10),
                ..Default::default()
            })),
        });
    })
    .await?;
    let mut turn = table.one.turn().await?;
    let step = |cells: &[(u32, u32)], direction: i32| v1::Move {
        variant: Some(Of::Abalone(v1::AbaloneMove {
            group: cells
                .iter()
                .map(|&(row, number)| v1::AbaloneCell { row, number })
                .collect(),
            direction,
        })),
    };
    let cases = [
        (step(&[], 1), Reason::UnsetField, "group"),
        (step(&[(3, 3)], 0), Reason::UnsetField, "direction"),
        (step(&[(3, 3)], 9), Reason::UnknownValue, "9"),
        (step(&[(0, 0)], 1), Reason::OffBoard, "row 0"),
        (step(&[(1, 6)], 1), Reason::OffBoard, "number 6"),
        (step(&[(3, 3), (3, 3)], 3), Reason::NotAGroup, "2 cells"),
        (step(&[(9, 5)], 1), Reason::NotOwnMarble, "i5"),
        (step(&[(1, 1)], 6), Reason::OwnMarbleOffBoard, "a1"),
    ];
    for (action, reason, tells) in cases {
        turn = table.refused(&turn, action, reason, tells).await?;
    }
    table.plays_on(turn).await
}

#[tokio::test]
async fn one_refusal_more_than_the_strikes_loses() -> anyhow::Result<()> {
    let mut table =
        Table::set_with(v1::Variant::Classic, |request| request.strikes = Some(2)).await?;
    let mut turn = table.deployed().await?;
    for _ in 0..2 {
        turn = table
            .refused(&turn, shot(0, 0), Reason::OffGrid, "")
            .await?;
    }
    assert_eq!(turn.refusals_left, 0);
    table.one.answer(&turn, shot(0, 0)).await?;
    let outcome = table.one.match_end().await?.outcome.context("no outcome")?;
    assert_eq!(outcome.termination(), Termination::IllegalMoves);
    assert_eq!(outcome.at_fault(), v1::Seat::One);
    assert_eq!(outcome.result(), v1::MatchResult::SeatTwoWins);
    let other = table.two.match_end().await?.outcome.context("no outcome")?;
    assert_eq!(other, outcome);
    table.arena.stop().await
}

#[tokio::test]
async fn in_naumachia_the_first_fault_loses_and_two_illegal_deployments_are_void()
-> anyhow::Result<()> {
    let empty = || v1::Move {
        variant: Some(Of::Naumachia(v1::NaumachiaMove {
            r#move: Some(v1::naumachia_move::Move::Deployment(
                v1::Deployment::default(),
            )),
        })),
    };
    // One illegal deployment: the other still deploys, and then wins.
    let mut table = Table::set(v1::Variant::Naumachia).await?;
    let (one, two) = (table.one.turn().await?, table.two.turn().await?);
    assert_eq!(one.refusals_left, 0);
    table.one.answer(&one, empty()).await?;
    table.two.answer(&two, Bot::first_legal(&two)?).await?;
    let outcome = table.arena.outcome(table.match_id).await?;
    assert_eq!(outcome.result(), v1::MatchResult::SeatTwoWins);
    assert_eq!(outcome.termination(), Termination::IllegalMoves);
    table.arena.stop().await?;

    let mut table = Table::set(v1::Variant::Naumachia).await?;
    let (one, two) = (table.one.turn().await?, table.two.turn().await?);
    table.two.answer(&two, empty()).await?;
    table.one.answer(&one, empty()).await?;
    let outcome = table.arena.outcome(table.match_id).await?;
    assert_eq!(outcome.result(), v1::MatchResult::Void);
    assert_eq!(outcome.at_fault(), v1::Seat::Unspecified);
    table.arena.stop().await
}

#[tokio::test]
async fn answers_to_other_turns_and_matches_are_told_so_and_change_nothing() -> anyhow::Result<()> {
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

impl Table {
    /// As [`deployed`](Self::deployed), with seat 1's deployment turn already read.
    async fn deployed_after(&mut self, turn: &v1::Turn) -> anyhow::Result<v1::Turn> {
        self.one.answer(turn, Bot::first_legal(turn)?).await?;
        let turn = self.two.turn().await?;
        self.two.answer(&turn, Bot::first_legal(&turn)?).await?;
        self.one.turn().await
    }
}

#[tokio::test]
async fn a_second_answer_to_a_turn_changes_nothing_even_with_another_move() -> anyhow::Result<()> {
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
async fn requests_for_matches_name_each_field_that_is_wrong_and_its_range() -> anyhow::Result<()> {
    let arena = TestArena::start().await?;
    let abalone = |start, max_plies, repetition_limit| v1::Options {
        variant: Some(v1::options::Variant::Abalone(v1::AbaloneOptions {
            start,
            max_plies,
            repetition_limit,
        })),
    };
    let edition = |edition| v1::Options {
        variant: Some(v1::options::Variant::Salvo(v1::SalvoOptions {
            edition: Some(edition),
            name_ship_on_hit: None,
        })),
    };
    use v1::abalone_options::Start;
    let options_cases = [
        (None, "options", "variant"),
        (Some(v1::Options { variant: None }), "options", "variant"),
        (
            Some(edition(0)),
            "options.salvo.edition",
            "1967 (1) or 2002 (2)",
        ),
        (
            Some(edition(3)),
            "options.salvo.edition",
            "1967 (1) or 2002 (2)",
        ),
        (
            Some(abalone(None, Some(0), None)),
            "options.abalone.max_plies",
            "1 to 10000",
        ),
        (
            Some(abalone(None, Some(10_001), None)),
            "options.abalone.max_plies",
            "1 to 10000",
        ),
        (
            Some(abalone(None, None, Some(1))),
            "options.abalone.repetition_limit",
            "2 to 100",
        ),
        (
            Some(abalone(None, None, Some(101))),
            "options.abalone.repetition_limit",
            "2 to 100",
        ),
        (
            Some(abalone(Some(Start::Layout(0)), None, None)),
            "options.abalone.layout",
            "1 to 13",
        ),
        (
            Some(abalone(Some(Start::Layout(14)), None, None)),
            "options.abalone.layout",
            "1 to 13",
        ),
        (
            Some(abalone(
                Some(Start::Rows(v1::AbaloneRows::default())),
                None,
                None,
            )),
            "options.abalone.rows",
            "",
        ),
    ];
    let mut cases: Vec<(v1::CreateMatchRequest, &str, &str)> = Vec::new();
    let good = || request(v1::Variant::Classic, named("ada"), named("bob"));
    for (options, field, tells) in options_cases {
        cases.push((v1::CreateMatchRequest { options, ..good() }, field, tells));
    }
    let time = |time_control| v1::CreateMatchRequest {
        time_control: Some(time_control),
        ..good()
    };
    let players = |players| v1::CreateMatchRequest { players, ..good() };
    cases.extend([
        (time(v1::TimeControl::default()), "time_control", "no limit"),
        (
            time(v1::TimeControl {
                budget_ms: Some(0),
                ..Default::default()
            }),
            "time_control.budget_ms",
            "1 to 86400000",
        ),
        (
            time(v1::TimeControl {
                turn_cap_ms: Some(u64::MAX),
                ..Default::default()
            }),
            "time_control.turn_cap_ms",
            "1 to 86400000",
        ),
        (players(vec![]), "players", "exactly 2"),
        (
            players(vec![named("ada"), named("bob"), named("eve")]),
            "players",
            "exactly 2",
        ),
        (
            players(vec![named("ada"), v1::Player { agent: None }]),
            "players[1]",
            "name or an address",
        ),
        (
            players(vec![named("a b"), named("bob")]),
            "players[0].name",
            "A-Z",
        ),
        (
            players(vec![dialled("nowhere"), named("bob")]),
            "players[0].address",
            "http://HOST:PORT",
        ),
        (
            v1::CreateMatchRequest {
                strikes: Some(101),
                ..good()
            },
            "strikes",
            "0 to 100",
        ),
        (
            v1::CreateMatchRequest {
                seating: Some(0),
                ..good()
            },
            "seating",
            "fixed",
        ),
        (
            v1::CreateMatchRequest {
                request_id: "x".repeat(65),
                ..good()
            },
            "request_id",
            "at most 64",
        ),
    ]);
    for (request, field, tells) in cases {
        let status = arena.create(request).await.expect_err(field);
        assert_eq!(status.code(), Code::InvalidArgument, "{field}: {status:?}");
        let details = status.get_details_bad_request().context("no details")?;
        let named = details
            .field_violations
            .iter()
            .find(|violation| violation.field == field);
        let violation = named.with_context(|| format!("{field} is not among {details:?}"))?;
        assert!(
            violation.description.contains(tells),
            "{tells}: {violation:?}"
        );
    }
    arena.stop().await
}

#[tokio::test]
async fn an_agent_that_does_not_play_the_variant_is_told_at_once() -> anyhow::Result<()> {
    let arena = TestArena::start().await?;
    let classic_only = v1::AgentProfile {
        variants: vec![v1::Variant::Classic.into()],
        ..Bot::profile("narrow")
    };
    let _bot = Bot::connect(arena.channel(), classic_only).await?;
    let status = arena
        .create(request(
            v1::Variant::Abalone,
            named("narrow"),
            named("later"),
        ))
        .await
        .expect_err("narrow plays classic only");
    assert_eq!(status.code(), Code::FailedPrecondition);
    assert!(
        status.message().contains("does not play abalone"),
        "{status:?}"
    );
    arena.stop().await
}

#[tokio::test]
async fn a_bot_that_never_answers_loses_on_time_in_every_variant() -> anyhow::Result<()> {
    let arena = TestArena::start().await?;
    let mut lively = Bot::connect(arena.channel(), Bot::profile("lively")).await?;
    let _silent = Bot::connect(arena.channel(), Bot::profile("silent")).await?;
    for (variant, name) in VARIANTS {
        let request = v1::CreateMatchRequest {
            options: Some(options(variant)),
            time_control: Some(v1::TimeControl {
                deployment_ms: Some(50),
                ..fast(50)
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
            last.at_us >= timing.handed_us + 50_000,
            "{timing:?} {last:?}"
        );
    }
    arena.stop().await
}

#[tokio::test]
async fn an_answer_after_the_deadline_is_told_that_it_is_late() -> anyhow::Result<()> {
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
