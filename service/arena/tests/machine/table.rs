//! One match on the table. Times are microseconds since the match was created, as in its log.

use broadside_arena::{
    convert::Writer,
    play::{AgentId, Limits, Machine, MatchSpec, Step, TimeControl},
    time::Micros,
};
use broadside_proto::v1::{self, MatchResult, RejectedReason, Termination, log_entry::Entry};
use broadside_rules::{Game, Options, Seat, Seats, Variant};
use prost::Message;

use crate::moves;

/// When matches are created, on the arena's clock.
pub(crate) const CREATED: Micros = Micros(1 << 50);

/// A millisecond.
pub(crate) const MS: u64 = 1_000;

/// A moment on the arena's clock.
pub(crate) fn at(us: u64) -> Micros {
    CREATED.plus(us)
}

/// What a match is before it starts.
#[derive(Clone, Debug)]
pub(crate) struct Setup {
    pub(crate) spec: MatchSpec,
    pub(crate) limits: Limits,
}

impl Setup {
    /// A match with strikes and options as the variant has them.
    pub(crate) fn of(variant: Variant) -> Self {
        Self {
            spec: MatchSpec {
                match_id: 42,
                options: Options::default_of(variant),
                agents: ["ann", "bob"].map(|name| AgentId::Named(name.into())),
                time_control: TimeControl {
                    budget_us: Some(1_000 * MS),
                    increment_us: 10 * MS,
                    turn_cap_us: Some(400 * MS),
                    deployment_us: 2_000 * MS,
                    lag_allowance_us: 5 * MS,
                },
                strikes: variant.default_strikes(),
                seed: 7,
                request_id: String::new(),
                commitment_key: [3; 32],
                private: false,
            },
            limits: Limits {
                grace_us: 3_000 * MS,
                delivery_us: 10_000 * MS,
                // Never, but where notes are what is tested.
                note_us: u64::MAX,
            },
        }
    }

    pub(crate) fn strikes(mut self, strikes: u32) -> Self {
        self.spec.strikes = strikes;
        self
    }

    pub(crate) fn time(mut self, change: impl FnOnce(&mut TimeControl)) -> Self {
        change(&mut self.spec.time_control);
        self
    }

    pub(crate) fn options(mut self, options: Options) -> Self {
        self.spec.options = options;
        self
    }

    pub(crate) fn grace(mut self, us: u64) -> Self {
        self.limits.grace_us = us;
        self
    }

    pub(crate) fn delivery(mut self, us: u64) -> Self {
        self.limits.delivery_us = us;
        self
    }

    /// The match before both bots are there.
    pub(crate) fn waiting(self) -> Table {
        let machine = Machine::new(self.spec.clone(), self.limits, CREATED);
        Table {
            spec: self.spec,
            machine,
            log: Vec::new(),
        }
    }

    /// The match just started, at 0.
    pub(crate) fn started(self) -> Table {
        let mut table = self.waiting();
        table.start(0);
        table
    }

    /// The match at its first turn of battle, asked at 0.
    pub(crate) fn battle(self) -> Table {
        let mut table = self.started();
        for seat in Seat::ALL {
            if table
                .turn(seat, 0)
                .is_some_and(|turn| turn.phase() == v1::Phase::Deployment)
            {
                table.play(seat, 0, 0);
            }
        }
        table
    }

    /// The match at this seat's first turn of battle, asked and handed over at 0.
    pub(crate) fn battle_turn_of(self, seat: Seat) -> Table {
        let mut table = self.battle();
        if seat == Seat::Two {
            table.play(Seat::One, 0, 0);
        }
        table.hand(seat, 0);
        table
    }
}

/// A match and all that it has logged.
#[derive(Debug)]
pub(crate) struct Table {
    pub(crate) spec: MatchSpec,
    pub(crate) machine: Machine,
    pub(crate) log: Vec<v1::LogEntry>,
}

impl Table {
    /// Gives the machine an input, and keeps what it logs.
    pub(crate) fn give(&mut self, input: impl FnOnce(&mut Machine)) -> Step {
        input(&mut self.machine);
        let step = self.machine.take_step();
        self.log.extend(step.log.iter().cloned());
        step
    }

    pub(crate) fn start(&mut self, us: u64) -> Step {
        self.give(|machine| machine.start(at(us)))
    }

    pub(crate) fn tick(&mut self, us: u64) -> Step {
        self.give(|machine| machine.tick(at(us)))
    }

