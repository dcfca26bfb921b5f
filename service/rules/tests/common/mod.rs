//! Games of random moves, shared by the tests.
#![allow(dead_code, reason = "each test file uses its own part")]

use broadside_rules::{
    Answer, Game, IllegalMove, Move, Options, Phase, Seat, Variant,
    abalone::{self, Layout},
    naval::{self, Alphabet, Berth, Cell, CellSet, Deployment, Edition, PlacedShip, Route},
};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// The generator that each random game draws from.
pub(crate) fn rng(seed: u64) -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64(seed)
}

/// Every naval variant with every combination of its options.
pub(crate) fn naval_options() -> Vec<naval::Options> {
    let mut all = vec![
        naval::Options::Amiral,
        naval::Options::AmiralAdvanced,
        naval::Options::Naumachia,
    ];
    for edition in [Edition::Edition1967, Edition::Edition2002] {
        all.push(naval::Options::AdvancedSalvo { edition });
        for name_ship_on_hit in [true, false] {
            all.push(naval::Options::Classic {
                edition,
                name_ship_on_hit,
            });
            all.push(naval::Options::Salvo {
                edition,
                name_ship_on_hit,
            });
        }
    }
    all
}

/// Every variant, with its options; of abalone some.
pub(crate) fn all_options() -> Vec<Options> {
    let mut all: Vec<_> = naval_options().into_iter().map(Options::Naval).collect();
    all.push(Options::default_of(Variant::Abalone));
    for (layout, max_plies, limit) in [
        (Layout::BelgianDaisy, 60, 0),
        (Layout::TheWall, 1, 3),
        (Layout::Snakes, 300, 2),
        (Layout::Star, 1000, 100),
    ] {
        let options = abalone::Options::new(layout, max_plies, limit).unwrap();
        all.push(Options::Abalone(options));
    }
    all
}

/// A deployment as a move.
pub(crate) fn deploy(deployment: &Deployment) -> naval::Move {
    naval::Move::Deploy {
        ships: deployment.ships().to_vec(),
        berth: deployment.berth(),
    }
}

/// A random legal move of `seat`, who must be to act.
pub(crate) fn legal_move(game: &Game, seat: Seat, rng: &mut ChaCha8Rng) -> Move {
    match game {
        Game::Naval(game) => Move::Naval(legal_naval_move(game, seat, rng)),
        Game::Abalone(game) => Move::Abalone(pick(rng, &game.legal_moves(seat))),
    }
}

pub(crate) fn legal_naval_move(
    game: &naval::Game,
    seat: Seat,
    rng: &mut ChaCha8Rng,
) -> naval::Move {
    if game.phase() == Phase::Deployment {
        return deploy(&naval::deal(game.ruleset(), rng).unwrap());
    }
    let legal = game.legal_moves(seat);
    if !legal.berths.is_empty() {
        return naval::Move::Relocate(pick(rng, &legal.berths));
    }
    let targets: Vec<_> = legal.targets.iter().collect();
    if let Some(size) = legal.salvo_size {
        return naval::Move::Salvo(sample(rng, targets, size));
    }
    // Rare moves come first, so that games have them.
    if !legal.hunts.is_empty() && rng.random_bool(0.5) {
        return naval::Move::Hunt(pick(rng, &legal.hunts));
    }
    if !legal.torpedoes.is_empty() && rng.random_bool(0.2) {
        return naval::Move::Torpedo(pick(rng, &legal.torpedoes));
    }
    if !legal.air_strikes.is_empty() && rng.random_bool(0.3) {
        let corners: Vec<_> = legal.air_strikes.iter().collect();
        return naval::Move::AirStrike(pick(rng, &corners));
    }
    naval::Move::Shot(pick(rng, &targets))
}

