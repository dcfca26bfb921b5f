//! Whether the process gets to run. Time in which it does not is the arena's and nobody else's: a machine that sleeps, a process
//! that is stopped, a runtime that is starved.
//!
//! A task beats every few milliseconds. A gap between two beats that is too long is a stall; it counts in full, since whatever
//! arrived in it was read too late.

use std::{
    sync::atomic::{AtomicU64, Ordering},
    time::Duration,
};

use parking_lot::Mutex;
use tokio_util::sync::CancellationToken;

use crate::time::Micros;

/// How often the task beats.
const BEAT: Duration = Duration::from_millis(20);

/// A longer gap than this is a stall, in microseconds. Well above what a busy machine does to a timer.
const GAP_US: u64 = 250_000;

/// The stalls so far.
#[derive(Debug)]
pub struct Stalls {
    last_beat: AtomicU64,
    total_us: AtomicU64,
    count: AtomicU64,
    /// One gap is counted once, whoever notices it first.
    noticing: Mutex<()>,
}

impl Default for Stalls {
    fn default() -> Self {
        Self {
            last_beat: AtomicU64::new(Micros::now().0),
            total_us: AtomicU64::new(0),
            count: AtomicU64::new(0),
            noticing: Mutex::new(()),
        }
    }
}

impl Stalls {
    /// Microseconds of stalls until now. Also notices one that has just ended, before the task does.
    pub fn total_us(&self, now: Micros) -> u64 {
        if now.0.saturating_sub(self.last_beat.load(Ordering::Acquire)) > GAP_US {
            self.beat(now);
        }
        self.total_us.load(Ordering::Acquire)
    }

    /// How many stalls there were, and how many microseconds of them, as far as is known.
    pub fn so_far(&self) -> (u64, u64) {
        (
            self.count.load(Ordering::Relaxed),
            self.total_us.load(Ordering::Relaxed),
        )
    }

    fn beat(&self, now: Micros) {
        let _one_at_a_time = self.noticing.lock();
        let gap_us = now.0.saturating_sub(self.last_beat.load(Ordering::Acquire));
        if gap_us > GAP_US {
            tracing::warn!(
                gap_ms = gap_us / 1_000,
                "the arena did not get to run: charged to nobody"
            );
            self.total_us.fetch_add(gap_us, Ordering::AcqRel);
            self.count.fetch_add(1, Ordering::Relaxed);
        }
        self.last_beat.fetch_max(now.0, Ordering::AcqRel);
    }

    /// Beats until it is told to stop.
    pub async fn watch(&self, stop: CancellationToken) {
        let mut beats = tokio::time::interval(BEAT);
        beats.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                () = stop.cancelled() => return,
                _ = beats.tick() => self.beat(Micros::now()),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_gap_counts_in_full_and_once_whoever_notices_it() {
        let stalls = Stalls::default();
        let start = Micros(stalls.last_beat.load(Ordering::Acquire));
        stalls.beat(start.plus(20_000));
        assert_eq!(stalls.total_us(start.plus(40_000)), 0);
        let woken = start.plus(60_020_000);
        assert_eq!(stalls.total_us(woken), 60_000_000);
        stalls.beat(woken.plus(1));
        assert_eq!(stalls.total_us(woken.plus(2)), 60_000_000);
        assert_eq!(stalls.so_far(), (1, 60_000_000));
    }
}
