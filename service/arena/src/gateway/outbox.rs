//! What waits to be sent to a bot, encoded: matches put messages in, the transport takes out all that is there at once.
//!
//! Messages that are ready together leave together, in one frame of HTTP/2; that is worth more than anything else done for speed here (see
//! docs/performance.md). Nothing is queued but bytes, and whoever puts a message in encodes it, not the connection's one task.

use std::{
    collections::VecDeque,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    task::{Context, Poll, Waker},
};

use bytes::Bytes;
use parking_lot::Mutex;
use tokio_util::sync::CancellationToken;
use tonic::Status;

use super::Frame;
use crate::{
    meters::Meters,
    time::{Handover, Micros},
};

/// A chunk of so many bytes takes no more messages: as much as the transport takes at once. A turn in it is handed over when it is taken,
/// which is also while the bot's window has room for a part of it only.
const CHUNK: usize = 32 * 1024;

/// The queue of one stream. Not to be printed: it is for that bot alone.
pub(crate) struct Outbox {
    pub(super) meters: Arc<Meters>,
    waiting: Mutex<Waiting>,
    last_taken: AtomicU64,
    /// Cancelled once nothing is taken any more, whatever is put in.
    pub(super) dropped: CancellationToken,
}

#[derive(Default)]
struct Waiting {
    chunks: VecDeque<Chunk>,
    messages: usize,
    /// How large the last chunk was that was taken, in bytes and in messages: one like it is likely to follow.
    last_taken: (usize, usize),
    /// With which the stream ends once all messages are taken. No message is put in after it.
    end: Option<Status>,
    /// The transport, when it has found nothing to take.
    transport: Option<Waker>,
    /// Whether the transport has let whoever is about to put something in go first.
    yielded: bool,
}

/// Frames that leave together.
struct Chunk {
    bytes: Vec<u8>,
    messages: usize,
    /// Where the hand-overs of its turns are stamped.
    turns: Vec<Handover>,
}

/// Messages on their way, or how the stream ends.
pub(super) enum Taken {
    /// Frames; when the oldest turn among them was handed over, if there is one.
    Messages(Bytes, Option<Micros>),
    /// The end of the stream.
    End(Status),
}

impl Outbox {
    pub(super) fn new(meters: Arc<Meters>) -> Self {
        Self {
            meters,
            waiting: Mutex::default(),
            last_taken: AtomicU64::default(),
            dropped: CancellationToken::new(),
        }
    }

    /// Puts a message in; if it is a turn, with the place where its hand-over is stamped. Returns how many wait with it; `None` if the
    /// stream takes no more.
    pub(super) fn put(&self, frame: &Frame, handover: Option<Handover>) -> Option<usize> {
        let mut waiting = self.waiting.lock();
        if waiting.end.is_some() {
            return None;
        }
        let has_room = |chunk: &&mut Chunk| chunk.bytes.len() < CHUNK;
        match waiting.chunks.back_mut().filter(has_room) {
            Some(chunk) => {
                chunk.bytes.extend_from_slice(frame.bytes());
                chunk.messages += 1;
                chunk.turns.extend(handover);
            }
            None => {
                let mut bytes = Vec::with_capacity(waiting.last_taken.0.max(frame.bytes().len()));
                bytes.extend_from_slice(frame.bytes());
                waiting.chunks.push_back(Chunk {
                    bytes,
                    messages: 1,
                    turns: handover.into_iter().collect(),
                });
            }
        }
        waiting.messages += 1;
        let messages = waiting.messages;
        let transport = waiting.transport.take();
        drop(waiting);
        self.meters.session_queue.note(messages as u64);
        if let Some(transport) = transport {
            transport.wake();
        }
        Some(messages)
    }

    /// Ends the stream, once all that waits is taken; unless it ends already. Returns whether it does by this.
    pub(super) fn end(&self, status: Status) -> bool {
        let mut waiting = self.waiting.lock();
        if waiting.end.is_some() || self.dropped.is_cancelled() {
            return false;
        }
        waiting.end = Some(status);
        let transport = waiting.transport.take();
        drop(waiting);
        if let Some(transport) = transport {
            transport.wake();
        }
        true
    }

    /// Forgets what waits.
    pub(super) fn clear(&self) {
        let mut waiting = self.waiting.lock();
        waiting.chunks.clear();
        waiting.messages = 0;
    }

    /// When messages were last taken.
    pub(super) fn last_taken(&self) -> Micros {
        Micros(self.last_taken.load(Ordering::Relaxed))
    }

    /// Takes what is there: the hand-over of its turns is now.
    pub(super) fn poll_take(&self, context: &mut Context<'_>) -> Poll<Taken> {
        let chunk = {
            let mut waiting = self.waiting.lock();
            // Woken by the first of many matches that have been given their answers together, as the last time: the others are next in the
            // queue of this thread. That saves a write for each of them.
            let many = waiting.last_taken.1 > 1;
            if many && !waiting.yielded && !waiting.chunks.is_empty() {
                waiting.yielded = true;
                context.waker().wake_by_ref();
                return Poll::Pending;
            }
            match waiting.chunks.pop_front() {
                Some(chunk) => {
                    waiting.messages -= chunk.messages;
                    waiting.last_taken = (chunk.bytes.len().min(CHUNK), chunk.messages);
                    chunk
                }
                None => {
                    if let Some(status) = &waiting.end {
                        return Poll::Ready(Taken::End(status.clone()));
                    }
                    waiting.transport = Some(context.waker().clone());
                    waiting.yielded = false;
                    return Poll::Pending;
                }
            }
        };
        let now = Micros::now();
        self.last_taken.store(now.0, Ordering::Relaxed);
        for handover in &chunk.turns {
            handover.stamp(now);
        }
        let stamped = (!chunk.turns.is_empty()).then_some(now);
        Poll::Ready(Taken::Messages(chunk.bytes.into(), stamped))
    }
}
