//! The task that runs a match: feeds the [`Machine`], keeps its log, delivers its messages.

mod keeping;
#[cfg(test)]
mod tests;

use std::{future::poll_fn, panic::AssertUnwindSafe, pin::Pin, sync::Arc, task::Poll};

use broadside_rules::Seat;
use futures_util::FutureExt;
use tokio::{
    task::coop,
    time::{Instant, Sleep},
};
use tracing::Span;

use super::{
    Followed, Inbox, Input, Ledger, Machine, Progress, Surroundings, dispute, inbox::InboxReader,
    machine::Delivery, outcome,
};
use crate::{
    roster::{Roster, SeatLink, Seated},
    store::StoreError,
    time::Micros,
};

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
    inbox: InboxReader,
    /// Whether the timer knows this task as it is armed now.
    timer_waits: bool,
    kept: Progress,
    /// For what is logged of this match. Not entered with every turn.
    span: Span,
    around: Arc<Surroundings>,
}

impl Driver {
    /// A match that is new or resumed, with the ledger that its log is in; the way into it, and how it may be followed.
    pub fn new(
        machine: Machine,
        ledger: Ledger,
        around: Arc<Surroundings>,
    ) -> (Self, Inbox, Followed) {
        let (sender, inbox) = Inbox::new();
        let kept = Progress::new(ledger.entries());
        let followed = kept.followed();
        let spec = machine.spec();
        // Of no call: it outlasts the one that creates it.
        let span = tracing::info_span!(
            parent: None,
            "match",
            match_id = spec.match_id,
            variant = %spec.options.variant(),
            seat_one = %spec.agent(Seat::One),
            seat_two = %spec.agent(Seat::Two),
        );
        let driver = Self {
            machine,
            ledger,
            stalled_us: around.stalls.total_us(Micros::now()),
            links: [None, None],
            epochs: [0; 2],
            inbox,
            timer_waits: false,
            kept,
            span,
            around,
        };
        (driver, sender, followed)
    }

    /// Runs the match to its end.
    ///
    /// Boxed, as is what happens but once or seldom: a task is as large as all that it may ever wait for, and there are thousands.
    pub async fn run(mut self: Box<Self>) {
        let match_id = self.machine.spec().match_id;
        // Whatever becomes of this task, the agents get their places back.
        let _finished = Finished {
            roster: self.around.roster.clone(),
            match_id,
        };
        let failed = match AssertUnwindSafe(self.play()).catch_unwind().await {
            Ok(Ok(())) => None,
            Ok(Err(Stop::Left)) => {
                self.note(|| tracing::info!("the match is left to be resumed"));
                return;
            }
            // Whoever has it now goes on with it.
            Ok(Err(Stop::Store(error @ StoreError::Fenced(_)))) => {
                self.note(|| tracing::warn!(%error, "the match is left"));
                return;
            }
            Ok(Err(Stop::Store(error))) => Some(error.to_string()),
            Err(_) => {
                self.around.meters.match_panics.increment(1);
                Some("the match's task panicked".to_owned())
            }
        };
        if let Some(why) = failed {
            self.note(|| tracing::error!(%why, "platform fault"));
            Box::pin(self.fail(&why)).await;
        }
        self.refuse_the_rest();
        if let Some(end) = self.machine.outcome() {
            self.note(|| tracing::info!(outcome = %end.message, "match over"));
        }
    }

    /// Logs something of this match.
    fn note(&self, log: impl FnOnce()) {
        self.span.in_scope(log);
    }

    async fn play(&mut self) -> Result<(), Stop> {
        // What a resumed match has to say first.
        self.settle(Micros::now()).await?;
        if !self.machine.is_started() {
            Box::pin(self.wait_for_agents()).await?;
        }
        let timer = tokio::time::sleep_until(Instant::now());
        tokio::pin!(timer);
        // The timer is armed for the earliest moment of interest, and left alone while that only moves away: a turn costs no timer, and a
        // tick that comes early finds nothing to do.
        let mut armed: Option<Micros> = None;
        // Read once for an input, and after all that it waited for: all that one leads to is of one moment, unless the store makes it wait.
        let mut now = Micros::now();
        while self.machine.outcome().is_none() {
            let next = self.machine.next_tick(now);
            if let Some(next) = next
                && armed.is_none_or(|armed| next < armed)
            {
                timer.as_mut().reset(next.instant());
                armed = Some(next);
                self.timer_waits = false;
            }
            // It may have woken this task together with an input, and does so only once.
            if armed.is_some_and(|armed| armed <= now) {
                self.timer_waits = false;
            }
            match self.next_news(timer.as_mut()).await {
                Some(input) => {
                    if self.around.meters.on() {
                        self.around
                            .meters
                            .match_inbox
                            .note(self.inbox.len() as u64 + 1);
                    }
                    // Bots that send without end must not keep the thread from others.
                    coop::consume_budget().await;
                    now = Micros::now();
                    self.forgive_stalls(now);
                    now = self.take(input, now).await?;
                }
                None => {
                    armed = None;
                    self.timer_waits = true;
                    now = Micros::now();
                    self.forgive_stalls(now);
                    self.machine.tick(now);
                }
            }
            now = self.settle(now).await?;
        }
        Ok(())
    }

