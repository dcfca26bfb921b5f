//! The way into a match: a small bounded queue with one reader.
//!
//! One of our own and not the runtime's, for what thousands of matches cost that are played at once: an answer goes through it for each turn,
//! and by then nothing of its match is in the processor's near memory. This one is two or three lines of that memory, and the runtime's is
//! nine (see docs/performance.md).

use std::{
    collections::VecDeque,
    sync::Arc,
    task::{Context, Poll, Waker},
};

use parking_lot::Mutex;
use tokio::sync::Notify;

use super::Input;

/// How many inputs may wait for a match. Its bots are held back beyond that.
const CAPACITY: usize = 64;

#[derive(Default)]
struct Shared {
    waiting: Mutex<Waiting>,
    /// Told when there is room again.
    room: Notify,
}

#[derive(Default)]
struct Waiting {
    inputs: VecDeque<Input>,
    closed: bool,
    /// The match's task, when it has found nothing.
    reader: Option<Waker>,
}

/// Why an input was not taken.
pub enum NotTaken {
    /// As many as may wait do: here it is back.
    Full(Input),
    /// The match is over.
    Closed,
}

impl std::fmt::Debug for NotTaken {
    /// What was not taken is for the match alone.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Full(_) => "Full",
            Self::Closed => "Closed",
        })
    }
}

/// The match is over, and takes nothing more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Over;

/// The way in.
#[derive(Clone)]
pub struct Inbox(Arc<Shared>);

impl std::fmt::Debug for Inbox {
    /// What waits is for the match alone.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Inbox")
    }
}

impl Inbox {
    /// An inbox, and the end of it that the match reads.
    pub(super) fn new() -> (Self, InboxReader) {
        let shared = Arc::<Shared>::default();
        (Self(shared.clone()), InboxReader(shared))
    }

    /// Puts an input in, if there is room.
    ///
    /// # Errors
    /// There is none, or the match is over.
    pub fn try_send(&self, input: Input) -> Result<(), NotTaken> {
        let mut waiting = self.0.waiting.lock();
        if waiting.closed {
            return Err(NotTaken::Closed);
        }
        if waiting.inputs.len() >= CAPACITY {
            return Err(NotTaken::Full(input));
        }
        waiting.inputs.push_back(input);
        let reader = waiting.reader.take();
        drop(waiting);
        if let Some(reader) = reader {
            reader.wake();
        }
        Ok(())
    }

    /// Puts an input in; waits for room.
    ///
    /// # Errors
    /// The match is over.
    pub async fn send(&self, mut input: Input) -> Result<(), Over> {
        loop {
            // Made before it is looked: from now on it hears of room.
            let room = self.0.room.notified();
            match self.try_send(input) {
                Ok(()) => return Ok(()),
                Err(NotTaken::Closed) => return Err(Over),
                Err(NotTaken::Full(again)) => input = again,
            }
            room.await;
        }
    }
}

/// The end that the match reads. The inbox is closed when it is gone.
pub(super) struct InboxReader(Arc<Shared>);

impl InboxReader {
    /// The next input, as soon as there is one.
    pub(super) fn poll_next(&mut self, context: &mut Context<'_>) -> Poll<Input> {
        let mut waiting = self.0.waiting.lock();
        match waiting.inputs.pop_front() {
            Some(input) => {
                let was_full = waiting.inputs.len() + 1 == CAPACITY;
                drop(waiting);
                if was_full {
                    self.0.room.notify_waiters();
                }
                Poll::Ready(input)
            }
            None => {
                let same = |reader: &Waker| reader.will_wake(context.waker());
                if !waiting.reader.as_ref().is_some_and(same) {
                    waiting.reader = Some(context.waker().clone());
                }
                Poll::Pending
            }
        }
    }

    /// Waits for the next input.
    pub(super) async fn next(&mut self) -> Input {
        std::future::poll_fn(|context| self.poll_next(context)).await
    }

