//! What arrives for a match, and when, as data: the same script runs again, ticked otherwise.

use broadside_arena::play::{Delivery, Limits, Machine, MatchSpec, Step};
use broadside_proto::v1;
use broadside_rules::{Seat, Seats};

use crate::table::{CREATED, at};

/// Something that arrives.
#[derive(Clone, Debug)]
pub(crate) enum Input {
    Start,
    /// The transport takes this turn.
    Hand(Seat, u32),
    Answer {
        from: Seats,
        turn_id: u32,
        action: Option<v1::Move>,
        /// When it was read; it is taken out of the queue later.
        received: u64,
    },
    Failed {
        seat: Seat,
        turn_id: u32,
        received: u64,
    },
    Lost(Seat),
    Back {
        seat: Seat,
        new: bool,
    },
    Resign {
        from: Seats,
        seat: v1::Seat,
    },
    Cancel,
    /// The last refusal of this turn is disputed, and stands.
    Dispute {
        from: Seats,
        turn_id: u32,
    },
    /// The arena did not get to run for so long.
    Stall(u64),
}

/// All that arrives in one match, in order.
#[derive(Clone, Debug)]
pub(crate) struct Script {
    pub(crate) spec: MatchSpec,
    pub(crate) limits: Limits,
    pub(crate) inputs: Vec<(u64, Input)>,
}

/// When the machine is ticked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ticking {
    /// By one timer, armed after each input and each tick for the moment that the machine names.
    ByTimer,
    /// Every microsecond.
    Always,
    /// By the timer, and every so many microseconds besides.
    Besides(u64),
}

/// What came of a script: each step that was not empty, and when.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Course {
    pub(crate) log: Vec<v1::LogEntry>,
    pub(crate) told: Vec<(u64, Delivery)>,
    /// How long the log was after each step that logged something: it is kept in whole steps.
    pub(crate) steps: Vec<usize>,
}

/// A machine that is given inputs and ticked between them.
pub(crate) struct Runner {
    pub(crate) machine: Machine,
    pub(crate) course: Course,
    ticking: Ticking,
    /// Up to when it has been ticked, exclusively.
    ticked: u64,
    armed: Option<u64>,
}

impl Runner {
    pub(crate) fn new(spec: &MatchSpec, limits: Limits, ticking: Ticking) -> Self {
        Self {
            machine: Machine::new(spec.clone(), limits, CREATED),
            course: Course::default(),
            ticking,
            ticked: 0,
            armed: None,
        }
    }

    /// Goes on with a machine that was made otherwise, at this moment, after this log.
    pub(crate) fn with(machine: Machine, log: Vec<v1::LogEntry>, us: u64) -> Self {
        let mut runner = Self {
            machine,
            course: Course {
                log,
                ..Course::default()
            },
            ticking: Ticking::ByTimer,
            ticked: us,
            armed: None,
        };
        runner.settle(us);
        runner
    }

    pub(crate) fn is_over(&self) -> bool {
        self.machine.outcome().is_some()
    }

    /// What the next call to [`tick_until`](Self::tick_until) with a later moment would tick at.
    fn next(&self) -> Option<u64> {
        let armed = self.armed.map(|armed| armed.max(self.ticked));
        match self.ticking {
            Ticking::ByTimer => armed,
            Ticking::Always => Some(self.ticked),
            Ticking::Besides(every) => {
                let besides = self.ticked.next_multiple_of(every);
                Some(armed.map_or(besides, |armed| armed.min(besides)))
            }
        }
    }

    /// Ticks before `until`. Returns the moment of the first tick that did something.
    pub(crate) fn tick_until(&mut self, until: u64) -> Option<u64> {
        while let Some(us) = self.next()
            && us < until
            && !self.is_over()
        {
            self.machine.tick(at(us));
            self.ticked = us + 1;
            if self.settle(us) {
                return Some(us);
            }
        }
        self.ticked = self.ticked.max(until);
        None
    }

    /// Gives it an input, after whatever ticks come before. The step stays with the caller until the next.
    pub(crate) fn give(&mut self, us: u64, input: &Input) {
        while self.tick_until(us).is_some() {}
        let match_id = self.machine.spec().match_id;
        match input.clone() {
            Input::Start => self.machine.start(at(us)),
            Input::Hand(seat, turn_id) => {
                // The transport tells nobody: the timer is not armed anew.
                if let Some((turn, handover)) = self.machine.turn(seat, false, at(us))
                    && turn.turn_id == turn_id
                {
                    handover.stamp(at(us));
                }
                return;
            }
            Input::Answer {
                from,
                turn_id,
                action,
                received,
            } => {
                let answer = v1::TurnAnswer {
                    match_id,
                    turn_id,
                    r#move: action,
                };
                self.machine.answer(from, answer, at(received));
            }
            Input::Failed {
                seat,
                turn_id,
                received,
            } => self
                .machine
                .answer_failed(seat, turn_id, "oh", at(received)),
            Input::Lost(seat) => self.machine.disconnected(seat, "it went", at(us)),
            Input::Back { seat, new } => self.machine.reconnected(seat, new, at(us)),
            Input::Resign { from, seat } => self.machine.resign(from, seat, at(us)),
            Input::Cancel => {
                let end = broadside_arena::play::cancelled("");
                self.machine.abandon(end, at(us));
            }
            Input::Dispute { from, turn_id } => {
                if let Some(seat) = self.machine.dispute(from, turn_id) {
                    self.machine.disputed(seat, turn_id, true, at(us));
                }
            }
            Input::Stall(stalled) => self.machine.forgive(stalled, at(us)),
        }
        self.settle(us);
    }

    /// Whether there was anything.
    pub(crate) fn settle(&mut self, us: u64) -> bool {
        let Step {
            mut log,
            deliveries,
        } = self.machine.take_step();
        let any = !log.is_empty() || !deliveries.is_empty();
        if !log.is_empty() {
            self.course.log.append(&mut log);
            self.course.steps.push(self.course.log.len());
        }
        let told = deliveries.into_iter();
        self.course.told.extend(told.map(|delivery| (us, delivery)));
        let next = self.machine.next_tick(at(us));
        self.armed = next.map(|next| next.since(CREATED));
        any
    }
}

impl Script {
    /// Runs the script, then ticks until the match is over, which takes no more than `patience`.
    pub(crate) fn run(&self, ticking: Ticking, patience: u64) -> Course {
        let mut runner = Runner::new(&self.spec, self.limits, ticking);
        let mut last = 0;
        for (us, input) in &self.inputs {
            runner.give(*us, input);
            last = *us;
        }
        while runner.tick_until(last + patience).is_some() {}
        assert!(runner.is_over(), "the match does not end");
        runner.course
    }
}
