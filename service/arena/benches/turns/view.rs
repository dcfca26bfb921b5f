//! What a game looks like, as a message, when the match is half over.

use broadside_arena::convert;
use broadside_rules::{Game, Seat, Variant};
use divan::{Bencher, black_box, counter::ItemsCount};

use crate::{VARIANTS, script::Script};

const MATCHES: u64 = 16;

/// Views a second.
#[divan::bench(args = VARIANTS)]
fn player(bencher: Bencher, variant: Variant) {
    measure(bencher, variant, convert::view);
}

/// Views for spectators a second.
#[divan::bench(args = VARIANTS)]
fn public(bencher: Bencher, variant: Variant) {
    measure(bencher, variant, |game, _| convert::public_view(game));
}

/// Lists of legal moves a second.
#[divan::bench(args = VARIANTS)]
fn legal_moves(bencher: Bencher, variant: Variant) {
    measure(bencher, variant, |game, seat| {
        // Of use in the deployment alone.
        convert::legal_moves(game, seat, || None)
    });
}

fn measure<M>(bencher: Bencher, variant: Variant, of: fn(&Game, Seat) -> M) {
    let scripts = Script::several(variant, MATCHES);
    let middles: Vec<_> = scripts.iter().map(Script::middle).collect();
    bencher
        .counter(ItemsCount::new(middles.len()))
        .bench_local(|| {
            for middle in black_box(&middles) {
                drop(black_box(of(&middle.game, middle.seat)));
            }
        });
}
