//! Requests that make no match name each field that is wrong, and what would be right.

use anyhow::Context;
use broadside_proto::v1;
use broadside_tests::{Bot, TestArena, dialled, named, request};
use tonic::Code;
use tonic_types::StatusExt;

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
