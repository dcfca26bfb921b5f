//! Whole matches of every variant between random bots.

use std::collections::BTreeSet;

use broadside_arena::{convert, play::Delivery, replay::Replay};
use broadside_proto::v1::{self, MatchResult, RejectedReason, Termination, log_entry::Entry};
use broadside_record::chain::Chain;
use broadside_rules::{Game, Phase, Seat, Variant};
use proptest::prelude::*;

use crate::{
    record,
    script::{Course, Script, Ticking},
    table::{MS, seat_message, win_of},
    world::{Manner, PATIENCE, World, manners, play_into, random_match, variants},
};

/// Checks all that is true of every log.
fn check(script: &Script, course: &Course) {
    let kinds = |wanted: fn(&Entry) -> bool| {
        let entries = course.log.iter().filter_map(|entry| entry.entry.as_ref());
        entries.filter(|entry| wanted(entry)).count()
    };
    let first = course.log.first().and_then(|entry| entry.entry.as_ref());
    let last = course.log.last().and_then(|entry| entry.entry.as_ref());
    assert!(matches!(first, Some(Entry::Started(_))));
    assert!(matches!(last, Some(Entry::Ended(_))));
    assert_eq!(kinds(|entry| matches!(entry, Entry::Started(_))), 1);
    assert_eq!(kinds(|entry| matches!(entry, Entry::Ended(_))), 1);
    let end = course
        .told
        .iter()
        .position(|(_, told)| *told == Delivery::End);
    let after = &course.told[end.expect("the end is told") + 1..];
    assert!(
        after
            .iter()
            .all(|(_, told)| matches!(told, Delivery::Rejected(..))),
        "{after:?}"
    );
    assert!(course.log.is_sorted_by_key(|entry| entry.at_us));
    check_clocks(script, course);
    check_answers(script, course);
    check_replay(script, course);
    record::assert_verifies(&script.spec, &course.log);
}

/// Stamps are in order, charges follow from them, and budgets add up.
fn check_clocks(script: &Script, course: &Course) {
    let control = script.spec.time_control;
    let lag = control.lag_allowance_us;
    let mut budgets = [control.budget_us; 2];
    let mut deployed = [script.spec.options.variant() == Variant::Abalone; 2];
    for entry in &course.log {
        let (seat, timing, accepted) = match entry.entry.as_ref().expect("an entry") {
            Entry::Accepted(accepted) => (accepted.seat(), accepted.timing, true),
            Entry::Refused(refused) => (refused.seat(), refused.timing, false),
            _ => continue,
        };
        let index = convert::seat_from(seat).expect("a seat").index();
        let timing = timing.expect("stamps");
        assert!(timing.answered_us <= entry.at_us, "{timing:?}");
        assert!(timing.asked_us <= timing.answered_us, "{timing:?}");
        let took = if timing.handed_us == 0 {
            // It was answered before it was handed over: a bot that guesses turn ids.
            0
        } else {
            assert!(timing.asked_us <= timing.handed_us, "{timing:?}");
            let since = timing.answered_us - timing.handed_us;
            (since + timing.carried_us).saturating_sub(timing.forgiven_us)
        };
        let thought = took.saturating_sub(lag);
        let allowed = if deployed[index] {
            let cap = control.turn_cap_us.unwrap_or(u64::MAX);
            budgets[index].unwrap_or(u64::MAX).min(cap)
        } else {
            control.deployment_us
        };
        assert!(thought <= allowed, "{timing:?} of {allowed}");
        let charged = if accepted && deployed[index] {
            thought
        } else {
            0
        };
        assert_eq!(timing.charged_us, charged, "{timing:?}");
        if accepted && deployed[index] {
            budgets[index] = budgets[index].map(|left| left - charged + control.increment_us);
        }
        deployed[index] |= accepted;
        assert_eq!(timing.budget_left_us, budgets[index]);
    }
}

/// Each turn is accepted at most once, refusals are as many as the strikes allow, and the end says what the log shows.
fn check_answers(script: &Script, course: &Course) {
    let mut accepted = Vec::new();
    let mut refused = [0; 2];
    for entry in &course.log {
        match entry.entry.as_ref().expect("an entry") {
            Entry::Accepted(entry) => {
                assert!(
                    !accepted.contains(&entry.turn_id),
                    "turn {} twice",
                    entry.turn_id
                );
                accepted.push(entry.turn_id);
            }
            Entry::Refused(entry) => {
                assert!(
                    !accepted.contains(&entry.turn_id),
                    "refused after it was accepted"
                );
                refused[convert::seat_from(entry.seat()).expect("a seat").index()] += 1;
            }
            _ => {}
        }
    }
    let outcome = outcome(course);
    assert!(
        refused
            .iter()
            .all(|&count| count <= script.spec.strikes + 1)
    );
    if outcome.result() != MatchResult::Void && outcome.termination() == Termination::IllegalMoves {
        let at_fault = convert::seat_from(outcome.at_fault()).expect("a seat at fault");
        assert_eq!(refused[at_fault.index()], script.spec.strikes + 1);
    }
    let fault = !matches!(
        outcome.termination(),
        Termination::WonByPlay | Termination::DrawByRule
    );
    let has_winner = matches!(
        outcome.result(),
        MatchResult::SeatOneWins | MatchResult::SeatTwoWins
    );
    assert_eq!(
        outcome.at_fault() != v1::Seat::Unspecified,
        fault && has_winner
    );
    for (_, told) in &course.told {
        if let Delivery::Rejected(seat, rejected) = told
            && rejected.reason() == RejectedReason::AlreadyAnswered
        {
            assert_eq!(rejected.turn_id % 2, u32::from(seat.number() % 2));
        }
    }
}

