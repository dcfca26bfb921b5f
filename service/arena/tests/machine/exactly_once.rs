//! A turn is answered once: whatever else comes is told so, and changes nothing.

use broadside_arena::play::Step;
use broadside_proto::v1::{RejectedReason, log_entry::Entry};
use broadside_rules::{Seat, Seats, Variant};

use crate::table::{MS, Setup, Table, assert_only_rejected, at};

const ONE: Seat = Seat::One;
const TWO: Seat = Seat::Two;

/// Checks that an answer changed nothing at all, and was rejected for this reason.
#[track_caller]
fn rejected(table: &mut Table, turn_id: u32, from: Seats, us: u64, reason: RejectedReason) -> Seat {
    let action = table.legal(table_mover(table));
    let before = (table.state(), views(table), table.log.len());
    let step = table.answer_to(turn_id, from, action, us);
    let (seat, told) = assert_only_rejected(&step);
    assert_eq!(told.reason(), reason, "{}", told.message);
    assert_eq!(
        (told.match_id, told.turn_id),
        (table.spec.match_id, turn_id)
    );
    assert!(!told.message.is_empty());
    assert_eq!((table.state(), views(table), table.log.len()), before);
    assert!(from.contains(seat), "told to who sent it");
    seat
}

fn table_mover(table: &Table) -> Seat {
    let asked = |seat: &Seat| table.turn(*seat, 0).is_some();
    Seat::ALL
        .into_iter()
        .find(asked)
        .expect("somebody is to move")
}

fn views(table: &Table) -> String {
    format!("{:?}", Seat::ALL.map(|seat| table.turn(seat, 500 * MS)))
}

/// Seat 1 is to move, after a move of each.
fn third_move(variant: Variant) -> Table {
    let mut table = Setup::of(variant).strikes(9).battle();
    table.play(ONE, 0, 10);
    while table.turn(TWO, 10).is_none() {
        table.play(ONE, 10, 10);
    }
    table.play(TWO, 10, 20);
    while table.turn(ONE, 20).is_none() {
        table.play(TWO, 20, 20);
    }
    table.hand(ONE, 20);
    table
}

#[test]
fn a_second_answer_to_the_same_turn_changes_nothing() {
    for variant in Variant::ALL {
        let mut table = third_move(variant);
        let current = table.turn(ONE, 20).unwrap().turn_id;
        let last_of_two = table.log.iter().rev().find_map(|entry| match &entry.entry {
            Some(Entry::Accepted(accepted)) if accepted.turn_id % 2 == 0 => Some(accepted.turn_id),
            _ => None,
        });
        let reason = RejectedReason::AlreadyAnswered;
        for turn_id in (1..current).step_by(2) {
            assert_eq!(
                rejected(&mut table, turn_id, Seats::only(ONE), 30, reason),
                ONE
            );
        }
        for turn_id in (2..=last_of_two.unwrap()).step_by(2) {
            assert_eq!(
                rejected(&mut table, turn_id, Seats::only(TWO), 30, reason),
                TWO
            );
            assert_eq!(rejected(&mut table, turn_id, Seats::BOTH, 30, reason), TWO);
        }
    }
}

#[test]
fn an_answer_to_a_turn_that_was_never_asked_changes_nothing() {
    for variant in Variant::ALL {
        let mut table = third_move(variant);
        let current = table.turn(ONE, 20).unwrap().turn_id;
        let reason = RejectedReason::UnknownTurn;
        for turn_id in [0, current + 2, current + 1001, u32::MAX, u32::MAX - 1] {
            for from in [Seats::only(ONE), Seats::only(TWO), Seats::BOTH] {
                rejected(&mut table, turn_id, from, 30, reason);
            }
        }
    }
}

#[test]
fn a_bot_cannot_answer_a_turn_of_the_other_seat() {
    for variant in Variant::ALL {
        let mut table = third_move(variant);
        let current = table.turn(ONE, 20).unwrap().turn_id;
        let reason = RejectedReason::UnknownTurn;
        assert_eq!(
            rejected(&mut table, current, Seats::only(TWO), 30, reason),
            TWO
        );
        assert_eq!(rejected(&mut table, 1, Seats::only(TWO), 30, reason), TWO);
        assert_eq!(rejected(&mut table, 2, Seats::only(ONE), 30, reason), ONE);
    }
}

#[test]
fn a_bot_in_both_seats_answers_the_turns_of_both() {
    for variant in Variant::ALL {
        let mut table = Setup::of(variant).started();
        for _ in 0..12 {
            let seat = table_mover(&table);
            let turn = table.hand(seat, 0);
            let action = table.legal(seat);
            let step = table.answer_to(turn.turn_id, Seats::BOTH, action, 1);
            assert!(accepted(&step), "{variant}: {step:?}");
        }
    }
}

