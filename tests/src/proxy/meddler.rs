//! What a proxy does to the messages of one direction of one stream.

use std::{collections::VecDeque, time::Duration};

use rand::{Rng, RngExt};
use tokio::{sync::mpsc, time::timeout};
use tokio_stream::{Stream, StreamExt};

/// How long a message waits for another one to overtake it.
const HELD: Duration = Duration::from_millis(5);

/// How many old messages are kept to be sent again.
const OLD: usize = 32;

/// What is done to messages. Nothing is ever lost, the first message is left alone and is the first, and the last is the last.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Mischief {
    /// How many of a hundred are sent twice.
    pub duplicate: u32,
    /// How many of a hundred are overtaken by the next one.
    pub overtake: u32,
    /// After how many of a hundred an old one is sent again.
    pub again: u32,
    /// The longest that one is held up; those behind it wait.
    pub delay: Duration,
}

impl Mischief {
    /// Some of everything, with delays of up to so long.
    pub fn some(delay: Duration) -> Self {
        Self {
            duplicate: 15,
            overtake: 15,
            again: 15,
            delay,
        }
    }
}

/// Passes messages on, with mischief, until one of the ends is gone. Those that `leave_alone` names are neither doubled nor overtaken.
pub(super) async fn meddle<T: Clone>(
    messages: impl Stream<Item = T>,
    out: mpsc::Sender<T>,
    mischief: Mischief,
    leave_alone: impl Fn(&T) -> bool,
    mut rng: impl Rng,
) {
    tokio::pin!(messages);
    let mut old = VecDeque::new();
    let mut first = true;
    while let Some(message) = next(&mut messages, &out).await {
        if !mischief.delay.is_zero() {
            tokio::time::sleep(rng.random_range(Duration::ZERO..=mischief.delay)).await;
        }
        let mut sent = vec![message];
        if !std::mem::take(&mut first) && !leave_alone(&sent[0]) {
            if rng.random_range(0..100) < mischief.overtake
                && let Ok(Some(next)) = timeout(HELD, messages.next()).await
            {
                let at = if leave_alone(&next) { 1 } else { 0 };
                sent.insert(at, next);
            }
            if rng.random_range(0..100) < mischief.duplicate {
                sent.insert(0, sent[0].clone());
            }
            if rng.random_range(0..100) < mischief.again && !old.is_empty() {
                let chosen: &T = &old[rng.random_range(0..old.len())];
                sent.insert(0, chosen.clone());
            }
        }
        for message in sent {
            if !leave_alone(&message) {
                if old.len() == OLD {
                    old.pop_front();
                }
                old.push_back(message.clone());
            }
            if out.send(message).await.is_err() {
                return;
            }
        }
    }
}

/// The next message, if there is still somebody to take it.
async fn next<T>(
    messages: &mut (impl Stream<Item = T> + Unpin),
    out: &mpsc::Sender<T>,
) -> Option<T> {
    tokio::select! {
        biased;
        () = out.closed() => None,
        message = messages.next() => message,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn through(mischief: Mischief) -> Vec<u32> {
        let (out, mut passed) = mpsc::channel(10_000);
        let messages = tokio_stream::iter(0..1_000);
        let last = |message: &u32| *message == 999;
        meddle(messages, out, mischief, last, super::super::rng(7, 0, 0)).await;
        let mut seen = Vec::new();
        while let Some(message) = passed.recv().await {
            seen.push(message);
        }
        seen
    }

    #[tokio::test]
    async fn without_mischief_everything_passes_as_it_is() {
        let seen = through(Mischief::default()).await;
        assert_eq!(seen, (0..1_000).collect::<Vec<_>>());
    }

    #[tokio::test]
    async fn messages_are_doubled_overtaken_and_sent_again_and_none_is_lost() {
        let seen = through(Mischief::some(Duration::ZERO)).await;
        let mut known = seen.clone();
        known.sort_unstable();
        known.dedup();
        assert_eq!(known, (0..1_000).collect::<Vec<_>>());
        assert!(
            seen.windows(2).any(|pair| pair[0] == pair[1]),
            "none is doubled"
        );
        assert!(
            seen.windows(2).any(|pair| pair[0] == pair[1] + 1),
            "none is overtaken"
        );
        assert!(
            seen.windows(2).any(|pair| pair[0] > pair[1] + 1),
            "none is sent again"
        );
        assert_eq!((seen[0], seen.last()), (0, Some(&999)));
    }
}
