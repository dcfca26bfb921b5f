//! Abalone, one move ahead: eject; keep marbles from being ejected; threaten to eject; hold the centre together.

use broadside_proto::v1::{
    self, AbaloneCell, AbaloneDirection, AbaloneMove, AbaloneView, Turn, r#move::Variant as Chosen,
};
use broadside_rules::{
    Seat,
    abalone::{Board, Cell, Direction, EJECTIONS_TO_WIN, Group, Marbles, Move, Position},
};
use rand::{Rng, RngExt, seq::IteratorRandom};

const WIN: i32 = 1_000_000;
const EJECTED: i32 = 1_000;
/// The first marble that the enemy can eject next; a second one cannot be ejected in the same turn.
const EXPOSED: i32 = -700;
const EXPOSED_TOO: i32 = -60;
const THREATENED: i32 = 60;
const CENTRE: i32 = 10;
const ENEMY_CENTRE: i32 = -8;
const NEIGHBOURS: i32 = 2;
/// Moves are taken back only if nothing else is nearly as good.
const TAKEN_BACK: i32 = -40;
/// How much chance weighs once a position stands again: two players who know no better would repeat it to a draw.
const RESTLESS: i32 = 120;

pub(super) fn choose(turn: &Turn, view: &AbaloneView, rng: &mut impl Rng) -> Option<AbaloneMove> {
    let position = position(view, turn.seat())?;
    let undone = undone(turn);
    let restless = if view.repetitions > 1 { RESTLESS } else { 0 };
    let mut best = None;
    for action in position.legal_moves() {
        let Ok((next, _)) = position.after(action) else {
            continue;
        };
        let mut score = evaluate(&next, position.to_move()) + rng.random_range(0..=restless);
        if Some(action) == undone {
            score += TAKEN_BACK;
        }
        // Equals are drawn from.
        let rank = (score, rng.random::<u32>());
        if best.is_none_or(|(highest, _)| rank > highest) {
            best = Some((rank, action));
        }
    }
    best.map(|(_, action)| to_move(action))
}

/// Any legal move but `refused`.
pub(super) fn any_other(
    turn: &Turn,
    view: &AbaloneView,
    refused: &AbaloneMove,
    rng: &mut impl Rng,
) -> Option<AbaloneMove> {
    let legal = position(view, turn.seat())?.legal_moves();
    let others = legal.into_iter().map(to_move).filter(|it| it != refused);
    others.choose(rng)
}

/// How good a position is for `seat`, which has just moved.
fn evaluate(position: &Position, seat: Seat) -> i32 {
    let [mine, theirs] = [seat, seat.other()].map(|seat| position.board().marbles(seat));
    let ejected = position.ejected_by();
    let (won, lost) = (ejected[seat.index()], ejected[seat.other().index()]);
    if won >= EJECTIONS_TO_WIN {
        return WIN;
    }
    let exposed = exposed(mine, theirs);
    if exposed > 0 && lost + 1 >= EJECTIONS_TO_WIN {
        return -WIN;
    }
    let exposure = match exposed {
        0 => 0,
        more => EXPOSED + EXPOSED_TOO * (more - 1),
    };
    i32::from(won) * EJECTED
        + exposure
        + THREATENED * self::exposed(theirs, mine)
        + CENTRE * centrality(mine)
        + ENEMY_CENTRE * centrality(theirs)
        + NEIGHBOURS * neighbours(mine)
}

/// How many ways there are to push one of `mine` off the board.
fn exposed(mine: Marbles, theirs: Marbles) -> i32 {
    let mut ways = 0;
    for outwards in Direction::ALL {
        let inwards = outwards.opposite();
        let inner = Marbles::ALL.shifted(inwards);
        for last in (mine & !inner).iter() {
            let mut run = std::iter::successors(Some(last), |cell| cell.step(inwards)).peekable();
            let pushed = count_while(&mut run, mine);
            let pushing = count_while(&mut run, theirs).min(3);
            ways += i32::from(pushing > pushed);
        }
    }
    ways
}

