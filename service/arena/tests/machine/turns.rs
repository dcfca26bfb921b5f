//! What a turn tells.

use broadside_arena::play::Delivery;
use broadside_proto::v1::{self, IllegalMoveReason, log_entry::Entry};
use broadside_rules::{Seat, Variant};

use crate::table::{MS, Setup, seat_message};

const ONE: Seat = Seat::One;
const TWO: Seat = Seat::Two;

#[test]
fn a_match_that_starts_tells_both_seats_of_it_before_it_asks() {
    let mut table = Setup::of(Variant::Classic).waiting();
    let step = table.start(5 * MS);
    assert_eq!(
        step.deliveries,
        [
            Delivery::Start(ONE),
            Delivery::Start(TWO),
            Delivery::Turn(ONE),
            Delivery::Turn(TWO)
        ]
    );
    assert!(matches!(table.last(), Entry::Started(_)));
    assert_eq!(table.log[0].at_us, 5 * MS);

    let mut table = Setup::of(Variant::Abalone).waiting();
    let step = table.start(0);
    assert_eq!(step.deliveries[2..], [Delivery::Turn(ONE)]);
    let again = table.start(1);
    assert!(again.log.is_empty() && again.deliveries.is_empty());
}

#[test]
fn nobody_is_asked_before_the_match_starts() {
    let table = Setup::of(Variant::Classic).waiting();
    assert_eq!(table.next_tick(), None);
    assert!(
        Seat::ALL
            .into_iter()
            .all(|seat| table.turn(seat, 0).is_none())
    );
}

#[test]
fn turn_ids_are_unique_in_the_match_for_both_seats_together() {
    let mut table = Setup::of(Variant::Classic).started();
    let mut seen = Vec::new();
    for round in 0..20 {
        for seat in Seat::ALL {
            let turn = table.hand(seat, round);
            assert_eq!(turn.seat(), seat_message(seat));
            assert!(!seen.contains(&turn.turn_id), "{} again", turn.turn_id);
            seen.push(turn.turn_id);
            table.play(seat, round, round);
        }
    }
}

#[test]
fn a_turn_tells_how_long_the_last_answer_took() {
    let mut table = Setup::of(Variant::Abalone).started();
    assert_eq!(table.hand(ONE, 0).last_answer_us, None);
    table.play(ONE, 0, 123_456);
    assert_eq!(table.hand(TWO, 123_456).last_answer_us, None);
    table.play(TWO, 123_456, 123_457);
    assert_eq!(table.hand(ONE, 200 * MS).last_answer_us, Some(123_456));
    table.play(ONE, 200 * MS, 200 * MS);
    assert_eq!(table.hand(TWO, 200 * MS).last_answer_us, Some(1));
}

#[test]
fn a_turn_tells_both_budgets_and_the_smaller_of_budget_and_cap() {
    let mut table = Setup::of(Variant::Abalone)
        .time(|time| time.budget_us = Some(500 * MS))
        .started();
    table.play(ONE, 0, 305 * MS);
    let two = table.hand(TWO, 305 * MS);
    assert_eq!(two.budget_left_us, Some(500 * MS));
    assert_eq!(two.opponent_budget_left_us, Some(210 * MS));
    assert_eq!(two.time_left_us, 400 * MS, "the cap is less");
    table.play(TWO, 305 * MS, 310 * MS);
    let one = table.hand(ONE, 310 * MS);
    assert_eq!(one.budget_left_us, Some(210 * MS));
    assert_eq!(one.opponent_budget_left_us, Some(510 * MS));
    assert_eq!(one.time_left_us, 210 * MS, "the budget is less");
    assert_eq!(table.turn(ONE, 360 * MS).unwrap().time_left_us, 160 * MS);
}

