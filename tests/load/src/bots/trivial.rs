//! Legal moves without a thought: ships in the last rows, shots from the first cell on, a marble to and fro.

use broadside_proto::v1::{self, ShipClass, classic_move, r#move::Variant as Of, salvo_move};

use crate::args::Played;

/// The fleet of edition 2002, longest first, one row each from row 6 on: the last ship is found after 92 shots.
const FLEET: [ShipClass; 5] = [
    ShipClass::Carrier,
    ShipClass::Battleship,
    ShipClass::Destroyer,
    ShipClass::Submarine,
    ShipClass::PatrolBoat,
];

/// What a move is decided by.
#[derive(Clone, Copy, Debug)]
pub(super) struct Asked {
    pub(super) turn_id: u32,
    pub(super) seat: v1::Seat,
    pub(super) phase: v1::Phase,
    /// How many shots are due in salvo.
    pub(super) salvo_size: u32,
    /// How many shots this seat has fired before in salvo.
    pub(super) fired: u32,
}

/// A legal move.
pub(super) fn decide(played: Played, asked: Asked) -> v1::Move {
    let deploys = asked.phase == v1::Phase::Deployment;
    let variant = match played {
        Played::Classic => Of::Classic(v1::ClassicMove {
            r#move: Some(if deploys {
                classic_move::Move::Deployment(fleet())
            } else {
                // Turns 1 and 2 are the deployments.
                let cell = Some(cell(asked.turn_id.saturating_sub(3) / 2));
                classic_move::Move::Shot(v1::Shot { cell })
            }),
        }),
        Played::Salvo => Of::Salvo(v1::SalvoMove {
            r#move: Some(if deploys {
                salvo_move::Move::Deployment(fleet())
            } else {
                let cells = asked.fired..asked.fired + asked.salvo_size;
                salvo_move::Move::Salvo(v1::Salvo {
                    cells: cells.map(cell).collect(),
                })
            }),
        }),
        Played::Abalone => Of::Abalone(to_and_fro(asked)),
    };
    v1::Move {
        variant: Some(variant),
    }
}

fn fleet() -> v1::Deployment {
    let ships = FLEET.iter().zip(6..).map(|(&class, row)| v1::PlacedShip {
        ship_class: class.into(),
        cell: Some(v1::Cell { row, column: 1 }),
        orientation: v1::Orientation::Horizontal.into(),
    });
    v1::Deployment {
        ships: ships.collect(),
    }
}

/// The cell that is fired at after so many others.
fn cell(before: u32) -> v1::Cell {
    v1::Cell {
        row: before / 10 + 1,
        column: before % 10 + 1,
    }
}

/// From the standard layout, c3 to d3 and back for Black, g5 to f5 and back for White.
fn to_and_fro(asked: Asked) -> v1::AbaloneMove {
    use v1::AbaloneDirection::{NorthWest, SouthEast};
    let goes = asked.turn_id.div_ceil(2) % 2 == 1;
    let black = asked.seat == v1::Seat::One;
    let (row, number) = match (black, goes) {
        (true, true) => (3, 3),
        (true, false) => (4, 3),
        (false, true) => (7, 5),
        (false, false) => (6, 5),
    };
    let direction = if black == goes { NorthWest } else { SouthEast };
    v1::AbaloneMove {
        group: vec![v1::AbaloneCell { row, number }],
        direction: direction.into(),
    }
}
