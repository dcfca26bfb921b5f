//! Notices a bot that does not keep the heartbeat that it promised.

use std::time::Duration;

use tokio::time::{Instant, Interval, MissedTickBehavior};

use crate::field::Violations;

/// What a bot may promise, in milliseconds.
const RANGE_MS: std::ops::RangeInclusive<u32> = 100..=3_600_000;

/// A bot is gone after so many of its intervals without a word.
const INTERVALS: u32 = 3;

/// Counts the intervals in which nothing came: a flag for each message, and a tick for each interval.
///
/// Intervals are counted, not time, so that an arena that was suspended does not take its bots for gone: however long that was,
/// it is one interval.
#[derive(Debug)]
pub(super) struct Silence {
    ticks: Option<Interval>,
    heard: bool,
    silent: u32,
}

impl Silence {
    /// Watches over the promise of a hello, as checked: 0 and unset promise nothing.
    ///
    /// # Errors
    /// If it is out of range.
    pub(super) fn promised(heartbeat_interval_ms: Option<u32>) -> Result<Self, Violations> {
        let ticks = match heartbeat_interval_ms {
            None | Some(0) => None,
            Some(ms) if RANGE_MS.contains(&ms) => {
                let period = Duration::from_millis(ms.into());
                let mut ticks = tokio::time::interval_at(Instant::now() + period, period);
                ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
                Some(ticks)
            }
            Some(ms) => {
                let mut violations = Violations::default();
                violations.add(
                    "hello.heartbeat_interval_ms",
                    format!(
                        "is {ms}: it must be {} to {}, or 0 to promise nothing",
                        RANGE_MS.start(),
                        RANGE_MS.end()
                    ),
                );
                return Err(violations);
            }
        };
        Ok(Self {
            ticks,
            heard: true,
            silent: 0,
        })
    }

    /// Something came.
    pub(super) const fn broken(&mut self) {
        self.heard = true;
    }

    /// Waits until the bot is to be taken for gone.
    pub(super) async fn lasts(&mut self) {
        let Some(ticks) = &mut self.ticks else {
            return std::future::pending().await;
        };
        loop {
            ticks.tick().await;
            if tick(&mut self.heard, &mut self.silent) {
                return;
            }
        }
    }
}

/// An interval is over. Returns whether the bot is gone.
const fn tick(heard: &mut bool, silent: &mut u32) -> bool {
    *silent = if *heard { 0 } else { *silent + 1 };
    *heard = false;
    *silent >= INTERVALS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_promise_out_of_range_is_named_with_what_would_be_right() {
        for ms in [1, 99, 3_600_001, u32::MAX] {
            let violations = Silence::promised(Some(ms)).unwrap_err();
            assert_eq!(
                violations.to_string(),
                format!(
                    "hello.heartbeat_interval_ms is {ms}: it must be 100 to 3600000, or 0 to promise nothing"
                )
            );
        }
    }

    #[test]
    fn three_intervals_without_a_word_are_too_many_and_a_word_begins_anew() {
        let (mut heard, mut silent) = (true, 0);
        for _ in 0..10 {
            let gone = [(); 3].map(|()| tick(&mut heard, &mut silent));
            assert_eq!(gone, [false; 3]);
            heard = true;
        }
        let gone = [(); 4].map(|()| tick(&mut heard, &mut silent));
        assert_eq!(gone, [false, false, false, true]);
    }
}
