//! The one task that appends. While one transaction is on its way to the disk, the next one gathers.

use std::{collections::HashSet, sync::Arc, time::Duration};

use tokio::{
    sync::{mpsc, oneshot},
    time::Instant,
};

use super::{
    append::{Appender, Kept},
    fault,
    server::{ANSWER, Server},
};
use crate::store::{Append, Appending, StoreError};

/// Appends that may wait for the writer: each match has one at most. Beyond that they are refused, and made again.
const QUEUE: usize = 32_768;

/// Most appends in one transaction.
const BATCH: usize = 256;

/// Most bytes of entries in one transaction, but for a single append that is larger.
const BATCH_BYTES: usize = 1 << 20;

/// How long the writer waits between attempts to connect.
const RETRY_MIN: Duration = Duration::from_millis(50);
const RETRY_MAX: Duration = Duration::from_secs(2);

/// An append, and who waits for it.
struct Request {
    append: Arc<Append>,
    answer: oneshot::Sender<Result<(), StoreError>>,
}

/// The way to the task. It ends once this is dropped and what was taken is written.
#[derive(Debug)]
pub(super) struct Writer {
    queue: mpsc::Sender<Request>,
}

impl Writer {
    /// Starts the task, with a connection that is there.
    pub(super) fn start(server: Server, appender: Appender) -> Self {
        let (queue, requests) = mpsc::channel(QUEUE);
        let task = Task {
            server,
            requests,
            waiting: Vec::new(),
            appender: Some(appender),
            retry: Retry::default(),
        };
        tokio::spawn(task.run());
        Self { queue }
    }

    /// How many appends wait.
    pub(super) fn queued(&self) -> usize {
        self.queue.max_capacity() - self.queue.capacity()
    }

    /// Hands it an append.
    pub(super) fn append(&self, append: Arc<Append>) -> Appending {
        let (answer, answered) = oneshot::channel();
        match self.queue.try_send(Request { append, answer }) {
            Ok(()) => Appending::Waiting(answered),
            Err(mpsc::error::TrySendError::Full(_)) => Appending::Done(Err(
                StoreError::Unavailable(format!("{QUEUE} appends wait for it already")),
            )),
            Err(mpsc::error::TrySendError::Closed(_)) => Appending::Done(Err(
                StoreError::Unavailable("its writer is gone".to_owned()),
            )),
        }
    }
}

/// When to connect again.
#[derive(Debug, Default)]
struct Retry {
    wait: Duration,
    next: Option<Instant>,
    why: String,
}

impl Retry {
    fn failed(&mut self, why: String) {
        self.wait = (self.wait * 2).clamp(RETRY_MIN, RETRY_MAX);
        self.next = Some(Instant::now() + self.wait);
        self.why = why;
    }
}

struct Task {
    server: Server,
    requests: mpsc::Receiver<Request>,
    /// Taken off the queue, in order, and not yet in a transaction.
    waiting: Vec<Request>,
    appender: Option<Appender>,
    retry: Retry,
}

impl Task {
    async fn run(mut self) {
        while self.take().await {
            let batch = self.gather();
            let appends: Vec<_> = batch.iter().map(|request| request.append.clone()).collect();
            let results = match self.write(&appends).await {
                Ok(results) => results,
                Err(error) => vec![Err(error); batch.len()],
            };
            for (request, result) in batch.into_iter().zip(results) {
                // A match that does not wait any more has left.
                let _ = request.answer.send(result);
            }
        }
    }

    /// Takes what has gathered; waits if there is nothing. `false` if nothing will come any more.
    async fn take(&mut self) -> bool {
        if self.waiting.is_empty() {
            return self.requests.recv_many(&mut self.waiting, BATCH).await > 0;
        }
        while self.waiting.len() < BATCH {
            match self.requests.try_recv() {
                Ok(request) => self.waiting.push(request),
                Err(_) => break,
            }
        }
        true
    }

    /// What goes into the next transaction: of each match one append, so that each is judged by what is kept. The rest keeps its
    /// order.
    fn gather(&mut self) -> Vec<Request> {
        let mut matches = HashSet::new();
        let mut bytes = 0;
        let (batch, rest) = std::mem::take(&mut self.waiting)
            .into_iter()
            .partition(|request| {
                let size: usize = request
                    .append
                    .entries
                    .iter()
                    .map(|entry| entry.body.len())
                    .sum();
                let fits = matches.is_empty() || bytes + size <= BATCH_BYTES;
                // A match of which one append waits has those after it wait, too.
                let first = matches.insert(request.append.match_id);
                if fits && first {
                    bytes += size;
                }
                fits && first
            });
        self.waiting = rest;
        batch
    }

    /// Writes appends of different matches. An error is that of all of them.
    async fn write(&mut self, appends: &[Arc<Append>]) -> Result<Vec<Kept>, StoreError> {
        let appender = self.connected().await?;
        match tokio::time::timeout(ANSWER, appender.keep(appends)).await {
            Ok(Ok(kept)) => Ok(kept),
            Ok(Err(error)) => {
                let error = fault::store_error(&error);
                self.lost(&error);
                Err(error)
            }
            Err(_) => {
                self.lost(&fault::late());
                Err(fault::late())
            }
        }
    }

    /// Whatever was not answered is not known to be kept, and this connection is not asked again.
    fn lost(&mut self, error: &StoreError) {
        tracing::error!(store = self.server.name(), %error, "an append failed: connecting again");
        self.appender = None;
    }

    async fn connected(&mut self) -> Result<&mut Appender, StoreError> {
        if self.appender.as_ref().is_none_or(Appender::is_closed) {
            self.appender = None;
            if self.retry.next.is_some_and(|next| Instant::now() < next) {
                return Err(StoreError::Unavailable(self.retry.why.clone()));
            }
            match Appender::connect(&self.server).await {
                Ok(appender) => {
                    self.retry = Retry::default();
                    tracing::info!(store = self.server.name(), "connected again");
                    return Ok(self.appender.insert(appender));
                }
                Err(error) => {
                    tracing::warn!(store = self.server.name(), %error, "cannot connect");
                    self.retry.failed(match error {
                        StoreError::Unavailable(why) | StoreError::Failed(why) => why,
                        other => other.to_string(),
                    });
                }
            }
        }
        self.appender
            .as_mut()
            .ok_or_else(|| StoreError::Unavailable(self.retry.why.clone()))
    }
}
