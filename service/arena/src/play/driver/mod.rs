//! The task that runs a match: feeds the [`Machine`], keeps its log, delivers its messages.

use std::{panic::AssertUnwindSafe, sync::Arc, time::Duration};

use broadside_proto::v1;
use broadside_record::signature::Signatory;
use broadside_rules::{Seat, Seats};
use futures_util::FutureExt;
use tokio::{
    sync::{mpsc, watch},
    time::Instant,
};
use tokio_util::sync::CancellationToken;

use super::{
    Ledger, Machine, dispute,
    machine::{Delivery, Limits, Step},
    outcome,
};
use crate::{
    meters::Meters,
    roster::{Roster, SeatLink, Seated},
    stall::Stalls,
    store::{Appending, Store, StoreError},
    time::{Micros, WallClock, duration_us},
};

/// How many inputs may wait for a match. Its bots are held back beyond that.
const INBOX: usize = 64;

/// How long a match waits before it asks a store again that could not be used.
const RETRIES: [Duration; 5] = [
    Duration::from_millis(50),
    Duration::from_millis(100),
    Duration::from_millis(200),
    Duration::from_millis(500),
    Duration::from_secs(1),
];

/// What arrives for a match. Not to be printed: answers hold what is hidden.
pub enum Input {
    /// Both agents are there and have room.
    Seated(Seated),
    /// A bot answers a turn.
    Answer {
        /// The seats that the bot has in this match.
        from: Seats,
        /// What it answered.
        answer: v1::TurnAnswer,
        /// When that was read off the transport.
        received: Micros,
    },
    /// A dialled bot answered a turn with an error.
    AnswerFailed {
        /// Its seat.
        seat: Seat,
        /// The turn.
        turn_id: u32,
        /// What it said.
        message: String,
        /// When that was read off the transport.
        received: Micros,
    },
    /// A bot gives up.
    Resigned {
        /// The seats that the bot has in this match.
        from: Seats,
        /// The seat that it named.
        seat: v1::Seat,
        /// When that was read off the transport.
        received: Micros,
    },
    /// The connection of a bot was lost.
    Disconnected {
        /// The seats that the bot has in this match.
        seats: Seats,
        /// Counts the bot's sessions: the news of an old one may come after that of a new one.
        epoch: u64,
        /// What was seen.
        message: String,
    },
    /// A bot has a connection again, or another one.
    Connected {
        /// The seats that the bot has in this match.
        seats: Seats,
        /// Counts the bot's sessions.
        epoch: u64,
        /// How it is reached now; `None`: as before.
        link: Option<SeatLink>,
        /// Whether it may have lost its memory of the match.
        new: bool,
    },
    /// A bot disputes a refusal.
    Disputed {
        /// The seats that the bot has in this match.
        from: Seats,
        /// The turn.
        turn_id: u32,
    },
    /// The match is to end now, as it is.
    Abandon(v1::Outcome),
}

/// The way into a match.
pub type Inbox = mpsc::Sender<Input>;

/// What a match needs of the arena.
#[derive(Clone)]
pub struct Surroundings {
    /// Where logs are kept.
    pub store: Arc<dyn Store>,
    /// Who is there.
    pub roster: Arc<Roster>,
    /// Waits that hold for every match.
    pub limits: Limits,
    /// How long an agent may take to connect, in microseconds.
    pub connect_us: u64,
    /// How long a match may wait for agents that are there to have room, in microseconds.
    pub queue_us: u64,
    /// The arena's key, under every record.
    pub signatory: Arc<Signatory>,
    /// When the arena itself did not get to run.
    pub stalls: Arc<Stalls>,
    /// What tells the date.
    pub wall: WallClock,
    /// What is measured.
    pub meters: Arc<Meters>,
    /// Is cancelled when no more matches are taken, and none starts.
    pub draining: CancellationToken,
    /// Is cancelled when matches are to be left as they are, to be resumed.
    pub leaving: CancellationToken,
}

/// Why a match's task stops without the match being over.
#[derive(Debug, thiserror::Error)]
enum Stop {
    #[error("it is left to be resumed")]
    Left,
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// One match being run.
pub struct Driver {
    machine: Machine,
    ledger: Ledger,
    /// Microseconds of stalls that this match knows of.
    stalled_us: u64,
    links: [Option<SeatLink>; 2],
    /// Of the session that each seat's bot was last heard of on.
    epochs: [u64; 2],
    inbox: mpsc::Receiver<Input>,
    kept: watch::Sender<usize>,
    around: Surroundings,
    step: Step,
}

impl Driver {
    /// A match that is new or resumed, with the ledger that its log is in; the way into it, and the count of its log
    /// entries kept, for those who follow it.
    pub fn new(
        machine: Machine,
        ledger: Ledger,
        around: Surroundings,
    ) -> (Self, Inbox, watch::Receiver<usize>) {
        let (sender, inbox) = mpsc::channel(INBOX);
        let (kept, follow) = watch::channel(ledger.entries());
        let driver = Self {
            machine,
            ledger,
            stalled_us: around.stalls.total_us(Micros::now()),
            links: [None, None],
            epochs: [0; 2],
            inbox,
            kept,
            around,
            step: Step::default(),
        };
        (driver, sender, follow)
    }

