//! What an answer is charged, and when it is late.

use broadside_arena::play::{Delivery, Step};
use broadside_proto::v1::{self, MatchResult, RejectedReason, Termination, log_entry::Entry};
use broadside_rules::{Seat, Variant};

use crate::table::{MS, Setup, Table};

const ONE: Seat = Seat::One;
const TWO: Seat = Seat::Two;

fn stamps(asked: u64, handed: u64, answered: u64, charged: u64, left: u64) -> v1::TurnTiming {
    v1::TurnTiming {
        asked_us: asked,
        handed_us: handed,
        answered_us: answered,
        charged_us: charged,
        budget_left_us: Some(left),
        ..v1::TurnTiming::default()
    }
}

fn is_accepted(step: &Step) -> bool {
    let told = step.deliveries.iter();
    told.into_iter()
        .any(|delivery| matches!(delivery, Delivery::Accepted(..)))
}

#[test]
fn an_answer_is_charged_from_its_hand_over_to_its_reading_less_the_lag_allowance() {
    let mut table = Setup::of(Variant::Classic).battle();
    table.play(ONE, 50 * MS, 150 * MS);
    let left = (1_000 - 95 + 10) * MS;
    assert_eq!(
        table.timing(),
        Some(stamps(0, 50 * MS, 150 * MS, 95 * MS, left))
    );
    table.play(TWO, 150 * MS, 154 * MS);
    let left = (1_000 + 10) * MS;
    assert_eq!(
        table.timing(),
        Some(stamps(150 * MS, 150 * MS, 154 * MS, 0, left)),
        "less than the allowance costs nothing, and no more than nothing"
    );
}

#[test]
fn time_in_the_arenas_own_queues_is_never_charged() {
    let mut table = Setup::of(Variant::Classic).battle();
    let handed = 9_999 * MS;
    for ms in 0..9_999 {
        let step = table.tick(ms * MS);
        assert!(
            step.log.is_empty() && step.deliveries.is_empty(),
            "{step:?}"
        );
    }
    table.tick(handed);
    assert_eq!(table.hand(ONE, handed).time_left_us, 400 * MS);
    table.tick(handed + 400 * MS);
    let action = table.legal(ONE);
    let step = table.answer(ONE, action, handed + 405 * MS);
    assert!(is_accepted(&step), "{step:?}");
    assert_eq!(table.timing().unwrap().charged_us, 400 * MS);
}

#[test]
fn an_answer_that_overtakes_the_note_of_its_hand_over_costs_nothing() {
    let mut table = Setup::of(Variant::Classic).battle();
    let action = table.legal(ONE);
    assert!(is_accepted(&table.answer(ONE, action, 300 * MS)));
    assert_eq!(table.timing().unwrap().charged_us, 0);
}

/// Matches in which the first turn of battle, or the deployment of seat 1, may take so long.
fn allowances() -> Vec<(&'static str, u64, Table)> {
    let classic = || Setup::of(Variant::Classic);
    let abalone = || Setup::of(Variant::Abalone);
    let deployment = |first: Option<Seat>| {
        let mut table = classic().started();
        if let Some(seat) = first {
            table.play(seat, 0, 0);
        }
        table
    };
    vec![
        ("cap", 400 * MS, classic().battle()),
        ("no budget", 400 * MS, {
            classic().time(|time| time.budget_us = None).battle()
        }),
        ("budget", 300 * MS, {
            let small = |budget| classic().time(|time| time.budget_us = Some(budget));
            small(300 * MS).battle()
        }),
        ("no cap", 1_000 * MS, {
            abalone().time(|time| time.turn_cap_us = None).started()
        }),
        ("nothing left", 0, {
            abalone().time(|time| time.budget_us = Some(0)).started()
        }),
        ("deployment", 2_000 * MS, deployment(None)),
        (
            "deployment, the other done",
            2_000 * MS,
            deployment(Some(TWO)),
        ),
    ]
}

/// When the timer may have run before an answer stamped at `stamp` is taken out of the queue.
fn ticks_before(table: &Table, handed: u64, deadline: u64) -> Vec<Option<u64>> {
    let next = table.next_tick_after(handed).expect("a turn has an end");
    assert!(next > deadline + 1, "some time to settle: {next}");
    vec![None, Some(deadline), Some(deadline + 1), Some(next - 1)]
}

