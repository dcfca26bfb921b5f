//! Abalone against an oracle that plays on a map of cells, by the words of the rules.
#![allow(
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test fails by panicking"
)]

mod common;

use std::collections::{BTreeMap, BTreeSet, HashSet};

use broadside_rules::{
    Ending, IllegalMove, Outcome, Seat, Seats,
    abalone::{Answer, Board, Cell, Direction, Game, Layout, Move, Options, Position},
};
use common::{pick, rng};
use proptest::prelude::*;
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

type Coordinates = (i32, i32);
type Marbles = BTreeMap<Coordinates, Seat>;

fn on_board((row, number): Coordinates) -> bool {
    let lengths = [
        (1, 5),
        (1, 6),
        (1, 7),
        (1, 8),
        (1, 9),
        (2, 9),
        (3, 9),
        (4, 9),
        (5, 9),
    ];
    usize::try_from(row - 1)
        .ok()
        .and_then(|index| lengths.get(index))
        .is_some_and(|&(first, last)| (first..=last).contains(&number))
}

fn step((row, number): Coordinates, direction: Direction, times: i32) -> Coordinates {
    let (rows, numbers) = direction.step();
    (row + times * rows, number + times * numbers)
}

/// What comes of a move by the words of rules.md: the marbles, how many were pushed, and whether
/// one fell; nothing if the move is illegal.
fn oracle(
    marbles: &Marbles,
    mover: Seat,
    group: &BTreeSet<Coordinates>,
    direction: Direction,
) -> Option<(Marbles, u8, bool)> {
    if group.iter().any(|cell| marbles.get(cell) != Some(&mover)) {
        return None;
    }
    let mut after = marbles.clone();
    let leader = *group
        .iter()
        .find(|&&cell| !group.contains(&step(cell, direction, 1)))?;
    let in_line =
        (0..group.len() as i32).all(|back| group.contains(&step(leader, direction, -back)));
    let (mut pushed, mut ejected) = (0, false);
    if in_line {
        let first = step(leader, direction, 1);
        if !on_board(first) {
            return None;
        }
        let mut ahead = first;
        while marbles.get(&ahead) == Some(&mover.other()) {
            pushed += 1;
            ahead = step(ahead, direction, 1);
        }
        if marbles.get(&ahead) == Some(&mover) || pushed > 0 && group.len() <= pushed {
            return None;
        }
        if pushed > 0 {
            after.remove(&first);
            ejected = !on_board(ahead);
            if !ejected {
                after.insert(ahead, mover.other());
            }
        }
    } else {
        let targets = group.iter().map(|&cell| step(cell, direction, 1));
        if !targets
            .into_iter()
            .all(|cell| on_board(cell) && !marbles.contains_key(&cell))
        {
            return None;
        }
    }
    for cell in group {
        after.remove(cell);
    }
    for &cell in group {
        after.insert(step(cell, direction, 1), mover);
    }
    Some((after, pushed as u8, ejected))
}

/// Every group that there is: one, two or three cells side by side.
fn groups() -> HashSet<BTreeSet<Coordinates>> {
    let cells = (1..=9).flat_map(|row| (1..=9).map(move |number| (row, number)));
    let mut groups = HashSet::new();
    for first in cells.filter(|&cell| on_board(cell)) {
        for direction in Direction::ALL {
            for size in 1..=3 {
                let group: BTreeSet<_> = (0..size)
                    .map(|times| step(first, direction, times))
                    .collect();
                if group.iter().all(|&cell| on_board(cell)) {
                    groups.insert(group);
                }
            }
        }
    }
    groups
}

fn map(board: &Board) -> Marbles {
    let cells = Cell::all().filter_map(|cell| Some((coordinates(cell), board.at(cell)?)));
    cells.collect()
}

fn coordinates(cell: Cell) -> Coordinates {
    (cell.row().into(), cell.number().into())
}

fn action(group: &BTreeSet<Coordinates>, direction: Direction) -> Move {
    let cells: Vec<_> = group
        .iter()
        .map(|&(row, number)| Cell::new(row as u32, number as u32).unwrap())
        .collect();
    Move::new(&cells, direction).unwrap()
}

