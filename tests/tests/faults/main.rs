//! One test for each fault, named by its number in `tests/faults.md`, where the others are listed too.

mod answers;
mod clocks;
mod connections;
mod endings;
mod moves;
mod names;
mod numbers;
mod panics;
mod raw;
mod secrets;
mod sessions;
mod stores;
mod wire;
