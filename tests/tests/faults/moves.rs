//! Moves that break a rule.

use anyhow::Context;
use broadside_proto::v1::{self, IllegalMoveReason as Reason, r#move::Variant as Of};
use broadside_tests::{Bot, Table};

fn naumachia(ships: Vec<v1::PlacedShip>) -> v1::Move {
    v1::Move {
        variant: Some(Of::Naumachia(v1::NaumachiaMove {
            r#move: Some(v1::naumachia_move::Move::Deployment(v1::Deployment {
                ships,
            })),
        })),
    }
}

fn classic(ships: Vec<v1::PlacedShip>) -> v1::Move {
    broadside_tests::classic(Some(v1::classic_move::Move::Deployment(v1::Deployment {
        ships,
    })))
}

fn ship(class: v1::ShipClass, row: u32, column: u32) -> v1::PlacedShip {
    v1::PlacedShip {
        ship_class: class.into(),
        cell: Some(v1::Cell { row, column }),
        orientation: v1::Orientation::Horizontal.into(),
    }
}

/// The fleet of classic, a ship a row, each at column 1.
fn fleet() -> Vec<v1::PlacedShip> {
    use v1::ShipClass as Class;
    let classes = [
        Class::Carrier,
        Class::Battleship,
        Class::Destroyer,
        Class::Submarine,
        Class::PatrolBoat,
    ];
    (1..)
        .zip(classes)
        .map(|(row, class)| ship(class, row, 1))
        .collect()
}

/// What is wrong with a fleet, and with what reason it is refused.
fn illegal() -> Vec<(Vec<v1::PlacedShip>, Reason)> {
    use v1::ShipClass as Class;
    let mut overlapping = fleet();
    overlapping[1] = ship(Class::Battleship, 1, 3);
    let mut off = fleet();
    off[0] = ship(Class::Carrier, 1, 7);
    let mut missing = fleet();
    missing.pop();
    let mut twice = fleet();
    twice[2] = ship(Class::Carrier, 3, 1);
    let mut more = fleet();
    more.push(ship(Class::PatrolBoat, 9, 1));
    vec![
        (overlapping, Reason::ShipsOverlap),
        (off, Reason::ShipOffGrid),
        (missing, Reason::WrongFleet),
        (twice, Reason::WrongFleet),
        (more, Reason::WrongFleet),
        (Vec::new(), Reason::WrongFleet),
    ]
}

#[tokio::test]
async fn fault_26_an_illegal_placement_is_refused_with_nothing_said_of_the_opponent()
-> anyhow::Result<()> {
    let mut said = Vec::new();
    // Once while the opponent has yet to deploy, once after it has, with another fleet each time.
    for opponent_first in [false, true] {
        let mut table = Table::set_with(v1::Variant::Classic, |request| {
            request.strikes = Some(100);
            request.seed = Some(u64::from(opponent_first));
        })
        .await?;
        if opponent_first {
            let theirs = table.two.turn().await?;
            table
                .two
                .answer(&theirs, Bot::first_legal(&theirs)?)
                .await?;
        }
        let mut turn = table.one.turn().await?;
        let mut messages = Vec::new();
        for (ships, reason) in illegal() {
            turn = table.refused(&turn, classic(ships), reason, "").await?;
            messages.push(turn.refusal.clone().context("no refusal")?);
        }
        said.push(messages);
        if opponent_first {
            table.one.answer(&turn, classic(fleet())).await?;
            let turn = table.one.turn().await?;
            table.plays_on(turn).await?;
        }
    }
    assert_eq!(said[0], said[1]);
    Ok(())
}

#[tokio::test]
async fn fault_26_ships_that_touch_lose_in_naumachia() -> anyhow::Result<()> {
    let mut table = Table::set(v1::Variant::Naumachia).await?;
    let turn = table.one.turn().await?;
    let Some(Of::Naumachia(v1::NaumachiaMove {
        r#move: Some(v1::naumachia_move::Move::Deployment(dealt)),
    })) = Bot::first_legal(&turn)?.variant
    else {
        anyhow::bail!("no deployment");
    };
    // A boat of one cell is put beside the first ship's first cell, on the side where it lies on the grid.
    let mut ships = dealt.ships;
    let first = ships[0];
    let boat = ships
        .iter_mut()
        .find(|ship| ship.ship_class() == v1::ShipClass::TorpedoBoat)
        .context("no boat")?;
    let cell = first.cell.context("no cell")?;
    let beside = match first.orientation() {
        v1::Orientation::Horizontal if cell.row > 1 => (cell.row - 1, cell.column),
        v1::Orientation::Horizontal => (cell.row + 1, cell.column),
        _ if cell.column > 1 => (cell.row, cell.column - 1),
        _ => (cell.row, cell.column + 1),
    };
    boat.cell = Some(v1::Cell {
        row: beside.0,
        column: beside.1,
    });
    table.one.answer(&turn, naumachia(ships)).await?;
    let theirs = table.two.turn().await?;
    table
        .two
        .answer(&theirs, Bot::first_legal(&theirs)?)
        .await?;
    let outcome = table.two.match_end().await?.outcome.context("no outcome")?;
    assert_eq!(outcome.at_fault(), v1::Seat::One);
    assert!(outcome.message.contains("touches"), "{}", outcome.message);
    table.arena.stop().await
}