/// A random move of any kind, seldom legal. A name that means nothing is no move at all.
pub(crate) fn any_naval_move(rng: &mut ChaCha8Rng) -> Result<naval::Move, IllegalMove> {
    Ok(match rng.random_range(0..7) {
        0 => naval::Move::Shot(any_cell(rng)?),
        1 => {
            let size = rng.random_range(0..7);
            let cells: Result<_, _> = (0..size).map(|_| any_cell(rng)).collect();
            naval::Move::Salvo(cells?)
        }
        2 => naval::Move::Torpedo(Route::named(
            rng.random_range(0..12),
            rng.random_range(0..12),
        )?),
        3 => naval::Move::Hunt(any_berth(rng)?),
        4 => naval::Move::Relocate(any_berth(rng)?),
        5 => naval::Move::AirStrike(any_cell(rng)?),
        _ => {
            let variant = pick(rng, &naval_options());
            let fleet = naval::deal(variant.ruleset(), rng).unwrap();
            let mut ships = fleet.ships().to_vec();
            if rng.random_bool(0.5) {
                ships[0].cell = any_cell(rng)?;
            }
            naval::Move::Deploy {
                ships,
                berth: rng.random_bool(0.5).then(|| any_berth(rng)).transpose()?,
            }
        }
    })
}

fn any_cell(rng: &mut ChaCha8Rng) -> Result<Cell, IllegalMove> {
    Cell::named(rng.random_range(0..12), rng.random_range(0..12))
}

fn any_berth(rng: &mut ChaCha8Rng) -> Result<Berth, IllegalMove> {
    let line = rng.random_range(0..12);
    if rng.random_bool(0.5) {
        Berth::letter(line)
    } else {
        Berth::number(line)
    }
}

pub(crate) fn pick<T: Clone>(rng: &mut ChaCha8Rng, all: &[T]) -> T {
    all[rng.random_range(0..all.len())].clone()
}

fn sample<T>(rng: &mut ChaCha8Rng, mut all: Vec<T>, size: usize) -> Vec<T> {
    (0..size)
        .map(|_| all.swap_remove(rng.random_range(0..all.len())))
        .collect()
}

/// The moves of a random game to its end, and what was answered.
pub(crate) fn random_game(
    options: &Options,
    rng: &mut ChaCha8Rng,
) -> (Game, Vec<(Seat, Move, Answer)>) {
    let mut game = Game::new(options);
    let mut moves = Vec::new();
    while let Some(seat) = random_actor(&game, rng) {
        let action = legal_move(&game, seat, rng);
        let answer = game
            .play(seat, &action)
            .unwrap_or_else(|reason| panic!("{seat} {action:?}: {reason}\n{}", drawn(&game)));
        moves.push((seat, action, answer));
        assert!(moves.len() <= 2_000, "the game does not end");
    }
    (game, moves)
}

/// One of those who are to act.
pub(crate) fn random_actor(game: &Game, rng: &mut ChaCha8Rng) -> Option<Seat> {
    let seats: Vec<_> = game.to_act().iter().collect();
    (!seats.is_empty()).then(|| pick(rng, &seats))
}

/// The position, for a test that fails.
pub(crate) fn drawn(game: &Game) -> String {
    match game {
        Game::Abalone(game) => game.position().board().rows().join("\n"),
        Game::Naval(game) => Seat::ALL
            .map(|seat| format!("{seat}\n{}", drawn_waters(game, seat)))
            .join("\n"),
    }
}

/// The waters of `seat`: `#` ship, `x` ship hit, `o` other cells fired at.
fn drawn_waters(game: &naval::Game, seat: Seat) -> String {
    let view = game.view(seat);
    let hulls = game.deployment(seat).map_or(CellSet::EMPTY, |deployment| {
        deployment
            .hulls()
            .fold(CellSet::EMPTY, |all, hull| all | hull)
    });
    let fired = view.incoming.fired();
    let cells: Vec<_> = Cell::all()
        .map(|cell| match (hulls.contains(cell), fired.contains(cell)) {
            (true, true) => 'x',
            (true, false) => '#',
            (false, true) => 'o',
            (false, false) => '.',
        })
        .collect();
    let rows: Vec<String> = cells.chunks(10).map(|row| row.iter().collect()).collect();
    rows.join("\n")
}

/// A ship, by the Latin name of its top-left cell.
pub(crate) fn ship(
    class: naval::ShipClass,
    cell: &str,
    orientation: naval::Orientation,
) -> PlacedShip {
    PlacedShip {
        class,
        cell: Alphabet::Latin.read(cell).unwrap(),
        orientation,
    }
}
