//! The showcase.
fn main() {}
