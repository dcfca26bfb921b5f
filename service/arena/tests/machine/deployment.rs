//! Both seats deploy at the same time: the fault of one ends the match only when the other is done, and the faults of
//! both make no result.

use broadside_arena::play::{Delivery, Step};
use broadside_proto::v1::{self, MatchResult, RejectedReason, Termination, log_entry::Entry};
use broadside_rules::{Seat, Seats, Variant};

use crate::{
    record::assert_verifies,
    table::{MS, Setup, Table, assert_only_rejected, at, win_of},
};

/// What a seat does with its deployment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Act {
    Deploys,
    /// Has more moves refused than it may.
    BreaksRules,
    /// Never answers.
    IsSilent,
    /// Answers after its deadline.
    IsLate,
    /// Loses its connection for good.
    Leaves,
    /// Loses its connection for good before it has read its turn.
    LeavesUnasked,
    /// Never reads its turn.
    DoesNotRead,
}

use Act::{BreaksRules, Deploys, DoesNotRead, IsLate, IsSilent, Leaves, LeavesUnasked};

const ACTS: [Act; 7] = [
    Deploys,
    BreaksRules,
    IsSilent,
    IsLate,
    Leaves,
    LeavesUnasked,
    DoesNotRead,
];

impl Act {
    fn termination(self) -> Option<Termination> {
        match self {
            Deploys => None,
            BreaksRules => Some(Termination::IllegalMoves),
            IsSilent | IsLate => Some(Termination::Time),
            Leaves | LeavesUnasked | DoesNotRead => Some(Termination::Disconnected),
        }
    }

    /// Does it from `now` on; the moment when it is done.
    fn act(self, table: &mut Table, seat: Seat, now: u64) -> (u64, Step) {
        match self {
            Deploys => (now, table.play(seat, now, now)),
            BreaksRules => {
                table.hand(seat, now);
                for _ in 0..table.spec.strikes {
                    let action = table.illegal(seat);
                    table.answer(seat, action, now);
                }
                let action = table.illegal(seat);
                (now, table.answer(seat, action, now))
            }
            IsSilent => {
                table.hand(seat, now);
                until_given_up(table, seat, now)
            }
            IsLate => {
                table.hand(seat, now);
                let late = now + 2_005 * MS + 1;
                let action = table.legal(seat);
                (late, table.answer(seat, action, late))
            }
            Leaves => {
                table.hand(seat, now);
                table.lose(seat, now);
                until_given_up(table, seat, now)
            }
            LeavesUnasked => {
                table.lose(seat, now);
                until_given_up(table, seat, now)
            }
            DoesNotRead => until_given_up(table, seat, now),
        }
    }
}

/// Ticks every millisecond until the seat is not asked any more, or the match is over.
fn until_given_up(table: &mut Table, seat: Seat, now: u64) -> (u64, Step) {
    for ms in 0..100_000 {
        let step = table.tick(now + ms * MS);
        if table.machine.turn(seat, false, at(now)).is_none() {
            return (now + ms * MS, step);
        }
    }
    panic!("{seat} is asked for ever");
}

/// A match in which `first` is done with its deployment long before the other begins with its own.
fn setup(variant: Variant, acts: [Act; 2]) -> Setup {
    // Grace before the deadline; and the one who does not read gives up before the other is blamed for it.
    let delivery = if acts.contains(&DoesNotRead) {
        40_000
    } else {
        900_000
    };
    Setup::of(variant).grace(1_500 * MS).delivery(delivery * MS)
}

#[test]
fn the_fault_of_one_ends_the_match_when_the_other_is_done_and_that_of_both_makes_no_result() {
    for variant in Variant::ALL {
        if variant == Variant::Abalone {
            continue;
        }
        for first_act in ACTS {
            for second_act in ACTS {
                for first in Seat::ALL {
                    if first_act == DoesNotRead && second_act != DoesNotRead {
                        // Then the other has to be done first, or it does not read either.
                        continue;
                    }
                    case(variant, first, [first_act, second_act]);
                }
            }
        }
    }
}