#[test]
fn a_turn_tells_what_was_played_since_the_seats_last_one_its_own_move_first() {
    let mut table = Setup::of(Variant::Abalone).started();
    let movers =
        |turn: &v1::Turn| -> Vec<v1::Seat> { turn.events.iter().map(v1::Event::seat).collect() };
    assert_eq!(movers(&table.hand(ONE, 0)), []);
    table.play(ONE, 0, 0);
    assert_eq!(movers(&table.hand(TWO, 0)), [v1::Seat::One]);
    table.play(TWO, 0, 0);
    let turn = table.hand(ONE, 0);
    assert_eq!(movers(&turn), [v1::Seat::One, v1::Seat::Two]);
    table.play(ONE, 0, 0);
    table.play(TWO, 0, 0);
    let turn = table.hand(ONE, 0);
    assert_eq!(
        movers(&turn),
        [v1::Seat::One, v1::Seat::Two],
        "no older ones"
    );
    assert_eq!(
        table.turn(ONE, 9),
        table.turn(ONE, 9),
        "and again as often as it is sent"
    );

    let mut table = Setup::of(Variant::Classic).battle();
    assert_eq!(movers(&table.hand(ONE, 0)), [], "deployments are no news");
    table.play(ONE, 0, 0);
    assert_eq!(movers(&table.hand(TWO, 0)), [v1::Seat::One]);
}

#[test]
fn a_refused_answer_is_asked_again_with_the_reason_and_one_refusal_less() {
    let mut table = Setup::of(Variant::Classic).strikes(2).battle();
    let first = table.hand(ONE, 0);
    assert_eq!((first.refusals_left, &first.refusal), (2, &None));
    for left in [1, 0] {
        let action = table.illegal(ONE);
        let step = table.answer(ONE, action.clone(), 0);
        assert_eq!(step.deliveries, [Delivery::Turn(ONE)]);
        let Some(Entry::Refused(refused)) = &step.log[0].entry else {
            panic!("{step:?}");
        };
        assert_eq!(refused.turn_id, first.turn_id);
        assert_eq!(refused.r#move, Some(action));
        let again = table.turn(ONE, 0).unwrap();
        assert_eq!(again.refusal, refused.illegal_move);
        assert!(again.refusal.is_some());
        assert_eq!(
            again,
            v1::Turn {
                refusals_left: left,
                refusal: again.refusal.clone(),
                ..first.clone()
            }
        );
    }
    table.play(ONE, 0, 0);
    table.play(TWO, 0, 0);
    let next = table.hand(ONE, 0);
    assert_eq!(
        (next.refusals_left, next.refusal),
        (0, None),
        "of the match, not of the turn"
    );
}

#[test]
fn an_agents_error_is_refused_like_a_move_that_cannot_be_read() {
    let mut table = Setup::of(Variant::Classic).strikes(1).battle();
    let turn = table.hand(ONE, 0);
    let fail = |machine: &mut broadside_arena::play::Machine| {
        machine.answer_failed(ONE, turn.turn_id, "no idea", crate::table::at(1));
    };
    let step = table.give(fail);
    assert_eq!(step.deliveries, [Delivery::Turn(ONE)]);
    let refusal = table.turn(ONE, 1).unwrap().refusal.unwrap();
    assert_eq!(refusal.reason(), IllegalMoveReason::AgentError);
    assert!(refusal.message.contains("no idea"), "{}", refusal.message);
    table.give(fail);
    table.assert_lost(ONE, v1::Termination::IllegalMoves);
}

#[test]
fn a_bot_that_is_new_to_the_match_is_told_of_its_start_before_its_turn() {
    let mut table = Setup::of(Variant::Classic).battle();
    let now = crate::table::at(3);
    let step = table.give(|machine| machine.reconnected(ONE, true, now));
    assert_eq!(step.deliveries, [Delivery::Start(ONE), Delivery::Turn(ONE)]);
    assert!(step.log.is_empty(), "it was never lost: {step:?}");
    let step = table.give(|machine| machine.reconnected(TWO, true, now));
    assert_eq!(
        step.deliveries,
        [Delivery::Start(TWO)],
        "it is not its turn"
    );
}

#[test]
fn a_lost_connection_and_its_return_are_in_the_log_once() {
    let mut table = Setup::of(Variant::Classic).battle();
    assert_eq!(table.lose(TWO, 1).log.len(), 1);
    assert_eq!(table.lose(TWO, 2).log.len(), 0);
    assert!(matches!(table.last(), Entry::Disconnected(lost) if lost.seat() == v1::Seat::Two));
    assert_eq!(table.back(TWO, 3).log.len(), 1);
    assert_eq!(table.back(TWO, 4).log.len(), 0);
    assert!(matches!(table.last(), Entry::Reconnected(back) if back.seat() == v1::Seat::Two));
}
