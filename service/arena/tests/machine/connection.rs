//! Who is never there, goes and stays away, or does not read.

use broadside_arena::play::Delivery;
use broadside_proto::v1::{MatchResult, Termination};
use broadside_rules::{Seat, Seats, Variant};

use crate::table::{MS, Setup, Table, at};

const ONE: Seat = Seat::One;
const TWO: Seat = Seat::Two;

#[test]
fn agents_that_never_connect_lose_and_both_of_them_make_no_result() {
    let never = |absent| {
        let mut table = Setup::of(Variant::Classic).waiting();
        table.give(|machine| {
            let why = ["did not connect", "could not be reached"].map(str::to_owned);
            machine.never_connected(absent, why, at(60_000 * MS));
        });
        table
    };
    for seat in Seat::ALL {
        let mut table = never(Seats::only(seat));
        table.assert_lost(seat, Termination::NeverConnected);
    }
    let mut both = never(Seats::BOTH);
    both.assert_ended(MatchResult::Void, Termination::NeverConnected, None);
    let message = &both.outcome().unwrap().message;
    assert!(
        message.contains("did not connect") && message.contains("could not be reached"),
        "{message}"
    );
    assert_eq!(never(Seats::NONE).outcome(), None);
}

#[test]
fn a_seat_that_is_disconnected_for_the_whole_grace_loses_and_not_before() {
    for seat in Seat::ALL {
        for mover in Seat::ALL {
            let setup = Setup::of(Variant::Classic).time(|time| time.turn_cap_us = None);
            let setup = setup.time(|time| time.budget_us = Some(10_000 * MS));
            let mut table = setup.battle_turn_of(mover);
            table.lose(seat, 100 * MS);
            assert_eq!(table.next_tick(), Some(3_100 * MS));
            table.tick(3_100 * MS - 1);
            assert_eq!(table.outcome(), None);
            table.tick(3_100 * MS);
            table.assert_lost(seat, Termination::Disconnected);
        }
    }
}

#[test]
fn a_seat_that_comes_back_within_the_grace_plays_on() {
    for seat in Seat::ALL {
        let setup = Setup::of(Variant::Classic).time(|time| time.turn_cap_us = None);
        let mut table = setup
            .time(|time| time.budget_us = Some(60_000 * MS))
            .battle();
        table.hand(ONE, 0);
        for round in 0..5 {
            let lost = (1 + round * 4_000) * MS;
            table.lose(seat, lost);
            table.tick(lost + 3_000 * MS - 1);
            table.back(seat, lost + 3_000 * MS - 1);
            table.tick(lost + 3_000 * MS);
        }
        assert_eq!(table.outcome(), None);
        table.play(ONE, 0, 20_000 * MS);
        assert!(table.turn(TWO, 0).is_some());
    }
}

/// Seat 1 is to move; `first` is gone from 0, the other from 2 s, and the first's grace is over.
fn both_gone(first: Seat) -> Table {
    let setup = Setup::of(Variant::Classic).time(|time| time.turn_cap_us = None);
    let mut table = setup
        .time(|time| time.budget_us = Some(60_000 * MS))
        .battle();
    table.hand(ONE, 0);
    table.lose(first, 0);
    table.lose(first.other(), 2_000 * MS);
    assert_eq!(table.next_tick(), Some(3_000 * MS));
    table.tick(3_000 * MS);
    table
}

#[test]
fn nobody_wins_when_both_are_disconnected_for_too_long() {
    for first in Seat::ALL {
        let mut table = both_gone(first);
        assert_eq!(table.next_tick(), Some(5_000 * MS));
        table.tick(5_000 * MS - 1);
        assert_eq!(table.outcome(), None);
        table.tick(5_000 * MS);
        table.assert_ended(MatchResult::Void, Termination::Disconnected, None);
    }
}

#[test]
fn who_comes_back_within_its_grace_wins_when_the_other_did_not() {
    for first in Seat::ALL {
        let mut table = both_gone(first);
        assert_eq!(table.outcome(), None);
        let step = table.back(first.other(), 5_000 * MS - 1);
        assert_eq!(step.deliveries, [Delivery::End]);
        table.assert_lost(first, Termination::Disconnected);
    }
}

