//! The arena is killed, or stopped, anywhere in a match, and takes it up again where its log ends.

use broadside_arena::play::{Machine, ResumeError};
use broadside_proto::v1::{self, log_entry::Entry};
use broadside_rules::{Seat, Variant};
use proptest::prelude::*;

use crate::{
    record,
    script::{Input, Runner, Script, Ticking},
    table::{CREATED, MS, Setup, at},
    world::{Manner, PATIENCE, manners, random_match, variants},
};

/// How the arena goes.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Exit {
    Killed,
    /// It takes what has been read, notes the clocks and leaves.
    Stopped,
}

/// A match that is played by its script, through any number of lives of the arena.
struct Play<'a> {
    script: &'a Script,
    runner: Runner,
    /// The next input.
    next: usize,
    now: u64,
    /// When this life began: nothing was read before.
    born: u64,
}

impl<'a> Play<'a> {
    fn new(script: &'a Script) -> Self {
        Self {
            script,
            runner: Runner::new(&script.spec, script.limits, Ticking::ByTimer),
            next: 0,
            now: 0,
            born: 0,
        }
    }

    /// Until the log has so many entries, or the match is over.
    fn until(&mut self, entries: usize) {
        while self.runner.course.log.len() < entries && !self.runner.is_over() {
            let Some((us, input)) = self.script.inputs.get(self.next) else {
                let last = self.now + MS * PATIENCE;
                self.now = self.runner.tick_until(last).expect("it ends by its clocks");
                continue;
            };
            let us = (*us).max(self.now);
            if let Some(ticked) = self.runner.tick_until(us) {
                self.now = ticked;
                continue;
            }
            self.now = us;
            self.next += 1;
            let input = self.born_again(input);
            self.runner.give(us, &input);
        }
    }

    /// What was in the arena's queue when it went is sent again, and read then.
    fn born_again(&self, input: &Input) -> Input {
        let mut input = input.clone();
        if let Input::Answer { received, .. } | Input::Failed { received, .. } = &mut input {
            *received = (*received).max(self.born);
        }
        input
    }

    /// The arena takes in what it has read already, and notes the clocks.
    fn suspend(&mut self) {
        for (_, input) in &self.script.inputs[self.next..] {
            if let Input::Answer { received, .. } = input
                && *received <= self.now
            {
                let input = self.born_again(input);
                self.runner.give(self.now, &input);
            }
        }
        self.runner.machine.suspend(at(self.now));
        self.runner.settle(self.now);
    }

    /// The arena goes, and comes back: the same state but for the clocks, which go on from what was noted. The bots that
    /// were there come back at once.
    fn restart(&mut self) {
        let log = &self.runner.course.log;
        let machine = resume(self.script, log, self.now).expect("its own log");
        for seat in Seat::ALL {
            self.compare(&machine, seat);
        }
        let there = Seat::ALL.map(|seat| !is_lost(log, seat));
        let handed = Seat::ALL.map(|seat| {
            let (turn, handover) = self.runner.machine.turn(seat, false, at(self.now))?;
            handover.at().map(|_| turn.turn_id)
        });
        self.runner = Runner::with(machine, log.clone(), self.now);
        self.born = self.now;
        for seat in Seat::ALL.into_iter().filter(|seat| there[seat.index()]) {
            self.runner.give(self.now, &Input::Back { seat, new: true });
            if let Some(turn_id) = handed[seat.index()] {
                self.runner.give(self.now, &Input::Hand(seat, turn_id));
            }
        }
    }

    fn compare(&self, resumed: &Machine, seat: Seat) {
        let turn = |machine: &Machine| Some(machine.turn(seat, true, at(self.now))?.0);
        let before = turn(&self.runner.machine);
        let mut after = turn(resumed);
        if let (Some(before), Some(after)) = (&before, &mut after) {
            let left_us = std::mem::replace(&mut after.time_left_us, before.time_left_us);
            assert!(
                left_us >= before.time_left_us,
                "{left_us} of {}: time was charged that was not used",
                before.time_left_us
            );
            let noted_us = noted(&self.runner.course.log, before.turn_id);
            let all_us = self.allowance(before);
            assert_eq!(left_us, all_us.saturating_sub(noted_us), "{noted_us}");
        }
        assert_eq!(before, after, "{seat}");
        assert_eq!(
            self.runner.machine.match_end(seat),
            resumed.match_end(seat),
            "{seat}"
        );
    }

    fn allowance(&self, turn: &v1::Turn) -> u64 {
        let control = self.script.spec.time_control;
        match turn.phase() {
            v1::Phase::Deployment => control.deployment_us,
            _ => (turn.budget_left_us.unwrap_or(u64::MAX))
                .min(control.turn_cap_us.unwrap_or(u64::MAX)),
        }
    }
}

fn resume(script: &Script, log: &[v1::LogEntry], now: u64) -> Result<Machine, ResumeError> {
    let created = v1::LogEntry {
        at_us: 0,
        entry: Some(Entry::Created(script.spec.created())),
    };
    let whole: Vec<_> = std::iter::once(created)
        .chain(log.iter().cloned())
        .collect();
    let spec = script.spec.clone();
    Machine::resume(spec, script.limits, &whole, CREATED, at(now))
}

