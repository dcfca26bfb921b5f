//! How far a match's log goes, for those who follow it.

use std::sync::{
    Arc,
    atomic::{AtomicBool, AtomicUsize, Ordering},
};

use tokio::sync::Notify;

/// A count that its followers wait for. Nearly no match is followed, and a turn then costs a store and a load: no lock, and nobody woken.
#[derive(Debug, Default)]
struct Count {
    entries: AtomicUsize,
    /// Whether nobody counts any more.
    over: AtomicBool,
    followers: AtomicUsize,
    moved: Notify,
}

/// The end that counts: the match's task has it.
#[derive(Debug)]
pub struct Progress(Arc<Count>);

impl Progress {
    /// From a log of so many entries on.
    pub fn new(entries: usize) -> Self {
        let count = Count {
            entries: AtomicUsize::new(entries),
            ..Count::default()
        };
        Self(Arc::new(count))
    }

    /// Whoever wants to follow asks this.
    pub fn followed(&self) -> Followed {
        Followed(self.0.clone())
    }

    /// The log holds so many entries now.
    pub fn reached(&self, entries: usize) {
        // All of one order with a follower's: either it is seen here, or it sees the entries.
        self.0.entries.store(entries, Ordering::SeqCst);
        if self.0.followers.load(Ordering::SeqCst) > 0 {
            self.0.moved.notify_waiters();
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.0.over.store(true, Ordering::SeqCst);
        self.0.moved.notify_waiters();
    }
}

/// A match that may be followed.
#[derive(Clone, Debug)]
pub struct Followed(Arc<Count>);

impl Followed {
    /// Begins to follow it.
    pub fn follow(&self) -> Follower {
        self.0.followers.fetch_add(1, Ordering::SeqCst);
        Follower(self.0.clone())
    }
}

/// Follows a match.
#[derive(Debug)]
pub struct Follower(Arc<Count>);

impl Follower {
    /// How many entries the log holds.
    pub fn entries(&self) -> usize {
        self.0.entries.load(Ordering::SeqCst)
    }

    /// Waits until the log holds more than so many entries. Returns false if nobody counts any more: whatever was written is in the log.
    pub async fn beyond(&self, entries: usize) -> bool {
        loop {
            let moved = self.0.moved.notified();
            if self.0.entries.load(Ordering::SeqCst) > entries {
                return true;
            }
            if self.0.over.load(Ordering::SeqCst) {
                return false;
            }
            moved.await;
        }
    }
}

impl Drop for Follower {
    fn drop(&mut self) {
        self.0.followers.fetch_sub(1, Ordering::SeqCst);
    }
}

#[cfg(test)]
mod tests {
    use std::{
        future::Future,
        pin::pin,
        task::{Context, Poll, Waker},
    };

    use super::*;

    fn poll(waiting: impl Future<Output = bool>) -> Poll<bool> {
        pin!(waiting).poll(&mut Context::from_waker(Waker::noop()))
    }

    #[test]
    fn a_follower_sees_what_was_reached_before_and_waits_for_the_rest() {
        let progress = Progress::new(1);
        progress.reached(3);
        let follower = progress.followed().follow();
        assert_eq!(poll(follower.beyond(2)), Poll::Ready(true));
        let mut waiting = pin!(follower.beyond(3));
        let mut context = Context::from_waker(Waker::noop());
        assert_eq!(waiting.as_mut().poll(&mut context), Poll::Pending);
        progress.reached(4);
        assert_eq!(waiting.as_mut().poll(&mut context), Poll::Ready(true));
    }

    #[test]
    fn a_follower_hears_that_nobody_counts_any_more() {
        let progress = Progress::new(1);
        let follower = progress.followed().follow();
        let mut waiting = pin!(follower.beyond(1));
        let mut context = Context::from_waker(Waker::noop());
        assert_eq!(waiting.as_mut().poll(&mut context), Poll::Pending);
        drop(progress);
        assert_eq!(waiting.as_mut().poll(&mut context), Poll::Ready(false));
        assert_eq!(poll(follower.beyond(0)), Poll::Ready(true));
    }
}