    /// Runs the match to its end.
    #[tracing::instrument(name = "match", skip_all, fields(
        match_id = self.machine.spec().match_id,
        variant = %self.machine.spec().options.variant(),
        seat_one = %self.machine.spec().agent(Seat::One),
        seat_two = %self.machine.spec().agent(Seat::Two),
    ))]
    pub async fn run(mut self) {
        let match_id = self.machine.spec().match_id;
        // Whatever becomes of this task, the agents get their places back.
        let _finished = Finished {
            roster: self.around.roster.clone(),
            match_id,
        };
        let failed = match AssertUnwindSafe(self.play()).catch_unwind().await {
            Ok(Ok(())) => None,
            Ok(Err(Stop::Left)) => {
                tracing::info!("the match is left to be resumed");
                return;
            }
            // Whoever has it now goes on with it.
            Ok(Err(Stop::Store(error @ StoreError::Fenced(_)))) => {
                tracing::warn!(%error, "the match is left");
                return;
            }
            Ok(Err(Stop::Store(error))) => Some(error.to_string()),
            Err(_) => {
                self.around.meters.match_panics.increment(1);
                Some("the match's task panicked".to_owned())
            }
        };
        if let Some(why) = failed {
            tracing::error!(%why, "platform fault");
            self.fail(&why).await;
        }
        self.refuse_the_rest();
        if let Some(end) = self.machine.outcome() {
            tracing::info!(outcome = %end.message, "match over");
        }
    }

    async fn play(&mut self) -> Result<(), Stop> {
        // What a resumed match has to say first.
        self.settle().await?;
        if !self.machine.is_started() {
            self.wait_for_agents().await?;
        }
        let leaving = self.around.leaving.clone();
        let timer = tokio::time::sleep_until(Instant::now());
        tokio::pin!(timer);
        while self.machine.outcome().is_none() {
            // The timer is armed for the earliest moment of interest, and left alone while that only moves away: a
            // turn costs no timer, and a tick that comes early finds nothing to do.
            let next = self.machine.next_tick(Micros::now());
            if let Some(next) = next
                && (timer.is_elapsed() || next.instant() < timer.deadline())
            {
                timer.as_mut().reset(next.instant());
            }
            tokio::select! {
                biased;
                () = leaving.cancelled() => return self.leave().await,
                Some(input) = self.inbox.recv() => {
                    self.around.meters.match_inbox.note(self.inbox.len() as u64 + 1);
                    self.forgive_stalls();
                    self.take(input).await?;
                }
                () = &mut timer, if next.is_some() => {
                    self.forgive_stalls();
                    self.machine.tick(Micros::now());
                }
            }
            self.settle().await?;
        }
        Ok(())
    }

    /// Until both agents are seated, or one of them has been missing for too long.
    async fn wait_for_agents(&mut self) -> Result<(), Stop> {
        let draining = self.around.draining.clone();
        let durable = self.around.store.is_durable();
        let match_id = self.machine.spec().match_id;
        let entered = Micros::now();
        let latest = entered.plus(self.around.queue_us);
        let mut deadline = entered.plus(self.around.connect_us).min(latest);
        loop {
            tokio::select! {
                biased;
                () = draining.cancelled(), if durable => return Err(Stop::Left),
                Some(input) = self.inbox.recv() => match input {
                    Input::Seated(Seated { links, epochs }) => {
                        self.links = links.map(Some);
                        self.epochs = epochs;
                        let now = Micros::now();
                        // No clock ran while it waited.
                        self.stalled_us = self.around.stalls.total_us(now);
                        self.machine.start(now);
                        tracing::info!("match started");
                        return self.settle().await;
                    }
                    other => self.take(other).await?,
                },
                () = tokio::time::sleep_until(deadline.instant()) => {
                    let now = Micros::now();
                    // Whoever came while the arena did not get to run could not be let in.
                    let stalled = self.around.stalls.total_us(now) - self.stalled_us;
                    let patience = self.around.connect_us.saturating_add(stalled);
                    let latest = latest.plus(stalled);
                    match self.around.roster.give_up(match_id, patience, now) {
                        Ok(absent) => self.machine.never_connected(absent.seats, absent.why, now),
                        Err(_) if latest <= now => {
                            let end = outcome::cancelled("its agents had no room for it in time");
                            self.machine.abandon(end, now);
                        }
                        // Both are there and busy with other matches, or one is away for a moment.
                        Err(again) => deadline = again.min(latest),
                    }
                }
            }
            self.settle().await?;
            if self.machine.outcome().is_some() {
                return Ok(());
            }
        }
    }

    /// Time in which the arena did not get to run is charged to nobody.
    fn forgive_stalls(&mut self) {
        let now = Micros::now();
        let total_us = self.around.stalls.total_us(now);
        if total_us > self.stalled_us {
            self.machine.forgive(total_us - self.stalled_us, now);
            self.stalled_us = total_us;
        }
    }

    /// Leaves the match as it is, with its clocks noted.
    async fn leave(&mut self) -> Result<(), Stop> {
        self.machine.suspend(Micros::now());
        self.machine.take_step(&mut self.step);
        if !self.step.log.is_empty() {
            let written = self.ledger.write(&self.step.log);
            // If that fails, the clocks go on from an earlier note.
            self.around.store.append(written.append.clone()).await?;
            self.ledger.kept(written);
        }
        Err(Stop::Left)
    }

    async fn take(&mut self, input: Input) -> Result<(), Stop> {
        match input {
            // Seated once: see wait_for_agents.
            Input::Seated(_) => {}
            Input::Answer {
                from,
                answer,
                received,
            } => self.machine.answer(from, answer, received),
            Input::AnswerFailed {
                seat,
                turn_id,
                message,
                received,
            } => self
                .machine
                .answer_failed(seat, turn_id, &message, received),
            Input::Resigned {
                from,
                seat,
                received,
            } => self.machine.resign(from, seat, received),
            Input::Disconnected {
                seats,
                epoch,
                message,
            } => {
                for seat in seats.iter() {
                    if self.is_old(seat, epoch) {
                        continue;
                    }
                    tracing::info!(%seat, %message, "disconnected");
                    // What is sent meanwhile must not go to a stream that is gone. A dialled bot is called again.
                    if let Some(SeatLink::Stream(_)) = self.links[seat.index()] {
                        self.links[seat.index()] = None;
                    }
                    self.machine.disconnected(seat, &message, Micros::now());
                }
            }
            Input::Connected {
                seats,
                epoch,
                link,
                new,
            } => {
                for seat in seats.iter() {
                    if self.is_old(seat, epoch) {
                        continue;
                    }
                    self.epochs[seat.index()] = epoch;
                    if let Some(link) = &link {
                        self.links[seat.index()] = Some(link.clone());
                    }
                    tracing::info!(%seat, "connected again");
                    self.machine.reconnected(seat, new, Micros::now());
                }
            }
            Input::Disputed { from, turn_id } => {
                if let Some(seat) = self.machine.dispute(from, turn_id) {
                    self.judge_again(seat, turn_id).await?;
                }
            }
            Input::Abandon(end) => self.machine.abandon(end, Micros::now()),
        }
        Ok(())
    }

    /// A refusal is disputed: the log decides.
    async fn judge_again(&mut self, seat: Seat, turn_id: u32) -> Result<(), Stop> {
        let begun = Micros::now();
        let (store, spec) = (&self.around.store, self.machine.spec());
        let stands = dispute::stands(store.as_ref(), spec, seat, turn_id).await?;
        let now = Micros::now();
        self.machine.forgive(now.since(begun), now);
        self.machine.disputed(seat, turn_id, stands, now);
        Ok(())
    }

    /// Whether news is of a session before the seat's last one: it was overtaken on its way.
    fn is_old(&self, seat: Seat, epoch: u64) -> bool {
        epoch < self.epochs[seat.index()]
    }

    /// The match is over: whatever still comes is told so, and a bot that has just come back is told how it ended.
    fn refuse_the_rest(&mut self) {
        self.inbox.close();
        while let Ok(input) = self.inbox.try_recv() {
            match input {
                Input::Answer {
                    from,
                    answer,
                    received,
                } => self.machine.answer(from, answer, received),
                Input::Connected {
                    seats,
                    link: Some(link),
                    ..
                } => {
                    for seat in seats.iter() {
                        link.end(self.machine.match_end(seat));
                    }
                }
                _ => {}
            }
        }
        self.machine.take_step(&mut self.step);
        self.deliver();
    }

    /// Keeps what the machine logged, and only then lets anybody know.
    async fn settle(&mut self) -> Result<(), Stop> {
        self.machine.take_step(&mut self.step);
        if !self.step.log.is_empty() {
            self.keep().await?;
            self.note_kept();
            self.deliver();
            self.kept.send_replace(self.ledger.entries());
        } else {
            self.deliver();
        }
        Ok(())
    }

    /// What was logged is kept.
    fn note_kept(&self) {
        let variant = self.machine.spec().options.variant();
        for entry in &self.step.log {
            trace_entry(entry);
            self.around.meters.entry(variant, entry);
        }
    }

    /// Keeps the step's log. While the store cannot be used the match stands still, and its clocks with it.
    async fn keep(&mut self) -> Result<(), Stop> {
        let written = self.ledger.write(&self.step.log);
        let meters = &self.around.meters;
        let mut appending = self.around.store.append(written.append.clone());
        if matches!(appending, Appending::Done(Ok(()))) {
            meters.kept(0);
        } else {
            let begun = Micros::now();
            let mut waits = RETRIES.into_iter();
            let mut wait = RETRIES[0];
            while let Err(error) = appending.await {
                if !matches!(error, StoreError::Unavailable(_)) {
                    return Err(error.into());
                }
                tracing::error!(%error, "the match stands still");
                wait = waits.next().unwrap_or(wait);
                tokio::select! {
                    () = self.around.leaving.cancelled() => return Err(Stop::Left),
                    () = tokio::time::sleep(wait) => {}
                }
                meters.store_retries.increment(1);
                appending = self.around.store.append(written.append.clone());
            }
            let now = Micros::now();
            meters.kept(now.since(begun));
            self.machine.forgive(now.since(begun), now);
        }
        self.ledger.kept(written);
        Ok(())
    }

    fn deliver(&mut self) {
        let mut deliveries = std::mem::take(&mut self.step.deliveries);
        for delivery in deliveries.drain(..) {
            match delivery {
                Delivery::Start(seat) => {
                    if let Some(link) = &self.links[seat.index()] {
                        link.start(self.machine.spec().match_start(seat));
                    }
                }
                Delivery::Turn(seat) => self.deliver_turn(seat),
                Delivery::Accepted(seat, accepted) => {
                    if let Some(link) = &self.links[seat.index()] {
                        link.accepted(accepted);
                    }
                }
                Delivery::Rejected(seat, rejected) => {
                    if let Some(link) = &self.links[seat.index()] {
                        link.rejected(rejected);
                    }
                }
                Delivery::End => {
                    for seat in Seat::ALL {
                        if let Some(link) = &self.links[seat.index()] {
                            link.end(self.machine.match_end(seat));
                        }
                    }
                }
            }
        }
        self.step.deliveries = deliveries;
    }

    fn deliver_turn(&mut self, seat: Seat) {
        let Some(link) = &self.links[seat.index()] else {
            return;
        };
        let now = Micros::now();
        if let Some((turn, handover)) = self.machine.turn(seat, link.wants_legal_moves(), now) {
            link.turn(turn, handover);
            self.machine.sent(seat, now);
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
    async fn fail(&mut self, why: &str) {
        // What was not kept did not happen, an end included; and what was kept did, whether this task got to see it or not.
        self.machine.take_step(&mut self.step);
        let kept_end = self.read_again().await;
        let is_kept = kept_end.is_some();
        let end = kept_end.unwrap_or_else(|| outcome::platform_fault(why));
        self.machine.overrule(end, Micros::now());
        self.machine.take_step(&mut self.step);
        if is_kept {
            self.kept.send_replace(self.ledger.entries());
            self.deliver();
            return;
        }
        let written = self.ledger.write(&self.step.log);
        match self.around.store.append(written.append.clone()).await {
            Ok(()) => {
                self.ledger.kept(written);
                self.note_kept();
                self.kept.send_replace(self.ledger.entries());
            }
            Err(error) => tracing::error!(%error, "the end of the match could not be kept"),
        }
        self.deliver();
    }
}

/// Gives the match's agents their places back when its task is gone.
struct Finished {
    roster: Arc<Roster>,
    match_id: u64,
}

impl Drop for Finished {
    fn drop(&mut self) {
        self.roster.finished(self.match_id);
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

/// How often the time of a turn that waits for its answer is noted in the log. What is used after the last note is forgiven if the
/// arena must be started again.
const NOTE: Duration = Duration::from_secs(1);

/// The waits of an arena, in microseconds, from its settings.
pub fn limits(grace: Duration, delivery: Duration) -> Limits {
    Limits {
        note_us: duration_us(NOTE),
        grace_us: duration_us(grace),
        delivery_us: duration_us(delivery),
    }
}
