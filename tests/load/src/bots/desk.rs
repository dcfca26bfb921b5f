//! Where the bots of a process answer turns, and count them.

use std::sync::{Arc, atomic::Ordering::Relaxed};

use broadside_proto::v1::{self, Termination};

use super::{
    Pace, Rematch,
    trivial::{self, Asked},
};
use crate::{
    args::Played,
    clock::now_ns,
    tally::{Sample, Tally},
};

/// Answers turns, and counts them.
pub(super) struct Desk {
    tally: Arc<Tally>,
    rematch: Option<Arc<Rematch>>,
    pace: Arc<Pace>,
    played: Played,
    sample: u64,
}

impl Desk {
    pub(super) fn new(
        tally: Arc<Tally>,
        rematch: Option<Arc<Rematch>>,
        pace: Arc<Pace>,
        played: Played,
        sample: u64,
    ) -> Self {
        Self {
            tally,
            rematch,
            pace,
            played,
            sample,
        }
    }

    /// Waits until turns are answered: nearly always they are.
    pub(super) async fn opens(&self) {
        self.pace.allows().await;
    }

    /// The move for a turn.
    pub(super) fn decide(&self, asked: Asked) -> v1::Move {
        self.tally.turns.fetch_add(1, Relaxed);
        trivial::decide(self.played, asked)
    }

    /// When a turn came, if its match is timed now.
    pub(super) fn received(&self, match_id: u64) -> Option<u64> {
        let timed = match_id.is_multiple_of(self.sample) && self.tally.timing.load(Relaxed);
        timed.then(now_ns)
    }

    /// The answer to a timed turn is on its way. `turn_bytes` and `answer_bytes`: as they are sent.
    pub(super) fn answered(
        &self,
        (match_id, turn_id): (u64, u32),
        received_ns: u64,
        turn_bytes: usize,
        answer_bytes: usize,
    ) {
        self.tally.sample(Sample {
            match_id,
            turn_id,
            received_ns,
            answered_ns: now_ns(),
        });
        let tally = &self.tally;
        tally.sized.fetch_add(1, Relaxed);
        tally.turn_bytes.fetch_add(turn_bytes as u64, Relaxed);
        tally.answer_bytes.fetch_add(answer_bytes as u64, Relaxed);
    }

    /// A match of the agent with this number is over: it plays the next, unless it is to rest.
    pub(super) fn ended(&self, agent: usize, end: &v1::MatchEnd) {
        self.tally.ended.fetch_add(1, Relaxed);
        let termination = end.outcome.as_ref().map(v1::Outcome::termination);
        match termination {
            Some(Termination::WonByPlay | Termination::DrawByRule) => {}
            Some(Termination::Time) => {
                self.tally.time_losses.fetch_add(1, Relaxed);
                self.tally.unexpected.fetch_add(1, Relaxed);
            }
            _ => {
                self.tally.unexpected.fetch_add(1, Relaxed);
            }
        }
        if let Some(rematch) = self.rematch.clone()
            && !self.pace.rests()
        {
            tokio::spawn(async move { rematch.create(agent).await });
        }
    }
}
