//! How fast the referee is by itself, on one core: no clocks, no contract, no network.
//!
//! ```text
//! cargo bench -p broadside-rules                      # all
//! cargo bench -p broadside-rules -- games             # moves a second in random games
//! cargo bench -p broadside-rules -- perft             # abalone leaves a second
//! cargo bench -p broadside-rules -- view              # views and lists of legal moves a second
//! cargo bench -p broadside-rules -- --sample-count 1000 classic
//! ```
//!
//! An item is what a bench is about: a move, a leaf, a view. On a machine that has other work too,
//! read the fastest column.
#![allow(clippy::expect_used, reason = "a bench fails by panicking")]

mod crowd;
mod games;
mod perft;
mod random;
mod view;

fn main() {
    divan::main();
}
