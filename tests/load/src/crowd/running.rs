//! Matches that run, and matches that are over and kept.

use std::{fmt, thread::sleep, time::Duration};

use serde::Serialize;
use tokio::runtime::Builder;

use super::{at_rest, logs::Logs};
use crate::{memory::Memory, round::Scene, tally::Count};

/// Moves of a match on average, when all are held: somewhere in the first half of a match.
const MOVES: usize = 60;

/// How often the bots are asked how far they are.
const LOOK: Duration = Duration::from_millis(10);

/// What a match takes, in bytes.
#[derive(Debug, Serialize)]
pub(super) struct Running {
    matches: usize,
    /// Moves of each on average, when what it takes was measured.
    moves: usize,
    /// One that runs, beside its log.
    running: Memory,
    /// Its log: entries as they are encoded, and their chain.
    log: f64,
    /// One that is over, log and all.
    over: Memory,
    /// Its log.
    whole_log: f64,
}

/// Plays so many matches: held somewhere on their way, for what they take when they run, and then to their ends.
///
/// What one takes is what the arena holds more than before all of them, divided by their number. While they are held, every one waits for
/// a bot's answer, and nothing is under way.
pub(super) fn measure(scene: &mut Scene, matches: usize) -> anyhow::Result<Running> {
    let before = at_rest(&mut scene.arena)?;
    scene.go()?;
    until(scene, |[one, two]| {
        one.turns + two.turns >= (MOVES * matches) as u64
    })?;
    scene.say("hold")?;
    let held = at_rest(&mut scene.arena)?;
    let [one, two] = scene.counts()?;
    let moves = usize::try_from(one.turns + two.turns)? / matches.max(1);

    scene.say("rest")?;
    scene.say("release")?;
    until(scene, |[one, _]| one.ended >= matches as u64)?;
    let over = at_rest(&mut scene.arena)?;

    let runtime = Builder::new_current_thread().enable_all().build()?;
    let logs = runtime.block_on(Logs::read(scene.address))?;
    let log = logs.after(moves);
    Ok(Running {
        matches,
        moves,
        running: held.each(before, matches).beside(log),
        log,
        over: over.each(before, matches),
        whole_log: logs.whole(),
    })
}

/// Waits until the bots have come so far.
fn until(scene: &mut Scene, far: impl Fn(&[Count; 2]) -> bool) -> anyhow::Result<()> {
    while !far(&scene.counts()?) {
        sleep(LOOK);
    }
    Ok(())
}

impl fmt::Display for Running {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kib = |bytes: f64| bytes / 1024.0;
        writeln!(
            f,
            "a running match, of {}, after {} moves: {} beside a log of {:.1} KiB",
            self.matches,
            self.moves,
            self.running,
            kib(self.log)
        )?;
        writeln!(
            f,
            "  one that is over and kept: {} with a log of {:.1} KiB",
            self.over,
            kib(self.whole_log)
        )
    }
}