fn check_against_oracle(position: &Position) {
    let marbles = map(position.board());
    let mover = position.to_move();
    let listed = position.legal_moves();
    let distinct: HashSet<_> = listed.iter().copied().collect();
    assert_eq!(distinct.len(), listed.len(), "a move is listed twice");
    assert_eq!(position.count_legal_moves() as usize, listed.len());
    for group in groups() {
        for direction in Direction::ALL {
            let action = action(&group, direction);
            let after = position.after(action);
            let place = || {
                format!(
                    "{action} of {mover}\n{}",
                    position.board().rows().join("\n")
                )
            };
            match oracle(&marbles, mover, &group, direction) {
                None => {
                    assert!(after.is_err() && !distinct.contains(&action), "{}", place());
                }
                Some((marbles, pushed, ejected)) => {
                    let (after, answer) =
                        after.unwrap_or_else(|error| panic!("{error}: {}", place()));
                    assert!(distinct.contains(&action), "{}", place());
                    assert_eq!(answer, Answer { pushed, ejected }, "{}", place());
                    assert_eq!(map(after.board()), marbles, "{}", place());
                    assert_eq!(after.to_move(), mover.other());
                    let mut score = position.ejected_by();
                    score[mover.index()] += u8::from(ejected);
                    assert_eq!(after.ejected_by(), score);
                }
            }
        }
    }
}

/// A board on which each cell is drawn by itself: more crowded than play makes them.
fn crowded(rng: &mut ChaCha8Rng) -> Board {
    let [black, white] = [rng.random_range(0.1..0.5), rng.random_range(0.1..0.5)];
    let lengths = [5, 6, 7, 8, 9, 8, 7, 6, 5];
    let rows = lengths.map(|length| {
        let cells = (0..length).map(|_| match rng.random_range(0.0..1.0) {
            draw if draw < black => 'b',
            draw if draw < black + white => 'w',
            _ => '.',
        });
        cells.collect::<String>()
    });
    Board::from_rows(&rows).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn crowded_boards_agree_with_the_oracle(seed: u64) {
        let board = crowded(&mut rng(seed));
        for seat in Seat::ALL {
            check_against_oracle(&Position::new(board, seat, [0, 0]));
        }
    }

    #[test]
    fn positions_of_random_games_agree_with_the_oracle(seed: u64) {
        let mut rng = rng(seed);
        let layout = pick(&mut rng, &Layout::NAMED);
        let mut position = Position::new(layout.board(), Seat::One, [0, 0]);
        for ply in 0..120 {
            if ply % 10 == 0 {
                check_against_oracle(&position);
            }
            let moves = position.legal_moves();
            if moves.is_empty() {
                break;
            }
            position = position.after(pick(&mut rng, &moves)).unwrap().0;
        }
    }

    #[test]
    fn built_leaves_are_as_many_as_counted_ones(seed: u64) {
        let board = crowded(&mut rng(seed));
        let position = Position::new(board, Seat::Two, [5, 5]);
        prop_assert_eq!(position.perft_building(3), position.perft(3));
    }

    #[test]
    fn rows_round_trip(seed: u64) {
        let board = crowded(&mut rng(seed));
        prop_assert_eq!(Board::from_rows(&board.rows()), Ok(board));
        prop_assert_eq!(board.to_string().parse(), Ok(board));
    }
}

