//! Every way in which a match ends, for both seats.

use broadside_arena::play::{Delivery, cancelled, platform_fault};
use broadside_proto::v1::{
    self, AbaloneDirection, Ending, MatchResult, RejectedReason, Termination, log_entry::Entry,
};
use broadside_rules::{
    Options, Seat, Seats, Variant,
    abalone::{self, Layout},
};

use crate::{
    moves,
    table::{MS, Setup, Table, assert_only_rejected, at, seat_message, win_of},
};

const ONE: Seat = Seat::One;
const TWO: Seat = Seat::Two;

fn only(seat: Seat) -> Seats {
    Seats::only(seat)
}

/// A short match of abalone, in which each side may eject a marble at its first move.
fn short(max_plies: u32) -> Table {
    let rows = [
        "..wwb",
        "......",
        "wwww...",
        "........",
        ".........",
        "........",
        "bbbb...",
        "......",
        "..bbw",
    ];
    let layout = Layout::custom(&rows).unwrap();
    let options = abalone::Options::new(layout, max_plies, 0).unwrap();
    Setup::of(Variant::Abalone)
        .options(Options::Abalone(options))
        .started()
}

fn eject(table: &mut Table, seat: Seat) {
    let group = if seat == ONE {
        [(1, 3), (1, 4)]
    } else {
        [(9, 7), (9, 8)]
    };
    table.hand(seat, 0);
    table.answer(seat, moves::marbles(&group, AbaloneDirection::East), 0);
}

fn idle(table: &mut Table, seat: Seat) {
    let row = if seat == ONE { 3 } else { 7 };
    let number = if seat == ONE { 4 } else { 6 };
    table.hand(seat, 0);
    table.answer(seat, moves::marble(row, number, AbaloneDirection::East), 0);
}

#[track_caller]
fn assert_played(mut table: Table, winner: Option<Seat>, ending: Ending) {
    let (result, termination) = match winner {
        Some(seat) => (win_of(seat), Termination::WonByPlay),
        None => (MatchResult::Draw, Termination::DrawByRule),
    };
    assert_eq!(table.outcome().expect("an end").ending(), ending);
    table.assert_ended(result, termination, None);
}

#[test]
fn marbles_ejected_win_at_the_last_ply_for_either_seat_and_draw_when_equal() {
    let mut table = short(1);
    eject(&mut table, ONE);
    assert_played(table, Some(ONE), Ending::MaxPlies);

    let mut table = short(2);
    idle(&mut table, ONE);
    eject(&mut table, TWO);
    assert_played(table, Some(TWO), Ending::MaxPlies);

    let mut table = short(2);
    eject(&mut table, ONE);
    eject(&mut table, TWO);
    assert_played(table, None, Ending::MaxPlies);
}

#[test]
fn the_same_position_for_the_third_time_is_a_draw() {
    let mut table = Setup::of(Variant::Abalone).started();
    let mut step = |seat, row, number, direction| {
        assert_eq!(table.outcome(), None);
        table.hand(seat, 0);
        table.answer(seat, moves::marble(row, number, direction), 0);
    };
    for _ in 0..2 {
        step(ONE, 3, 5, AbaloneDirection::East);
        step(TWO, 7, 5, AbaloneDirection::West);
        step(ONE, 3, 6, AbaloneDirection::West);
        step(TWO, 7, 4, AbaloneDirection::East);
    }
    assert_played(table, None, Ending::Repetition);
}

#[test]
fn a_match_whose_first_player_cannot_move_is_over_as_it_starts() {
    let rows = "...../.....w/......w/......wb/....ww.wb/...wbwwb/...wwbb/wwwbbb/bbbbb";
    let layout = Layout::custom(&rows.split('/').collect::<Vec<_>>()).unwrap();
    let options = abalone::Options::new(layout, 400, 3).unwrap();
    let setup = Setup::of(Variant::Abalone).options(Options::Abalone(options));
    let mut table = setup.waiting();
    let step = table.start(0);
    assert_eq!(
        step.deliveries,
        [Delivery::Start(ONE), Delivery::Start(TWO), Delivery::End]
    );
    assert_played(table, Some(TWO), Ending::NoLegalMove);
}

