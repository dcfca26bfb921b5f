//! abalone, in the contract's words.

use arrayvec::ArrayVec;
use broadside_proto::v1::{self, abalone_options::Start};
use broadside_rules::{
    Seat,
    abalone::{
        Answer, Cell, Direction, Game, Layout, Marbles, Move, Options, OptionsError as Range,
    },
};

use super::{OptionsError, Refusal, Writer};

/// Most cells that a group is read from: one more than a group can have is enough to refuse it.
const MAX_NAMED: usize = 61;

pub(super) fn move_from(message: v1::AbaloneMove) -> Result<Move, Refusal> {
    let v1::AbaloneMove { group, direction } = message;
    if group.is_empty() {
        return Err(Refusal::unset("abalone.group"));
    }
    let cells: Result<Vec<_>, _> = group
        .into_iter()
        .take(MAX_NAMED)
        .map(|v1::AbaloneCell { row, number }| Cell::named(row, number))
        .collect();
    Ok(Move::new(&cells?, direction_from(direction)?)?)
}

fn direction_from(value: i32) -> Result<Direction, Refusal> {
    match v1::AbaloneDirection::try_from(value) {
        Ok(v1::AbaloneDirection::East) => Ok(Direction::East),
        Ok(v1::AbaloneDirection::NorthEast) => Ok(Direction::NorthEast),
        Ok(v1::AbaloneDirection::NorthWest) => Ok(Direction::NorthWest),
        Ok(v1::AbaloneDirection::West) => Ok(Direction::West),
        Ok(v1::AbaloneDirection::SouthWest) => Ok(Direction::SouthWest),
        Ok(v1::AbaloneDirection::SouthEast) => Ok(Direction::SouthEast),
        Ok(v1::AbaloneDirection::Unspecified) | Err(_) => {
            Err(Refusal::enumeration("abalone.direction", value))
        }
    }
}

fn direction(direction: Direction) -> v1::AbaloneDirection {
    match direction {
        Direction::East => v1::AbaloneDirection::East,
        Direction::NorthEast => v1::AbaloneDirection::NorthEast,
        Direction::NorthWest => v1::AbaloneDirection::NorthWest,
        Direction::West => v1::AbaloneDirection::West,
        Direction::SouthWest => v1::AbaloneDirection::SouthWest,
        Direction::SouthEast => v1::AbaloneDirection::SouthEast,
    }
}

pub(super) fn legal_moves(game: &Game) -> impl Iterator<Item = v1::AbaloneMove> {
    let moves = game.position().legal_moves();
    moves.into_iter().map(|action| v1::AbaloneMove {
        group: action
            .group
            .cells()
            .map(|cell| v1::AbaloneCell {
                row: cell.row().into(),
                number: cell.number().into(),
            })
            .collect(),
        direction: direction(action.direction).into(),
    })
}

pub(super) fn answer(answer: &Answer) -> v1::AbaloneAnswer {
    v1::AbaloneAnswer {
        pushed: answer.pushed.into(),
        ejected: answer.ejected,
    }
}

/// The position: nothing is hidden.
pub(super) fn view(game: &Game) -> v1::AbaloneView {
    let view = game.view();
    let cells = |marbles: Marbles| {
        let number = |cell: Cell| 10 * u32::from(cell.row()) + u32::from(cell.number());
        let mut cells: Vec<_> = marbles.iter().map(number).collect();
        cells.sort_unstable();
        cells
    };
    let [by_black, by_white] = view.ejected_by;
    v1::AbaloneView {
        black: cells(view.board.marbles(Seat::One)),
        white: cells(view.board.marbles(Seat::Two)),
        ejected_by_black: by_black.into(),
        ejected_by_white: by_white.into(),
        plies: view.plies,
        repetitions: view.repetitions,
    }
}

pub(super) fn write_view(game: &Game, to: &mut Writer<'_>) {
    let view = game.view();
    let mut marbles = |field, seat| {
        let number = |cell: Cell| 10 * cell.row() + cell.number();
        // A seat has 14 of them, or however many a layout of its own puts on the 61 cells.
        let mut cells = ArrayVec::<u8, 61>::new();
        cells.extend(view.board.marbles(seat).iter().map(number));
        cells.sort_unstable();
        to.bytes(field, cells.into_iter());
    };
    marbles(1, Seat::One);
    marbles(2, Seat::Two);
    let [by_black, by_white] = view.ejected_by;
    to.number(3, by_black);
    to.number(4, by_white);
    to.number(5, view.plies);
    to.number(6, view.repetitions);
}