fn count_while(
    run: &mut std::iter::Peekable<impl Iterator<Item = Cell>>,
    marbles: Marbles,
) -> usize {
    let mut count = 0;
    while run.next_if(|&cell| marbles.contains(cell)).is_some() {
        count += 1;
    }
    count
}

/// The sum of the marbles' distances from the edge.
fn centrality(marbles: Marbles) -> i32 {
    marbles.iter().map(|cell| 4 - distance(cell)).sum()
}

/// Steps from the centre, 0-4.
fn distance(cell: Cell) -> i32 {
    let (row, number) = (i32::from(cell.row()) - 5, i32::from(cell.number()) - 5);
    row.abs().max(number.abs()).max((row - number).abs())
}

/// Pairs of marbles side by side.
fn neighbours(marbles: Marbles) -> i32 {
    let pairs = [Direction::East, Direction::NorthEast, Direction::NorthWest]
        .map(|direction| (marbles & marbles.shifted(direction)).len() as i32);
    pairs.iter().sum()
}

/// The move that takes back this seat's last one.
fn undone(turn: &Turn) -> Option<Move> {
    let own = turn
        .events
        .iter()
        .find(|event| event.seat == turn.seat)?
        .r#move
        .as_ref()?;
    let Some(Chosen::Abalone(last)) = &own.variant else {
        return None;
    };
    let direction = direction(last.direction())?;
    let stepped: Option<Vec<_>> = last
        .group
        .iter()
        .map(|cell| Cell::new(cell.row, cell.number)?.step(direction))
        .collect();
    Some(Move {
        group: Group::new(&stepped?).ok()?,
        direction: direction.opposite(),
    })
}

fn position(view: &AbaloneView, seat: v1::Seat) -> Option<Position> {
    let to_move = match seat {
        v1::Seat::Unspecified => return None,
        v1::Seat::One => Seat::One,
        v1::Seat::Two => Seat::Two,
    };
    let rows: Vec<String> = (1..=9_u32)
        .rev()
        .map(|row| {
            let numbers = (1..=9).filter(|&number| Cell::new(row, number).is_some());
            numbers
                .map(|number| {
                    let place = 10 * row + number;
                    if view.black.contains(&place) {
                        'b'
                    } else if view.white.contains(&place) {
                        'w'
                    } else {
                        '.'
                    }
                })
                .collect()
        })
        .collect();
    let ejected = [view.ejected_by_black, view.ejected_by_white].map(|marbles| marbles as u8);
    Some(Position::new(
        Board::from_rows(&rows).ok()?,
        to_move,
        ejected,
    ))
}

fn to_move(action: Move) -> AbaloneMove {
    let direction = match action.direction {
        Direction::East => AbaloneDirection::East,
        Direction::NorthEast => AbaloneDirection::NorthEast,
        Direction::NorthWest => AbaloneDirection::NorthWest,
        Direction::West => AbaloneDirection::West,
        Direction::SouthWest => AbaloneDirection::SouthWest,
        Direction::SouthEast => AbaloneDirection::SouthEast,
    };
    AbaloneMove {
        group: action
            .group
            .cells()
            .map(|cell| AbaloneCell {
                row: cell.row().into(),
                number: cell.number().into(),
            })
            .collect(),
        direction: direction.into(),
    }
}

const fn direction(direction: AbaloneDirection) -> Option<Direction> {
    Some(match direction {
        AbaloneDirection::Unspecified => return None,
        AbaloneDirection::East => Direction::East,
        AbaloneDirection::NorthEast => Direction::NorthEast,
        AbaloneDirection::NorthWest => Direction::NorthWest,
        AbaloneDirection::West => Direction::West,
        AbaloneDirection::SouthWest => Direction::SouthWest,
        AbaloneDirection::SouthEast => Direction::SouthEast,
    })
}