fn outcome(course: &Course) -> &v1::Outcome {
    match &course.log.last().expect("a log").entry {
        Some(Entry::Ended(ended)) => ended.outcome.as_ref().expect("an outcome"),
        other => panic!("{other:?}"),
    }
}

/// The log leads to the same position by another way.
fn check_replay(script: &Script, course: &Course) {
    let mut replay = Replay::new(script.spec.match_id, 1);
    let mut chain = Chain::new(script.spec.match_id, 1);
    let created = v1::LogEntry {
        at_us: 0,
        entry: Some(Entry::Created(script.spec.created())),
    };
    let mut game = Game::new(&script.spec.options);
    for entry in std::iter::once(&created).chain(&course.log) {
        if let Some(Entry::Accepted(accepted)) = &entry.entry {
            play_into(&mut game, accepted);
        }
        replay.read(&chain.push(entry)).expect("it replays");
        let position = replay.position().expect("a position");
        assert_eq!(position.view, Some(convert::public_view(&game)));
    }
    assert!(replay.is_over());
    let reveal = replay.position().expect("a position").reveal;
    assert_eq!(reveal, convert::reveal(&game));
    let by_play = outcome(course).ending() != v1::Ending::Unspecified;
    assert_eq!(game.phase() == Phase::Over, by_play);
    if let Some(end) = game.outcome() {
        assert_eq!(convert::ending(end.ending), outcome(course).ending());
        let result = match end.winner {
            Some(winner) => win_of(winner),
            None => MatchResult::Draw,
        };
        assert_eq!(outcome(course).result(), result);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn every_match_ends_and_its_log_is_sound_whatever_its_bots_do(
        seed in any::<u64>(), variant in variants(), manners in manners()
    ) {
        let (script, course) = random_match(seed, variant, manners);
        check(&script, &course);
    }

    #[test]
    fn bots_that_answer_legally_by_their_deadlines_end_every_match_by_play(
        seed in any::<u64>(), variant in variants()
    ) {
        let (script, course) = random_match(seed, variant, [Manner::Good; 2]);
        check(&script, &course);
        let end = outcome(&course);
        prop_assert!(
            matches!(end.termination(), Termination::WonByPlay | Termination::DrawByRule),
            "{}", end.message
        );
        let rejected = course.told.iter().any(|(_, told)| matches!(told, Delivery::Rejected(..)));
        prop_assert!(!rejected);
    }

    #[test]
    fn a_bot_that_behaves_never_loses_but_by_play(
        seed in any::<u64>(), variant in variants(), good in proptest::sample::select(Seat::ALL.to_vec())
    ) {
        let mut manners = [Manner::Wild; 2];
        manners[good.index()] = Manner::Good;
        let mut world = World::new(seed, variant, manners);
        // A wild bot must not play for the other's seat.
        world.alone = false;
        let (_, course) = world.play();
        let end = outcome(&course);
        prop_assert_ne!(end.at_fault(), seat_message(good), "{}", end.message);
    }

    #[test]
    fn the_same_inputs_make_the_same_match(
        seed in any::<u64>(), variant in variants(), manners in manners()
    ) {
        let (script, course) = random_match(seed, variant, manners);
        prop_assert_eq!(script.run(Ticking::ByTimer, MS * PATIENCE), course);
    }
}

#[test]
fn the_random_matches_meet_every_kind_of_entry_and_every_end() {
    let mut entries = BTreeSet::new();
    let mut ends = BTreeSet::new();
    let mut voids = BTreeSet::new();
    for (seed, variant) in (0..700).zip(Variant::ALL.into_iter().cycle()) {
        // Only who behaves lives to see a draw.
        let manner = match seed % 10 {
            0 => Manner::Good,
            _ => Manner::Wild,
        };
        let (script, course) = random_match(seed, variant, [manner; 2]);
        record::assert_verifies(&script.spec, &course.log);
        for entry in &course.log {
            let kind = entry.entry.as_ref().map(std::mem::discriminant);
            entries.insert(format!("{kind:?}"));
        }
        let end = outcome(&course);
        ends.insert(end.termination());
        if end.result() == MatchResult::Void {
            voids.insert(end.termination());
        }
    }
    // All but created, which is not the machine's, and resumed, which is another test's.
    assert_eq!(entries.len(), 9, "{entries:?}");
    let all = [
        Termination::WonByPlay,
        Termination::DrawByRule,
        Termination::IllegalMoves,
        Termination::Time,
        Termination::Disconnected,
        Termination::Resigned,
        Termination::Cancelled,
    ];
    assert_eq!(ends, BTreeSet::from(all));
    let both_at_fault = voids.len() > usize::from(voids.contains(&Termination::Cancelled));
    assert!(both_at_fault, "{voids:?}");
}