fn case(variant: Variant, first: Seat, acts: [Act; 2]) {
    let second = first.other();
    let mut table = setup(variant, acts).started();
    let case = format!(
        "{variant}: {first} {:?}, then {second} {:?}",
        acts[0], acts[1]
    );
    let (done, step) = acts[0].act(&mut table, first, 0);
    let ends_together = acts == [DoesNotRead; 2];
    if !ends_together {
        assert_eq!(table.outcome(), None, "{case}");
        assert_eq!(table.turn(first, done), None, "{case}");
        let turn = table.turn(second, done).expect("the other still deploys");
        assert_eq!(turn.phase(), v1::Phase::Deployment, "{case}");
        let told_other = step.deliveries.iter().any(|delivery| {
            use broadside_arena::play::Delivery::{End, Start, Turn};
            matches!(delivery, End) || *delivery == Start(second) || *delivery == Turn(second)
        });
        assert!(!told_other, "{case}: {step:?}");
        acts[1].act(&mut table, second, done + 1);
    }
    match acts.map(Act::termination) {
        [None, None] => {
            assert_eq!(table.outcome(), None, "{case}");
            let turn = table.turn(Seat::One, 0).expect("seat 1 begins");
            assert_eq!(turn.phase(), v1::Phase::Battle, "{case}");
        }
        [Some(why), None] => table.assert_lost(first, why),
        [None, Some(why)] => table.assert_lost(second, why),
        [Some(one), Some(other)] => {
            let why = table.outcome().expect(&case).termination();
            assert!(why == one || why == other, "{case}: {why:?}");
            table.assert_ended(MatchResult::Void, why, None);
        }
    }
}

#[test]
fn both_out_of_time_at_once_make_no_result() {
    let mut table = Setup::of(Variant::Naumachia).started();
    for seat in Seat::ALL {
        table.hand(seat, 0);
    }
    table.tick(table.next_tick().unwrap());
    table.assert_ended(MatchResult::Void, Termination::Time, None);
    let Entry::Ended(ended) = table.last() else {
        panic!("{:?}", table.last());
    };
    assert!(ended.seat_one_timing.is_some() && ended.seat_two_timing.is_some());
}

#[test]
fn both_disconnected_for_too_long_make_no_result() {
    for first in Seat::ALL {
        let mut table = Setup::of(Variant::Classic).grace(1_000 * MS).started();
        table.lose(first, 10);
        table.lose(first.other(), 20);
        table.tick(1_000 * MS + 10);
        assert_eq!(table.outcome(), None);
        table.tick(1_000 * MS + 20);
        table.assert_ended(MatchResult::Void, Termination::Disconnected, None);
    }
}

#[test]
fn who_comes_back_in_time_still_has_to_deploy_before_it_wins() {
    for first in Seat::ALL {
        let other = first.other();
        let mut table = Setup::of(Variant::Classic).grace(1_000 * MS).started();
        table.lose(first, 10);
        table.lose(other, 20);
        table.tick(1_000 * MS + 10);
        assert_eq!(
            table.back(other, 1_000 * MS + 19).deliveries,
            [Delivery::Turn(other)]
        );
        assert_eq!(table.outcome(), None);
        table.play(other, 1_001 * MS, 1_500 * MS);
        table.assert_lost(first, Termination::Disconnected);
    }
}

#[test]
fn a_time_loss_in_the_deployment_can_be_recomputed_from_the_record_too() {
    for late in Seat::ALL {
        let mut table = Setup::of(Variant::Classic).started();
        table.hand(late, 30 * MS);
        table.tick(table.next_tick_after(30 * MS).unwrap());
        table.play(late.other(), 2_100 * MS, 2_200 * MS);
        table.assert_lost(late, Termination::Time);
        let timing = table.timing().expect("the stamps of the turn");
        assert_eq!((timing.handed_us, timing.answered_us), (30 * MS, 0));
    }
}

