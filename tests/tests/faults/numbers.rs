//! Numbers that no board, clock or counter has.

use broadside_proto::v1::{
    self, RejectedReason, abalone_options::Start, connect_request, connect_response::Message,
};
use broadside_tests::{Bot, Table, TestArena, named, request, shot};
use tonic::Code;

async fn refused(
    arena: &TestArena,
    request: v1::CreateMatchRequest,
    field: &str,
) -> anyhow::Result<()> {
    let status = arena
        .create(request)
        .await
        .err()
        .unwrap_or_else(|| tonic::Status::ok(format!("taken, whatever {field} says")));
    assert_eq!(status.code(), Code::InvalidArgument, "{status:?}");
    assert!(status.message().contains(field), "{field}: {status:?}");
    Ok(())
}

#[tokio::test]
async fn fault_38_a_board_of_another_size_is_no_board() -> anyhow::Result<()> {
    let arena = TestArena::start().await?;
    let standard = [
        "wwwww",
        "wwwwww",
        "..www..",
        "........",
        ".........",
        "........",
        "..bbb..",
        "bbbbbb",
        "bbbbb",
    ];
    let rows = |rows: Vec<String>| v1::CreateMatchRequest {
        options: Some(v1::Options {
            variant: Some(v1::options::Variant::Abalone(v1::AbaloneOptions {
                start: Some(Start::Rows(v1::AbaloneRows { rows })),
                ..Default::default()
            })),
        }),
        ..request(v1::Variant::Abalone, named("ada"), named("bob"))
    };
    let good: Vec<String> = standard.map(str::to_owned).into();
    arena.create(rows(good.clone())).await?;
    let mut long = good.clone();
    long[4] = ".".repeat(20_000);
    let mut wide = good.clone();
    wide[0].push('w');
    let mut strange = good.clone();
    strange[8] = "b\u{202e}bbb".to_owned();
    for bad in [
        Vec::new(),
        vec![String::new(); 9],
        good[..8].to_vec(),
        [good.clone(), good.clone()].concat(),
        vec![String::new(); 10_000],
        long,
        wide,
        strange,
    ] {
        refused(&arena, rows(bad), "options.abalone.rows").await?;
    }
    arena.stop().await
}

#[tokio::test]
async fn fault_38_a_cell_beyond_every_board_is_refused_and_costs_a_refusal() -> anyhow::Result<()> {
    let mut table = Table::set(v1::Variant::Classic).await?;
    let mut turn = table.deployed().await?;
    for (row, column) in [
        (0, 0),
        (11, 11),
        (1 << 31, 1),
        (u32::MAX, u32::MAX),
        (256 + 1, 1),
        (65_536 + 1, 65_536 + 1),
    ] {
        turn = table
            .refused(&turn, shot(row, column), v1::IllegalMoveReason::OffGrid, "")
            .await?;
    }
    table.plays_on(turn).await
}

#[tokio::test]
async fn fault_40_a_time_control_that_is_none_is_refused_by_name() -> anyhow::Result<()> {
    let arena = TestArena::start().await?;
    let cap = v1::TimeControl {
        turn_cap_ms: Some(1_000),
        ..Default::default()
    };
    let budget = v1::TimeControl {
        budget_ms: Some(1_000),
        ..Default::default()
    };
    for huge in [
        86_400_001,
        u64::from(u32::MAX) + 1,
        i64::MAX as u64,
        u64::MAX,
    ] {
        for (field, control) in [
            (
                "turn_cap_ms",
                v1::TimeControl {
                    turn_cap_ms: Some(huge),
                    ..cap
                },
            ),
            (
                "budget_ms",
                v1::TimeControl {
                    budget_ms: Some(huge),
                    ..budget
                },
            ),
            (
                "increment_ms",
                v1::TimeControl {
                    increment_ms: Some(huge),
                    ..budget
                },
            ),
            (
                "deployment_ms",
                v1::TimeControl {
                    deployment_ms: Some(huge),
                    ..cap
                },
            ),
            (
                "lag_allowance_ms",
                v1::TimeControl {
                    lag_allowance_ms: Some(huge),
                    ..cap
                },
            ),
        ] {
            let request = v1::CreateMatchRequest {
                time_control: Some(control),
                ..request(v1::Variant::Classic, named("ada"), named("bob"))
            };
            refused(&arena, request, &format!("time_control.{field}")).await?;
        }
    }
    for (field, control) in [
        (
            "turn_cap_ms",
            v1::TimeControl {
                turn_cap_ms: Some(0),
                ..cap
            },
        ),
        (
            "budget_ms",
            v1::TimeControl {
                budget_ms: Some(0),
                ..budget
            },
        ),
        (
            "deployment_ms",
            v1::TimeControl {
                deployment_ms: Some(0),
                ..cap
            },
        ),
        (
            "increment_ms",
            v1::TimeControl {
                increment_ms: Some(1),
                ..cap
            },
        ),
        ("time_control", v1::TimeControl::default()),
    ] {
        let request = v1::CreateMatchRequest {
            time_control: Some(control),
            ..request(v1::Variant::Classic, named("ada"), named("bob"))
        };
        refused(&arena, request, field).await?;
    }
    arena.stop().await
}

#[tokio::test]
async fn fault_44_the_largest_of_every_counter_is_only_a_number() -> anyhow::Result<()> {
    let mut table = Table::set(v1::Variant::Classic).await?;
    let turn = table.deployed().await?;
    for turn_id in [0, u32::MAX - 1, u32::MAX] {
        table
            .one
            .answer_id(table.match_id, turn_id, shot(1, 1))
            .await?;
        let rejected = table.one.rejected().await?;
        assert_eq!(rejected.reason(), RejectedReason::UnknownTurn);
    }
    for match_id in [0, (1 << 53) - 1, 1 << 53, u64::MAX] {
        table.one.answer_id(match_id, 1, shot(1, 1)).await?;
        let rejected = table.one.rejected().await?;
        assert_eq!(rejected.reason(), RejectedReason::UnknownMatch);
        assert_eq!(rejected.match_id, match_id);
    }
    let beat = v1::Heartbeat { beat: u64::MAX };
    table
        .one
        .send(connect_request::Message::Heartbeat(beat))
        .await?;
    assert_eq!(table.one.next().await?, Message::Heartbeat(beat));
    // A whole match counts far less than its counters hold.
    let longest = v1::AbaloneOptions {
        max_plies: Some(10_001),
        ..Default::default()
    };
    let options = v1::Options {
        variant: Some(v1::options::Variant::Abalone(longest)),
    };
    let too_long = v1::CreateMatchRequest {
        options: Some(options),
        ..request(v1::Variant::Abalone, named("one"), named("two"))
    };
    refused(&table.arena, too_long, "options.abalone.max_plies").await?;
    let profile = v1::AgentProfile {
        max_matches: u32::MAX,
        ..Bot::profile("greedy")
    };
    let mut greedy = Bot::open(table.arena.channel()).await?;
    greedy
        .send(connect_request::Message::Hello(v1::Hello {
            protocol_version: 1,
            profile: Some(profile),
            ..Default::default()
        }))
        .await?;
    assert_eq!(greedy.ended().await?.code(), Code::InvalidArgument);
    table.plays_on(turn).await
}
