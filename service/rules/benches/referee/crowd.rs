//! Many games at once, a move each in turn: what a move costs when its game has left the cache.

use broadside_rules::{Game, Move, Seat, Variant, naval};
use divan::{Bencher, counter::ItemsCount};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::random::Games;

/// Enough that they do not fit the caches next to one core.
const GAMES: usize = 16_384;
/// Moves in each game.
const ROUNDS: usize = 6;

/// Moves a second, each with the picking of the move and what is written of the view after it.
#[divan::bench(args = [Variant::Classic, Variant::AdvancedSalvo, Variant::Naumachia], sample_size = 1)]
fn turns(bencher: Bencher, variant: Variant) {
    let games = Games::of(variant, 256).at_middle();
    bencher
        .counter(ItemsCount::new(GAMES * ROUNDS))
        .with_inputs(|| {
            games
                .iter()
                .cycle()
                .take(GAMES)
                .cloned()
                .collect::<Vec<_>>()
        })
        .bench_refs(|games| {
            let mut rng = ChaCha8Rng::seed_from_u64(1);
            let mut written = Vec::new();
            for _ in 0..ROUNDS {
                for game in &mut *games {
                    turn(game, &mut rng, &mut written);
                }
            }
            written
        });
}

fn turn(game: &mut Game, rng: &mut ChaCha8Rng, written: &mut Vec<u8>) {
    let Some(seat) = game.to_act().iter().next() else {
        return;
    };
    let Game::Naval(naval) = &*game else { return };
    let view = naval.view(seat);
    let mut targets = view.target.targets();
    let mut cell = || loop {
        let cell = naval::Cell::from_number(rng.random_range(1..=100)).expect("it is on the grid");
        if targets.contains(cell) {
            targets = targets - naval::CellSet::only(cell);
            return cell;
        }
    };
    let action = match view.salvo_size {
        Some(size) => naval::Move::Salvo((0..size).map(|_| cell()).collect()),
        None => naval::Move::Shot(cell()),
    };
    game.play(seat, &Move::Naval(action))
        .expect("it is a target");
    written.clear();
    write(game, seat.other(), written);
}

/// The lists of a view, as the arena writes them.
fn write(game: &Game, seat: Seat, written: &mut Vec<u8>) {
    let Game::Naval(game) = game else { return };
    let view = game.view(seat);
    for (ship, sunk) in view.own.into_iter().flat_map(naval::OwnWaters::ships) {
        written.extend([
            ship.class as u8,
            ship.cell.row(),
            ship.cell.column(),
            sunk.into(),
        ]);
    }
    written.extend(view.incoming.called().iter().map(|cell| cell.number()));
    written.extend(view.target.misses().map(naval::Cell::number));
    written.extend(view.target.hits().map(naval::Cell::number));
    written.extend(view.target.hit_classes().iter().map(|&class| class as u8));
    for salvo in view.target.salvos() {
        written.extend(salvo.cells.iter().map(|cell| cell.number()));
        written.extend([salvo.hits, salvo.enemy_afloat]);
    }
    for sinking in view.target.sinkings() {
        written.extend([sinking.class as u8, sinking.hits]);
    }
    written.extend(view.target.marked().iter().map(naval::Cell::number));
}
