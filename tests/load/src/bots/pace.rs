//! Whether the bots of a process answer now, and whether they play on after a match.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use tokio::sync::watch;

/// Told by whoever started the process, and asked by the bots.
#[derive(Debug, Default)]
pub(super) struct Pace {
    held: watch::Sender<bool>,
    rests: AtomicBool,
}

impl Pace {
    /// Does as a word says; words that it does not know are for others.
    pub(super) fn heed(&self, word: &str) {
        match word {
            "hold" => drop(self.held.send_replace(true)),
            "release" => drop(self.held.send_replace(false)),
            "rest" => self.rests.store(true, Relaxed),
            "go" => self.rests.store(false, Relaxed),
            _ => {}
        }
    }

    /// Waits for as long as the bots are held.
    pub(super) async fn allows(&self) {
        if *self.held.borrow() {
            // The sender is this one, and outlasts the wait.
            let _ = self.held.subscribe().wait_for(|held| !held).await;
        }
    }

    /// Whether a match that is over is the last.
    pub(super) fn rests(&self) -> bool {
        self.rests.load(Relaxed)
    }
}
