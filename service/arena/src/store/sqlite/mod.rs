//! A store in a SQLite database.
//!
//! One thread owns the only connection that writes (`writer.rs`); whatever has gathered while it wrote goes into its next
//! transaction, what is appended to logs as one row of a journal (`journal/`). Reads have connections of their own (`readers.rs`),
//! which see what is committed.

mod checkpoint;
mod fault;
mod files;
mod journal;
mod log;
mod migrate;
mod opening;
mod read;
mod readers;
mod space;
mod write;
mod writer;

use std::{path::Path, sync::Arc};

use broadside_proto::v1;
use tokio::sync::oneshot;

use self::{
    checkpoint::{Checkpoints, Rest},
    fault::Fault,
    files::{Files, Lock},
    journal::{Journal, Tails},
    readers::Readers,
    writer::{Job, Request, Setup, Writer},
};
use super::{
    Append, Appending, Claimed, Creation, Durability, KeptToken, ListPage, ListQuery, Log,
    NewMatch, Reading, Store, StoreError, TokenId,
};

pub use writer::Batches;

/// What a store is opened for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// To run matches: no other process may.
    Whole,
    /// To make and revoke tokens, beside an arena that may be running.
    Tokens,
}

/// Keeps matches in a file.
#[derive(Debug)]
pub struct SqliteStore {
    // In the order in which they are closed: the lock last.
    checkpoints: Option<Checkpoints>,
    readers: Readers,
    writer: Writer,
    tails: Arc<Tails>,
    access: Access,
    _lock: Option<Lock>,
}

impl SqliteStore {
    /// Opens the database in this file, which is created if it is missing; its folder must be there. No match is created
    /// while there is less room than `reserve` bytes. It answers by way of the runtime that this is called on.
    ///
    /// # Errors
    /// In one line: what is wrong with the file, and what to do.
    pub async fn open(
        path: &Path,
        durability: Durability,
        reserve: u64,
        access: Access,
    ) -> anyhow::Result<Self> {
        space::take_full_files_for_errors()?;
        let path = path.to_owned();
        tokio::task::spawn_blocking(move || Self::open_now(&path, durability, reserve, access))
            .await?
    }

    fn open_now(
        path: &Path,
        durability: Durability,
        reserve: u64,
        access: Access,
    ) -> anyhow::Result<Self> {
        let files = Files::new(path);
        let lock = match files.lock(access)? {
            Some(lock) => Some(lock),
            None if access == Access::Tokens => None,
            None => anyhow::bail!("{}", files.used_by_another()),
        };
        if let Some(lock) = &lock {
            opening::prepare(&files)?;
            if access == Access::Whole {
                let flush = lock.measure_flush(&files)?;
                tracing::info!(file = %path.display(), ?durability, ?flush, "the store is open; a flush takes this long");
            }
        } else {
            opening::check_shared(&files)?;
        }
        let files = Arc::new(files);
        let mut connection = opening::connect(&files, durability)
            .map_err(|error| anyhow::anyhow!("{}", fault::cause(&files, &error)))?;
        let tails = Arc::new(Tails::default());
        let mut journal = Journal::new(tails.clone());
        if access == Access::Whole {
            // Of an arena that ended without closing it.
            let folded = journal.fold(&mut connection);
            folded.map_err(|error| opening::refused(&files, &error))?;
        }
        let rest = Arc::new(Rest::default());
        let setup = Setup {
            files: files.clone(),
            durability,
            reserve,
            access,
            rest: rest.clone(),
        };
        let writer = Writer::start(setup, connection, journal)?;
        let checkpoints = lock
            .is_some()
            .then(|| Checkpoints::start(files.clone(), rest))
            .transpose()?;
        Ok(Self {
            checkpoints,
            readers: Readers::new(files),
            writer,
            tails,
            access,
            _lock: lock,
        })
    }

    /// What has been written since it was opened.
    pub fn batches(&self) -> Batches {
        self.writer.batches()
    }

