//! Log lines that a stranger can cause, held to a few.

use std::{
    collections::HashMap,
    time::{Duration, Instant},
};

use parking_lot::Mutex;

/// At most one line of a kind in so long.
const INTERVAL: Duration = Duration::from_secs(10);

/// Says each kind of thing once in a while.
#[derive(Debug, Default)]
pub(super) struct Quiet(Mutex<HashMap<&'static str, Told>>);

#[derive(Debug)]
struct Told {
    at: Instant,
    untold: u64,
}

impl Quiet {
    /// Calls `say` with how many of this kind went untold since the last, unless that was a moment ago.
    pub(super) fn say(&self, kind: &'static str, say: impl FnOnce(u64)) {
        if let Some(untold) = self.turn(kind, Instant::now()) {
            say(untold);
        }
    }

    fn turn(&self, kind: &'static str, now: Instant) -> Option<u64> {
        let mut told = self.0.lock();
        let Some(last) = told.get_mut(kind) else {
            told.insert(kind, Told { at: now, untold: 0 });
            return Some(0);
        };
        if now.duration_since(last.at) < INTERVAL {
            last.untold += 1;
            return None;
        }
        last.at = now;
        Some(std::mem::take(&mut last.untold))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_line_of_a_kind_stands_for_many() {
        let quiet = Quiet::default();
        let start = Instant::now();
        assert_eq!(quiet.turn("tls", start), Some(0));
        assert_eq!(quiet.turn("tls", start), None);
        assert_eq!(quiet.turn("tls", start + INTERVAL / 2), None);
        assert_eq!(quiet.turn("other", start), Some(0));
        assert_eq!(quiet.turn("tls", start + INTERVAL), Some(2));
        assert_eq!(quiet.turn("tls", start + 2 * INTERVAL), Some(0));
    }
}
