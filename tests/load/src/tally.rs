//! What a process of the bench counts, and tells whoever started it: a word on its input, a line of JSON on its output.

use std::{
    io::{BufRead, Write, stdin, stdout},
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
};

use serde::{Deserialize, Serialize};

use super::clock::now_ns;

/// Most turns that are timed in one process.
const MOST_SAMPLES: usize = 400_000;

/// Counts of a process so far.
#[derive(Clone, Copy, Debug, Default, Deserialize, Serialize)]
pub(crate) struct Count {
    /// When they were read, in nanoseconds of [`now_ns`].
    pub(crate) at_ns: u64,
    /// Turns answered, or round trips of the echo.
    pub(crate) turns: u64,
    /// Matches that are over.
    pub(crate) ended: u64,
    /// Of those, ended by time.
    pub(crate) time_losses: u64,
    /// Of those, ended neither by play nor by a draw.
    pub(crate) unexpected: u64,
    /// Turns whose sizes were taken.
    pub(crate) sized: u64,
    /// Bytes of those turns, as messages of the stream.
    pub(crate) turn_bytes: u64,
    /// Bytes of the answers to them.
    pub(crate) answer_bytes: u64,
    /// Allocations since the process began; 0 if they are not counted.
    pub(crate) allocations: u64,
    /// Bytes allocated and not freed, if that is counted.
    pub(crate) live_bytes: Option<u64>,
}

/// One turn as its bot saw it, in nanoseconds of [`now_ns`].
#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
pub(crate) struct Sample {
    pub(crate) match_id: u64,
    pub(crate) turn_id: u32,
    pub(crate) received_ns: u64,
    pub(crate) answered_ns: u64,
}

/// Counts, while they are made.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    pub(crate) turns: AtomicU64,
    pub(crate) ended: AtomicU64,
    pub(crate) time_losses: AtomicU64,
    pub(crate) unexpected: AtomicU64,
    pub(crate) sized: AtomicU64,
    pub(crate) turn_bytes: AtomicU64,
    pub(crate) answer_bytes: AtomicU64,
    /// Whether turns are timed now.
    pub(crate) timing: AtomicBool,
    samples: Mutex<Vec<Sample>>,
}

impl Tally {
    /// Notes a timed turn, as long as there is room.
    pub(crate) fn sample(&self, sample: Sample) {
        let mut samples = self.samples.lock().unwrap_or_else(PoisonError::into_inner);
        if samples.len() < MOST_SAMPLES {
            samples.push(sample);
        }
    }

    fn count(&self) -> Count {
        let read = |count: &AtomicU64| count.load(Ordering::Relaxed);
        Count {
            at_ns: now_ns(),
            turns: read(&self.turns),
            ended: read(&self.ended),
            time_losses: read(&self.time_losses),
            unexpected: read(&self.unexpected),
            sized: read(&self.sized),
            turn_bytes: read(&self.turn_bytes),
            answer_bytes: read(&self.answer_bytes),
            allocations: allocations(),
            live_bytes: live_bytes(),
        }
    }

    fn take_samples(&self) -> Vec<Sample> {
        std::mem::take(&mut self.samples.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Answers what is asked on standard input, until that ends; `other` sees to what is not about counts.
    pub(crate) fn answer(&self, mut other: impl FnMut(&str)) -> anyhow::Result<()> {
        for line in stdin().lock().lines() {
            match line?.trim() {
                "count" => tell(&self.count())?,
                "begin" => {
                    self.timing.store(true, Ordering::Relaxed);
                    tell(&self.count())?;
                }
                "end" => {
                    self.timing.store(false, Ordering::Relaxed);
                    tell(&self.count())?;
                }
                "samples" => tell(&self.take_samples())?,
                word => other(word),
            }
        }
        Ok(())
    }
}

/// One line of JSON for whoever started this process.
pub(crate) fn tell(value: &impl Serialize) -> anyhow::Result<()> {
    let mut out = stdout().lock();
    serde_json::to_writer(&mut out, value)?;
    writeln!(out)?;
    out.flush()?;
    Ok(())
}

#[cfg(feature = "count-allocations")]
fn allocations() -> u64 {
    let stats = super::ALLOCATOR.stats();
    (stats.allocations + stats.reallocations) as u64
}

#[cfg(not(feature = "count-allocations"))]
fn allocations() -> u64 {
    0
}

#[cfg(feature = "count-allocations")]
fn live_bytes() -> Option<u64> {
    let stats = super::ALLOCATOR.stats();
    // What another thread frees between the two counts must not make it negative.
    Some(
        stats
            .bytes_allocated
            .saturating_sub(stats.bytes_deallocated) as u64,
    )
}

#[cfg(not(feature = "count-allocations"))]
fn live_bytes() -> Option<u64> {
    None
}
