//! Time as the arena measures it: microseconds on a clock that never goes back.

use std::{
    sync::{
        Arc, LazyLock,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use tokio::time::Instant;

static START: LazyLock<Instant> = LazyLock::new(Instant::now);

/// What [`START`] counts as, in microseconds: some 142 years, so that a match that was created before the process is not
/// before all time.
const BASE: u64 = 1 << 52;

/// Microseconds since a moment before anything was measured. Only differences mean anything.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Micros(pub u64);

impl Micros {
    /// Now. Never 0, so that 0 can stand for "not yet".
    pub fn now() -> Self {
        Self(BASE + duration_us(START.elapsed()))
    }

    /// This moment as the runtime's timers take it.
    pub fn instant(self) -> Instant {
        *START + Duration::from_micros(self.0.saturating_sub(BASE))
    }

    /// Microseconds from `earlier` to this moment; 0 if that is later.
    pub fn since(self, earlier: Self) -> u64 {
        self.0.saturating_sub(earlier.0)
    }

    /// This moment and so many microseconds.
    #[must_use]
    pub fn plus(self, us: u64) -> Self {
        Self(self.0.saturating_add(us))
    }

    /// So many microseconds before this moment.
    #[must_use]
    pub fn minus(self, us: u64) -> Self {
        Self(self.0.saturating_sub(us))
    }
}

/// A duration in whole microseconds, at most `u64::MAX`.
pub fn duration_us(duration: Duration) -> u64 {
    u64::try_from(duration.as_micros()).unwrap_or(u64::MAX)
}

/// Tells the date, for people: nothing is measured with it, and it may jump.
#[derive(Clone)]
pub struct WallClock(Arc<dyn Fn() -> u64 + Send + Sync>);

impl WallClock {
    /// A clock that says what `unix_ms` does.
    pub fn new(unix_ms: impl Fn() -> u64 + Send + Sync + 'static) -> Self {
        Self(Arc::new(unix_ms))
    }

    /// Milliseconds since 1970 (UTC).
    pub fn unix_ms(&self) -> u64 {
        (self.0)()
    }
}

impl Default for WallClock {
    /// The system's.
    fn default() -> Self {
        Self::new(unix_ms)
    }
}

/// Milliseconds since 1970 (UTC) by the system's clock, for people; nothing is measured with it.
pub fn unix_ms() -> u64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| {
            u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
        })
}

/// When a turn was handed to the transport: written there, read by the match.
///
/// It is set once: a turn sent again after a refusal or a reconnection keeps its first stamp, since its clock ran on.
#[derive(Clone, Debug, Default)]
pub struct Handover(Arc<AtomicU64>);

impl Handover {
    /// Notes that the turn was handed over at `at`, unless that was noted before.
    pub fn stamp(&self, at: Micros) {
        let _ = self
            .0
            .compare_exchange(0, at.0, Ordering::AcqRel, Ordering::Acquire);
    }

    /// As it is now, whatever is noted later.
    #[must_use]
    pub fn frozen(&self) -> Self {
        Self(Arc::new(AtomicU64::new(self.0.load(Ordering::Acquire))))
    }

    /// When the turn was handed over; `None` if it has not been.
    pub fn at(&self) -> Option<Micros> {
        match self.0.load(Ordering::Acquire) {
            0 => None,
            at => Some(Micros(at)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_handover_keeps_its_first_stamp() {
        let handover = Handover::default();
        assert_eq!(handover.at(), None);
        handover.stamp(Micros(5));
        handover.stamp(Micros(9));
        assert_eq!(handover.at(), Some(Micros(5)));
    }

    #[test]
    fn a_frozen_handover_does_not_hear_of_a_later_stamp() {
        let handover = Handover::default();
        let frozen = handover.frozen();
        handover.stamp(Micros(5));
        assert_eq!((frozen.at(), handover.at()), (None, Some(Micros(5))));
    }
}