    /// The next input, or `None` when the timer is due.
    ///
    /// A timer that waits already need not be told so again by the same task: while it is not due, only a task that is woken and finds nothing
    /// in its inbox can have been woken by it.
    async fn next_news(&mut self, mut timer: Pin<&mut Sleep>) -> Option<Input> {
        let mut woken = false;
        poll_fn(|context| {
            if let Poll::Ready(input) = self.inbox.poll_next(context) {
                return Poll::Ready(Some(input));
            }
            if woken || !self.timer_waits {
                // Whoever has used up its share of the thread is not heard by the timer.
                let heard = coop::has_budget_remaining();
                if timer.as_mut().poll(context).is_ready() {
                    return Poll::Ready(None);
                }
                self.timer_waits = heard;
            }
            woken = true;
            Poll::Pending
        })
        .await
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
                input = self.inbox.next() => match input {
                    Input::Seated(Seated { links, epochs }) => {
                        self.links = links.map(Some);
                        self.epochs = epochs;
                        let now = Micros::now();
                        // No clock ran while it waited.
                        self.stalled_us = self.around.stalls.total_us(now);
                        self.machine.start(now);
                        self.note(|| tracing::info!("match started"));
                        return self.settle(now).await.map(drop);
                    }
                    other => drop(self.take(other, Micros::now()).await?),
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
            self.settle(Micros::now()).await?;
            if self.machine.outcome().is_some() {
                return Ok(());
            }
        }
    }

    /// Time in which the arena did not get to run is charged to nobody.
    fn forgive_stalls(&mut self, now: Micros) {
        let total_us = self.around.stalls.total_us(now);
        if total_us > self.stalled_us {
            self.machine.forgive(total_us - self.stalled_us, now);
            self.stalled_us = total_us;
        }
    }

    /// Gives the machine an input that is taken at `now`. Returns when that is done.
    async fn take(&mut self, input: Input, now: Micros) -> Result<Micros, Stop> {
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
                    self.note(|| tracing::info!(%seat, %message, "disconnected"));
                    // What is sent meanwhile must not go to a stream that is gone. A dialled bot is called again.
                    if let Some(SeatLink::Stream(_)) = self.links[seat.index()] {
                        self.links[seat.index()] = None;
                    }
                    self.machine.disconnected(seat, &message, now);
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
                    self.note(|| tracing::info!(%seat, "connected again"));
                    self.machine.reconnected(seat, new, now);
                }
            }
            Input::Disputed { from, turn_id } => {
                if let Some(seat) = self.machine.dispute(from, turn_id) {
                    return Box::pin(self.judge_again(seat, turn_id)).await;
                }
            }
            Input::Abandon(end) => self.machine.abandon(end, now),
            Input::Leave => {
                Box::pin(self.leave(now)).await;
                return Err(Stop::Left);
            }
        }
        Ok(now)
    }

    /// A refusal is disputed: the log decides.
    async fn judge_again(&mut self, seat: Seat, turn_id: u32) -> Result<Micros, Stop> {
        let begun = Micros::now();
        let (store, spec) = (&self.around.store, self.machine.spec());
        let mut waits = 0;
        let stands = loop {
            match dispute::stands(store.as_ref(), spec, seat, turn_id).await {
                Ok(stands) => break stands,
                Err(error) => self.stand_still(error, &mut waits).await?,
            }
        };
        let now = Micros::now();
        self.machine.forgive(now.since(begun), now);
        self.machine.disputed(seat, turn_id, stands, now);
        Ok(now)
    }

    /// Whether news is of a session before the seat's last one: it was overtaken on its way.
    fn is_old(&self, seat: Seat, epoch: u64) -> bool {
        epoch < self.epochs[seat.index()]
    }

    /// The match is over: whatever still comes is told so, and a bot that has just come back is told how it ended.
    fn refuse_the_rest(&mut self) {
        for input in self.inbox.close() {
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
        let step = self.machine.take_step();
        self.deliver(step.deliveries, Micros::now());
    }

    fn deliver(&mut self, deliveries: Vec<Delivery>, now: Micros) {
        for delivery in deliveries {
            match delivery {
                Delivery::Start(seat) => {
                    if let Some(link) = &self.links[seat.index()] {
                        link.start(self.machine.spec().match_start(seat));
                    }
                }
                Delivery::Turn(seat) => self.deliver_turn(seat, now),
                Delivery::Accepted(seat, turn_id, news) => {
                    if let Some(link) = &self.links[seat.index()] {
                        link.accepted(self.machine.spec().match_id, turn_id, &news.event);
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
    }

    fn deliver_turn(&mut self, seat: Seat, now: Micros) {
        let Some(link) = &self.links[seat.index()] else {
            return;
        };
        if let Some(turn) = self.machine.pending_turn(seat, now) {
            link.turn(&turn);
            self.machine.sent(seat, now);
        }
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