    pub(crate) fn lose(&mut self, seat: Seat, us: u64) -> Step {
        self.give(|machine| machine.disconnected(seat, "its stream ended", at(us)))
    }

    pub(crate) fn back(&mut self, seat: Seat, us: u64) -> Step {
        self.give(|machine| machine.reconnected(seat, false, at(us)))
    }

    pub(crate) fn resign(&mut self, from: Seats, seat: v1::Seat, us: u64) -> Step {
        self.give(|machine| machine.resign(from, seat, at(us)))
    }

    /// When the machine wants to be ticked, as far as it can say at 0.
    pub(crate) fn next_tick(&self) -> Option<u64> {
        self.next_tick_after(0)
    }

    /// When the machine wants to be ticked, as far as it can say now.
    pub(crate) fn next_tick_after(&self, us: u64) -> Option<u64> {
        let next = self.machine.next_tick(at(us))?;
        Some(next.since(CREATED))
    }

    /// The seat's pending turn, legal moves and all.
    pub(crate) fn turn(&self, seat: Seat, us: u64) -> Option<v1::Turn> {
        let (turn, _) = self.machine.turn(seat, true, at(us))?;
        Some(turn)
    }

    /// The transport takes the seat's pending turn.
    pub(crate) fn hand(&self, seat: Seat, us: u64) -> v1::Turn {
        assert_written_alike(&self.machine, seat, at(us));
        let (turn, handover) = self.machine.turn(seat, true, at(us)).expect("a turn");
        handover.stamp(at(us));
        turn
    }

    /// A legal move for the seat's pending turn.
    pub(crate) fn legal(&self, seat: Seat) -> v1::Move {
        let turn = self.turn(seat, 0).expect("a turn");
        let legal = turn.legal_moves.expect("legal moves");
        moves::listed(self.spec.options.variant(), &legal)
            .into_iter()
            .next()
            .expect("a legal move")
    }

    /// A move that can be read and is not legal.
    pub(crate) fn illegal(&self, seat: Seat) -> v1::Move {
        let phase = self.turn(seat, 0).expect("a turn").phase();
        moves::illegal(&self.spec, seat, phase)
    }

    /// An answer to the seat's pending turn.
    pub(crate) fn answer(
        &mut self,
        seat: Seat,
        action: impl Into<Option<v1::Move>>,
        us: u64,
    ) -> Step {
        let turn_id = self.turn(seat, us).expect("a turn").turn_id;
        self.answer_to(turn_id, Seats::only(seat), action, us)
    }

    /// An answer to any turn, by a bot that has the seats `from`.
    pub(crate) fn answer_to(
        &mut self,
        turn_id: u32,
        from: Seats,
        action: impl Into<Option<v1::Move>>,
        us: u64,
    ) -> Step {
        let answer = v1::TurnAnswer {
            match_id: self.spec.match_id,
            turn_id,
            r#move: action.into(),
        };
        self.give(|machine| machine.answer(from, answer, at(us)))
    }

    /// A legal answer to a turn handed over then.
    pub(crate) fn play(&mut self, seat: Seat, handed: u64, answered: u64) -> Step {
        self.hand(seat, handed);
        let action = self.legal(seat);
        self.answer(seat, action, answered)
    }

    /// All that the machine holds, to see whether something changed it.
    pub(crate) fn state(&self) -> (String, Game) {
        // What is hidden does not print.
        (format!("{:?}", self.machine), self.machine.game().clone())
    }

    pub(crate) fn outcome(&self) -> Option<&v1::Outcome> {
        self.machine.outcome()
    }

    /// The last entry of the log.
    pub(crate) fn last(&self) -> &Entry {
        let last = self.log.last().expect("a log");
        last.entry.as_ref().expect("an entry")
    }

    /// The stamps of the last accepted or refused answer, or of the turn by which a seat lost on time.
    pub(crate) fn timing(&self) -> Option<v1::TurnTiming> {
        match self.last() {
            Entry::Accepted(accepted) => accepted.timing,
            Entry::Refused(refused) => refused.timing,
            Entry::Ended(ended) => ended.seat_one_timing.or(ended.seat_two_timing),
            _ => None,
        }
    }