fn accepted(step: &Step) -> bool {
    let entry = step.log.first().and_then(|first| first.entry.as_ref());
    matches!(entry, Some(Entry::Accepted(_)))
}

#[test]
fn an_answer_before_the_match_starts_is_to_an_unknown_turn() {
    let mut table = Setup::of(Variant::Classic).waiting();
    for turn_id in 0..4 {
        let before = table.state();
        let step = table.answer_to(turn_id, Seats::BOTH, None, 0);
        let (_, told) = assert_only_rejected(&step);
        assert_eq!(told.reason(), RejectedReason::UnknownTurn);
        assert_eq!(table.state(), before);
    }
}

#[test]
fn a_refused_answer_changes_nothing_but_the_count_of_refusals() {
    for variant in Variant::ALL {
        let mut table = third_move(variant);
        let before = table.turn(ONE, 30).unwrap();
        let action = table.illegal(ONE);
        table.answer(ONE, action, 30);
        let mut after = table.turn(ONE, 30).unwrap();
        assert_eq!(after.refusals_left + 1, before.refusals_left, "{variant}");
        after.refusals_left = before.refusals_left;
        after.refusal = None;
        assert_eq!(after, before, "{variant}");
        let action = table.legal(ONE);
        assert!(accepted(&table.answer(ONE, action, 40)), "{variant}");
    }
}

#[test]
fn the_error_of_an_agent_about_another_turn_changes_nothing() {
    let mut table = third_move(Variant::Classic);
    let current = table.turn(ONE, 20).unwrap().turn_id;
    let before = table.state();
    for seat in Seat::ALL {
        for turn_id in (0..current + 4).filter(|id| *id != current || seat == TWO) {
            let step = table.give(|machine| machine.answer_failed(seat, turn_id, "oh", at(40)));
            assert!(
                step.log.is_empty() && step.deliveries.is_empty(),
                "{step:?}"
            );
        }
    }
    assert_eq!(table.state(), before);
}

#[test]
fn after_a_reconnection_both_copies_of_a_turn_are_answered_once() {
    let mut table = third_move(Variant::Classic);
    let turn = table.turn(ONE, 20).unwrap();
    table.lose(ONE, 30);
    table.back(ONE, 40);
    let action = table.legal(ONE);
    let step = table.answer_to(turn.turn_id, Seats::only(ONE), action, 50);
    assert!(accepted(&step), "{step:?}");
    let reason = RejectedReason::AlreadyAnswered;
    rejected(&mut table, turn.turn_id, Seats::only(ONE), 60, reason);
}

#[test]
fn answers_that_are_taken_in_another_order_than_read_leave_the_log_in_order() {
    let mut table = Setup::of(Variant::Classic).started();
    for seat in Seat::ALL {
        table.hand(seat, 10);
    }
    for (seat, read) in [(TWO, 60), (ONE, 50)] {
        let action = table.legal(seat);
        table.answer(seat, action, read);
        assert_eq!(table.timing().unwrap().answered_us, read);
    }
    table.lose(ONE, 55);
    assert!(
        table.log.is_sorted_by_key(|entry| entry.at_us),
        "{:?}",
        table.log
    );
}

#[test]
fn an_answer_read_before_its_turn_was_made_answers_nothing_though_it_is_taken_later() {
    let mut table = Setup::of(Variant::Abalone).started();
    table.play(ONE, 10, 50);
    let guess = table.legal(TWO);
    let reason = RejectedReason::UnknownTurn;
    rejected(&mut table, 2, Seats::only(TWO), 49, reason);
    assert!(accepted(&table.answer_to(2, Seats::only(TWO), guess, 50)));
}

#[test]
fn an_answer_read_before_its_turn_was_handed_over_is_stamped_so_and_costs_nothing() {
    let mut table = Setup::of(Variant::Abalone).started();
    table.play(ONE, 10, 50);
    table.hand(TWO, 70);
    let guess = table.legal(TWO);
    assert!(accepted(&table.answer_to(2, Seats::only(TWO), guess, 60)));
    let timing = table.timing().unwrap();
    assert_eq!((timing.handed_us, timing.charged_us), (0, 0));
}

#[test]
fn the_winner_of_a_time_loss_is_not_told_that_its_own_old_answer_was_late() {
    let mut table = Setup::of(Variant::Abalone).started();
    table.play(Seat::One, 10, 20);
    table.hand(Seat::Two, 30);
    table.tick(table.next_tick_after(30).unwrap());
    let step = table.answer_to(1, Seats::only(Seat::One), None, 40);
    assert_eq!(
        assert_only_rejected(&step).1.reason(),
        RejectedReason::UnknownMatch
    );
}
