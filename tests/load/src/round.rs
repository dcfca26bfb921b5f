//! One round: the arena and its bots, or the echo and its clients, for a moment.

use std::{collections::HashMap, net::SocketAddr, thread::sleep, time::Duration};

use super::{
    args::{Kept, Played, Route, Shape},
    process::{Process, Usage},
    tally::{Count, Sample},
};

/// Matches of which every turn is timed, of all that run at once.
const TIMED: usize = 64;

/// What is measured at one place of the table.
#[derive(Clone, Copy, Debug, serde::Serialize)]
pub(crate) struct Cell {
    pub(crate) matches: usize,
    pub(crate) route: Route,
    pub(crate) variant: Played,
    pub(crate) store: Kept,
}

/// What one round of the arena came to.
#[derive(Debug)]
pub(crate) struct Round {
    pub(crate) turns_a_second: f64,
    /// What the service took of each turn that was timed, in nanoseconds, in ascending order.
    pub(crate) overhead_ns: Vec<u64>,
    pub(crate) time_losses: u64,
    /// Matches that ended neither by play nor by a draw.
    pub(crate) unexpected: u64,
    /// Of the arena, in milliseconds for 1,000 turns, which is as much as microseconds for one.
    pub(crate) arena_cpu_us: f64,
    /// Of both bots, likewise.
    pub(crate) bots_cpu_us: f64,
    /// Of the arena, for one turn.
    pub(crate) allocations: f64,
    /// Bytes of a turn and of its answer, as they are sent.
    pub(crate) sizes: [usize; 2],
}

/// An arena and the bots of both seats, playing.
pub(crate) struct Scene {
    pub(crate) arena: Process,
    pub(crate) bots: [Process; 2],
    pub(crate) address: SocketAddr,
}

/// Counts of a scene at one moment.
pub(crate) struct Moment {
    pub(crate) arena: Count,
    pub(crate) bots: [Count; 2],
    pub(crate) arena_usage: Usage,
    pub(crate) bots_usage: [Usage; 2],
}

impl Scene {
    /// Starts an arena with bots that play.
    pub(crate) fn start(cell: Cell, keep: Option<usize>) -> anyhow::Result<Self> {
        let mut scene = Self::set(cell, keep)?;
        scene.go()?;
        Ok(scene)
    }

    /// Starts an arena with bots that are there, and play nothing yet.
    pub(crate) fn set(cell: Cell, keep: Option<usize>) -> anyhow::Result<Self> {
        let mut flags = vec![format!("--store={}", cell.store)];
        flags.extend(keep.map(|keep| format!("--keep={keep}")));
        let mut arena = Process::start("arena", &flags)?;
        let address: SocketAddr = arena.hear()?;
        let bots = |name: &str, opponent: Option<&str>| {
            let mut flags = vec![
                format!("--arena=http://{address}"),
                format!("--name={name}"),
                format!("--route={}", cell.route),
                format!("--variant={}", cell.variant),
                format!("--matches={}", cell.matches),
                format!("--sample={}", cell.matches.div_ceil(TIMED)),
            ];
            flags.extend(opponent.map(|opponent| format!("--opponent={opponent}")));
            Process::start("bots", &flags)
        };
        let mut two = bots("two", None)?;
        let address_of_two: Option<String> = two.hear()?;
        let opponent = address_of_two.as_deref().unwrap_or("two");
        let mut one = bots("one", Some(opponent))?;
        let _: Option<String> = one.hear()?;
        Ok(Self {
            arena,
            bots: [one, two],
            address,
        })
    }

    /// Has the bots create their matches, and play.
    pub(crate) fn go(&mut self) -> anyhow::Result<()> {
        let [one, _] = &mut self.bots;
        let _: String = one.ask("go")?;
        Ok(())
    }

    /// Says a word to both bots.
    pub(crate) fn say(&mut self, word: &str) -> anyhow::Result<()> {
        self.bots.iter_mut().try_for_each(|bots| bots.say(word))
    }

    /// What the bots of each seat have counted.
    pub(crate) fn counts(&mut self) -> anyhow::Result<[Count; 2]> {
        let [one, two] = &mut self.bots;
        Ok([one.ask("count")?, two.ask("count")?])
    }

    /// What it has come to; `word` may begin or end the timing.
    pub(crate) fn moment(&mut self, word: &str) -> anyhow::Result<Moment> {
        let [one, two] = &mut self.bots;
        Ok(Moment {
            bots: [one.ask(word)?, two.ask(word)?],
            arena: self.arena.ask("count")?,
            arena_usage: self.arena.usage()?,
            bots_usage: [one.usage()?, two.usage()?],
        })
    }
}

