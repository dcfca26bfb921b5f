//! Counts the leaves of legal play from an abalone layout, and how many it counts a second.
//!
//! `perft [LAYOUT [DEPTH]] [--build]`: with `--build` every leaf is built, not just counted.

use std::{env, process::ExitCode, time::Instant};

use broadside_rules::{
    Seat,
    abalone::{Layout, Position},
};

fn main() -> ExitCode {
    match run(env::args().skip(1)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn run(args: impl Iterator<Item = String>) -> Result<(), Box<dyn std::error::Error>> {
    let (flags, places): (Vec<_>, Vec<_>) = args.partition(|arg| arg.starts_with("--"));
    let build = match flags.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => false,
        ["--build"] => true,
        _ => return Err("the only flag is --build".into()),
    };
    let layout: Layout = places
        .first()
        .map_or(Ok(Layout::Standard), |name| name.parse())?;
    let depth: u32 = places.get(1).map_or(Ok(5), |depth| depth.parse())?;

    let position = Position::new(layout.board(), Seat::One, [0, 0]);
    for depth in 1..=depth {
        let start = Instant::now();
        let leaves = if build {
            position.perft_building(depth)
        } else {
            position.perft(depth)
        };
        let seconds = start.elapsed().as_secs_f64();
        let speed = leaves as f64 / seconds / 1e6;
        println!("{layout} depth {depth}: {leaves} leaves, {seconds:.3} s, {speed:.0} M/s");
    }
    Ok(())
}
