//! One verdict, in one order: connection, deadline, decoding, legality.

use broadside_arena::play::Delivery;
use broadside_proto::v1::{IllegalMoveReason, RejectedReason, Termination, log_entry::Entry};
use broadside_rules::{Seat, Variant};

use crate::{
    moves,
    table::{MS, Setup, Table, at},
};

const ONE: Seat = Seat::One;

fn handed(strikes: u32) -> Table {
    let table = Setup::of(Variant::Classic).strikes(strikes).battle();
    table.hand(ONE, 0);
    table
}

#[test]
fn a_late_answer_is_a_time_loss_however_bad_it_is_otherwise() {
    for strikes in [0, 3] {
        let mut answers = moves::unreadable(Variant::Classic);
        answers.push(Some(handed(0).illegal(ONE)));
        for action in answers {
            let mut table = handed(strikes);
            let step = table.answer(ONE, action, 405 * MS + 1);
            let [Delivery::Rejected(ONE, rejected), Delivery::End] = &step.deliveries[..] else {
                panic!("{step:?}");
            };
            assert_eq!(rejected.reason(), RejectedReason::Late);
            table.assert_lost(ONE, Termination::Time);
        }
    }
}

#[test]
fn a_late_error_of_an_agent_is_a_time_loss() {
    let mut table = handed(0);
    let turn_id = table.turn(ONE, 0).unwrap().turn_id;
    table.give(|machine| machine.answer_failed(ONE, turn_id, "oh", at(405 * MS + 1)));
    table.assert_lost(ONE, Termination::Time);

    let mut table = handed(0);
    table.give(|machine| machine.answer_failed(ONE, turn_id, "oh", at(405 * MS)));
    table.assert_lost(ONE, Termination::IllegalMoves);
}

#[test]
fn an_illegal_answer_at_the_deadline_is_an_illegal_move_and_no_time_loss() {
    let mut table = handed(0);
    let action = table.illegal(ONE);
    table.answer(ONE, action, 405 * MS);
    table.assert_lost(ONE, Termination::IllegalMoves);
}

#[test]
fn what_cannot_be_read_is_refused_as_such_even_when_it_would_be_out_of_turn_too() {
    // A shot in the deployment, at no cell.
    let mut table = Setup::of(Variant::Classic).started();
    table.hand(ONE, 0);
    let reason = |table: &mut Table, row| {
        table.answer(ONE, moves::shot(Variant::Classic, row, 1), 0);
        let Entry::Refused(refused) = table.last() else {
            panic!("{:?}", table.last());
        };
        refused.illegal_move.as_ref().unwrap().reason()
    };
    assert_eq!(reason(&mut table, 0), IllegalMoveReason::OffGrid);
    assert_eq!(reason(&mut table, 1), IllegalMoveReason::OutOfTurn);
}

#[test]
fn who_is_gone_for_too_long_is_disconnected_even_when_its_time_is_over_too() {
    let mut table = handed(3);
    table.lose(ONE, 10 * MS);
    table.tick(60_000 * MS);
    table.assert_lost(ONE, Termination::Disconnected);
}

#[test]
fn a_connection_lost_does_not_undo_an_answer_read_before() {
    let mut table = handed(3);
    let action = table.legal(ONE);
    table.lose(ONE, 10 * MS);
    table.answer(ONE, action, 9 * MS);
    assert!(
        matches!(table.last(), Entry::Accepted(_)),
        "{:?}",
        table.last()
    );
}