/// Plays a round.
pub(crate) fn play(cell: Cell, seconds: f64) -> anyhow::Result<Round> {
    let mut scene = Scene::start(cell, None)?;
    sleep(Duration::from_secs_f64(seconds / 2.0));
    let before = scene.moment("begin")?;
    sleep(Duration::from_secs_f64(seconds));
    let after = scene.moment("end")?;
    let [one, two] = &mut scene.bots;
    let samples: [Vec<Sample>; 2] = [one.ask("samples")?, two.ask("samples")?];

    let turns = turns(&before, &after);
    let rates = before.bots.iter().zip(&after.bots).map(|(b, a)| rate(b, a));
    let sum = |of: fn(&Count) -> u64| after.bots.iter().map(of).sum::<u64>();
    let cpu_us = |before: &Usage, after: &Usage| {
        (after.cpu.saturating_sub(before.cpu)).as_secs_f64() * 1e6 / turns
    };
    let sized = sum(|count| count.sized).max(1);
    let bots = before.bots_usage.iter().zip(&after.bots_usage);
    Ok(Round {
        turns_a_second: rates.sum(),
        overhead_ns: overhead(&samples),
        // Seat 1 hears of every end.
        time_losses: after.bots[0].time_losses,
        unexpected: after.bots[0].unexpected,
        arena_cpu_us: cpu_us(&before.arena_usage, &after.arena_usage),
        bots_cpu_us: bots.map(|(b, a)| cpu_us(b, a)).sum(),
        allocations: (after.arena.allocations - before.arena.allocations) as f64 / turns,
        sizes: [
            usize::try_from(sum(|count| count.turn_bytes) / sized)?,
            usize::try_from(sum(|count| count.answer_bytes) / sized)?,
        ],
    })
}

/// Turns between two moments.
pub(crate) fn turns(before: &Moment, after: &Moment) -> f64 {
    let turns = |moment: &Moment| moment.bots.iter().map(|count| count.turns).sum::<u64>();
    (turns(after) - turns(before)).max(1) as f64
}

fn rate(before: &Count, after: &Count) -> f64 {
    let seconds = (after.at_ns - before.at_ns) as f64 / 1e9;
    (after.turns - before.turns) as f64 / seconds
}

/// What the service took of each turn: from the answer before it, as its bot sent that, until this turn's bot had it.
///
/// Turns of both seats alternate, and their ids count them, in all three games; but for the first turn of a battle, which follows two
/// deployments.
fn overhead(samples: &[Vec<Sample>; 2]) -> Vec<u64> {
    let answered: HashMap<(u64, u32), u64> = samples
        .iter()
        .flatten()
        .map(|sample| ((sample.match_id, sample.turn_id), sample.answered_ns))
        .collect();
    let after = |sample: &Sample| {
        let before = |back: u32| {
            let turn_id = sample.turn_id.checked_sub(back)?;
            answered.get(&(sample.match_id, turn_id)).copied()
        };
        let last = match sample.turn_id {
            // In abalone turn 1 has been answered before turn 2 was made.
            3 => before(1)?.max(before(2)?),
            _ => before(1)?,
        };
        // Negative: two deployments at the same time.
        sample.received_ns.checked_sub(last)
    };
    let mut overhead: Vec<u64> = samples.iter().flatten().filter_map(after).collect();
    overhead.sort_unstable();
    overhead
}

/// The echo's round trips a second in the shape of a route, with messages of so many bytes there and back.
pub(crate) fn echo(
    route: Route,
    matches: usize,
    [request, reply]: [usize; 2],
    seconds: f64,
) -> anyhow::Result<f64> {
    let mut server = Process::start("echo-server", &[])?;
    let address: SocketAddr = server.hear()?;
    let (shape, clients, games) = match route {
        // One game is one stream's ping-pong. Many: so many on each of two connections, as each bot has so many.
        Route::Stream if matches == 1 => (Shape::Multiplexed, 1, 1),
        Route::Stream => (Shape::Multiplexed, 2, matches),
        Route::Streams if matches == 1 => (Shape::Streams, 1, 1),
        Route::Streams => (Shape::Streams, 2, matches / 2),
        // The arena is one client.
        Route::Dialled => (Shape::Unary, 1, matches),
    };
    let flags = [
        format!("--server=http://{address}"),
        format!("--shape={shape}"),
        format!("--games={games}"),
        format!("--request={request}"),
        format!("--reply={reply}"),
    ];
    let mut clients = (0..clients)
        .map(|_| Process::start("echo-client", &flags))
        .collect::<anyhow::Result<Vec<_>>>()?;
    for client in &mut clients {
        let _: String = client.hear()?;
    }
    sleep(Duration::from_secs_f64(seconds / 2.0));
    let mut count = || -> anyhow::Result<Vec<Count>> {
        clients
            .iter_mut()
            .map(|client| client.ask("count"))
            .collect()
    };
    let before = count()?;
    sleep(Duration::from_secs_f64(seconds));
    let after = count()?;
    Ok(before.iter().zip(&after).map(|(b, a)| rate(b, a)).sum())
}
