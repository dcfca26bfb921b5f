//! Moves what the write-ahead log holds into the database, while the writer writes on.
//!
//! The log begins anew only when all of it has been moved, which never is so while the writer adds to it. So once nearly all is moved
//! here, the writer itself is asked to move the rest: it waits for that little alone.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
        mpsc::{self, RecvTimeoutError},
    },
    thread::{self, JoinHandle},
    time::Duration,
};

use rusqlite::Connection;

use super::{files::Files, opening};
use crate::store::Durability;

/// How often it is looked at.
const EVERY: Duration = Duration::from_secs(1);
/// A log smaller than this is left alone.
const WORTH_IT: u64 = 4 << 20;
/// Pages in the log from which on it is to begin anew: 16 MiB.
const LONG: i64 = 4_096;

/// Whether the writer is to move the rest.
#[derive(Debug, Default)]
pub(super) struct Rest(AtomicBool);

impl Rest {
    /// Moves it, if it is asked for.
    pub(super) fn move_if_asked(&self, connection: &Connection) -> rusqlite::Result<()> {
        if self.0.swap(false, Ordering::Relaxed) {
            pass(connection)?;
        }
        Ok(())
    }
}

/// The thread that does it. Ends when dropped.
#[derive(Debug)]
pub(super) struct Checkpoints {
    stop: Option<mpsc::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Checkpoints {
    pub(super) fn start(files: Arc<Files>, rest: Arc<Rest>) -> std::io::Result<Self> {
        let (stop, stopped) = mpsc::channel();
        let thread = thread::Builder::new()
            .name("store checkpoints".to_owned())
            .spawn(move || run(&files, &rest, &stopped))?;
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

fn run(files: &Files, rest: &Rest, stopped: &mpsc::Receiver<()>) {
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
            if pass(&open)? >= LONG {
                // What has come meanwhile.
                pass(&open)?;
                rest.0.store(true, Ordering::Relaxed);
            }
            Ok(open)
        });
        match moved {
            Ok(open) => connection = Some(open),
            // The writer meets the same, and says so to those whom it concerns.
            Err(error) => tracing::warn!(%error, "the write-ahead log could not be moved"),
        }
    }
}

/// Moves what can be moved without anybody waiting. Returns how many pages the log has, moved or not.
fn pass(connection: &Connection) -> rusqlite::Result<i64> {
    connection
        .prepare_cached("PRAGMA wal_checkpoint(PASSIVE)")?
        .query_row([], |row| row.get(1))
}
