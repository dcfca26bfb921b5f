//! Staying awake for a moment after a message, where the next one is likely to be near.
//!
//! A thread that sleeps must be woken, and on a virtual machine that takes longer than all else that a turn needs of the arena. So while
//! messages come one by one and close together, one worker of the runtime goes on looking for them, and the others wait beside it: left to
//! itself the runtime would wake one of them for what the first does at once. Where that brings nothing, since messages are far apart or
//! there are many at once, it is tried again only after more and more of them.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering::Relaxed},
    },
    time::Duration,
};

use parking_lot::{Condvar, Mutex};
use tokio::{runtime::Builder, sync::Notify};

use crate::time::{Micros, duration_us};

/// More messages than this between two looks are work for all workers.
const FEW: u32 = 2;
/// Most messages that pass before it is tried again, if there were many together: each try costs work that others could do.
const MOST_AFTER_MANY: u32 = 1 << 16;
/// If there were none, which costs nobody anything but electricity.
const MOST_AFTER_NONE: u32 = 1 << 8;
/// A worker that polls looks at least so often, in microseconds, or it has something to do that keeps it from that.
const STUCK_US: u64 = 1_000;
/// How often those who wait beside it make sure of that.
const BESIDE: Duration = Duration::from_millis(2);
/// How often at most before they go: there may be work elsewhere that nobody told them of.
const LOOKS: u32 = 5;

/// What a runtime stays awake by. One that is not [installed](Self::install) keeps no worker from sleeping but the one that polls; one that
/// an arena does not [have](crate::Arena::with_busy_poll) does nothing.
#[derive(Clone, Debug, Default)]
pub struct BusyPoll(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    /// How long it is polled after a message, in microseconds; 0: never.
    window_us: u64,
    /// When the last message was heard.
    heard_at: AtomicU64,
    /// Messages heard since the last look.
    heard: AtomicU32,
    /// Whether anybody would poll.
    runs: AtomicBool,
    /// Whether a worker polls.
    polling: AtomicBool,
    looked_at: AtomicU64,
    /// Messages that pass until one is tried again.
    pass: AtomicU32,
    /// How many the last time.
    passed: AtomicU32,
    begin: Notify,
    beside: Mutex<()>,
    ended: Condvar,
}

/// What a round of polling came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Came {
    Nothing,
    OneByOne,
    Many,
}

/// A round of polling, which ends when this is dropped.
struct Round<'a> {
    shared: &'a Shared,
    came: Came,
}

impl Drop for Round<'_> {
    fn drop(&mut self) {
        self.shared.end(self.came);
    }
}

/// Somebody polls when it is time for that, until this is dropped.
struct Runs<'a>(&'a Shared);

impl Drop for Runs<'_> {
    fn drop(&mut self) {
        self.0.runs.store(false, Relaxed);
        self.0.end(Came::Nothing);
    }
}

impl BusyPoll {
    /// Polling that goes on for so long after a message; zero: none.
    pub fn new(window: Duration) -> Self {
        Self(Arc::new(Shared {
            window_us: duration_us(window),
            ..Shared::default()
        }))
    }

    /// Has the workers of a runtime that is built by this wait beside the one that polls.
    ///
    /// On a machine with one core nothing is installed, and nothing polled: that core is the bots' too.
    pub fn install(self, runtime: &mut Builder) -> Self {
        if std::thread::available_parallelism().map_or(1, usize::from) < 2 {
            return Self::default();
        }
        let shared = self.0.clone();
        runtime.on_thread_park(move || shared.wait_beside());
        self
    }

    /// So many messages were heard together, by now.
    pub(crate) fn heard(&self, messages: u32, now: Micros) {
        let shared = &*self.0;
        if shared.window_us == 0 || !shared.runs.load(Relaxed) {
            return;
        }
        if shared.polling.load(Relaxed) {
            shared.heard.fetch_add(messages, Relaxed);
            shared.heard_at.store(now.0, Relaxed);
        } else if shared.is_tried(messages) && !shared.polling.swap(true, Relaxed) {
            shared.heard.store(0, Relaxed);
            shared.heard_at.store(now.0, Relaxed);
            shared.looked_at.store(now.0, Relaxed);
            shared.begin.notify_one();
        }
    }

    /// Polls when it is time for that. To be run on the runtime that it is installed in, until that ends.
    pub(crate) async fn run(self) {
        let shared = &*self.0;
        shared.runs.store(true, Relaxed);
        let _runs = Runs(shared);
        loop {
            shared.begin.notified().await;
            let mut round = Round {
                shared,
                came: Came::Nothing,
            };
            loop {
                // The runtime looks for messages, and does not sleep, since this wants to go on.
                tokio::task::yield_now().await;
                let now = Micros::now();
                shared.looked_at.store(now.0, Relaxed);
                match shared.heard.swap(0, Relaxed) {
                    0 => {}
                    few if few <= FEW => round.came = Came::OneByOne,
                    _ => {
                        round.came = Came::Many;
                        break;
                    }
                }
                if now.since(Micros(shared.heard_at.load(Relaxed))) >= shared.window_us {
                    break;
                }
            }
        }
    }
}

impl Shared {
    /// Whether polling is tried after so many more messages.
    fn is_tried(&self, messages: u32) -> bool {
        let pass = self.pass.load(Relaxed);
        if pass > 0 {
            // Workers that count together may lose some of them: it is tried a little later.
            self.pass.store(pass.saturating_sub(messages), Relaxed);
        }
        pass == 0
    }