#[test]
fn an_answer_stamped_at_the_deadline_is_in_time_whether_or_not_a_tick_ran_before_it_was_taken() {
    let handed = 70 * MS;
    for index in 0..allowances().len() {
        for which in 0..4 {
            let (name, allowance, mut table) = allowances().swap_remove(index);
            table.hand(ONE, handed);
            let deadline = handed + allowance + 5 * MS;
            let tick = ticks_before(&table, handed, deadline)[which];
            if let Some(us) = tick {
                table.tick(us);
            }
            let action = table.legal(ONE);
            let step = table.answer(ONE, action, deadline);
            assert!(is_accepted(&step), "{name}, tick at {tick:?}: {step:?}");
            let Some(Entry::Accepted(accepted)) = &step.log[0].entry else {
                panic!("{step:?}");
            };
            let charged = if name.starts_with("deployment") {
                0
            } else {
                allowance
            };
            assert_eq!(accepted.timing.unwrap().charged_us, charged, "{name}");
        }
    }
}

#[test]
fn fault_18_an_answer_stamped_one_microsecond_after_the_deadline_is_late_whenever_it_is_taken() {
    let handed = 70 * MS;
    for index in 0..allowances().len() {
        for which in 0..4 {
            let (name, allowance, mut table) = allowances().swap_remove(index);
            let turn = table.hand(ONE, handed);
            let deadline = handed + allowance + 5 * MS;
            if let Some(us) = ticks_before(&table, handed, deadline)[which] {
                table.tick(us);
            }
            let action = table.legal(ONE);
            let step = table.answer(ONE, action, deadline + 1);
            let Some(Delivery::Rejected(ONE, rejected)) = step.deliveries.first() else {
                panic!("{name}: {step:?}");
            };
            assert_eq!(rejected.reason(), RejectedReason::Late, "{name}");
            assert_eq!(rejected.turn_id, turn.turn_id, "{name}");
            if table.turn(TWO, deadline).is_some() {
                table.play(TWO, handed, deadline);
            }
            table.assert_lost(ONE, Termination::Time);
        }
    }
}

#[test]
fn an_answer_that_never_comes_is_a_time_loss_once_the_answers_on_their_way_are_in() {
    for (name, allowance, mut table) in allowances() {
        table.hand(ONE, 70 * MS);
        let next = table.next_tick_after(70 * MS).unwrap();
        assert!(next > 70 * MS + allowance + 5 * MS, "{name}");
        table.tick(next - 1);
        assert_eq!(table.outcome(), None, "{name}");
        table.tick(next);
        if table.turn(TWO, next).is_some() {
            table.play(TWO, next, next);
        }
        table.assert_lost(ONE, Termination::Time);
    }
}

#[test]
fn a_time_loss_can_be_recomputed_from_the_record() {
    let battle = || {
        let table = Setup::of(Variant::Classic).battle();
        table.hand(ONE, 70 * MS);
        table
    };
    let mut late = battle();
    let action = late.legal(ONE);
    late.answer(ONE, action, 476 * MS);
    assert_eq!(
        late.timing(),
        Some(stamps(0, 70 * MS, 476 * MS, 0, 1_000 * MS))
    );

    let mut silent = battle();
    silent.tick(silent.next_tick().unwrap());
    assert_eq!(silent.timing(), Some(stamps(0, 70 * MS, 0, 0, 1_000 * MS)));
}

#[test]
fn the_increment_is_added_after_each_move_and_a_budget_runs_out_at_last() {
    let mut table = Setup::of(Variant::Abalone)
        .time(|time| time.turn_cap_us = None)
        .started();
    let mut now = 0;
    let mut left = 1_000 * MS;
    // Each move costs 300 ms and earns 10.
    for _ in 0..3 {
        table.play(ONE, now, now + 305 * MS);
        left -= 290 * MS;
        assert_eq!(table.timing().unwrap().budget_left_us, Some(left));
        now += 305 * MS;
        table.play(TWO, now, now);
    }
    assert_eq!(table.hand(ONE, now).time_left_us, left);
    let action = table.legal(ONE);
    table.answer(ONE, action, now + left + 5 * MS + 1);
    table.assert_lost(ONE, Termination::Time);
}

#[test]
fn a_budget_spent_to_the_last_microsecond_leaves_the_increment() {
    let mut table = Setup::of(Variant::Abalone)
        .time(|time| time.turn_cap_us = None)
        .started();
    table.play(ONE, 0, 1_005 * MS);
    assert_eq!(table.timing().unwrap().budget_left_us, Some(10 * MS));
}

