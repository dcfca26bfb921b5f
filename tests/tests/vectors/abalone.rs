use broadside_rules::{
    Game, IllegalMove, Move, Options, Seat,
    abalone::{self, Board, Cell, Direction, Layout, Position},
};
use serde::Deserialize;
use serde_json::Value;

use super::{Verdict, expect, parse, seat};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Played {
    #[serde(rename = "variant")]
    _variant: String,
    #[serde(rename = "title", default)]
    _title: String,
    options: OptionsText,
    steps: Vec<Step>,
    #[serde(default)]
    result: Option<ResultText>,
    #[serde(default)]
    rows: Option<Vec<String>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct OptionsText {
    layout: Option<Value>,
    max_plies: Option<u32>,
    repetition_limit: Option<u32>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Step {
    seat: u8,
    #[serde(rename = "move")]
    action: MoveText,
    #[serde(default)]
    refused: bool,
    ejected: Option<u8>,
    score: Option<[u8; 2]>,
    rows: Option<Vec<String>>,
    legal_moves: Option<usize>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct MoveText {
    group: Vec<String>,
    direction: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ResultText {
    winner: Option<u8>,
    why: String,
}

/// One move in one position.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Single {
    title: String,
    rows: Vec<String>,
    to_move: String,
    #[serde(rename = "move")]
    action: MoveText,
    #[serde(default)]
    refused: bool,
    ejected: Option<u8>,
    rows_after: Option<Vec<String>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Counted {
    rows: Vec<String>,
    to_move: String,
    ejected_by: [u8; 2],
    perft: Vec<u64>,
}

impl MoveText {
    /// A cell that is none is refused as one off the board.
    fn read(&self) -> Result<Result<abalone::Move, IllegalMove>, String> {
        let direction: Direction = self.direction.parse().map_err(to_text)?;
        let cells: Result<Vec<Cell>, _> = self.group.iter().map(|name| cell(name)).collect();
        Ok(cells.and_then(|cells| abalone::Move::new(&cells, direction)))
    }
}

fn cell(name: &str) -> Result<Cell, IllegalMove> {
    let (row, number) = name.split_at_checked(1).unwrap_or(("", ""));
    let row = row
        .chars()
        .next()
        .map_or(0, |letter| (letter as u32).wrapping_sub('a' as u32 - 1));
    Cell::named(row, number.parse().unwrap_or(0))
}

pub(crate) fn run_game(played: Played) -> Verdict {
    let mut game = Game::new(&Options::Abalone(options(&played.options)?));
    for (index, step) in played.steps.iter().enumerate() {
        run_step(&mut game, step)
            .map_err(|error| format!("step {index}, {:?}: {error}", step.action))?;
    }
    let Game::Abalone(game) = game else {
        return Err("the game is not abalone".to_owned());
    };
    if let Some(rows) = played.rows {
        expect("the last board", board_rows(&game), rows)?;
    }
    if let Some(result) = played.result {
        let outcome = game.outcome().ok_or("the game is not over")?;
        expect(
            "the winner",
            outcome.winner.map(Seat::number),
            result.winner,
        )?;
        expect("the ending", outcome.ending.slug(), result.why.as_str())?;
    }
    Ok(())
}

fn options(text: &OptionsText) -> Result<abalone::Options, String> {
    let default = abalone::Options::default();
    let layout = match &text.layout {
        None => default.layout(),
        Some(Value::String(name)) => name.parse().map_err(to_text)?,
        Some(rows) => Layout::custom(&parse::<Vec<String>>(rows.clone())?).map_err(to_text)?,
    };
    abalone::Options::new(
        layout,
        text.max_plies.unwrap_or(default.max_plies()),
        text.repetition_limit.unwrap_or(default.repetition_limit()),
    )
    .map_err(to_text)
}

fn run_step(game: &mut Game, step: &Step) -> Verdict {
    let mover = seat(step.seat)?;
    let before = game.clone();
    let played = step
        .action
        .read()?
        .and_then(|action| game.play(mover, &Move::Abalone(action)));
    let answer = match played {
        Err(reason) if step.refused => {
            return expect(&format!("after {reason:?} the game"), &*game, &before);
        }
        Err(reason) => return Err(format!("it was refused: {reason}")),
        Ok(answer) if step.refused => return Err(format!("it was accepted: {answer:?}")),
        Ok(broadside_rules::Answer::Abalone(answer)) => answer,
        Ok(answer) => return Err(format!("the answer is not abalone's: {answer:?}")),
    };
    let Game::Abalone(game) = game else {
        return Err("the game is not abalone".to_owned());
    };
    expect("ejected", Some(u8::from(answer.ejected)), step.ejected)?;
    if let Some(score) = step.score {
        expect("the score", game.view().ejected_by, score)?;
    }
    if let Some(rows) = &step.rows {
        expect("the board", &board_rows(game), rows)?;
    }
    if let Some(count) = step.legal_moves {
        // The vectors count them also when six are ejected and nobody may move any more.
        let position = game.position();
        let position = Position::new(*position.board(), position.to_move(), [0, 0]);
        expect(
            "the number of legal moves",
            position.legal_moves().len(),
            count,
        )?;
        expect("their count", position.count_legal_moves() as usize, count)?;
    }
    Ok(())
}

fn board_rows(game: &abalone::Game) -> Vec<String> {
    game.view().board.rows().to_vec()
}

pub(crate) fn run_single(single: Single) -> Verdict {
    let position = position(&single.rows, &single.to_move, [0, 0])?;
    let after = single
        .action
        .read()?
        .and_then(|action| position.after(action));
    let checked = match after {
        Err(_) if single.refused => Ok(()),
        Err(reason) => Err(format!("it was refused: {reason}")),
        Ok(_) if single.refused => Err("it was accepted".to_owned()),
        Ok((after, answer)) => expect("ejected", Some(u8::from(answer.ejected)), single.ejected)
            .and_then(|()| {
                expect(
                    "the board",
                    Some(after.board().rows().to_vec()),
                    single.rows_after,
                )
            }),
    };
    checked.map_err(|error| format!("{}: {error}", single.title))
}

pub(crate) fn run_position(value: Value) -> Verdict {
    let counted: Counted = parse(value)?;
    let position = position(&counted.rows, &counted.to_move, counted.ejected_by)?;
    for (depth, leaves) in (1..).zip(counted.perft) {
        expect(&format!("perft {depth}"), position.perft(depth), leaves)?;
        expect(
            &format!("built perft {depth}"),
            position.perft_building(depth),
            leaves,
        )?;
    }
    Ok(())
}

fn position(rows: &[String], to_move: &str, ejected_by: [u8; 2]) -> Result<Position, String> {
    let board = Board::from_rows(rows).map_err(to_text)?;
    let to_move = match to_move {
        "black" => Seat::One,
        "white" => Seat::Two,
        other => return Err(format!("nobody is {other}")),
    };
    Ok(Position::new(board, to_move, ejected_by))
}

fn to_text(error: impl std::error::Error) -> String {
    error.to_string()
}