    /// Nobody polls any more.
    fn end(&self, came: Came) {
        let more = 2 * self.passed.load(Relaxed);
        let pass = match came {
            Came::OneByOne => 0,
            Came::Nothing => more.clamp(1, MOST_AFTER_NONE),
            Came::Many => more.clamp(1, MOST_AFTER_MANY),
        };
        self.passed.store(pass, Relaxed);
        self.pass.store(pass, Relaxed);
        let beside = self.beside.lock();
        self.polling.store(false, Relaxed);
        drop(beside);
        self.ended.notify_all();
    }

    /// A worker has nothing to do: for as long as another one polls it waits here.
    fn wait_beside(&self) {
        if !self.polling.load(Relaxed) {
            return;
        }
        let mut beside = self.beside.lock();
        for _ in 0..LOOKS {
            let looked_at = Micros(self.looked_at.load(Relaxed));
            let stuck = Micros::now().since(looked_at) > STUCK_US;
            if stuck || !self.polling.load(Relaxed) || !self.runs.load(Relaxed) {
                return;
            }
            self.ended.wait_for(&mut beside, BESIDE);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{
        pin::pin,
        task::{Context, Poll, Waker},
    };

    use super::*;

    const WINDOW: Duration = Duration::from_secs(3_600);

    fn heard(poll: &BusyPoll, times: u32) {
        for _ in 0..times {
            poll.heard(1, Micros::now());
        }
    }

    /// One that somebody would poll with.
    fn running(window: Duration) -> BusyPoll {
        let poll = BusyPoll::new(window);
        poll.0.runs.store(true, Relaxed);
        poll
    }

    fn polls(poll: &BusyPoll) -> bool {
        poll.0.polling.load(Relaxed)
    }

    #[test]
    fn nothing_is_polled_unless_it_is_wanted() {
        for poll in [running(Duration::ZERO), BusyPoll::new(WINDOW)] {
            heard(&poll, 10);
            assert!(!polls(&poll));
        }
    }

    #[test]
    fn after_one_message_it_is_polled_until_none_has_come_for_long() {
        let poll = BusyPoll::new(Duration::from_micros(1));
        let mut running = pin!(poll.clone().run());
        let mut context = Context::from_waker(Waker::noop());
        assert_eq!(running.as_mut().poll(&mut context), Poll::Pending);
        heard(&poll, 1);
        assert!(polls(&poll));
        while polls(&poll) {
            assert_eq!(running.as_mut().poll(&mut context), Poll::Pending);
        }
    }

    /// Lets it look a few times, with so many messages between. Returns whether it still polls then.
    fn still_polls(poll: &BusyPoll, messages: u32) -> bool {
        let mut running = pin!(poll.clone().run());
        let mut context = Context::from_waker(Waker::noop());
        for _ in 0..3 {
            assert_eq!(running.as_mut().poll(&mut context), Poll::Pending);
            if !polls(poll) {
                return false;
            }
            poll.heard(messages, Micros::now());
        }
        true
    }

    #[test]
    fn while_they_come_one_by_one_it_goes_on_and_ends_with_whatever_runs_it() {
        let poll = running(WINDOW);
        heard(&poll, 1);
        assert!(still_polls(&poll, 1));
        assert!(!polls(&poll));
        // Nobody would poll any more.
        heard(&poll, 100);
        assert!(!polls(&poll));
    }

    /// How many messages pass until it is tried again.
    fn passed(poll: &BusyPoll) -> u32 {
        let mut passed = 0;
        while !polls(poll) {
            heard(poll, 1);
            passed += 1;
        }
        passed
    }

    #[test]
    fn where_it_was_of_no_use_it_is_tried_ever_more_seldom() {
        for (came, most) in [
            (Came::Nothing, MOST_AFTER_NONE),
            (Came::Many, MOST_AFTER_MANY),
        ] {
            let poll = running(WINDOW);
            let mut before = 0;
            while before <= most {
                let now = passed(&poll);
                assert!(now > before, "{came:?}: {now} after {before}");
                before = now;
                poll.0.end(came);
            }
            assert_eq!(passed(&poll), most + 1);
            poll.0.end(Came::OneByOne);
            assert_eq!(passed(&poll), 1);
        }
    }

    #[test]
    fn many_together_are_left_to_all_workers() {
        let poll = running(WINDOW);
        heard(&poll, 1);
        assert!(!still_polls(&poll, FEW + 1));
    }

    #[test]
    fn a_worker_waits_beside_the_one_that_polls_and_no_longer() {
        let poll = running(WINDOW);
        // Nobody polls.
        poll.0.wait_beside();
        // Who polls is kept from it.
        heard(&poll, 1);
        poll.0.looked_at.store(0, Relaxed);
        poll.0.wait_beside();
        // It polls, for longer than anybody waits.
        poll.0.looked_at.store(u64::MAX, Relaxed);
        poll.0.wait_beside();
        // It polls, and ends.
        std::thread::scope(|scope| {
            let beside = scope.spawn(|| poll.0.wait_beside());
            poll.0.end(Came::Nothing);
            assert!(beside.join().is_ok());
        });
    }

    #[test]
    fn a_runtime_that_polls_does_all_its_work() {
        let mut builder = Builder::new_multi_thread();
        let poll = BusyPoll::new(Duration::from_millis(1)).install(&mut builder);
        let runtime = builder.worker_threads(2).build().unwrap();
        let done = runtime.block_on(async {
            tokio::spawn(poll.clone().run());
            let (sender, mut receiver) = tokio::sync::mpsc::channel(1);
            for _ in 0..4 {
                let (sender, poll) = (sender.clone(), poll.clone());
                tokio::spawn(async move {
                    for _ in 0..500 {
                        sender.send(()).await.unwrap();
                        poll.heard(1, Micros::now());
                    }
                });
            }
            drop(sender);
            let mut done = 0;
            while receiver.recv().await.is_some() {
                done += 1;
            }
            done
        });
        assert_eq!(done, 4 * 500);
    }
}
