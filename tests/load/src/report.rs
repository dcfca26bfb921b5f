//! What was measured, as lines of a table and as JSON.

use std::{fs::File, path::Path};

use anyhow::Context;
use serde::Serialize;

use super::round::{Cell, Round};

/// Of several rounds.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct Spread {
    pub(crate) min: f64,
    pub(crate) median: f64,
    pub(crate) max: f64,
}

impl Spread {
    /// Of at least one figure.
    pub(crate) fn of(figures: impl Iterator<Item = f64>) -> Option<Self> {
        let mut figures: Vec<f64> = figures.collect();
        figures.sort_by(f64::total_cmp);
        Some(Self {
            min: *figures.first()?,
            median: figures[figures.len() / 2],
            max: *figures.last()?,
        })
    }
}

/// One place of the table.
#[derive(Debug, Serialize)]
pub(crate) struct Row {
    #[serde(flatten)]
    cell: Cell,
    turns_a_second: Option<Spread>,
    /// Round trips of bare tonic.
    echoes_a_second: Option<Spread>,
    /// Turns a second for a round trip a second, round by round.
    ratio: Option<Spread>,
    overhead_p50_us: Option<Spread>,
    overhead_p99_us: Option<Spread>,
    overhead_max_us: Option<Spread>,
    time_losses: u64,
    unexpected_ends: u64,
    /// Milliseconds for 1,000 turns.
    arena_cpu_ms: Option<Spread>,
    bots_cpu_ms: Option<Spread>,
    /// For one turn; 0 if they are not counted.
    allocations: Option<Spread>,
    turn_bytes: usize,
    answer_bytes: usize,
}

impl Row {
    pub(crate) fn new(cell: Cell, rounds: &[Round], echoes: &[f64]) -> Self {
        let of = |figure: fn(&Round) -> f64| Spread::of(rounds.iter().map(figure));
        let overhead = |part: f64| {
            let rounds = rounds.iter();
            Spread::of(rounds.filter_map(|round| percentile(&round.overhead_ns, part)))
        };
        let ratios = rounds.iter().zip(echoes);
        let last = rounds.last();
        let [turn_bytes, answer_bytes] = last.map_or([0; 2], |round| round.sizes);
        Self {
            cell,
            turns_a_second: of(|round| round.turns_a_second),
            echoes_a_second: Spread::of(echoes.iter().copied()),
            ratio: Spread::of(ratios.map(|(round, echo)| round.turns_a_second / echo)),
            overhead_p50_us: overhead(0.5),
            overhead_p99_us: overhead(0.99),
            overhead_max_us: overhead(1.0),
            time_losses: rounds.iter().map(|round| round.time_losses).sum(),
            unexpected_ends: rounds.iter().map(|round| round.unexpected).sum(),
            arena_cpu_ms: of(|round| round.arena_cpu_us),
            bots_cpu_ms: of(|round| round.bots_cpu_us),
            allocations: of(|round| round.allocations),
            turn_bytes,
            answer_bytes,
        }
    }
}

/// In microseconds, of nanoseconds in ascending order.
pub(crate) fn percentile(ascending_ns: &[u64], part: f64) -> Option<f64> {
    let last = ascending_ns.len().checked_sub(1)?;
    let at = (last as f64 * part).round() as usize;
    ascending_ns.get(at).map(|&ns| ns as f64 / 1e3)
}

pub(crate) fn head() {
    println!(
        "{:<8}{:<7}{:<8}{:>7} {:>9} {:<17} {:>9}  {:<20} {:>7} {:>7} {:>8} {:>6} {:>6} {:>6} {:>9} {:>6}",
        "route",
        "store",
        "game",
        "matches",
        "turns/s",
        "(lowest-highest)",
        "echo/s",
        "ratio",
        "p50 us",
        "p99 us",
        "max us",
        "cpu ms",
        "bots",
        "allocs",
        "bytes",
        "losses",
    );
}

pub(crate) fn line(row: &Row) {
    let Cell {
        matches,
        route,
        variant,
        store,
    } = row.cell;
    let median = |spread: &Option<Spread>, digits: usize| match spread {
        Some(spread) => format!("{:.digits$}", spread.median),
        None => "-".to_owned(),
    };
    let range = |spread: &Option<Spread>, digits: usize| match spread {
        Some(spread) => format!("({:.digits$}-{:.digits$})", spread.min, spread.max),
        None => "-".to_owned(),
    };
    let worst = |spread: &Option<Spread>| match spread {
        Some(spread) => format!("{:.0}", spread.max),
        None => "-".to_owned(),
    };
    println!(
        "{:<8}{:<7}{:<8}{matches:>7} {:>9} {:<17} {:>9}  {:<20} {:>7} {:>7} {:>8} {:>6} {:>6} {:>6} {:>9} {:>6}",
        route.to_string(),
        store.to_string(),
        variant.to_string(),
        median(&row.turns_a_second, 0),
        range(&row.turns_a_second, 0),
        median(&row.echoes_a_second, 0),
        format!("{} {}", median(&row.ratio, 2), range(&row.ratio, 2)),
        median(&row.overhead_p50_us, 0),
        median(&row.overhead_p99_us, 0),
        worst(&row.overhead_max_us),
        median(&row.arena_cpu_ms, 1),
        median(&row.bots_cpu_ms, 1),
        median(&row.allocations, 1),
        format!("{}+{}", row.turn_bytes, row.answer_bytes),
        row.time_losses,
    );
}

/// What holds for the whole table.
pub(crate) fn foot(rows: &[Row]) {
    let losses: u64 = rows.iter().map(|row| row.time_losses).sum();
    let unexpected: u64 = rows.iter().map(|row| row.unexpected_ends).sum();
    println!("\nfalse time losses: {losses}; other ends than by play: {unexpected}");
    println!(
        "echo/s: round trips of bare tonic; ratio: turns to round trips, round by round, median (lowest-highest); us: what the service takes of a \
         turn; max us: of all rounds; cpu ms: the arena's and the bots' for 1,000 turns; allocs: the arena's for one turn, if counted; \
         bytes: of a turn and its answer"
    );
}

pub(crate) fn write(file: &Path, measured: &impl Serialize) -> anyhow::Result<()> {
    let out = File::create(file).with_context(|| format!("creating {}", file.display()))?;
    serde_json::to_writer_pretty(out, measured)
        .with_context(|| format!("writing {}", file.display()))
}
