//! What a match logs is kept before anybody is told of it; and what becomes of the match when it cannot be.

use std::time::Duration;

use broadside_proto::v1;

use super::{Driver, Stop};
use crate::{
    play::{Ledger, Step, outcome},
    store::{Appending, StoreError},
    time::Micros,
};

/// How long a match waits before it asks a store again that could not be used.
const RETRIES: [Duration; 5] = [
    Duration::from_millis(50),
    Duration::from_millis(100),
    Duration::from_millis(200),
    Duration::from_millis(500),
    Duration::from_secs(1),
];

impl Driver {
    /// Keeps what the machine logged at `now`, and only then lets anybody know. Returns when that is done: later, if the store made it wait.
    pub(super) async fn settle(&mut self, now: Micros) -> Result<Micros, Stop> {
        let Step { log, deliveries } = self.machine.take_step();
        if log.is_empty() {
            self.deliver(deliveries, now);
            return Ok(now);
        }
        let now = self.keep(&log, now).await?;
        self.note_kept(&log);
        self.deliver(deliveries, now);
        self.kept.reached(self.ledger.entries());
        Ok(now)
    }

    /// What was logged is kept.
    fn note_kept(&self, log: &[v1::LogEntry]) {
        let variant = self.machine.spec().options.variant();
        for entry in log {
            if tracing::enabled!(tracing::Level::DEBUG) {
                self.note(|| trace_entry(entry));
            }
            self.around.meters.entry(variant, entry);
        }
    }

    /// Keeps a step's log. While the store cannot be used the match stands still, and its clocks with it. Returns when it is kept.
    async fn keep(&mut self, log: &[v1::LogEntry], begun: Micros) -> Result<Micros, Stop> {
        let written = self.ledger.write(log);
        let meters = &self.around.meters;
        let mut appending = self.around.store.append(written.append.clone());
        let mut now = begun;
        if matches!(appending, Appending::Done(Ok(()))) {
            meters.kept(0);
        } else {
            let mut waits = 0;
            while let Err(error) = appending.await {
                Box::pin(self.stand_still(error, &mut waits)).await?;
                appending = self.around.store.append(written.append.clone());
            }
            now = Micros::now();
            meters.kept(now.since(begun));
            self.machine.forgive(now.since(begun), now);
        }
        self.ledger.kept(written);
        Ok(now)
    }

    /// Waits before the store is asked again, if that can help; `waits` counts how often it has.
    pub(super) async fn stand_still(
        &self,
        error: StoreError,
        waits: &mut usize,
    ) -> Result<(), Stop> {
        if !matches!(error, StoreError::Unavailable(_)) {
            return Err(error.into());
        }
        self.note(|| tracing::error!(%error, "the match stands still"));
        let wait = RETRIES[(*waits).min(RETRIES.len() - 1)];
        *waits += 1;
        tokio::select! {
            () = self.around.leaving.cancelled() => Err(Stop::Left),
            () = tokio::time::sleep(wait) => {
                self.around.meters.store_retries.increment(1);
                Ok(())
            }
        }
    }

    /// Leaves the match as it is, with its clocks noted.
    pub(super) async fn leave(&mut self, now: Micros) {
        self.machine.suspend(now);
        let Step { log, .. } = self.machine.take_step();
        if !log.is_empty() {
            let written = self.ledger.write(&log);
            if let Err(error) = self.around.store.append(written.append).await {
                self.note(|| tracing::warn!(%error, "the clocks will go on from an earlier note"));
            }
        }
    }

    /// Puts the ledger where the log in the store ends, if that can be read. Returns how the match ended, if it did.
    async fn read_again(&mut self) -> Option<v1::Outcome> {
        let match_id = self.machine.spec().match_id;
        let log = self.around.store.log(match_id, 0).await.ok()?;
        let signatory = self.around.signatory.clone();
        let epoch = self.ledger.epoch();
        let (ledger, entries) = Ledger::reopen(match_id, epoch, &log, signatory).ok()?;
        self.ledger = ledger;
        match entries.last()?.entry.clone()? {
            v1::log_entry::Entry::Ended(ended) => ended.outcome,
            _ => None,
        }
    }

    /// Ends the match as the arena's fault, as far as that can still be done.
    pub(super) async fn fail(&mut self, why: &str) {
        // What was not kept did not happen, an end included; and what was kept did, whether this task got to see it or not.
        self.machine.take_step();
        let kept_end = self.read_again().await;
        let is_kept = kept_end.is_some();
        let end = kept_end.unwrap_or_else(|| outcome::platform_fault(why));
        let now = Micros::now();
        self.machine.overrule(end, now);
        let Step { log, deliveries } = self.machine.take_step();
        if is_kept {
            self.kept.reached(self.ledger.entries());
            self.deliver(deliveries, now);
            return;
        }
        let written = self.ledger.write(&log);
        match self.around.store.append(written.append.clone()).await {
            Ok(()) => {
                self.ledger.kept(written);
                self.note_kept(&log);
                self.kept.reached(self.ledger.entries());
            }
            Err(error) => {
                self.note(|| tracing::error!(%error, "the end of the match could not be kept"));
            }
        }
        self.deliver(deliveries, now);
    }
}

fn trace_entry(entry: &v1::LogEntry) {
    use v1::log_entry::Entry;
    match &entry.entry {
        // Its kind and not its message, which may say where a ship lies.
        Some(Entry::Refused(refused)) => tracing::debug!(
            seat = refused.seat,
            turn_id = refused.turn_id,
            reason = refused
                .illegal_move
                .as_ref()
                .map_or("", |illegal| illegal.reason().as_str_name()),
            "move refused"
        ),
        Some(Entry::Accepted(accepted)) => {
            tracing::trace!(
                seat = accepted.seat,
                turn_id = accepted.turn_id,
                "move accepted"
            );
        }
        _ => {}
    }
}