    /// Has the writer do something in a transaction.
    fn write<'a, T, F>(&'a self, mut run: F) -> Reading<'a, T>
    where
        T: Send + 'static,
        F: FnMut(&mut write::Tables<'_>) -> Result<T, Fault> + Send + 'static,
    {
        Box::pin(async move {
            let (answer, answered) = oneshot::channel();
            let job = Job::new(move |tables: &mut write::Tables<'_>| run(tables), answer);
            self.writer.send(Request::Job(Box::new(job))).await?;
            answered.await.map_err(|_| writer::gone())?
        })
    }

    /// Only whoever runs the matches knows all of them.
    fn runs_matches(&self) -> Result<(), StoreError> {
        match self.access {
            Access::Whole => Ok(()),
            Access::Tokens => Err(StoreError::Failed("it is open for tokens alone".to_owned())),
        }
    }
}

impl Drop for SqliteStore {
    fn drop(&mut self) {
        // What was taken is written before the file is let go of.
        self.checkpoints.take();
        self.readers.close();
        self.writer.finish();
    }
}

impl Store for SqliteStore {
    fn is_durable(&self) -> bool {
        true
    }

    fn create(&self, new: NewMatch) -> Reading<'_, Creation> {
        Box::pin(async move {
            self.runs_matches()?;
            self.write(move |tables| tables.create(&new)).await
        })
    }

    fn find_request<'a>(&'a self, request_id: &'a str) -> Reading<'a, Option<(u64, u64)>> {
        Box::pin(async move {
            if request_id.is_empty() {
                return Ok(None);
            }
            let request_id = request_id.to_owned();
            self.readers
                .read(None, move |connection| {
                    read::request(connection, &request_id)
                })
                .await
        })
    }

    fn append(&self, append: Arc<Append>) -> Appending {
        if let Err(error) = self.runs_matches() {
            return Appending::Done(Err(error));
        }
        let (answer, answered) = oneshot::channel();
        match self.writer.try_send(Request::Append { append, answer }) {
            Ok(()) => Appending::Waiting(answered),
            Err(error) => Appending::Done(Err(error)),
        }
    }

    fn queued(&self) -> usize {
        self.writer.queued()
    }

    fn claim(&self) -> Reading<'_, Vec<Claimed>> {
        Box::pin(async move {
            self.runs_matches()?;
            self.write(|tables| tables.claim()).await
        })
    }

    fn get(&self, match_id: u64) -> Reading<'_, Option<v1::Match>> {
        Box::pin(async move {
            self.runs_matches()?;
            let tails = self.tails.clone();
            self.readers
                .read(Some(match_id), move |connection| {
                    read::summary(connection, &tails, match_id)
                })
                .await
        })
    }

    fn log(&self, match_id: u64, from: usize) -> Reading<'_, Log> {
        Box::pin(async move {
            self.runs_matches()?;
            let tails = self.tails.clone();
            self.readers
                .read(Some(match_id), move |connection| {
                    log::read(connection, &tails, match_id, from)
                })
                .await
        })
    }

    fn list(&self, query: ListQuery) -> Reading<'_, ListPage> {
        Box::pin(async move {
            self.runs_matches()?;
            let tails = self.tails.clone();
            self.readers
                .read(None, move |connection| {
                    read::list(connection, &tails, &query)
                })
                .await
        })
    }

    fn secret<'a>(&'a self, name: &'a str, fresh: [u8; 32]) -> Reading<'a, [u8; 32]> {
        let name = name.to_owned();
        self.write(move |tables| tables.secret(&name, fresh))
    }

    fn add_token(&self, token: KeptToken) -> Reading<'_, ()> {
        self.write(move |tables| tables.add_token(&token))
    }

    fn tokens(&self) -> Reading<'_, Vec<KeptToken>> {
        Box::pin(async move { self.readers.read(None, read::tokens).await })
    }

    fn revoke_token<'a>(&'a self, id: &'a TokenId, at_ms: u64) -> Reading<'a, bool> {
        let id = id.clone();
        self.write(move |tables| tables.revoke_token(&id, at_ms))
    }
}
