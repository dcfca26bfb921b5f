//! The task of a match on a clock that the test moves.

use std::{
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, Waker},
    time::Duration,
};

use broadside_proto::v1::{self, Termination};
use broadside_record::signature::Signatory;
use broadside_rules::{Options, Seats, Variant};
use tokio_util::sync::CancellationToken;

use super::*;
use crate::{
    meters::Meters,
    play::{AgentId, Limits, MatchSpec, TimeControl},
    stall::Stalls,
    store::{MemoryStore, Store},
    time::WallClock,
};

const MATCH: u64 = 42;
const SECOND: u64 = 1_000_000;

/// A match of abalone whose turns may take a second, with nobody on the other end of its links.
struct Alone {
    run: Pin<Box<dyn Future<Output = ()>>>,
    inbox: Inbox,
    store: Arc<MemoryStore>,
}

impl Alone {
    async fn new() -> Self {
        let spec = MatchSpec {
            match_id: MATCH,
            options: Options::default_of(Variant::Abalone),
            agents: ["ann", "bob"].map(|name| AgentId::Named(name.into())),
            time_control: TimeControl {
                budget_us: None,
                increment_us: 0,
                turn_cap_us: Some(SECOND),
                deployment_us: SECOND,
                lag_allowance_us: 0,
            },
            strikes: 3,
            seed: 7,
            request_id: String::new(),
            commitment_key: [1; 32],
            private: false,
        };
        let store = Arc::new(MemoryStore::new(1));
        let signatory = Arc::new(Signatory::new(&[2; 32]));
        let (ledger, new) = Ledger::open(&spec, 5, 0, signatory.clone());
        store.create(new).await.unwrap();
        let limits = Limits {
            grace_us: 60 * SECOND,
            // Nobody takes a turn off its links: that is what its time runs out by.
            delivery_us: SECOND,
            note_us: 60 * SECOND,
        };
        let around = Arc::new(Surroundings {
            store: store.clone(),
            roster: Arc::new(Roster::new()),
            limits,
            connect_us: SECOND,
            queue_us: SECOND,
            signatory,
            // Time that is moved is no stall.
            stalls: Arc::new(Stalls::default()),
            wall: WallClock::default(),
            meters: Arc::new(Meters::off()),
            draining: CancellationToken::new(),
            leaving: CancellationToken::new(),
        });
        let mut machine = Machine::new(spec, limits, Micros::now());
        machine.start(Micros::now());
        let (driver, inbox, _) = Driver::new(machine, ledger, around);
        Self {
            run: Box::pin(Box::new(driver).run()),
            inbox,
            store,
        }
    }

    /// Has the task run for as long as it has something to do.
    fn poll(&mut self) -> Poll<()> {
        let mut context = Context::from_waker(Waker::noop());
        self.run.as_mut().poll(&mut context)
    }

    async fn ended_by(&self) -> Option<Termination> {
        let summary = self.store.get(MATCH).await.unwrap().unwrap();
        summary.outcome.map(|outcome| outcome.termination())
    }

    fn answer_no_turn(&self) {
        let answer = v1::TurnAnswer {
            match_id: MATCH,
            turn_id: 99,
            r#move: None,
        };
        let answer = Input::Answer {
            from: Seats::BOTH,
            answer,
            received: Micros::now(),
        };
        self.inbox.try_send(answer).unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn time_that_is_over_is_noticed_without_an_input() {
    let mut alone = Alone::new().await;
    assert!(alone.poll().is_pending());
    tokio::time::advance(Duration::from_millis(100)).await;
    assert!(alone.poll().is_pending());
    assert_eq!(alone.ended_by().await, None);
    for _ in 0..20 {
        tokio::time::advance(Duration::from_millis(100)).await;
        if alone.poll().is_ready() {
            break;
        }
    }
    assert_eq!(alone.ended_by().await, Some(Termination::Disconnected));
}

/// Both wake the task once. It must not take the one for all that there was.
#[tokio::test(start_paused = true)]
async fn time_that_is_over_is_noticed_when_an_input_comes_at_the_same_moment() {
    let mut alone = Alone::new().await;
    assert!(alone.poll().is_pending());
    alone.answer_no_turn();
    assert!(alone.poll().is_pending());
    // The timer has fired, and the input is there before the task gets to run. After that nothing wakes it any more.
    tokio::time::advance(Duration::from_secs(2)).await;
    alone.answer_no_turn();
    let _ = alone.poll();
    assert_eq!(alone.ended_by().await, Some(Termination::Disconnected));
}