#[test]
fn a_refusal_leaves_the_clock_running_from_the_first_hand_over() {
    let mut table = Setup::of(Variant::Classic).battle();
    table.hand(ONE, 20 * MS);
    let action = table.illegal(ONE);
    table.answer(ONE, action, 120 * MS);
    assert_eq!(
        table.timing(),
        Some(stamps(0, 20 * MS, 120 * MS, 0, 1_000 * MS)),
        "the refusal is stamped, and nothing is charged yet"
    );
    assert_eq!(table.hand(ONE, 220 * MS).time_left_us, 200 * MS);
    let action = table.legal(ONE);
    table.answer(ONE, action, 320 * MS);
    let left = (1_000 - 295 + 10) * MS;
    assert_eq!(
        table.timing(),
        Some(stamps(0, 20 * MS, 320 * MS, 295 * MS, left))
    );
}

#[test]
fn a_refusal_gives_no_more_time() {
    let mut table = Setup::of(Variant::Classic).battle();
    table.hand(ONE, 0);
    let action = table.illegal(ONE);
    table.answer(ONE, action, 405 * MS);
    assert_eq!(table.outcome(), None);
    assert_eq!(table.hand(ONE, 406 * MS).time_left_us, 0);
    let action = table.legal(ONE);
    table.answer(ONE, action, 406 * MS);
    table.assert_lost(ONE, Termination::Time);
}

#[test]
fn a_turn_sent_again_after_a_reconnection_keeps_its_id_and_its_clock() {
    let mut table = Setup::of(Variant::Classic).battle();
    let first = table.hand(ONE, 20 * MS);
    table.lose(ONE, 60 * MS);
    let step = table.back(ONE, 200 * MS);
    assert_eq!(step.deliveries, [Delivery::Turn(ONE)]);
    let again = table.hand(ONE, 220 * MS);
    assert_eq!(again.time_left_us, 200 * MS);
    assert_eq!(
        again,
        v1::Turn {
            time_left_us: 200 * MS,
            ..first
        }
    );
    let action = table.legal(ONE);
    table.answer(ONE, action, 320 * MS);
    let left = (1_000 - 295 + 10) * MS;
    assert_eq!(
        table.timing(),
        Some(stamps(0, 20 * MS, 320 * MS, 295 * MS, left))
    );
}

#[test]
fn the_clock_of_a_turn_runs_while_its_bot_is_disconnected() {
    let mut table = Setup::of(Variant::Classic).battle();
    table.hand(ONE, 0);
    table.lose(ONE, 10 * MS);
    table.tick(table.next_tick().unwrap());
    table.assert_lost(ONE, Termination::Time);
}

#[test]
fn a_deployment_has_a_limit_of_its_own_and_costs_no_budget() {
    let mut table = Setup::of(Variant::Classic).started();
    for seat in Seat::ALL {
        assert_eq!(table.hand(seat, 0).time_left_us, 2_000 * MS);
        table.play(seat, 0, 2_005 * MS);
        let timing = table.timing().unwrap();
        assert_eq!(timing.budget_left_us, Some(1_000 * MS));
        assert_eq!(timing.charged_us, 0);
    }
    let turn = table.hand(ONE, 2_005 * MS);
    assert_eq!(turn.budget_left_us, Some(1_000 * MS));
    assert_eq!(turn.opponent_budget_left_us, Some(1_000 * MS));
    assert_eq!(turn.time_left_us, 400 * MS);
}

#[test]
fn without_a_budget_no_message_and_no_entry_tells_of_one() {
    let mut table = Setup::of(Variant::Abalone)
        .time(|time| time.budget_us = None)
        .started();
    let turn = table.hand(ONE, 0);
    assert_eq!(
        (turn.budget_left_us, turn.opponent_budget_left_us),
        (None, None)
    );
    assert_eq!(turn.time_left_us, 400 * MS);
    table.play(ONE, 0, 100 * MS);
    let timing = table.timing().unwrap();
    assert_eq!((timing.budget_left_us, timing.charged_us), (None, 95 * MS));
}

#[test]
fn both_seats_lose_on_time_alike() {
    let mut table = Setup::of(Variant::Classic).battle();
    table.play(ONE, 0, 0);
    table.hand(TWO, 0);
    table.tick(table.next_tick().unwrap());
    table.assert_ended(MatchResult::SeatOneWins, Termination::Time, Some(TWO));
}

#[test]
fn only_the_seat_that_is_to_move_has_a_clock_that_runs() {
    let mut table = Setup::of(Variant::Classic).battle();
    let mut now = 0;
    for _ in 0..4 {
        table.play(ONE, now, now + 200 * MS);
        now += 200 * MS;
        table.play(TWO, now, now + 4 * MS);
        now += 4 * MS;
    }
    let turn = table.hand(ONE, now);
    assert_eq!(turn.budget_left_us, Some((1_000 - 4 * 185) * MS));
    assert_eq!(turn.opponent_budget_left_us, Some(1_040 * MS));
}