/// Whether a seat is disconnected by the log. Whoever is gone when the arena goes is not there when it comes back.
fn is_lost(log: &[v1::LogEntry], seat: Seat) -> bool {
    let mut lost = false;
    for entry in log {
        match entry.entry.as_ref().expect("an entry") {
            Entry::Disconnected(entry) if is(entry.seat(), seat) => lost = true,
            Entry::Reconnected(entry) if is(entry.seat(), seat) => lost = false,
            Entry::Resumed(_) => lost = true,
            _ => {}
        }
    }
    lost
}

fn is(message: v1::Seat, seat: Seat) -> bool {
    broadside_arena::convert::seat_from(message) == Some(seat)
}

/// How much of a turn's time is used, as far as the log knows.
fn noted(log: &[v1::LogEntry], turn_id: u32) -> u64 {
    let mut noted = 0;
    for entry in log {
        match entry.entry.as_ref().expect("an entry") {
            Entry::Noted(entry) if entry.turn_id == turn_id => noted = noted.max(entry.used_us),
            Entry::Refused(entry) if entry.turn_id == turn_id => {
                let timing = entry.timing.expect("stamps");
                let since_us = match timing.handed_us {
                    0 => 0,
                    handed_us => timing.answered_us - handed_us,
                };
                let used_us = (since_us + timing.carried_us).saturating_sub(timing.forgiven_us);
                noted = noted.max(used_us);
            }
            _ => {}
        }
    }
    noted
}

fn end(log: &[v1::LogEntry]) -> (i32, i32, i32) {
    match log.last().and_then(|entry| entry.entry.as_ref()) {
        Some(Entry::Ended(ended)) => {
            let outcome = ended.outcome.as_ref().expect("an outcome");
            (outcome.result, outcome.termination, outcome.ending)
        }
        other => panic!("{other:?}"),
    }
}

/// Some of the places at which a log can end: all the first ones, and every so many of the rest.
fn cuts(steps: &[usize]) -> Vec<usize> {
    let whole = &steps[..steps.len() - 1];
    let every = (whole.len() / 12).max(1);
    let (first, rest) = whole.split_at(whole.len().min(6));
    let rest = rest.iter().step_by(every);
    first.iter().chain(rest).copied().collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn a_match_goes_on_wherever_the_arena_was_killed_or_stopped(
        seed in any::<u64>(), variant in variants(), manners in manners(), again in 0..40_usize,
        exits in proptest::sample::select(vec![
            [Exit::Killed, Exit::Killed], [Exit::Killed, Exit::Stopped],
            [Exit::Stopped, Exit::Killed], [Exit::Stopped, Exit::Stopped],
        ]),
    ) {
        let (script, course) = random_match(seed, variant, manners);
        for cut in cuts(&course.steps) {
            let mut play = Play::new(&script);
            play.until(cut);
            for exit in exits {
                if exit == Exit::Stopped {
                    play.suspend();
                }
                if play.runner.is_over() {
                    break;
                }
                play.restart();
                let entries = play.runner.course.log.len() + again;
                play.until(entries);
                if play.runner.is_over() {
                    break;
                }
            }
            play.until(usize::MAX);
            let log = &play.runner.course.log;
            record::assert_verifies(&script.spec, log);
            if manners == [Manner::Good; 2] {
                prop_assert_eq!(end(log), end(&course.log), "cut at {}", cut);
            }
        }
    }

    #[test]
    fn a_log_that_ends_within_a_step_is_not_resumed_as_if_it_were_whole(
        seed in any::<u64>(), variant in variants(), manners in manners()
    ) {
        let (script, course) = random_match(seed, variant, manners);
        let last = course.log.len() - 1;
        for cut in 1..=last {
            let now = course.log[cut - 1].at_us;
            let resumed = resume(&script, &course.log[..cut], now);
            if course.steps.contains(&cut) {
                prop_assert!(resumed.is_ok(), "cut at {}: {:?}", cut, resumed.err());
            } else if resumed.is_ok() {
                // What two seats do by the same tick has nothing to do with one another.
                let before = course.log[cut - 1].entry.as_ref();
                let alone = matches!(before, Some(Entry::Noted(_) | Entry::AtFault(_)));
                prop_assert!(alone, "cut at {}", cut);
            }
        }
    }
}

#[test]
fn an_answer_that_is_lost_in_the_arenas_own_queue_can_be_given_again() {
    let setup = Setup::of(Variant::Abalone);
    let mut table = setup.clone().started();
    table.hand(Seat::One, 1_000);
    // Read just in time, and not taken yet when the time of the turn is noted for the last time.
    let now = 1_000 + 400 * MS;
    table.give(|machine| machine.suspend(at(now)));
    let script = Script {
        spec: table.spec,
        limits: setup.limits,
        inputs: Vec::new(),
    };
    let machine = resume(&script, &table.log, now).unwrap();
    let (turn, _) = machine.turn(Seat::One, false, at(now)).unwrap();
    assert_eq!(turn.time_left_us, 20 * MS);
}

/// A random match in which the arena was killed once, about in the middle.
pub(crate) fn interrupted_match(
    seed: u64,
    variant: Variant,
    manners: [Manner; 2],
) -> (Script, Vec<v1::LogEntry>) {
    let (script, course) = random_match(seed, variant, manners);
    let mut play = Play::new(&script);
    play.until(course.steps[course.steps.len() / 2]);
    if !play.runner.is_over() {
        play.restart();
    }
    play.until(usize::MAX);
    let log = play.runner.course.log;
    (script, log)
}