/// The names of the layouts.
pub fn layout_names() -> [&'static str; 13] {
    Layout::NAMED.map(Layout::slug)
}

pub(super) fn options(options: &Options) -> v1::AbaloneOptions {
    let named = match options.layout() {
        Layout::Standard => Some(v1::AbaloneLayout::Standard),
        Layout::BelgianDaisy => Some(v1::AbaloneLayout::BelgianDaisy),
        Layout::GermanDaisy => Some(v1::AbaloneLayout::GermanDaisy),
        Layout::DutchDaisy => Some(v1::AbaloneLayout::DutchDaisy),
        Layout::SwissDaisy => Some(v1::AbaloneLayout::SwissDaisy),
        Layout::TheWall => Some(v1::AbaloneLayout::TheWall),
        Layout::AlienAttack => Some(v1::AbaloneLayout::AlienAttack),
        Layout::Snakes => Some(v1::AbaloneLayout::Snakes),
        Layout::Checkerboard => Some(v1::AbaloneLayout::Checkerboard),
        Layout::Duel => Some(v1::AbaloneLayout::Duel),
        Layout::Star => Some(v1::AbaloneLayout::Star),
        Layout::Clearing => Some(v1::AbaloneLayout::Clearing),
        Layout::Papillons => Some(v1::AbaloneLayout::Papillons),
        Layout::Custom(_) => None,
    };
    let start = match named {
        Some(layout) => Start::Layout(layout.into()),
        None => Start::Rows(v1::AbaloneRows {
            rows: options.layout().board().rows().into(),
        }),
    };
    v1::AbaloneOptions {
        start: Some(start),
        max_plies: Some(options.max_plies()),
        repetition_limit: Some(options.repetition_limit()),
    }
}

pub(super) fn options_from(message: v1::AbaloneOptions) -> Result<Options, OptionsError> {
    let v1::AbaloneOptions {
        start,
        max_plies,
        repetition_limit,
    } = message;
    let default = Options::default();
    let layout = match start {
        None => default.layout(),
        Some(Start::Layout(value)) => layout_from(value)?,
        Some(Start::Rows(v1::AbaloneRows { rows })) => Layout::custom(&rows).map_err(|error| {
            OptionsError::new("abalone.rows", format!("are no layout: {error}"))
        })?,
    };
    Options::new(
        layout,
        max_plies.unwrap_or(default.max_plies()),
        repetition_limit.unwrap_or(default.repetition_limit()),
    )
    .map_err(|error| match error {
        Range::MaxPlies(plies) => OptionsError::new(
            "abalone.max_plies",
            format!("is {plies}: it must be 1 to {}", Options::MAX_PLIES),
        ),
        Range::RepetitionLimit(limit) => OptionsError::new(
            "abalone.repetition_limit",
            format!(
                "is {limit}: it must be 0 (no limit) or 2 to {}",
                Options::MAX_REPETITION_LIMIT
            ),
        ),
    })
}

fn layout_from(value: i32) -> Result<Layout, OptionsError> {
    Ok(match v1::AbaloneLayout::try_from(value) {
        Ok(v1::AbaloneLayout::Standard) => Layout::Standard,
        Ok(v1::AbaloneLayout::BelgianDaisy) => Layout::BelgianDaisy,
        Ok(v1::AbaloneLayout::GermanDaisy) => Layout::GermanDaisy,
        Ok(v1::AbaloneLayout::DutchDaisy) => Layout::DutchDaisy,
        Ok(v1::AbaloneLayout::SwissDaisy) => Layout::SwissDaisy,
        Ok(v1::AbaloneLayout::TheWall) => Layout::TheWall,
        Ok(v1::AbaloneLayout::AlienAttack) => Layout::AlienAttack,
        Ok(v1::AbaloneLayout::Snakes) => Layout::Snakes,
        Ok(v1::AbaloneLayout::Checkerboard) => Layout::Checkerboard,
        Ok(v1::AbaloneLayout::Duel) => Layout::Duel,
        Ok(v1::AbaloneLayout::Star) => Layout::Star,
        Ok(v1::AbaloneLayout::Clearing) => Layout::Clearing,
        Ok(v1::AbaloneLayout::Papillons) => Layout::Papillons,
        Ok(v1::AbaloneLayout::Unspecified) | Err(_) => {
            return Err(OptionsError::new(
                "abalone.layout",
                format!(
                    "is {value}: it must be 1 to 13 ({}), or unset for standard",
                    layout_names().join(", ")
                ),
            ));
        }
    })
}