/// Classic, in which one seat always hits and the other fires at water for as long as it can.
fn sink_everything(winner: Seat) -> (Table, Vec<Delivery>) {
    let mut table = Setup::of(Variant::Classic).battle();
    let fleet = |seat| {
        let mut fleet = table.spec.dealt_fleet(seat).unwrap();
        moves::classic_cells(moves::fleet_mut(&mut fleet).unwrap())
    };
    let mut hits = fleet(winner.other()).into_iter();
    let ships = fleet(winner);
    let mut misses = (1..=10)
        .flat_map(|row| (1..=10).map(move |column| (row, column)))
        .filter(|cell| !ships.contains(cell));
    loop {
        let seat = if table.turn(ONE, 0).is_some() {
            ONE
        } else {
            TWO
        };
        let (row, column) = if seat == winner {
            hits.next()
        } else {
            misses.next()
        }
        .unwrap();
        table.hand(seat, 0);
        let step = table.answer(seat, moves::shot(Variant::Classic, row, column), 0);
        if table.outcome().is_some() {
            assert_eq!(hits.next(), None, "the last shot, and no earlier one");
            return (table, step.deliveries);
        }
    }
}

#[test]
fn a_fleet_sunk_wins_at_that_very_shot_for_either_seat() {
    for winner in Seat::ALL {
        let (table, told) = sink_everything(winner);
        let [Delivery::Accepted(seat, _, news), Delivery::End] = told.as_slice() else {
            panic!("the winning shot is answered, then the match ends: {told:?}");
        };
        assert_eq!(*seat, winner);
        for seat in Seat::ALL {
            let end = table.machine.match_end(seat);
            assert_eq!(end.outcome.as_ref(), table.outcome());
            assert_eq!(end.events.last(), Some(&news.event));
            let reveal = end.reveal.expect("all is shown");
            assert!(reveal.seat_one_fleet.is_some() && reveal.seat_two_fleet.is_some());
        }
        assert_played(table, Some(winner), Ending::FleetSunk);
    }
}

#[test]
fn one_illegal_move_more_than_the_strikes_loses() {
    for seat in Seat::ALL {
        for strikes in 0..=5 {
            let setup = Setup::of(Variant::Classic).strikes(strikes);
            let mut table = setup.battle_turn_of(seat);
            let illegal = table.illegal(seat);
            for _ in 0..strikes {
                let step = table.answer(seat, illegal.clone(), 1);
                assert_eq!(step.deliveries, [Delivery::Turn(seat)]);
            }
            let step = table.answer(seat, illegal, 2);
            assert!(
                matches!(step.log[0].entry, Some(Entry::Refused(_))),
                "the last refusal is in the log too: {step:?}"
            );
            assert_eq!(step.deliveries, [Delivery::End]);
            table.assert_lost(seat, Termination::IllegalMoves);
        }
    }
}

#[test]
fn strikes_count_over_the_whole_match_and_for_each_seat_apart() {
    let mut table = Setup::of(Variant::Classic).strikes(3).started();
    for seat in Seat::ALL {
        table.hand(seat, 0);
        for action in moves::unreadable(Variant::Classic).into_iter().take(2) {
            table.answer(seat, action, 0);
        }
        table.play(seat, 0, 0);
    }
    for seat in Seat::ALL {
        table.hand(seat, 0);
        let action = table.illegal(seat);
        table.answer(seat, action, 0);
        assert_eq!(table.outcome(), None);
        table.play(seat, 0, 0);
    }
    table.hand(ONE, 0);
    let action = table.illegal(ONE);
    table.answer(ONE, action, 0);
    table.assert_lost(ONE, Termination::IllegalMoves);
}

#[test]
fn in_naumachia_the_first_broken_rule_loses() {
    for seat in Seat::ALL {
        for action in moves::unreadable(Variant::Naumachia) {
            let mut table = Setup::of(Variant::Naumachia).battle();
            if seat == TWO {
                // Whoever hits shoots again.
                while table.turn(TWO, 0).is_none() {
                    table.play(ONE, 0, 0);
                }
            }
            table.hand(seat, 0);
            table.answer(seat, action, 0);
            table.assert_lost(seat, Termination::IllegalMoves);
        }
    }
}

