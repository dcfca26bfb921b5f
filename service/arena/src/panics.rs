//! Panics: none is meant to happen, none takes the arena down, and each is counted.

use std::{
    panic::{self, PanicHookInfo},
    sync::{
        Once,
        atomic::{AtomicU64, Ordering},
    },
};

static COUNT: AtomicU64 = AtomicU64::new(0);

/// How many there were in this process since they are [watched](watch).
pub fn count() -> u64 {
    COUNT.load(Ordering::Relaxed)
}

/// Counts and logs every panic of this process from now on. Without a log they are printed as before.
pub fn watch() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let before = panic::take_hook();
        panic::set_hook(Box::new(move |panicked| {
            COUNT.fetch_add(1, Ordering::Relaxed);
            if tracing::enabled!(tracing::Level::ERROR) {
                log(panicked);
            } else {
                before(panicked);
            }
        }));
    });
}

fn log(panicked: &PanicHookInfo<'_>) {
    let place = panicked.location().map(ToString::to_string);
    tracing::error!(
        place,
        what = panicked.payload_as_str().unwrap_or("no text"),
        "a task panicked: a fault of this program"
    );
}
