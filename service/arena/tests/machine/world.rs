//! Random bots, well behaved and not, in a match on a clock of microseconds.

use std::{collections::BTreeMap, ops::Range};

use broadside_arena::{
    convert,
    play::{AgentId, Delivery, Limits, TimeControl},
};
use broadside_proto::v1::{self, log_entry::Entry};
use broadside_rules::{Game, Seat, Seats, Variant};
use proptest::prelude::*;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::{
    moves,
    script::{Course, Input, Runner, Script, Ticking},
    table::{self, MS, Setup, at},
};

/// Longer than any match goes on without an input, in microseconds.
pub(crate) const PATIENCE: u64 = 1_000 * MS;

/// An answer may be in the arena's queue for so long, and is judged by its stamp nonetheless.
const QUEUE_US: u64 = 15_000;

/// How a bot behaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Manner {
    /// Answers each turn once, legally, by its deadline; may lose its connection, and is back in time.
    Good,
    /// Anything may happen.
    Wild,
}

/// A match that is played by random bots, its inputs put down as they come.
pub(crate) struct World {
    rng: ChaCha8Rng,
    runner: Runner,
    script: Script,
    manners: [Manner; 2],
    /// One bot has both seats.
    pub(crate) alone: bool,
    /// Whether answers wait in the arena's queue.
    queues: bool,
    /// How long a tick of this world's clock is, in microseconds.
    unit: u64,
    now: u64,
    agenda: BTreeMap<(u64, usize), Input>,
    scheduled: usize,
    lost: [bool; 2],
    /// The last turn that each seat has been asked, as far as its bot has thought about it.
    thought: [u32; 2],
    /// The game by the log, and how much of the log it has seen.
    mirror: Game,
    mirrored: usize,
    heard: usize,
}

impl World {
    /// Of matches that take seconds, by a time control of whole milliseconds, as the contract has it.
    pub(crate) fn new(seed: u64, variant: Variant, manners: [Manner; 2]) -> Self {
        Self::of(seed, variant, manners, MS)
    }

    /// Of matches a thousand times as fast, for which every microsecond can be tried.
    pub(crate) fn fast(seed: u64, variant: Variant, manners: [Manner; 2]) -> Self {
        Self::of(seed, variant, manners, 1)
    }

