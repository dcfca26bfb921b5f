//! How fast the arena is beside bare tonic: turns a second, what the service adds to a turn, memory, and time losses that are its own.
//!
//! ```text
//! cargo run --release -p broadside-load                      # the whole table, some half an hour
//! cargo run --release -p broadside-load -- --matches 512     # one column of it
//! cargo run --release -p broadside-load -- crowd             # memory, and how fast a newcomer plays
//! cargo run --release -p broadside-load -- endurance         # a million turns
//! cargo run --release -p broadside-load --features count-allocations
//! ```
//!
//! Arena, bots and the bare tonic echo are processes of their own, all on loopback. Figures are to be compared within one run: a round of
//! the echo follows each round of the arena, with messages of the sizes that the bots have just seen, and ratios are taken round by round.

mod arena;
mod args;
mod bots;
mod clock;
mod crowd;
mod echo;
mod endurance;
mod memory;
mod process;
mod report;
mod round;
mod speed;
mod tally;

use clap::Parser;

use self::args::{Args, Command};

#[cfg(feature = "count-allocations")]
#[global_allocator]
static ALLOCATOR: &stats_alloc::StatsAlloc<std::alloc::System> = &stats_alloc::INSTRUMENTED_SYSTEM;

/// As the arena's own program has it.
#[cfg(not(feature = "count-allocations"))]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> anyhow::Result<()> {
    // Thousands of connections are more than most systems allow a process at first.
    broadside_arena::raise_descriptor_limit();
    let args = Args::parse();
    match args.command {
        None => speed::run(&args.speed),
        Some(Command::Crowd(crowd)) => crowd::run(&crowd),
        Some(Command::Endurance(endurance)) => endurance::run(&endurance),
        Some(Command::Arena(role)) => arena::run(&role),
        Some(Command::Bots(role)) => bots::run(role),
        Some(Command::EchoServer) => echo::server::run(),
        Some(Command::EchoClient(role)) => echo::client::run(&role),
    }
}
