//! Moves of every variant: legal, illegal, and such as cannot be read.

use broadside_arena::play::MatchSpec;
use broadside_proto::v1::{
    self, advanced_salvo_move, amiral_advanced_move, amiral_move, classic_move,
    r#move::Variant as Of, naumachia_move, salvo_move,
};
use broadside_rules::{Seat, Variant};

fn wrap(of: Of) -> v1::Move {
    v1::Move { variant: Some(of) }
}

/// A shot at one cell; where salvos are fired, a salvo of it alone.
pub(crate) fn shot(variant: Variant, row: u32, column: u32) -> v1::Move {
    let cell = v1::Cell { row, column };
    let shot = v1::Shot { cell: Some(cell) };
    let salvo = v1::Salvo { cells: vec![cell] };
    wrap(match variant {
        Variant::Classic => Of::Classic(v1::ClassicMove {
            r#move: Some(classic_move::Move::Shot(shot)),
        }),
        Variant::Salvo => Of::Salvo(v1::SalvoMove {
            r#move: Some(salvo_move::Move::Salvo(salvo)),
        }),
        Variant::AdvancedSalvo => Of::AdvancedSalvo(v1::AdvancedSalvoMove {
            r#move: Some(advanced_salvo_move::Move::Salvo(salvo)),
        }),
        Variant::Amiral => Of::Amiral(v1::AmiralMove {
            r#move: Some(amiral_move::Move::Shot(shot)),
        }),
        Variant::AmiralAdvanced => Of::AmiralAdvanced(v1::AmiralAdvancedMove {
            r#move: Some(amiral_advanced_move::Move::Shot(shot)),
        }),
        Variant::Naumachia => Of::Naumachia(v1::NaumachiaMove {
            r#move: Some(naumachia_move::Move::Shot(shot)),
        }),
        Variant::Abalone => panic!("no shots in abalone"),
    })
}

/// A single marble that goes one step.
pub(crate) fn marble(row: u32, number: u32, direction: v1::AbaloneDirection) -> v1::Move {
    marbles(&[(row, number)], direction)
}

/// A group of marbles that goes one step.
pub(crate) fn marbles(group: &[(u32, u32)], direction: v1::AbaloneDirection) -> v1::Move {
    let cells = group
        .iter()
        .map(|&(row, number)| v1::AbaloneCell { row, number });
    wrap(Of::Abalone(v1::AbaloneMove {
        group: cells.collect(),
        direction: direction.into(),
    }))
}

/// The fleet that a move deploys.
pub(crate) fn fleet_mut(action: &mut v1::Move) -> Option<&mut v1::Deployment> {
    match action.variant.as_mut()? {
        Of::Classic(of) => match of.r#move.as_mut()? {
            classic_move::Move::Deployment(fleet) => Some(fleet),
            classic_move::Move::Shot(_) => None,
        },
        Of::Salvo(of) => match of.r#move.as_mut()? {
            salvo_move::Move::Deployment(fleet) => Some(fleet),
            salvo_move::Move::Salvo(_) => None,
        },
        Of::AdvancedSalvo(of) => match of.r#move.as_mut()? {
            advanced_salvo_move::Move::Deployment(fleet) => Some(fleet),
            advanced_salvo_move::Move::Salvo(_) => None,
        },
        Of::Amiral(of) => match of.r#move.as_mut()? {
            amiral_move::Move::Deployment(fleet) => Some(fleet),
            amiral_move::Move::Shot(_) => None,
        },
        Of::AmiralAdvanced(of) => match of.r#move.as_mut()? {
            amiral_advanced_move::Move::Deployment(of) => of.fleet.as_mut(),
            _ => None,
        },
        Of::Naumachia(of) => match of.r#move.as_mut()? {
            naumachia_move::Move::Deployment(fleet) => Some(fleet),
            naumachia_move::Move::Shot(_) => None,
        },
        Of::Abalone(_) => None,
    }
}

/// A move that can be read and is not legal, in this phase, for whoever is to act.
pub(crate) fn illegal(spec: &MatchSpec, seat: Seat, phase: v1::Phase) -> v1::Move {
    let Some(mut fleet) = spec.dealt_fleet(seat) else {
        // A marble of the other's.
        let row = if seat == Seat::One { 9 } else { 1 };
        return marble(row, 5, v1::AbaloneDirection::East);
    };
    if phase == v1::Phase::Deployment {
        fleet_mut(&mut fleet).expect("a fleet").ships.pop();
    }
    // In battle: a deployment, which comes too late.
    fleet
}

/// Answers that hold no move of the variant.
pub(crate) fn unreadable(variant: Variant) -> Vec<Option<v1::Move>> {
    let mut answers = vec![None, Some(v1::Move::default())];
    if variant == Variant::Abalone {
        answers.push(Some(shot(Variant::Classic, 1, 1)));
        answers.push(Some(marble(0, 0, v1::AbaloneDirection::East)));
        answers.push(Some(marble(1, 1, v1::AbaloneDirection::Unspecified)));
    } else {
        answers.push(Some(marble(1, 1, v1::AbaloneDirection::East)));
        answers.push(Some(shot(variant, 0, 3)));
        answers.push(Some(shot(variant, 11, 3)));
    }
    answers
}

/// Every answer that a list of legal moves stands for, or one for each cell that a salvo may begin with.
pub(crate) fn listed(variant: Variant, legal: &v1::LegalMoves) -> Vec<v1::Move> {
    let Some(choice) = &legal.salvo else {
        return legal.moves.clone();
    };
    let size = choice.size as usize;
    let salvo = |first: usize| v1::Salvo {
        cells: (0..size)
            .map(|next| choice.cells[(first + next) % choice.cells.len()])
            .collect(),
    };
    let wrapped = |salvo: v1::Salvo| {
        wrap(match variant {
            Variant::Salvo => Of::Salvo(v1::SalvoMove {
                r#move: Some(salvo_move::Move::Salvo(salvo)),
            }),
            _ => Of::AdvancedSalvo(v1::AdvancedSalvoMove {
                r#move: Some(advanced_salvo_move::Move::Salvo(salvo)),
            }),
        })
    };
    (0..choice.cells.len())
        .map(|first| wrapped(salvo(first)))
        .collect()
}

/// The cells of a classic fleet.
pub(crate) fn classic_cells(fleet: &v1::Deployment) -> Vec<(u32, u32)> {
    let length = |ship: &v1::PlacedShip| match ship.ship_class() {
        v1::ShipClass::Carrier => 5,
        v1::ShipClass::Battleship => 4,
        v1::ShipClass::Destroyer | v1::ShipClass::Submarine => 3,
        v1::ShipClass::PatrolBoat => 2,
        other => panic!("{other:?} in edition 2002"),
    };
    let cells = |ship: &v1::PlacedShip| {
        let (cell, orientation) = (ship.cell.expect("a cell"), ship.orientation());
        (0..length(ship)).map(move |step| match orientation {
            v1::Orientation::Horizontal => (cell.row, cell.column + step),
            _ => (cell.row + step, cell.column),
        })
    };
    fleet.ships.iter().flat_map(cells).collect()
}