#[test]
fn who_comes_back_after_its_grace_has_lost_though_the_other_is_still_away() {
    for first in Seat::ALL {
        let mut table = both_gone(first);
        assert_eq!(table.back(first, 3_500 * MS).deliveries, []);
        assert_eq!(table.outcome(), None);
        table.back(first.other(), 4_000 * MS);
        table.assert_lost(first, Termination::Disconnected);
    }
}

#[test]
fn who_does_not_read_its_turn_off_the_connection_loses_as_disconnected() {
    for seat in Seat::ALL {
        let mut table = Setup::of(Variant::Classic).battle();
        if seat == TWO {
            table.play(ONE, 0, 0);
        }
        table.tick(10_000 * MS - 1);
        assert_eq!(table.outcome(), None);
        table.tick(10_000 * MS);
        table.assert_lost(seat, Termination::Disconnected);
    }
}

#[test]
fn who_was_disconnected_before_it_read_its_turn_has_time_to_read_it_after_its_return() {
    for seat in Seat::ALL {
        let mut table = Setup::of(Variant::Classic)
            .grace(9_000 * MS)
            .delivery(6_000 * MS)
            .battle();
        if seat == TWO {
            table.play(ONE, 0, 0);
        }
        table.lose(seat, 1_000 * MS);
        table.tick(8_000 * MS);
        assert_eq!(
            table.back(seat, 9_000 * MS).deliveries,
            [Delivery::Turn(seat)]
        );
        table.tick(9_001 * MS);
        assert_eq!(table.outcome(), None);
        table.tick(15_000 * MS - 1);
        assert_eq!(table.hand(seat, 15_000 * MS - 1).time_left_us, 400 * MS);
        table.tick(15_000 * MS);
        assert_eq!(table.outcome(), None);
    }
}

#[test]
fn a_seat_that_is_gone_for_good_does_not_win_by_the_resignation_of_the_other() {
    let setup = Setup::of(Variant::Classic).time(|time| time.turn_cap_us = None);
    let setup = setup.time(|time| time.budget_us = Some(60_000 * MS));
    let mut table = setup.battle_turn_of(Seat::One);
    table.lose(Seat::One, 0);
    table.lose(Seat::Two, 2_000 * MS);
    table.tick(3_000 * MS);
    table.resign(
        Seats::only(Seat::Two),
        broadside_proto::v1::Seat::Unspecified,
        3_001 * MS,
    );
    assert_eq!(table.outcome().unwrap().result(), MatchResult::Void);
}

#[test]
fn the_wait_of_an_answer_in_the_arenas_queue_is_not_taken_off_the_next_seats_time_to_read() {
    let mut table = Setup::of(Variant::Abalone).delivery(5_000 * MS).started();
    table.hand(Seat::One, 10);
    let action = table.legal(Seat::One);
    // Read at 20 us, and taken out of the queue six seconds later.
    table.answer(Seat::One, action, 20);
    table.give(|machine| machine.sent(Seat::Two, at(6_000 * MS)));
    table.tick(6_000 * MS);
    assert_eq!(table.outcome(), None);
    table.tick(11_000 * MS);
    assert_eq!(
        table.outcome().unwrap().termination(),
        Termination::Disconnected
    );
}

#[test]
fn a_match_that_has_started_is_not_ended_as_never_connected() {
    let mut table = Setup::of(Variant::Abalone).started();
    let why = [String::new(), String::new()];
    table.give(|machine| machine.never_connected(Seats::BOTH, why, at(5)));
    assert_eq!(table.outcome(), None);
}

#[test]
fn a_connection_lost_and_found_before_the_start_is_found() {
    let mut table = Setup::of(Variant::Abalone).waiting();
    table.lose(Seat::Two, 10);
    table.back(Seat::Two, 20);
    table.start(30);
    table.play(Seat::One, 30, 40);
    table.hand(Seat::Two, 50);
    table.tick(3_000 * MS + 10);
    let ended = table.outcome().map(|outcome| outcome.termination());
    assert_ne!(ended, Some(Termination::Disconnected));
}
