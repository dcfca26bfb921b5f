//! All legal play from an abalone layout, counted.

use broadside_rules::{
    Seat,
    abalone::{Layout, Position},
};
use divan::{Bencher, black_box, counter::ItemsCount};

const LAYOUTS: [Layout; 3] = [Layout::Standard, Layout::BelgianDaisy, Layout::GermanDaisy];
/// Plies: some five to ten million leaves.
const DEPTH: u32 = 4;

/// Leaves a second when those of the last ply are counted without being built.
#[divan::bench(args = LAYOUTS)]
fn counting(bencher: Bencher, layout: Layout) {
    measure(bencher, layout, Position::perft);
}

/// Leaves a second when every one is built.
#[divan::bench(args = LAYOUTS)]
fn building(bencher: Bencher, layout: Layout) {
    measure(bencher, layout, Position::perft_building);
}

fn measure(bencher: Bencher, layout: Layout, perft: fn(&Position, u32) -> u64) {
    let position = Position::new(layout.board(), Seat::One, [0, 0]);
    bencher
        .counter(ItemsCount::new(position.perft(DEPTH)))
        .bench(|| perft(black_box(&position), black_box(DEPTH)));
}
