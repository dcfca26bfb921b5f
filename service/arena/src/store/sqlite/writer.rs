//! The thread that writes: what has gathered while it wrote goes into its next transaction.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    thread::{self, JoinHandle},
    time::Duration,
};

use rusqlite::Connection;
use tokio::{
    runtime::Handle,
    sync::{
        mpsc::{self, error::TrySendError},
        oneshot,
    },
};

use super::{
    Access,
    checkpoint::Rest,
    fault::{self, Fault, Why},
    files::Files,
    journal::{Journal, Unwritten},
    opening,
    write::Tables,
};
use crate::store::{Append, Durability, StoreError};

/// How many requests may wait: each match has one at most.
const QUEUE: usize = 32_768;
/// Most requests in one transaction.
const BATCH: usize = 1_024;
/// Most bytes of what is appended in one transaction, but for a single append that is longer. Most are small.
const BATCH_BYTES: usize = 8 << 20;

/// After a transaction with at least so many requests, the next one waits for more of them, for as long as they come in numbers: a commit
/// costs much the same for few as for many, and nobody's clock runs meanwhile.
const CROWD: usize = 32;
/// How long it waits before it looks again.
const PAUSE: Duration = Duration::from_micros(50);
/// How often it looks again, at most.
const PAUSES: u32 = 2;
/// It waits no longer once fewer have come in a pause than this part of what is there.
const IN_NUMBERS: usize = 4;

/// So many answers are handed to the runtime in one go: each wakes a task, which costs less there than from a thread outside of it.
const HANDED_OVER: usize = 8;

/// What has been written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Batches {
    /// Transactions committed.
    pub commits: u64,
    /// Requests that were in them.
    pub requests: u64,
}

#[derive(Debug, Default)]
struct Counts {
    commits: AtomicU64,
    requests: AtomicU64,
}

/// Something to be written.
pub(super) enum Request {
    /// The path of every turn.
    Append {
        append: Arc<Append>,
        answer: oneshot::Sender<Result<(), StoreError>>,
    },
    /// Anything else.
    Job(Box<dyn Write>),
}