    fn of(seed: u64, variant: Variant, manners: [Manner; 2], unit: u64) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut setup = Setup::of(variant);
        let alone = rng.random_bool(0.2);
        setup.spec.seed = seed;
        setup.spec.time_control = time_control(&mut rng, unit);
        if variant != Variant::Naumachia {
            setup.spec.strikes = rng.random_range(0..=4);
        }
        if alone {
            setup.spec.agents = [AgentId::Named("ann".into()), AgentId::Named("ann".into())];
        } else if rng.random_bool(0.3) {
            setup.spec.agents[1] = AgentId::Dialled("http://bob".into());
        }
        setup.limits = Limits {
            grace_us: rng.random_range(1..40_000 * unit),
            // It runs from the stamp of the answer before, whose wait in the queue is not the next one's fault.
            delivery_us: rng.random_range(QUEUE_US + 50 * unit..60_000 * unit),
            note_us: rng.random_range(500..20_000),
        };
        Self {
            runner: Runner::new(&setup.spec, setup.limits, Ticking::ByTimer),
            manners,
            alone,
            queues: rng.random_bool(0.5),
            unit,
            now: 0,
            agenda: BTreeMap::new(),
            scheduled: 0,
            lost: [false; 2],
            thought: [0; 2],
            mirror: Game::new(&setup.spec.options),
            mirrored: 0,
            heard: 0,
            script: Script {
                spec: setup.spec,
                limits: setup.limits,
                inputs: Vec::new(),
            },
            rng,
        }
    }

    /// Nothing arrives before it is sent.
    fn schedule(&mut self, us: u64, input: Input) {
        let us = us.max(self.now);
        self.agenda.insert((us, self.scheduled), input);
        self.scheduled += 1;
    }

    /// A random time, in microseconds, of so many ticks of the clock.
    fn ticks(&mut self, range: Range<u64>) -> u64 {
        self.rng
            .random_range(range.start * self.unit..range.end * self.unit)
    }

    fn bot(&self, seat: Seat) -> Seats {
        if self.alone {
            Seats::BOTH
        } else {
            Seats::only(seat)
        }
    }

    /// The bot in this seat loses its connection, for all its seats.
    fn leaves(&mut self, seat: Seat, us: u64) {
        for seat in self.bot(seat).iter() {
            self.schedule(us, Input::Lost(seat));
        }
    }

    fn returns(&mut self, seat: Seat, us: u64) {
        let new = self.rng.random();
        for seat in self.bot(seat).iter() {
            self.schedule(us, Input::Back { seat, new });
        }
    }

    /// Plays the match to its end, and then lets whatever is still on its way arrive.
    pub(crate) fn play(mut self) -> (Script, Course) {
        let start = self.ticks(1..1_000);
        self.schedule(start, Input::Start);
        loop {
            let Some((&(us, place), _)) = self.agenda.first_key_value() else {
                let last = self.script.inputs.last().map_or(0, |(us, _)| *us);
                let acted = self.runner.tick_until(last + self.unit * PATIENCE);
                let acted = acted.expect("a match that nobody plays ends by its clocks");
                self.follow(acted);
                if self.runner.is_over() && self.agenda.is_empty() {
                    break;
                }
                continue;
            };
            if let Some(acted) = self.runner.tick_until(us) {
                self.follow(acted);
                continue;
            }
            let input = self.agenda.remove(&(us, place)).expect("the first");
            if self.takes(us, &input) {
                self.runner.give(us, &input);
                self.script.inputs.push((us, input));
                self.follow(us);
            }
            if self.runner.is_over() && self.agenda.is_empty() {
                break;
            }
        }
        (self.script, self.runner.course)
    }

    /// Whether an input can arrive as things are: nothing comes from or goes to a bot that is not there.
    fn takes(&mut self, us: u64, input: &Input) -> bool {
        match *input {
            Input::Hand(seat, turn_id) => {
                let there = !self.lost[seat.index()];
                if there {
                    self.compare(us, seat, turn_id);
                }
                there
            }
            Input::Answer { from, .. }
            | Input::Resign { from, .. }
            | Input::Dispute { from, .. } => from.iter().all(|seat| !self.lost[seat.index()]),
            Input::Failed { seat, .. } => !self.lost[seat.index()],
            Input::Lost(seat) => !std::mem::replace(&mut self.lost[seat.index()], true),
            Input::Back { seat, .. } => std::mem::replace(&mut self.lost[seat.index()], false),
            Input::Start | Input::Cancel | Input::Stall(_) => true,
        }
    }

    /// A turn shows the position that the log has led to.
    fn compare(&self, us: u64, seat: Seat, turn_id: u32) {
        let turn = self.runner.machine.turn(seat, false, at(us));
        if let Some((turn, _)) = turn.filter(|(turn, _)| turn.turn_id == turn_id) {
            assert_eq!(turn.view, Some(convert::view(&self.mirror, seat)));
            assert_eq!(turn.phase(), convert::phase(self.mirror.phase()));
            assert!(self.mirror.to_act().contains(seat));
        }
    }

    /// Reads what the machine logged and told, and lets the bots decide what to do about it.
    fn follow(&mut self, now: u64) {
        self.now = now;
        for entry in &self.runner.course.log[self.mirrored..] {
            if let Some(Entry::Accepted(accepted)) = &entry.entry {
                play_into(&mut self.mirror, accepted);
            }
        }
        self.mirrored = self.runner.course.log.len();
        let told = &self.runner.course.told[self.heard..];
        let asked: Vec<Seat> = told
            .iter()
            .filter_map(|(_, delivery)| match delivery {
                Delivery::Turn(seat) => Some(*seat),
                _ => None,
            })
            .collect();
        self.heard = self.runner.course.told.len();
        for seat in asked {
            self.asked(seat, now);
        }
    }

    fn asked(&mut self, seat: Seat, now: u64) {
        let Some((turn, handover)) = self.runner.machine.turn(seat, true, at(now)) else {
            return;
        };
        table::assert_written_alike(&self.runner.machine, seat, at(now));
        let handed_before = handover.at().map(|handed| handed.since(at(0)));
        let handed = now + self.ticks(0..30);
        let good = self.manners[seat.index()] == Manner::Good;
        if good && handed_before.is_none() && !self.alone && self.rng.random_bool(0.02) {
            // Gone before it reads its turn, which is sent again.
            self.leaves(seat, now);
            let away = self.rng.random_range(0..self.script.limits.grace_us);
            return self.returns(seat, now + away);
        }
        if !self.lost[seat.index()] {
            self.schedule(handed, Input::Hand(seat, turn.turn_id));
        }
        match self.manners[seat.index()] {
            Manner::Good if self.thought[seat.index()] == turn.turn_id => {}
            Manner::Good => {
                // A redelivery keeps the clock, and is only seen by who has not thought about the turn.
                assert_eq!(handed_before, None, "a good bot thinks once");
                self.answer_well(seat, &turn, handed);
            }
            Manner::Wild => self.answer_somehow(seat, &turn, handed),
        }
        self.thought[seat.index()] = turn.turn_id;
    }

    fn legal(&mut self, turn: &v1::Turn) -> v1::Move {
        let variant = self.script.spec.options.variant();
        let legal = turn.legal_moves.as_ref().expect("legal moves");
        let listed = moves::listed(variant, legal);
        listed[self.rng.random_range(0..listed.len())].clone()
    }

    fn queue(&mut self) -> u64 {
        if self.queues && self.rng.random_bool(0.1) {
            self.rng.random_range(0..QUEUE_US)
        } else {
            0
        }
    }

    fn answer_well(&mut self, seat: Seat, turn: &v1::Turn, handed: u64) {
        let most = turn.time_left_us + self.script.spec.time_control.lag_allowance_us;
        let thinks = if self.rng.random_bool(0.02) {
            most
        } else {
            self.rng.random_range(0..=most.min(200 * self.unit))
        };
        let received = handed + thinks;
        let action = Some(self.legal(turn));
        if !self.alone && self.rng.random_bool(0.05) {
            let lost = self.rng.random_range(handed..=received);
            let latest = received.min(lost + self.script.limits.grace_us - 1);
            let back = self.rng.random_range(lost..=latest);
            self.leaves(seat, lost);
            self.returns(seat, back);
        }
        let us = received + self.queue();
        let answer = Input::Answer {
            from: self.bot(seat),
            turn_id: turn.turn_id,
            action,
            received,
        };
        self.schedule(us, answer);
    }

    fn answer_somehow(&mut self, seat: Seat, turn: &v1::Turn, handed: u64) {
        let turn_id = turn.turn_id;
        let from = self.bot(seat);
        let variant = self.script.spec.options.variant();
        let mut received = handed + self.ticks(0..200);
        let chance: u32 = self.rng.random_range(0..1_000);
        let mut action = Some(self.legal(turn));
        match chance {
            0..10 => action = Some(moves::illegal(&self.script.spec, seat, turn.phase())),
            10..20 => {
                let mut answers = moves::unreadable(variant);
                action = answers.swap_remove(self.rng.random_range(0..answers.len()));
            }
            20..22 => received += turn.time_left_us + self.ticks(0..100),
            22..24 => return,
            24..34 if self.script.spec.agent(seat).is_dialled() => {
                let input = Input::Failed {
                    seat,
                    turn_id,
                    received,
                };
                self.schedule(received, input);
                return;
            }
            34..36 => {
                let seats = [v1::Seat::Unspecified, v1::Seat::One, v1::Seat::Two];
                let seat = seats[self.rng.random_range(0..3)];
                self.schedule(received, Input::Resign { from, seat });
            }
            36..66 => {
                let other_is_good = self.manners[seat.other().index()] == Manner::Good;
                let who = if other_is_good || self.rng.random_bool(0.7) {
                    seat
                } else {
                    seat.other()
                };
                let lost = self
                    .rng
                    .random_range(handed.saturating_sub(20 * self.unit)..received + 20 * self.unit);
                self.leaves(who, lost);
                let most = self.script.limits.grace_us.min(500 * self.unit) + 20 * self.unit;
                let away = self.rng.random_range(0..most);
                self.returns(who, lost + away);
            }
            66..68 => self.leaves(seat, received),
            68..98 => {
                // Answers other turns: old, unknown, of the other seat.
                let other = (turn_id + self.rng.random_range(0..6)).saturating_sub(4);
                let answer = Input::Answer {
                    from,
                    turn_id: other,
                    action: action.clone(),
                    received,
                };
                self.schedule(received, answer);
            }
            98..128 => {
                let answer = Input::Answer {
                    from,
                    turn_id,
                    action: Some(self.legal(turn)),
                    received,
                };
                let us = received + self.ticks(0..60);
                self.schedule(us, answer);
            }
            129..134 => {
                let stalled = self.ticks(0..300);
                self.schedule(received, Input::Stall(stalled));
            }
            134..200 if turn.refusal.is_some() => {
                self.schedule(handed, Input::Dispute { from, turn_id });
            }
            200..202 => {
                // Guesses the turn after this one, or after that.
                let turn_id = turn_id + 2 * self.rng.random_range(1..3);
                let action = action.clone();
                let us = received + self.ticks(0..60);
                self.schedule(
                    us,
                    Input::Answer {
                        from,
                        turn_id,
                        action,
                        received,
                    },
                );
            }
            128 if self.rng.random_bool(0.2) => self.schedule(received, Input::Cancel),
            _ => {}
        }
        let us = received + self.queue();
        let answer = Input::Answer {
            from,
            turn_id,
            action,
            received,
        };
        self.schedule(us, answer);
    }
}

