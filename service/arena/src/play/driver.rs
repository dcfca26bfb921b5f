//! The task that runs a match: feeds the [`Machine`], keeps its log, delivers its messages.

use std::{panic::AssertUnwindSafe, sync::Arc};

use broadside_proto::v1;
use broadside_rules::{Seat, Seats};
use futures_util::FutureExt;
use tokio::{
    sync::{mpsc, watch},
    time::Instant,
};

use super::{
    Machine, MatchSpec,
    machine::{Delivery, Limits, Step},
    outcome,
};
use crate::{
    roster::{Roster, SeatLink, Seated},
    store::{Store, StoreError},
    time::{Micros, duration_us},
};

/// How many inputs may wait for a match. Its bots are held back beyond that.
const INBOX: usize = 64;

/// What arrives for a match.
#[derive(Debug)]
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
}

/// One match being run.
pub struct Driver {
    machine: Machine,
    links: [Option<SeatLink>; 2],
    /// Of the session that each seat's bot was last heard of on.
    epochs: [u64; 2],
    inbox: mpsc::Receiver<Input>,
    kept: watch::Sender<usize>,
    around: Surroundings,
    step: Step,
}

impl Driver {
    /// A match whose first log entry is already kept, the way into it, and the count of its log entries kept, for those who follow it.
    pub fn new(
        spec: MatchSpec,
        created: Micros,
        around: Surroundings,
    ) -> (Self, Inbox, watch::Receiver<usize>) {
        let (sender, inbox) = mpsc::channel(INBOX);
        let (kept, follow) = watch::channel(1);
        let driver = Self {
            machine: Machine::new(spec, around.limits, created),
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
            Ok(Err(error)) => Some(error.to_string()),
            Err(_) => Some("the match's task panicked".to_owned()),
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

    async fn play(&mut self) -> Result<(), StoreError> {
        self.wait_for_agents().await?;
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
                Some(input) = self.inbox.recv() => self.take(input),
                () = &mut timer, if next.is_some() => self.machine.tick(Micros::now()),
            }
            self.settle().await?;
        }
        Ok(())
    }

    /// Until both agents are seated, or one of them has been missing for too long.
    async fn wait_for_agents(&mut self) -> Result<(), StoreError> {
        let match_id = self.machine.spec().match_id;
        let entered = Micros::now();
        let latest = entered.plus(self.around.queue_us);
        let mut deadline = entered.plus(self.around.connect_us).min(latest);
        loop {
            tokio::select! {
                biased;
                Some(input) = self.inbox.recv() => match input {
                    Input::Seated(Seated { links, epochs }) => {
                        self.links = links.map(Some);
                        self.epochs = epochs;
                        self.machine.start(Micros::now());
                        tracing::info!("match started");
                        return self.settle().await;
                    }
                    other => self.take(other),
                },
                () = tokio::time::sleep_until(deadline.instant()) => {
                    let now = Micros::now();
                    match self.around.roster.give_up(match_id, self.around.connect_us, now) {
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

    fn take(&mut self, input: Input) {
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
            Input::Abandon(end) => self.machine.abandon(end, Micros::now()),
        }
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
    async fn settle(&mut self) -> Result<(), StoreError> {
        self.machine.take_step(&mut self.step);
        if !self.step.log.is_empty() {
            let match_id = self.machine.spec().match_id;
            let kept = self.around.store.append(match_id, &self.step.log).await?;
            for entry in &self.step.log {
                trace_entry(entry);
            }
            self.deliver();
            self.kept.send_replace(kept);
        } else {
            self.deliver();
        }
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

    /// Ends the match as the arena's fault, as far as that can still be done.
    async fn fail(&mut self, why: &str) {
        // What was not kept did not happen, an end included.
        self.machine.take_step(&mut self.step);
        self.machine
            .overrule(outcome::platform_fault(why), Micros::now());
        self.machine.take_step(&mut self.step);
        let match_id = self.machine.spec().match_id;
        match self.around.store.append(match_id, &self.step.log).await {
            Ok(kept) => {
                self.kept.send_replace(kept);
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
        Some(Entry::Refused(refused)) => tracing::debug!(
            seat = refused.seat,
            turn_id = refused.turn_id,
            reason = refused
                .illegal_move
                .as_ref()
                .map_or("", |illegal| illegal.message.as_str()),
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

/// The waits of an arena, in microseconds, from its settings.
pub fn limits(grace: std::time::Duration, delivery: std::time::Duration) -> Limits {
    Limits {
        grace_us: duration_us(grace),
        delivery_us: duration_us(delivery),
    }
}
