//! What the arena asks of a game for each turn that it sends, when the game is half over.

use broadside_rules::{Game, Seat, Variant, abalone, naval};
use divan::{Bencher, black_box, counter::ItemsCount};

use crate::random::Games;

const GAMES: usize = 16;

/// Views a second, each read from end to end.
#[divan::bench(args = Variant::ALL)]
fn read(bencher: Bencher, variant: Variant) {
    measure(bencher, variant, |game, seat| match game {
        Game::Naval(game) => read_naval(&game.view(seat)),
        Game::Abalone(game) => read_abalone(&game.view()),
    });
}

/// Lists of legal moves a second, for the seat that is to act.
#[divan::bench(args = Variant::ALL)]
fn legal_moves(bencher: Bencher, variant: Variant) {
    measure(bencher, variant, |game, seat| match game {
        Game::Naval(game) => drop(black_box(game.legal_moves(seat))),
        Game::Abalone(game) => drop(black_box(game.legal_moves(seat))),
    });
}

fn measure(bencher: Bencher, variant: Variant, ask: impl Fn(&Game, Seat) + Sync) {
    let games = Games::of(variant, GAMES).at_middle();
    bencher.counter(ItemsCount::new(games.len())).bench(|| {
        for game in black_box(&games) {
            if let Some(seat) = game.to_act().iter().next() {
                ask(game, seat);
            }
        }
    });
}

fn read_naval(view: &naval::View<'_>) {
    each(view.own.into_iter().flat_map(naval::OwnWaters::ships));
    each(view.incoming_shots());
    for told in [view.target, view.incoming] {
        each(told.hits());
        each(told.misses());
        each(told.hit_classes());
        each(told.salvos());
        each(told.sinkings());
        each(told.marked().iter());
        black_box(told.arsenal());
    }
}

fn read_abalone(view: &abalone::View) {
    for seat in Seat::ALL {
        each(view.board.marbles(seat).iter());
    }
    black_box((view.ejected_by, view.plies, view.repetitions));
}

fn each<T>(items: impl IntoIterator<Item = T>) {
    for item in items {
        black_box(item);
    }
}
