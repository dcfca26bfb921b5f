//! One test for each fault, named by its number in `tests/faults.md`, where the others are listed too.

mod answers;
mod connections;
mod endings;
mod moves;
mod numbers;
mod raw;
mod sessions;
mod wire;
