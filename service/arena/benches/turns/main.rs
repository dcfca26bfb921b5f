//! How fast the arena gets through a turn by itself, on one core: no network, no store, no tasks.
//!
//! ```text
//! cargo bench -p broadside-arena                 # all
//! cargo bench -p broadside-arena -- machine      # turns a second: answer in, step and next turn out
//! cargo bench -p broadside-arena -- coding       # messages a second to bytes and back
//! cargo bench -p broadside-arena -- view         # views and lists of legal moves a second as messages
//! cargo bench -p broadside-arena -- log          # entries a second encoded and chained
//! cargo bench -p broadside-arena -- --sample-count 1000 classic
//! ```
//!
//! An item is what a bench is about: a turn, a message, a view. On a machine that has other work too, read the fastest column.
#![allow(clippy::expect_used, reason = "a bench fails by panicking")]

mod coding;
mod log;
mod machine;
mod script;
mod view;

use broadside_rules::Variant;

/// One whose turns are single shots, one whose turns are several, and one that hides nothing.
const VARIANTS: [Variant; 3] = [Variant::Classic, Variant::Salvo, Variant::Abalone];

fn main() {
    divan::main();
}