/// Something that is written with others, and answered once that is kept.
pub(super) trait Write: Send {
    /// Does it, within the transaction; maybe once more, if that was taken back because of another.
    fn run(&mut self, tables: &mut Tables<'_>) -> Result<(), Fault>;
    /// It is kept, or not.
    fn answer(self: Box<Self>, kept: Result<(), StoreError>);
}

/// A function as something to be written.
pub(super) struct Job<T, F> {
    run: F,
    done: Option<T>,
    answer: oneshot::Sender<Result<T, StoreError>>,
}

impl<T, F> Job<T, F>
where
    F: FnMut(&mut Tables<'_>) -> Result<T, Fault>,
{
    pub(super) fn new(run: F, answer: oneshot::Sender<Result<T, StoreError>>) -> Self {
        Self {
            run,
            done: None,
            answer,
        }
    }
}

impl<T, F> Write for Job<T, F>
where
    T: Send,
    F: FnMut(&mut Tables<'_>) -> Result<T, Fault> + Send,
{
    fn run(&mut self, tables: &mut Tables<'_>) -> Result<(), Fault> {
        self.done = Some((self.run)(tables)?);
        Ok(())
    }

    fn answer(self: Box<Self>, kept: Result<(), StoreError>) {
        let Self { done, answer, .. } = *self;
        // Whoever asked may be gone.
        let _ = answer.send(kept.and_then(|()| done.ok_or_else(gone)));
    }
}

impl Request {
    fn run(&mut self, tables: &mut Tables<'_>) -> Result<(), Fault> {
        match self {
            Self::Append { append, .. } => tables.append(append),
            Self::Job(job) => job.run(tables),
        }
    }

    fn answer(self, kept: Result<(), StoreError>) {
        match self {
            // Whoever asked may be gone.
            Self::Append { answer, .. } => drop(answer.send(kept)),
            Self::Job(job) => job.answer(kept),
        }
    }

    /// How many bytes it appends.
    fn bytes(&self) -> usize {
        match self {
            Self::Append { append, .. } => {
                append.entries.iter().map(|entry| entry.body.len()).sum()
            }
            // What is created is small.
            Self::Job(_) => 0,
        }
    }

    fn match_id(&self) -> Option<u64> {
        match self {
            Self::Append { append, .. } => Some(append.match_id),
            Self::Job(_) => None,
        }
    }
}

/// The answer of a writer that has ended.
pub(super) fn gone() -> StoreError {
    StoreError::Unavailable("its writer is gone".to_owned())
}

/// The way to the thread.
#[derive(Debug)]
pub(super) struct Writer {
    queue: Option<mpsc::Sender<Request>>,
    thread: Option<JoinHandle<()>>,
    counts: Arc<Counts>,
}

impl Writer {
    /// Starts it, on the runtime that those who wait for answers run on.
    pub(super) fn start(
        setup: Setup,
        connection: Connection,
        journal: Journal,
    ) -> std::io::Result<Self> {
        let (queue, requests) = mpsc::channel(QUEUE);
        let counts = Arc::new(Counts::default());
        let desk = Desk {
            setup,
            runtime: Handle::current(),
            connection: Some(connection),
            journal,
            stale: false,
            barred: None,
            counts: counts.clone(),
            out: false,
        };
        let thread = thread::Builder::new()
            .name("store writer".to_owned())
            .spawn(move || desk.serve(requests))?;
        Ok(Self {
            queue: Some(queue),
            thread: Some(thread),
            counts,
        })
    }

    /// Gives it something to write; waits for room.
    pub(super) async fn send(&self, request: Request) -> Result<(), StoreError> {
        let queue = self.queue.as_ref().ok_or_else(gone)?;
        queue.send(request).await.map_err(|_| gone())
    }

    /// Gives it something to write, if there is room.
    pub(super) fn try_send(&self, request: Request) -> Result<(), StoreError> {
        let queue = self.queue.as_ref().ok_or_else(gone)?;
        queue.try_send(request).map_err(|error| match error {
            TrySendError::Full(_) => {
                StoreError::Unavailable(format!("{QUEUE} requests wait to be written already"))
            }
            TrySendError::Closed(_) => gone(),
        })
    }

    /// How many requests wait.
    pub(super) fn queued(&self) -> usize {
        self.queue
            .as_ref()
            .map_or(0, |queue| queue.max_capacity() - queue.capacity())
    }

    pub(super) fn batches(&self) -> Batches {
        Batches {
            commits: self.counts.commits.load(Ordering::Relaxed),
            requests: self.counts.requests.load(Ordering::Relaxed),
        }
    }

    /// Takes nothing more, and waits until what it took is written.
    pub(super) fn finish(&mut self) {
        self.queue.take();
        if let Some(thread) = self.thread.take() {
            // If it panicked, those who waited for it have been told.
            let _ = thread.join();
        }
    }
}

/// What the thread is started with.
#[derive(Debug)]
pub(super) struct Setup {
    pub(super) files: Arc<Files>,
    pub(super) durability: Durability,
    /// No match is created with less room than this.
    pub(super) reserve: u64,
    pub(super) access: Access,
    /// Of the write-ahead log.
    pub(super) rest: Arc<Rest>,
}

/// What the thread has.
struct Desk {
    setup: Setup,
    /// Of those who wait for answers.
    runtime: Handle,
    /// `None` after a failure, until it can be opened again.
    connection: Option<Connection>,
    journal: Journal,
    /// Whether what is known of the journal is no longer to be relied on.
    stale: bool,
    /// Why nothing is written any more: somebody else writes the same database, and what is known of it here is not to be relied on.
    barred: Option<String>,
    counts: Arc<Counts>,
    /// Whether the last transaction failed.
    out: bool,
}

/// How a transaction went.
enum Tried {
    /// It is kept, but for requests that were refused.
    Kept(Vec<Result<(), StoreError>>),
    /// One of the requests must not be in it.
    Without(usize, StoreError),
}

impl Desk {
    fn serve(mut self, mut requests: mpsc::Receiver<Request>) {
        let mut batch = Vec::with_capacity(BATCH);
        let mut last_batch = 0;
        while requests.blocking_recv_many(&mut batch, BATCH) > 0 {
            if last_batch >= CROWD {
                gather(&mut requests, &mut batch);
            }
            last_batch = batch.len();
            self.write(&mut batch);
        }
        self.close();
    }

    /// Leaves nothing in the journal.
    fn close(mut self) {
        let folded = match &mut self.connection {
            Some(connection) if self.setup.access == Access::Whole => self.journal.fold(connection),
            _ => return,
        };
        if let Err(error) = folded {
            // The next to open it does that.
            tracing::warn!(
                why = fault::cause(&self.setup.files, &error),
                "the journal could not be emptied"
            );
        }
    }

    /// Writes requests, in as many transactions as they need, and answers all of them.
    fn write(&mut self, batch: &mut Vec<Request>) {
        loop {
            let rest = batch.split_off(together(batch));
            self.write_together(batch);
            if rest.is_empty() {
                return;
            }
            batch.extend(rest);
        }
    }

    /// Writes requests in one transaction, and answers all of them.
    fn write_together(&mut self, batch: &mut Vec<Request>) {
        while !batch.is_empty() {
            if let Some(why) = &self.barred {
                refuse(batch, why);
                return;
            }
            match self.attempt(batch) {
                Ok(Tried::Kept(results)) => {
                    // Before anybody is told: whoever is may read it.
                    self.journal.committed();
                    self.counts.commits.fetch_add(1, Ordering::Relaxed);
                    let requests = batch.len() as u64;
                    self.counts.requests.fetch_add(requests, Ordering::Relaxed);
                    if std::mem::take(&mut self.out) {
                        tracing::info!(file = %self.setup.files.database.display(), "the store can be used again");
                    }
                    self.answer(batch, results);
                    self.move_rest();
                }
                Ok(Tried::Without(at, error)) => {
                    self.journal.taken_back();
                    tracing::error!(%error, "not written");
                    batch.remove(at).answer(Err(error));
                }
                Err(Unwritten::Strange { left, found }) => {
                    // Taken back with its transaction.
                    self.connection = None;
                    self.journal.taken_back();
                    let row = |place| match place {
                        0 => "no row".to_owned(),
                        place => format!("row {place}"),
                    };
                    let why = format!(
                        "{}: another process writes it: its journal ends with {}, and not with {} as this one left it; stop both, \
                         and start one",
                        self.setup.files.database.display(),
                        row(found),
                        row(left)
                    );
                    tracing::error!(%why, "nothing is written any more");
                    self.barred = Some(why);
                }
                Err(Unwritten::Database(error)) => {
                    // Nothing is assumed of a connection that failed, nor of what it knew.
                    self.connection = None;
                    self.journal.taken_back();
                    self.stale = self.setup.access == Access::Whole;
                    let why = fault::cause(&self.setup.files, &error);
                    if !std::mem::replace(&mut self.out, true) {
                        tracing::error!(%why, "the store cannot be used");
                    }
                    refuse(batch, &why);
                }
            }
        }
    }

    /// Tells those who wait.
    fn answer(&self, batch: &mut Vec<Request>, results: Vec<Result<(), StoreError>>) {
        if batch.len() < HANDED_OVER {
            for (request, result) in batch.drain(..).zip(results) {
                request.answer(result);
            }
            return;
        }
        let answers = std::mem::replace(batch, Vec::with_capacity(BATCH));
        self.runtime.spawn(async move {
            for (request, result) in answers.into_iter().zip(results) {
                request.answer(result);
            }
        });
    }

    /// Moves the rest of the write-ahead log, if it is asked for: nobody waits for that but those who come next.
    fn move_rest(&self) {
        if let Some(connection) = &self.connection
            && let Err(error) = self.setup.rest.move_if_asked(connection)
        {
            // The next transaction meets the same, and tells those whom it concerns.
            tracing::warn!(%error, "the write-ahead log could not be moved");
        }
    }

    fn attempt(&mut self, batch: &mut [Request]) -> Result<Tried, Unwritten> {
        let connection = match self.connection.take() {
            Some(connection) => connection,
            None => opening::connect(&self.setup.files, self.setup.durability)?,
        };
        let connection = self.connection.insert(connection);
        if self.stale {
            self.journal.fold(connection)?;
            self.stale = false;
        }
        run(connection, "BEGIN IMMEDIATE")?;
        let mut results = Vec::with_capacity(batch.len());
        for (at, request) in batch.iter_mut().enumerate() {
            let mut tables = Tables {
                connection,
                journal: &mut self.journal,
                files: &self.setup.files,
                reserve: self.setup.reserve,
            };
            match request.run(&mut tables) {
                Ok(()) => results.push(Ok(())),
                Err(Fault::Request(error)) => results.push(Err(error)),
                Err(Fault::Database(error)) => {
                    if fault::why(&error) == Why::Outage {
                        return Err(error.into());
                    }
                    run(connection, "ROLLBACK")?;
                    let told = fault::told(&self.setup.files, request.match_id(), &error);
                    return Ok(Tried::Without(at, told));
                }
            }
        }
        self.journal.write(connection)?;
        run(connection, "COMMIT")?;
        Ok(Tried::Kept(results))
    }
}

/// Tells all of them that they were not written.
fn refuse(batch: &mut Vec<Request>, why: &str) {
    for request in batch.drain(..) {
        request.answer(Err(StoreError::Unavailable(why.to_owned())));
    }
}

/// How many requests at the beginning of a batch go into one transaction: one at least.
fn together(batch: &[Request]) -> usize {
    let mut bytes = 0_usize;
    let fitting = batch.iter().take_while(|request| {
        bytes = bytes.saturating_add(request.bytes());
        bytes <= BATCH_BYTES
    });
    fitting.count().max(1).min(batch.len())
}

/// Adds what comes to a batch, for as long as it comes in numbers.
fn gather(requests: &mut mpsc::Receiver<Request>, batch: &mut Vec<Request>) {
    for _ in 0..PAUSES {
        let before = batch.len();
        thread::sleep(PAUSE);
        while batch.len() < BATCH
            && let Ok(request) = requests.try_recv()
        {
            batch.push(request);
        }
        if batch.len() == BATCH || (batch.len() - before) * IN_NUMBERS < before {
            return;
        }
    }
}

fn run(connection: &Connection, sql: &str) -> rusqlite::Result<()> {
    connection.prepare_cached(sql)?.execute([]).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Nothing;

    impl Write for Nothing {
        fn run(&mut self, _: &mut Tables<'_>) -> Result<(), Fault> {
            Ok(())
        }

        fn answer(self: Box<Self>, _: Result<(), StoreError>) {}
    }

    /// How many of so many waiting requests are gathered to one that is there.
    fn gathered(waiting: usize) -> usize {
        let (queue, mut requests) = mpsc::channel(QUEUE);
        for _ in 0..waiting {
            let request = Request::Job(Box::new(Nothing));
            assert!(queue.try_send(request).is_ok());
        }
        let mut batch = vec![Request::Job(Box::new(Nothing))];
        gather(&mut requests, &mut batch);
        batch.len() - 1
    }

    #[test]
    fn what_waits_is_gathered_as_far_as_one_transaction_takes_it() {
        assert_eq!(gathered(0), 0);
        assert_eq!(gathered(100), 100);
        assert_eq!(gathered(BATCH - 1), BATCH - 1);
        assert_eq!(gathered(BATCH + 5), BATCH - 1);
    }
}
