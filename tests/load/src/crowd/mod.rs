//! Thousands of agents that wait and thousands of matches that run: their memory, and how soon a newcomer's match starts.

mod idle;
mod logs;
mod newcomers;
mod running;

use std::{thread::sleep, time::Duration};

use anyhow::ensure;
use serde::Serialize;

use self::{idle::Idle, newcomers::Newcomers, running::Running};
use super::{
    args::{CrowdArgs, Kept, Played, Route},
    memory::Memory,
    process::Process,
    report,
    round::{Cell, Scene},
};

/// Until what was on its way has arrived, and what only that took of memory is given back.
const SETTLE: Duration = Duration::from_secs(1);

#[derive(Debug, Serialize)]
struct Crowd {
    idle: Idle,
    running: Running,
    newcomers: Newcomers,
    time_losses: u64,
    /// Matches that ended neither by play nor by a draw.
    unexpected_ends: u64,
}

pub(crate) fn run(args: &CrowdArgs) -> anyhow::Result<()> {
    let idle = idle::measure(args.idle, args.rounds)?;
    print!("{idle}");

    let cell = Cell {
        matches: args.running,
        route: Route::Stream,
        variant: Played::Classic,
        store: Kept::Memory,
    };
    let mut scene = Scene::set(cell, Some(args.running))?;
    let waiting = idle::dial_in(scene.address, args.idle)?;
    let running = running::measure(&mut scene, args.running)?;
    print!("{running}");
    scene.go()?;
    let newcomers = newcomers::measure(scene.address, args.newcomers)?;
    print!("{newcomers}");
    drop(waiting);

    // Seat 1 hears of every end.
    let [ends, _] = scene.counts()?;
    let crowd = Crowd {
        idle,
        running,
        newcomers,
        time_losses: ends.time_losses,
        unexpected_ends: ends.unexpected,
    };
    println!(
        "false time losses: {}; other ends than by play: {}",
        crowd.time_losses, crowd.unexpected_ends
    );
    if let Some(file) = &args.json {
        report::write(file, &crowd)?;
    }
    ensure!(
        crowd.unexpected_ends == 0,
        "matches ended that should have been played"
    );
    Ok(())
}

/// What a process holds once it is at rest.
fn at_rest(process: &mut Process) -> anyhow::Result<Memory> {
    sleep(SETTLE);
    Memory::of(process)
}
