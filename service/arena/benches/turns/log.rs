//! What a match writes.

use broadside_record::chain::Chain;
use broadside_rules::Variant;
use divan::{Bencher, black_box, counter::ItemsCount};

use crate::{VARIANTS, script::Script};

const MATCHES: u64 = 16;

/// Entries a second, encoded and hashed into their match's chain.
#[divan::bench(args = VARIANTS)]
fn chained(bencher: Bencher, variant: Variant) {
    let scripts = Script::several(variant, MATCHES);
    let logs: Vec<_> = scripts.iter().map(Script::log).collect();
    bencher
        .counter(ItemsCount::new(logs.iter().map(Vec::len).sum::<usize>()))
        .bench_local(|| {
            for log in black_box(&logs) {
                let mut chain = Chain::new(1, 0);
                for entry in log {
                    drop(black_box(chain.push(entry)));
                }
            }
        });
}