fn time_control(rng: &mut ChaCha8Rng, unit: u64) -> TimeControl {
    let mut limit =
        |range: Range<u64>| rng.random_bool(0.6).then(|| unit * rng.random_range(range));
    let budget_us = limit(1..30_000);
    let turn_cap_us = limit(1..3_000).or(budget_us.is_none().then_some(500 * unit));
    TimeControl {
        budget_us,
        increment_us: match budget_us {
            Some(_) => unit * rng.random_range(0..300),
            None => 0,
        },
        turn_cap_us,
        deployment_us: unit * rng.random_range(1..4_000),
        lag_allowance_us: unit * rng.random_range(0..60),
    }
}

/// Plays an accepted move, and checks what was announced.
pub(crate) fn play_into(game: &mut Game, accepted: &v1::MoveAccepted) {
    let seat = convert::seat_from(accepted.seat()).expect("a seat");
    let action = convert::move_from(game.variant(), accepted.r#move.clone()).expect("a move");
    let answer = game.play(seat, &action).expect("a legal move");
    let answer = convert::answer(game.variant(), &answer);
    assert_eq!(accepted.answer.as_ref(), Some(&answer));
}

/// A random match.
pub(crate) fn random_match(seed: u64, variant: Variant, manners: [Manner; 2]) -> (Script, Course) {
    World::new(seed, variant, manners).play()
}

/// A random match, a thousand times as fast.
pub(crate) fn fast_match(seed: u64, variant: Variant, manners: [Manner; 2]) -> (Script, Course) {
    World::fast(seed, variant, manners).play()
}

pub(crate) fn variants() -> impl Strategy<Value = Variant> {
    proptest::sample::select(Variant::ALL.to_vec())
}

pub(crate) fn manners() -> impl Strategy<Value = [Manner; 2]> {
    let (good, wild) = (Manner::Good, Manner::Wild);
    proptest::sample::select(vec![[good, good], [good, wild], [wild, good], [wild, wild]])
}
