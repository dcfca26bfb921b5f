//! Moves what the write-ahead log holds into the database, while the writer writes on.

use std::{
    sync::{
        Arc,
        mpsc::{self, RecvTimeoutError},
    },
    thread::{self, JoinHandle},
    time::Duration,
};

use super::{files::Files, opening};
use crate::store::Durability;

/// How often it is looked at.
const EVERY: Duration = Duration::from_secs(1);
/// A log smaller than this is left alone.
const WORTH_IT: u64 = 4 << 20;

/// The thread that does it. Ends when dropped.
#[derive(Debug)]
pub(super) struct Checkpoints {
    stop: Option<mpsc::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Checkpoints {
    pub(super) fn start(files: Arc<Files>) -> std::io::Result<Self> {
        let (stop, stopped) = mpsc::channel();
        let thread = thread::Builder::new()
            .name("store checkpoints".to_owned())
            .spawn(move || run(&files, &stopped))?;
        Ok(Self {
            stop: Some(stop),
            thread: Some(thread),
        })
    }
}

impl Drop for Checkpoints {
    fn drop(&mut self) {
        self.stop.take();
        if let Some(thread) = self.thread.take() {
            // It has nothing to tell.
            let _ = thread.join();
        }
    }
}

fn run(files: &Files, stopped: &mpsc::Receiver<()>) {
    let mut connection = None;
    while stopped.recv_timeout(EVERY) == Err(RecvTimeoutError::Timeout) {
        if std::fs::metadata(&files.wal).map_or(0, |wal| wal.len()) < WORTH_IT {
            continue;
        }
        let moved = match connection.take() {
            Some(open) => Ok(open),
            None => opening::connect(files, Durability::Power),
        }
        .and_then(|open| {
            open.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(()))?;
            Ok(open)
        });
        match moved {
            Ok(open) => connection = Some(open),
            // The writer meets the same, and says so to those whom it concerns.
            Err(error) => tracing::warn!(%error, "the write-ahead log could not be moved"),
        }
    }
}
