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

/// A chunk of so many bytes takes no more messages: as much as the transport takes at once. It takes a chunk before it asks whether the peer has
/// room, so that a bot's clock also runs while its own window is full.
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
    /// Whether nothing is taken any more.
    shut: bool,
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

impl Waiting {
    fn clear(&mut self) {
        self.chunks.clear();
        self.messages = 0;
    }
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
        if waiting.end.is_some() || waiting.shut {
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
        if waiting.end.is_some() || waiting.shut {
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
        self.waiting.lock().clear();
    }

    /// The transport has gone: nothing is taken any more, nor kept for it.
    pub(super) fn shut(&self) {
        let mut waiting = self.waiting.lock();
        waiting.shut = true;
        waiting.clear();
        drop(waiting);
        self.dropped.cancel();
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

#[cfg(test)]
mod tests {
    use std::{
        sync::atomic::{AtomicUsize, Ordering},
        task::Wake,
    };

    use broadside_proto::v1::{self, connect_response::Message};

    use super::*;

    /// Counts how often it is woken.
    #[derive(Default)]
    struct Woken(AtomicUsize);

    impl Wake for Woken {
        fn wake(self: Arc<Self>) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }

    fn outbox() -> Outbox {
        Outbox::new(Arc::new(Meters::off()))
    }

    fn heartbeat(beat: u64) -> Frame {
        Frame::of(Message::Heartbeat(v1::Heartbeat { beat }))
    }

    /// What is taken at once; the transport may let others go first one time.
    fn take(outbox: &Outbox) -> Option<Taken> {
        let mut context = Context::from_waker(Waker::noop());
        for _ in 0..2 {
            if let Poll::Ready(taken) = outbox.poll_take(&mut context) {
                return Some(taken);
            }
        }
        None
    }

    fn bytes(taken: Option<Taken>) -> Bytes {
        match taken {
            Some(Taken::Messages(bytes, _)) => bytes,
            _ => panic!("no messages"),
        }
    }

    #[test]
    fn messages_that_wait_leave_together_and_in_order() {
        let outbox = outbox();
        for beat in 1..=3 {
            assert_eq!(outbox.put(&heartbeat(beat), None), Some(beat as usize));
        }
        let all: Vec<u8> = (1..=3)
            .flat_map(|beat| heartbeat(beat).bytes().to_vec())
            .collect();
        assert_eq!(bytes(take(&outbox)), all);
        assert!(take(&outbox).is_none());
        assert_eq!(
            outbox.put(&heartbeat(4), None),
            Some(1),
            "none of them waits any more"
        );
    }

    #[test]
    fn no_more_leaves_at_once_than_the_transport_takes() {
        let outbox = outbox();
        let text = "x".repeat(1_000);
        let rejected = v1::Rejected {
            message: text,
            ..Default::default()
        };
        let frame = Frame::of(Message::Rejected(rejected));
        for _ in 0..100 {
            outbox.put(&frame, None);
        }
        let mut messages = 0;
        while let Some(Taken::Messages(bytes, _)) = take(&outbox) {
            assert_eq!(bytes.len() % frame.bytes().len(), 0, "whole messages");
            assert!(bytes.len() < CHUNK + frame.bytes().len());
            messages += bytes.len() / frame.bytes().len();
        }
        assert_eq!(messages, 100);
    }

    #[test]
    fn a_turn_is_handed_over_when_it_is_taken_and_not_before() {
        let outbox = outbox();
        let handover = Handover::default();
        outbox.put(&heartbeat(1), Some(handover.clone()));
        assert_eq!(handover.at(), None);
        let Some(Taken::Messages(_, stamped)) = take(&outbox) else {
            panic!("no messages");
        };
        assert!(handover.at().is_some());
        assert_eq!(handover.at(), stamped);
        outbox.put(&heartbeat(2), None);
        assert!(matches!(take(&outbox), Some(Taken::Messages(_, None))));
    }

    #[test]
    fn a_transport_that_waits_is_woken_once_for_all_that_comes_together() {
        let outbox = outbox();
        let woken = Arc::new(Woken::default());
        let waker = Waker::from(woken.clone());
        assert!(
            outbox
                .poll_take(&mut Context::from_waker(&waker))
                .is_pending()
        );
        for beat in 1..=5 {
            outbox.put(&heartbeat(beat), None);
        }
        assert_eq!(woken.0.load(Ordering::Relaxed), 1);
    }

    #[test]
    fn where_many_came_together_the_transport_lets_the_next_ones_in_first() {
        let outbox = outbox();
        outbox.put(&heartbeat(1), None);
        outbox.put(&heartbeat(2), None);
        assert!(matches!(take(&outbox), Some(Taken::Messages(..))));
        let woken = Arc::new(Woken::default());
        let waker = Waker::from(woken.clone());
        let mut context = Context::from_waker(&waker);
        assert!(outbox.poll_take(&mut context).is_pending());
        outbox.put(&heartbeat(3), None);
        assert_eq!(woken.0.load(Ordering::Relaxed), 1);
        assert!(outbox.poll_take(&mut context).is_pending());
        assert_eq!(
            woken.0.load(Ordering::Relaxed),
            2,
            "it comes again by itself"
        );
        outbox.put(&heartbeat(4), None);
        let Poll::Ready(taken) = outbox.poll_take(&mut context) else {
            panic!("it has waited once");
        };
        let both: Vec<u8> = (3..=4)
            .flat_map(|beat| heartbeat(beat).bytes().to_vec())
            .collect();
        assert_eq!(bytes(Some(taken)), both);
    }

    #[test]
    fn the_end_comes_after_all_messages_and_nothing_after_it() {
        let outbox = outbox();
        outbox.put(&heartbeat(1), None);
        assert!(outbox.end(Status::aborted("first")));
        assert!(!outbox.end(Status::ok("")), "it ends already");
        assert_eq!(outbox.put(&heartbeat(2), None), None);
        assert_eq!(bytes(take(&outbox)), heartbeat(1).bytes());
        let Some(Taken::End(status)) = take(&outbox) else {
            panic!("it does not end");
        };
        assert_eq!(status.message(), "first");
    }

    #[test]
    fn what_nobody_will_take_is_not_kept() {
        let outbox = outbox();
        outbox.put(&heartbeat(1), None);
        outbox.shut();
        assert!(outbox.dropped.is_cancelled());
        assert_eq!(outbox.put(&heartbeat(2), None), None);
        assert!(!outbox.end(Status::ok("")));
        let waiting = outbox.waiting.lock();
        assert_eq!((waiting.messages, waiting.chunks.len()), (0, 0));
    }

    #[test]
    fn a_bot_that_does_not_read_is_only_told_that_it_is_over() {
        let outbox = outbox();
        outbox.put(&heartbeat(1), Some(Handover::default()));
        outbox.clear();
        outbox.end(Status::resource_exhausted("too slow"));
        assert!(matches!(take(&outbox), Some(Taken::End(_))));
    }
}