#[test]
fn a_turn_that_is_not_answered_in_time_loses() {
    for seat in Seat::ALL {
        for variant in Variant::ALL {
            let mut table = Setup::of(variant).battle();
            while table.turn(seat, 0).is_none() {
                table.play(seat.other(), 0, 0);
            }
            table.hand(seat, 0);
            let step = table.tick(table.next_tick().unwrap());
            assert_eq!(step.deliveries, [Delivery::End]);
            table.assert_lost(seat, Termination::Time);
        }
    }
}

#[test]
fn a_bot_resigns_in_turn_or_out_of_turn_and_may_leave_its_only_seat_unnamed() {
    for seat in Seat::ALL {
        for mover in Seat::ALL {
            for named in [seat_message(seat), v1::Seat::Unspecified] {
                let mut table = Setup::of(Variant::Classic).battle_turn_of(mover);
                let step = table.resign(only(seat), named, 5);
                assert_eq!(step.deliveries, [Delivery::End]);
                table.assert_lost(seat, Termination::Resigned);
            }
        }
    }
}

#[test]
fn a_bot_in_both_seats_resigns_the_one_that_it_names() {
    for seat in Seat::ALL {
        let mut table = Setup::of(Variant::Classic).battle_turn_of(ONE);
        let before = table.state();
        let step = table.resign(Seats::BOTH, v1::Seat::Unspecified, 5);
        let (_, rejected) = assert_only_rejected(&step);
        assert_eq!(rejected.reason(), RejectedReason::WrongSeat);
        assert_eq!(table.state(), before);
        table.resign(Seats::BOTH, seat_message(seat), 6);
        table.assert_lost(seat, Termination::Resigned);
    }
}

#[test]
fn nobody_resigns_the_opponents_seat() {
    for seat in Seat::ALL {
        let mut table = Setup::of(Variant::Classic).battle_turn_of(ONE);
        let before = table.state();
        let step = table.resign(only(seat), seat_message(seat.other()), 5);
        let (told, rejected) = assert_only_rejected(&step);
        assert_eq!((told, rejected.reason()), (seat, RejectedReason::WrongSeat));
        assert_eq!(table.state(), before);
    }
}

#[test]
fn a_match_is_cancelled_or_fails_at_any_time_and_that_is_nobodys_loss() {
    let waiting = || Setup::of(Variant::Classic).waiting();
    let deploying = || Setup::of(Variant::Classic).started();
    let half_deployed = || {
        let mut table = deploying();
        table.play(TWO, 0, 0);
        table
    };
    let half_lost = || {
        let mut table = Setup::of(Variant::Naumachia).started();
        table.hand(ONE, 0);
        table.answer(ONE, None, 0);
        table
    };
    let fighting = || Setup::of(Variant::Classic).battle_turn_of(TWO);
    let stages: [&dyn Fn() -> Table; 5] =
        [&waiting, &deploying, &half_deployed, &half_lost, &fighting];
    for stage in stages {
        for (end, termination, word) in [
            (
                cancelled("the hall closes"),
                Termination::Cancelled,
                "the hall closes",
            ),
            (cancelled(""), Termination::Cancelled, "cancelled"),
            (
                platform_fault("the disk is full"),
                Termination::PlatformFault,
                "the disk is full",
            ),
        ] {
            let mut table = stage();
            let step = table.give(|machine| machine.abandon(end, at(9)));
            assert_eq!(step.deliveries, [Delivery::End]);
            let message = &table.outcome().unwrap().message;
            assert!(message.contains(word), "{message}");
            table.assert_ended(MatchResult::Void, termination, None);
        }
    }
}

#[test]
fn what_ends_first_is_the_end() {
    let mut table = Setup::of(Variant::Classic).battle_turn_of(ONE);
    table.resign(only(ONE), v1::Seat::Unspecified, 5);
    table.resign(only(TWO), v1::Seat::Unspecified, 5);
    table.give(|machine| machine.abandon(cancelled("too late"), at(6)));
    table.tick(60_000 * MS);
    table.assert_lost(ONE, Termination::Resigned);
}

#[test]
fn a_seat_at_fault_does_not_win_by_the_resignation_of_the_other() {
    for broken in Seat::ALL {
        let mut table = Setup::of(Variant::Naumachia).started();
        table.hand(broken, 0);
        let action = table.illegal(broken);
        table.answer(broken, action, 5);
        table.resign(Seats::only(broken.other()), v1::Seat::Unspecified, 6);
        assert_eq!(table.outcome().unwrap().result(), MatchResult::Void);
    }
}
