//! The largest value of something, since it was last asked for and since the arena started.

use std::sync::atomic::{AtomicU64, Ordering};

use metrics::Gauge;

/// Keeps a largest value.
pub(crate) struct Peak {
    on: bool,
    recent: AtomicU64,
    ever: AtomicU64,
    recent_gauge: Gauge,
    ever_gauge: Gauge,
}

impl Peak {
    /// One that shows itself on these gauges.
    pub(super) fn shown(recent_gauge: Gauge, ever_gauge: Gauge) -> Self {
        Self {
            on: true,
            recent: AtomicU64::new(0),
            ever: AtomicU64::new(0),
            recent_gauge,
            ever_gauge,
        }
    }

    /// One that does nothing.
    pub(super) fn off() -> Self {
        Self {
            on: false,
            ..Self::shown(Gauge::noop(), Gauge::noop())
        }
    }

    /// The value is this now.
    pub(crate) fn note(&self, value: u64) {
        // Nearly all are no peak: they are read, and nothing is written.
        if self.on && value > self.recent.load(Ordering::Relaxed) {
            self.recent.fetch_max(value, Ordering::Relaxed);
        }
    }

    /// Shows the peaks, through `unit`, and begins the recent one anew.
    pub(super) fn show(&self, unit: fn(u64) -> f64) {
        let recent = self.recent.swap(0, Ordering::Relaxed);
        let ever = self.ever.fetch_max(recent, Ordering::Relaxed).max(recent);
        self.recent_gauge.set(unit(recent));
        self.ever_gauge.set(unit(ever));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_recent_peak_begins_anew_when_it_is_shown_and_the_other_does_not() {
        let peak = Peak::shown(Gauge::noop(), Gauge::noop());
        peak.note(3);
        peak.note(2);
        assert_eq!(peak.recent.load(Ordering::Relaxed), 3);
        peak.show(super::super::seconds);
        peak.note(1);
        assert_eq!(peak.recent.load(Ordering::Relaxed), 1);
        peak.show(super::super::seconds);
        assert_eq!(peak.ever.load(Ordering::Relaxed), 3);
    }

    #[test]
    fn one_that_is_off_notes_nothing() {
        let peak = Peak::off();
        peak.note(3);
        assert_eq!(peak.recent.load(Ordering::Relaxed), 0);
    }
}
