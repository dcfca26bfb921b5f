//! Counts the leaves of legal play from an abalone layout, for comparison with other engines.
//!
//! `cargo run --release -p broadside-rules --example perft -- [LAYOUT [DEPTH]]`; how fast that is,
//! `cargo bench -p broadside-rules -- perft` says.

use std::{env, process::ExitCode};

use broadside_rules::{
    Seat,
    abalone::{Layout, Position},
};

fn main() -> ExitCode {
    match run(&env::args().skip(1).collect::<Vec<_>>()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn run(args: &[String]) -> Result<(), Box<dyn std::error::Error>> {
    let (layout, depth): (Layout, u32) = match args {
        [] => (Layout::Standard, 5),
        [layout] => (layout.parse()?, 5),
        [layout, depth] => (layout.parse()?, depth.parse()?),
        _ => return Err("usage: perft [LAYOUT [DEPTH]]".into()),
    };
    let position = Position::new(layout.board(), Seat::One, [0, 0]);
    for depth in 1..=depth {
        println!("{layout} depth {depth}: {} leaves", position.perft(depth));
    }
    Ok(())
}
