//! Moves that are none are refused, each with its own reason, and the match goes on as if nothing had been.

use anyhow::Context;
use broadside_proto::v1::{self, IllegalMoveReason as Reason, Termination, r#move::Variant as Of};
use broadside_tests::{Bot, Table, classic, shot};

fn dealt_ships(turn: &v1::Turn) -> anyhow::Result<Vec<v1::PlacedShip>> {
    match Bot::first_legal(turn)?.variant {
        Some(Of::Classic(v1::ClassicMove {
            r#move: Some(v1::classic_move::Move::Deployment(deployment)),
        })) => Ok(deployment.ships),
        other => anyhow::bail!("no deployment but {other:?}"),
    }
}

#[tokio::test]
async fn fault_34_36_a_deployment_with_an_unset_or_unknown_field_is_refused_by_name()
-> anyhow::Result<()> {
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
async fn fault_25_a_shot_that_is_none_is_refused() -> anyhow::Result<()> {
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
async fn fault_25_abalone_moves_that_are_none_are_refused() -> anyhow::Result<()> {
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
async fn fault_25_one_refusal_more_than_the_strikes_loses() -> anyhow::Result<()> {
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
async fn fault_25_26_in_naumachia_the_first_fault_loses_and_two_illegal_deployments_are_void()
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
