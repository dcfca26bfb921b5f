use broadside_proto::v1::{self, r#move, view};
use broadside_rules::{
    Seat,
    abalone::{Cell, Direction, Game, Marbles, Move},
};

/// The directions of the contract, in the order of its numbers.
const DIRECTIONS: [Direction; 6] = [
    Direction::East,
    Direction::NorthEast,
    Direction::NorthWest,
    Direction::West,
    Direction::SouthWest,
    Direction::SouthEast,
];

pub(super) fn view(game: &Game) -> view::Variant {
    let view = game.view();
    let [ejected_by_black, ejected_by_white] = view.ejected_by.map(u32::from);
    view::Variant::Abalone(v1::AbaloneView {
        black: numbers(view.board.marbles(Seat::One)),
        white: numbers(view.board.marbles(Seat::Two)),
        ejected_by_black,
        ejected_by_white,
        plies: view.plies,
        repetitions: view.repetitions,
    })
}

pub(super) fn legal_moves(game: &Game, seat: Seat) -> v1::LegalMoves {
    v1::LegalMoves {
        moves: game.legal_moves(seat).into_iter().map(to_move).collect(),
        salvo: None,
    }
}

/// The referee's move; none if something is unset or on no board.
pub(super) fn action(chosen: &v1::Move) -> Option<broadside_rules::Move> {
    let Some(r#move::Variant::Abalone(chosen)) = &chosen.variant else {
        return None;
    };
    let cells: Option<Vec<_>> = chosen
        .group
        .iter()
        .map(|cell| Cell::new(cell.row, cell.number))
        .collect();
    let place = usize::try_from(chosen.direction).ok()?.checked_sub(1)?;
    let action = Move::new(&cells?, *DIRECTIONS.get(place)?).ok()?;
    Some(broadside_rules::Move::Abalone(action))
}

fn to_move(action: Move) -> v1::Move {
    let place = DIRECTIONS
        .iter()
        .position(|&direction| direction == action.direction);
    v1::Move {
        variant: Some(r#move::Variant::Abalone(v1::AbaloneMove {
            group: action
                .group
                .cells()
                .map(|cell| v1::AbaloneCell {
                    row: cell.row().into(),
                    number: cell.number().into(),
                })
                .collect(),
            direction: place.expect("every direction is listed") as i32 + 1,
        })),
    }
}

fn numbers(marbles: Marbles) -> Vec<u32> {
    let mut numbers: Vec<_> = marbles
        .iter()
        .map(|cell| u32::from(cell.row()) * 10 + u32::from(cell.number()))
        .collect();
    numbers.sort_unstable();
    numbers
}