    /// How many inputs wait.
    pub(super) fn len(&self) -> usize {
        self.0.waiting.lock().inputs.len()
    }

    /// Takes nothing more. Returns what waits.
    pub(super) fn close(&mut self) -> VecDeque<Input> {
        let rest = {
            let mut waiting = self.0.waiting.lock();
            waiting.closed = true;
            waiting.reader = None;
            std::mem::take(&mut waiting.inputs)
        };
        self.0.room.notify_waiters();
        rest
    }
}

impl Drop for InboxReader {
    fn drop(&mut self) {
        self.close();
    }
}

#[cfg(test)]
mod tests {
    use std::pin::pin;

    use broadside_rules::Seats;

    use super::*;

    fn input(turn_id: u32) -> Input {
        Input::Disputed {
            from: Seats::BOTH,
            turn_id,
        }
    }

    fn turn_id(input: &Input) -> u32 {
        match input {
            Input::Disputed { turn_id, .. } => *turn_id,
            _ => panic!("another input"),
        }
    }

    fn poll<F: Future>(future: std::pin::Pin<&mut F>) -> Poll<F::Output> {
        future.poll(&mut Context::from_waker(Waker::noop()))
    }

    #[test]
    fn inputs_come_out_in_the_order_in_which_they_went_in() {
        let (inbox, mut reader) = Inbox::new();
        for turn in 0..5 {
            inbox.try_send(input(turn)).unwrap();
        }
        assert_eq!(reader.len(), 5);
        for turn in 0..5 {
            let Poll::Ready(next) = poll(pin!(reader.next())) else {
                panic!("it is there");
            };
            assert_eq!(turn_id(&next), turn);
        }
        assert!(poll(pin!(reader.next())).is_pending());
    }

    #[test]
    fn who_finds_it_full_waits_for_room_and_keeps_its_input() {
        let (inbox, mut reader) = Inbox::new();
        for turn in 0..64 {
            inbox.try_send(input(turn)).unwrap();
        }
        let refused = inbox.try_send(input(64));
        assert!(matches!(&refused, Err(NotTaken::Full(back)) if turn_id(back) == 64));
        let mut sending = pin!(inbox.send(input(64)));
        assert!(poll(sending.as_mut()).is_pending());
        assert!(poll(pin!(reader.next())).is_ready());
        assert_eq!(poll(sending), Poll::Ready(Ok(())));
        let rest = reader.close();
        assert_eq!(
            rest.iter().map(turn_id).collect::<Vec<_>>(),
            (1..=64).collect::<Vec<_>>()
        );
    }

    #[test]
    fn a_match_that_is_over_takes_nothing_more_and_lets_nobody_wait() {
        let (inbox, reader) = Inbox::new();
        for turn in 0..64 {
            inbox.try_send(input(turn)).unwrap();
        }
        let mut sending = pin!(inbox.send(input(64)));
        assert!(poll(sending.as_mut()).is_pending());
        drop(reader);
        assert_eq!(poll(sending), Poll::Ready(Err(Over)));
        assert!(matches!(inbox.try_send(input(65)), Err(NotTaken::Closed)));
    }

    #[tokio::test]
    async fn a_reader_that_waits_is_woken_by_any_of_many_senders() {
        let (inbox, mut reader) = Inbox::new();
        let senders: Vec<_> = (0..8)
            .map(|sender| {
                let inbox = inbox.clone();
                tokio::spawn(async move {
                    for turn in 0..1_000 {
                        inbox.send(input(sender * 1_000 + turn)).await.unwrap();
                    }
                })
            })
            .collect();
        let mut last = [None; 8];
        for _ in 0..8_000 {
            let turn = turn_id(&reader.next().await);
            let (sender, turn) = (turn / 1_000, turn % 1_000);
            assert_eq!(last[sender as usize].map_or(0, |last: u32| last + 1), turn);
            last[sender as usize] = Some(turn);
        }
        for sender in senders {
            sender.await.unwrap();
        }
    }
}