#[test]
fn an_answer_that_comes_after_its_seats_time_is_told_that_it_is_late() {
    for late in Seat::ALL {
        let mut table = Setup::of(Variant::Classic).started();
        let turn = table.hand(late, 30 * MS);
        table.tick(table.next_tick_after(30 * MS).unwrap());
        let fleet = table.spec.dealt_fleet(late);
        let before = table.state();
        let step = table.answer_to(turn.turn_id, Seats::only(late), fleet, 2_100 * MS);
        let (seat, rejected) = assert_only_rejected(&step);
        assert_eq!((seat, rejected.reason()), (late, RejectedReason::Late));
        assert_eq!(table.state(), before);
    }
}

#[test]
fn a_seat_that_has_deployed_and_is_gone_for_too_long_still_lets_the_other_deploy_and_win() {
    for seat in Seat::ALL {
        let mut table = Setup::of(Variant::Classic).grace(1_000 * MS).started();
        table.hand(seat.other(), 0);
        table.play(seat, 0, 0);
        table.lose(seat, 0);
        table.tick(1_000 * MS);
        assert_eq!(table.outcome(), None);
        table.play(seat.other(), 0, 1_500 * MS);
        table.assert_lost(seat, Termination::Disconnected);
    }
}

#[test]
fn who_has_deployed_and_comes_back_in_time_wins_when_the_other_is_gone_for_good() {
    for seat in Seat::ALL {
        let mut table = Setup::of(Variant::Classic).grace(1_000 * MS).started();
        table.play(seat, 1, 1);
        table.lose(seat.other(), 2);
        table.lose(seat, 500 * MS);
        table.tick(1_000 * MS + 2);
        assert_eq!(table.outcome(), None, "{seat} may still come back");
        table.back(seat, 1_200 * MS);
        table.assert_lost(seat.other(), Termination::Disconnected);
        assert_verifies(&table.spec, &table.log);
    }
}

#[test]
fn a_fault_in_the_deployment_shows_the_other_seat_nothing() {
    let quiet = |break_rules: bool| {
        let mut table = Setup::of(Variant::Naumachia).started();
        table.hand(Seat::Two, 0);
        if break_rules {
            table.hand(Seat::One, 0);
            let action = table.illegal(Seat::One);
            let step = table.answer(Seat::One, action, 5);
            assert!(step.deliveries.is_empty(), "{step:?}");
        }
        table.turn(Seat::Two, 10)
    };
    assert_eq!(quiet(true), quiet(false));
}

#[test]
fn a_seat_at_fault_that_comes_back_is_not_asked_again() {
    let mut table = Setup::of(Variant::Naumachia).started();
    table.hand(Seat::One, 0);
    let action = table.illegal(Seat::One);
    table.answer(Seat::One, action, 5);
    assert!(table.lose(Seat::One, 6).log.is_empty());
    assert!(table.back(Seat::One, 7).deliveries.is_empty());
    let legal = table.spec.dealt_fleet(Seat::One);
    let before = table.state();
    let step = table.answer_to(1, Seats::only(Seat::One), legal, 8);
    let (_, rejected) = assert_only_rejected(&step);
    assert_ne!(rejected.reason(), RejectedReason::AlreadyAnswered);
    assert_eq!(table.state(), before);
    table.play(Seat::Two, 8, 9);
    table.assert_ended(
        win_of(Seat::Two),
        Termination::IllegalMoves,
        Some(Seat::One),
    );
}

#[test]
fn who_has_deployed_first_is_not_told_to_the_other() {
    for seat in Seat::ALL {
        let mut table = Setup::of(Variant::Classic).started();
        let before = table.hand(seat, 0);
        table.play(seat.other(), 0, 0);
        let after = table.turn(seat, 0).unwrap();
        assert_eq!(before, after);
    }
}

#[test]
fn the_battle_begins_only_when_both_have_deployed() {
    for last in Seat::ALL {
        let mut table = Setup::of(Variant::Classic).started();
        let step = table.play(last.other(), 0, 0);
        assert_eq!(step.deliveries.len(), 1, "accepted, and no turn: {step:?}");
        let action = table.legal(last);
        table.hand(last, 0);
        table.answer(last, action, 500 * MS);
        let turn = table.turn(Seat::One, 500 * MS).unwrap();
        assert_eq!(turn.phase(), v1::Phase::Battle);
        assert_eq!(table.turn(Seat::Two, 0), None);
    }
}
