//! Runs matches: new ones, and those that an arena before this one left.

use std::{panic::AssertUnwindSafe, sync::Arc};

use broadside_record::chain::BrokenChain;
use futures_util::FutureExt;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::task::TaskTracker;

use crate::{
    dialled::{self, Dialling},
    play::{
        BadCreation, Driver, Input, Ledger, Machine, MatchSpec, ResumeError, Surroundings,
        platform_fault,
    },
    store::{Claimed, Creation, StoreError},
    time::Micros,
};

/// What it takes to run matches.
#[derive(Clone)]
pub struct Runner {
    /// What matches need of the arena.
    pub around: Arc<Surroundings>,
    /// How agents are dialled.
    pub dialling: Dialling,
    /// Places for matches that are not over.
    pub places: Arc<Semaphore>,
    /// The tasks of running matches.
    pub running: TaskTracker,
}

/// Why a match that was left cannot be gone on with. It is left alone, for somebody to look at.
#[derive(Debug, thiserror::Error)]
enum NotResumed {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("{0}")]
    Broken(#[from] BrokenChain),
    #[error("{0}")]
    Creation(#[from] BadCreation),
    #[error("{0}")]
    Log(#[from] ResumeError),
    #[error("its log is empty")]
    Empty,
    #[error("the task that read it panicked")]
    Panicked,
}

impl Runner {
    /// Creates a match and runs it, in its place; or finds the one that the same request created.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn create(
        &self,
        spec: MatchSpec,
        fingerprint: u64,
        place: &mut Option<OwnedSemaphorePermit>,
    ) -> Result<Creation, StoreError> {
        let created = Micros::now();
        let signatory = self.around.signatory.clone();
        let (ledger, new) = Ledger::open(&spec, self.around.wall.unix_ms(), fingerprint, signatory);
        let creation = self.around.store.create(new).await?;
        if creation == Creation::Created {
            let machine = Machine::new(spec, self.around.limits, created);
            self.run(machine, ledger, place.take()).await;
        }
        Ok(creation)
    }

    /// Claims every match that is not over, and goes on with it where its log ends. Returns how many there are.
    ///
    /// # Errors
    /// If they cannot be claimed. A match that cannot be gone on with is left alone, and no error.
    pub async fn resume_all(&self) -> Result<usize, StoreError> {
        let claimed = self.around.store.claim().await?;
        let mut resumed = 0;
        for Claimed { match_id, epoch } in claimed {
            // One match that cannot be read must not keep all the others from being played.
            let resuming = AssertUnwindSafe(self.resume(match_id, epoch)).catch_unwind();
            match resuming.await.unwrap_or(Err(NotResumed::Panicked)) {
                Ok((machine, ledger)) => {
                    // More than there may be now were allowed then: they are not to suffer for it.
                    let place = self.places.clone().try_acquire_owned().ok();
                    self.run(machine, ledger, place).await;
                    resumed += 1;
                }
                Err(error) => tracing::error!(match_id, %error, "a match cannot be resumed"),
            }
        }
        Ok(resumed)
    }

    async fn resume(&self, match_id: u64, epoch: u64) -> Result<(Machine, Ledger), NotResumed> {
        let log = self.around.store.log(match_id, 0).await?;
        let signatory = self.around.signatory.clone();
        let (ledger, entries) = Ledger::reopen(match_id, epoch, &log, signatory)?;
        let first = entries.first().ok_or(NotResumed::Empty)?;
        let spec = MatchSpec::from_log(match_id, first)?;
        let now = Micros::now();
        // The log's times go on by the clock on the wall, as far as that can be believed: they are for people. What is charged is
        // measured within one life of the arena.
        let logged_us = entries.last().map_or(0, |last| last.at_us);
        let now_ms = self.around.wall.unix_ms();
        let since_us = now_ms
            .saturating_sub(log.create_time_ms)
            .saturating_mul(1_000);
        let created = now.minus(since_us.max(logged_us));
        let machine = Machine::resume(spec, self.around.limits, &entries, created, now)?;
        Ok((machine, ledger))
    }

    async fn run(&self, machine: Machine, ledger: Ledger, place: Option<OwnedSemaphorePermit>) {
        let spec = machine.spec().clone();
        let started = machine.is_started();
        let (driver, inbox, followed) = Driver::new(machine, ledger, self.around.clone());
        let to_dial = self
            .around
            .roster
            .enter(&spec, started, inbox.clone(), followed);
        for agent in to_dial {
            tokio::spawn(dialled::reach(
                self.around.roster.clone(),
                agent,
                self.dialling.clone(),
                self.running.clone(),
            ));
        }
        // No async block around it: that would keep it twice, as what it captures and as what it awaits.
        let run = Box::new(driver).run();
        self.running.spawn(run.map(move |()| drop(place)));
        // The stop may have come after this match was let in, and before it could be seen.
        if self.around.draining.is_cancelled() && !self.around.store.is_durable() {
            let _ = inbox
                .send(Input::Abandon(platform_fault("it was stopped")))
                .await;
        }
    }
}