#[test]
fn every_layout_has_its_known_number_of_leaves() {
    let counts: [(Layout, &[u64]); 13] = [
        (Layout::Standard, &[44, 1936, 98_912, 5_045_110]),
        (Layout::BelgianDaisy, &[52, 2692, 149_322, 8_270_666]),
        (Layout::GermanDaisy, &[80, 6244, 493_480, 38_240_570]),
        (Layout::DutchDaisy, &[44, 1946, 87_324]),
        (Layout::SwissDaisy, &[64, 4066, 254_170]),
        (Layout::TheWall, &[102, 9630, 882_256]),
        (Layout::AlienAttack, &[48, 2336, 114_756]),
        (Layout::Snakes, &[98, 9256, 819_965]),
        (Layout::Checkerboard, &[52, 2708, 141_414]),
        (Layout::Duel, &[60, 3602, 227_468]),
        (Layout::Star, &[47, 2217, 105_643]),
        (Layout::Clearing, &[33, 1099, 38_283]),
        (Layout::Papillons, &[40, 1616, 67_234]),
    ];
    for (layout, leaves) in counts {
        check_leaves(&Position::new(layout.board(), Seat::One, [0, 0]), leaves);
    }
}

#[test]
fn positions_of_mid_game_have_their_known_number_of_leaves() {
    let first = "...../..bwww/..wbwww/..wbbbb./...bbbw../..wwbw../..wwb../....../.....";
    for (rows, to_move, leaves) in [
        (first, Seat::One, [32, 1757, 65_629, 3_768_483]),
        (first, Seat::Two, [53, 1822, 102_875, 4_040_626]),
        (
            "..b../wwwb../...wb.w/.....bbw/w.....wbw/b.w...bw/b.b..../bbb.../wwwb.",
            Seat::One,
            [57, 2390, 140_914, 6_092_250],
        ),
        (
            "bbb../..wbbb/.bbwwww/...b..../...b...../..b...../.w...../wwww../bbbbw",
            Seat::One,
            [53, 2179, 117_471, 5_305_641],
        ),
    ] {
        check_leaves(
            &Position::new(rows.parse().unwrap(), to_move, [0, 0]),
            &leaves,
        );
    }
}

fn check_leaves(position: &Position, leaves: &[u64]) {
    for (depth, &leaves) in (1..).zip(leaves) {
        assert_eq!(
            position.perft(depth),
            leaves,
            "depth {depth} of {}",
            position.board()
        );
        assert_eq!(
            position.perft_building(depth),
            leaves,
            "depth {depth} of {}",
            position.board()
        );
    }
    assert_eq!(position.perft(0), 1);
}

fn game(rows: &str, max_plies: u32, repetition_limit: u32) -> Game {
    let layout = Layout::custom(&rows.split('/').collect::<Vec<_>>()).unwrap();
    Game::new(Options::new(layout, max_plies, repetition_limit).unwrap())
}

fn play(game: &mut Game, seat: Seat, cells: &[&str], direction: Direction) -> Answer {
    let cells: Vec<_> = cells.iter().map(|cell| cell.parse().unwrap()).collect();
    game.play(seat, Move::new(&cells, direction).unwrap())
        .unwrap()
}

#[test]
fn the_list_holds_all_moves_of_the_boards_that_have_most() {
    for (rows, moves) in [
        (
            "...../.b.b.w/..b.b.w/.b.b.b.w/..b.b.b.w/w.b.b..w/..b.b.w/....../...ww",
            150,
        ),
        (
            "b.b.b/.b.b.b/b.b.b.b/.b.b.b.b/b.b.b.b.b/b.b.b.b./b.b.b.b/b.b.b./b.b.b",
            264,
        ),
    ] {
        let position = Position::new(rows.parse().unwrap(), Seat::One, [0, 0]);
        assert_eq!(position.legal_moves().len(), moves);
        check_against_oracle(&position);
    }
}

#[test]
fn black_loses_at_once_in_a_layout_in_which_it_cannot_move() {
    let rows = "...../.....w/......w/......wb/....ww.wb/...wbwwb/...wwbb/wwwbbb/bbbbb";
    let blocked = game(rows, 400, 3);
    let lost = Outcome {
        winner: Some(Seat::Two),
        ending: Ending::NoLegalMove,
    };
    assert_eq!(blocked.outcome(), Some(lost));
    assert_eq!(blocked.to_act(), Seats::NONE);
    assert!(blocked.legal_moves(Seat::One).is_empty());
}

