//! Random games from the first move to the end.

use broadside_rules::Variant;
use divan::{Bencher, counter::ItemsCount};

use crate::random::Games;

/// Enough that the processor cannot learn them by heart.
const GAMES: usize = 128;

/// Moves a second, with the picking of each move.
#[divan::bench(args = Variant::ALL)]
fn moves(bencher: Bencher, variant: Variant) {
    let games = Games::of(variant, GAMES);
    bencher
        .counter(ItemsCount::new(games.play()))
        .bench(|| games.play());
}