    /// Checks that the match is over in this way, and over for good.
    #[track_caller]
    pub(crate) fn assert_ended(
        &mut self,
        result: MatchResult,
        termination: Termination,
        at_fault: Option<Seat>,
    ) {
        let end = self.outcome().expect("the match is over").clone();
        let fault = at_fault.map_or(v1::Seat::Unspecified, seat_message);
        assert_eq!(
            (end.result(), end.termination(), end.at_fault()),
            (result, termination, fault),
            "{}",
            end.message
        );
        assert!(!end.message.is_empty());
        let ends = self.log.iter().filter_map(|entry| match &entry.entry {
            Some(Entry::Ended(ended)) => ended.outcome.as_ref(),
            _ => None,
        });
        assert_eq!(ends.collect::<Vec<_>>(), [&end], "one end in the log");
        assert!(matches!(self.last(), Entry::Ended(_)), "{:?}", self.last());
        self.assert_deaf();
    }

    /// Checks that one seat lost by its own fault.
    #[track_caller]
    pub(crate) fn assert_lost(&mut self, seat: Seat, termination: Termination) {
        self.assert_ended(win_of(seat.other()), termination, Some(seat));
    }

    /// Checks that whatever comes after the end changes and logs nothing, and tells nobody of anything but that an
    /// answer is of no use.
    #[track_caller]
    fn assert_deaf(&mut self) {
        let before = self.state();
        let later = self.log.last().map_or(0, |entry| entry.at_us) + 100_000 * MS;
        let mut steps = vec![
            self.start(later),
            self.tick(later),
            self.give(|machine| {
                let why = [String::new(), String::new()];
                machine.never_connected(Seats::BOTH, why, at(later));
            }),
            self.give(|machine| {
                machine.abandon(broadside_arena::play::cancelled("again"), at(later));
            }),
        ];
        for seat in Seat::ALL {
            steps.push(self.lose(seat, later));
            steps.push(self.tick(later + 100_000 * MS));
            steps.push(self.back(seat, later));
            steps.push(self.give(|machine| machine.reconnected(seat, true, at(later))));
            steps.push(self.resign(Seats::only(seat), seat_message(seat), later));
            steps.push(self.resign(Seats::BOTH, v1::Seat::Unspecified, later));
            for turn_id in 0..20 {
                steps.push(self.give(|machine| {
                    machine.answer_failed(seat, turn_id, "oh", at(later));
                }));
            }
        }
        for step in steps {
            assert!(
                step.log.is_empty() && step.deliveries.is_empty(),
                "{step:?}"
            );
        }
        for turn_id in 0..20 {
            for from in [Seats::only(Seat::One), Seats::only(Seat::Two), Seats::BOTH] {
                let step = self.answer_to(turn_id, from, None, 0);
                let (_, rejected) = assert_only_rejected(&step);
                assert!(matches!(
                    rejected.reason(),
                    RejectedReason::UnknownMatch | RejectedReason::Late
                ));
            }
        }
        assert_eq!(self.state(), before);
        assert_eq!(self.next_tick(), None);
        assert!(
            Seat::ALL
                .into_iter()
                .all(|seat| self.turn(seat, later).is_none())
        );
    }
}

/// Checks that an answer was not used. Returns to whom that was said, and why.
#[track_caller]
pub(crate) fn assert_only_rejected(step: &Step) -> (Seat, &v1::Rejected) {
    use broadside_arena::play::Delivery;
    assert!(step.log.is_empty(), "{step:?}");
    let [Delivery::Rejected(seat, rejected)] = step.deliveries.as_slice() else {
        panic!("not only a rejection: {step:?}");
    };
    (*seat, rejected)
}

/// A seat as messages have it.
pub(crate) fn seat_message(seat: Seat) -> v1::Seat {
    broadside_arena::convert::seat(seat)
}

/// The result that is a win of this seat.
pub(crate) fn win_of(seat: Seat) -> MatchResult {
    match seat {
        Seat::One => MatchResult::SeatOneWins,
        Seat::Two => MatchResult::SeatTwoWins,
    }
}

/// A turn that is written straight into its encoding is the one that the message encodes to, byte for byte.
pub(crate) fn assert_written_alike(machine: &Machine, seat: Seat, now: Micros) {
    let turn = machine.pending_turn(seat, now).expect("a turn");
    for wants_legal_moves in [false, true] {
        let mut written = Vec::new();
        turn.write(wants_legal_moves, &mut Writer::new(&mut written));
        let message = turn.message(wants_legal_moves);
        assert_eq!(v1::Turn::decode(written.as_slice()).as_ref(), Ok(&message));
        assert!(
            written == message.encode_to_vec(),
            "it is read alike, and its bytes are in another order"
        );
    }
}
