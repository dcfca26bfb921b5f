//! A great many turns: no time losses, and memory that does not grow.

use std::{
    fmt,
    thread::sleep,
    time::{Duration, Instant},
};

use anyhow::ensure;
use serde::Serialize;

use super::{
    args::{EnduranceArgs, Kept, Played, Route},
    memory::Memory,
    report,
    round::{Cell, Scene},
};

/// Parts of the way: memory is told of each.
const PARTS: u64 = 10;

/// A match of the bots has 185 turns: so that the store is full of matches that are over before the first part of the way is, it keeps one for
/// so many of that part's.
const TURNS_TO_ONE_KEPT: u64 = 400;

/// How often the bots are asked how far they are.
const LOOK: Duration = Duration::from_millis(20);

#[derive(Debug, Serialize)]
struct Endurance {
    matches: usize,
    store: Kept,
    /// Matches that a store in memory keeps after their end.
    keep: usize,
    parts: Vec<Part>,
    time_losses: u64,
    /// Matches that ended neither by play nor by a draw.
    unexpected_ends: u64,
}

/// How far it had come at one moment.
#[derive(Debug, Serialize)]
struct Part {
    turns: u64,
    seconds: f64,
    ended: u64,
    /// The most that the arena held since the part before, in bytes.
    memory: Memory,
}

pub(crate) fn run(args: &EnduranceArgs) -> anyhow::Result<()> {
    let keep = usize::try_from(args.turns / PARTS / TURNS_TO_ONE_KEPT)?.max(1);
    let cell = Cell {
        matches: args.matches,
        route: Route::Stream,
        variant: Played::Classic,
        store: args.store,
    };
    let mut scene = Scene::start(cell, Some(keep))?;
    let began = Instant::now();
    let mut parts = Vec::new();
    for part in 1..=PARTS {
        let part = play_until(&mut scene, args.turns * part / PARTS, began)?;
        println!("{part}");
        parts.push(part);
    }
    // Seat 1 hears of every end.
    let [ends, _] = scene.counts()?;
    let endurance = Endurance {
        matches: args.matches,
        store: args.store,
        keep,
        parts,
        time_losses: ends.time_losses,
        unexpected_ends: ends.unexpected,
    };
    println!("{endurance}");
    if let Some(file) = &args.json {
        report::write(file, &endurance)?;
    }
    ensure!(
        endurance.unexpected_ends == 0,
        "matches ended that should have been played"
    );
    Ok(())
}

fn play_until(scene: &mut Scene, enough: u64, began: Instant) -> anyhow::Result<Part> {
    let mut memory = Memory::of(&mut scene.arena)?;
    loop {
        let [one, two] = scene.counts()?;
        // Matches begin and end together, and their logs with them: at any one moment there may be much or little.
        memory = memory.most(Memory::of(&mut scene.arena)?);
        let turns = one.turns + two.turns;
        if turns >= enough {
            return Ok(Part {
                turns,
                seconds: began.elapsed().as_secs_f64(),
                ended: one.ended,
                memory,
            });
        }
        sleep(LOOK);
    }
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{:>9} turns after {:>6.1} s, {:>6} matches over: at most {}",
            self.turns, self.seconds, self.ended, self.memory
        )
    }
}

impl fmt::Display for Endurance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let [_, second, .., last] = self.parts.as_slice() {
            let grown = last.memory.each(second.memory, 1);
            writeln!(
                f,
                "{} turns in {:.1} s; from the second tenth to the last the arena has grown by {grown}",
                last.turns, last.seconds
            )?;
        }
        write!(
            f,
            "false time losses: {}; other ends than by play: {}",
            self.time_losses, self.unexpected_ends
        )
    }
}