/// Moves back and forth: the position at the start stands again after every four plies.
fn shuffle(game: &mut Game) {
    play(game, Seat::One, &["c3"], Direction::NorthWest);
    play(game, Seat::Two, &["g5"], Direction::SouthEast);
    play(game, Seat::One, &["d3"], Direction::SouthEast);
    play(game, Seat::Two, &["f5"], Direction::NorthWest);
}

#[test]
fn the_position_at_the_start_counts_as_having_stood_once() {
    let mut game = Game::new(Options::default());
    shuffle(&mut game);
    assert_eq!((game.view().repetitions, game.outcome()), (2, None));
    shuffle(&mut game);
    let drawn = Outcome {
        winner: None,
        ending: Ending::Repetition,
    };
    assert_eq!((game.view().repetitions, game.outcome()), (3, Some(drawn)));
    let shifted = Move::new(&["c3".parse().unwrap()], Direction::NorthWest).unwrap();
    assert_eq!(game.play(Seat::One, shifted), Err(IllegalMove::GameOver));
}

#[test]
fn repetition_may_be_switched_off_and_the_last_ply_comes_before_it() {
    let mut off = Game::new(Options::new(Layout::Standard, 12, 0).unwrap());
    shuffle(&mut off);
    shuffle(&mut off);
    assert_eq!((off.view().repetitions, off.outcome()), (3, None));
    let mut both = Game::new(Options::new(Layout::Standard, 8, 3).unwrap());
    shuffle(&mut both);
    shuffle(&mut both);
    assert_eq!(
        both.outcome().map(|outcome| outcome.ending),
        Some(Ending::MaxPlies)
    );
}

#[test]
fn after_the_last_ply_more_ejections_win_and_as_many_draw() {
    let rows = "wwwww/w...../......./......../wwb...bbw/......../......./....../bbbbb";
    let ending = Ending::MaxPlies;
    let mut one = game(rows, 1, 3);
    assert!(play(&mut one, Seat::One, &["e7", "e8"], Direction::East).ejected);
    let winner = Some(Seat::One);
    assert_eq!(one.outcome(), Some(Outcome { winner, ending }));

    let mut two = game(&rows.replace("wwb...bbw", "bww...bbw"), 2, 3);
    play(&mut two, Seat::One, &["e7", "e8"], Direction::East);
    assert!(play(&mut two, Seat::Two, &["e2", "e3"], Direction::West).ejected);
    assert_eq!(two.view().ejected_by, [1, 1]);
    let winner = None;
    assert_eq!(two.outcome(), Some(Outcome { winner, ending }));

    let mut three = game(&rows.replace("wwb...bbw", "bww....b."), 2, 3);
    play(&mut three, Seat::One, &["e8"], Direction::East);
    play(&mut three, Seat::Two, &["e2", "e3"], Direction::West);
    let winner = Some(Seat::Two);
    assert_eq!(three.outcome(), Some(Outcome { winner, ending }));
}

#[test]
fn the_sixth_marble_ejected_wins_at_once() {
    let rows = "wwwww/wwwww./......./......../......bbw/......../......./....../bbbbb";
    let board: Board = rows.parse().unwrap();
    let cells = ["e7", "e8"].map(|cell| cell.parse().unwrap());
    let push = Move::new(&cells, Direction::East).unwrap();
    let after = |score| {
        Position::new(board, Seat::One, score)
            .after(push)
            .unwrap()
            .0
    };

    assert_eq!(after([4, 5]).winner(), None);
    let won = after([5, 5]);
    assert_eq!((won.ejected_by(), won.winner()), ([6, 5], Some(Seat::One)));
    assert!(won.legal_moves().is_empty());
    assert_eq!((won.perft(1), won.perft(0)), (0, 1));
    assert_eq!(won.after(push), Err(IllegalMove::GameOver));
}

#[test]
fn who_is_not_to_move_is_told_so() {
    let mut game = Game::new(Options::default());
    let action = Move::new(&["g5".parse().unwrap()], Direction::SouthEast).unwrap();
    let before = game.clone();
    let refused = game.play(Seat::Two, action).unwrap_err();
    assert_eq!((refused.slug(), game), ("out_of_turn", before));
}
