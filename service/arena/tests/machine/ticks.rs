//! When the machine is to be ticked: a timer armed for the moment that it names changes nothing against ticking always.

use broadside_rules::{Seat, Variant};
use proptest::prelude::*;

use crate::{
    script::Ticking,
    table::{MS, Setup},
    world::{PATIENCE, fast_match, manners, variants},
};

const ONE: Seat = Seat::One;
const TWO: Seat = Seat::Two;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn a_match_ticked_when_it_asks_goes_as_one_ticked_every_microsecond(
        seed in any::<u64>(), variant in variants(), manners in manners()
    ) {
        let (script, course) = fast_match(seed, variant, manners);
        prop_assert_eq!(script.run(Ticking::Always, PATIENCE), course);
    }

    #[test]
    fn ticks_in_between_change_nothing(
        seed in any::<u64>(), variant in variants(), manners in manners(), every in 1..5_000_u64
    ) {
        let (script, course) = fast_match(seed, variant, manners);
        prop_assert_eq!(script.run(Ticking::Besides(every), PATIENCE), course);
    }
}

#[test]
fn a_tick_that_comes_early_changes_nothing() {
    for variant in Variant::ALL {
        let mut table = Setup::of(variant).started();
        let before = table.state();
        table.hand(ONE, 1);
        let handed = table.state();
        assert_ne!(before, handed);
        let next = table.next_tick().unwrap();
        for us in (0..next).step_by(997) {
            table.tick(us);
        }
        table.tick(next - 1);
        assert_eq!(table.state(), handed);
    }
}

#[test]
fn the_first_of_all_that_may_happen_is_waited_for() {
    let setup = Setup::of(Variant::Classic)
        .grace(600 * MS)
        .delivery(700 * MS);
    let mut table = setup.time(|time| time.deployment_us = 900 * MS).started();
    assert_eq!(
        table.next_tick(),
        Some(700 * MS),
        "neither has read its turn"
    );
    table.hand(TWO, 0);
    assert_eq!(
        table.next_tick(),
        Some(700 * MS),
        "one has not read its turn"
    );
    table.hand(ONE, 0);
    let deadline = table.next_tick().unwrap();
    assert!(deadline > 905 * MS, "both have their time: {deadline}");
    table.lose(TWO, 100 * MS);
    assert_eq!(table.next_tick(), Some(700 * MS), "seat 2 has its grace");
    table.lose(ONE, 50 * MS);
    assert_eq!(table.next_tick(), Some(650 * MS), "seat 1 has less of it");
    table.back(ONE, 60 * MS);
    table.back(TWO, 110 * MS);
    assert_eq!(table.next_tick(), Some(deadline));
    table.play(ONE, 0, 200 * MS);
    assert_eq!(table.next_tick(), Some(deadline));
    table.play(TWO, 0, 200 * MS);
    assert!(
        table.next_tick().unwrap() <= 900 * MS,
        "the battle's first turn"
    );
}

#[test]
fn a_seat_that_is_not_to_move_is_waited_for_only_when_it_is_gone() {
    let mut table = Setup::of(Variant::Abalone).started();
    table.hand(ONE, 0);
    let deadline = table.next_tick();
    table.lose(TWO, 0);
    assert!(table.next_tick() <= deadline.max(Some(3_000 * MS)));
    table.play(ONE, 0, 0);
    assert!(
        table.next_tick() <= Some(3_000 * MS),
        "its grace, or the turn that may still be on its way to it"
    );
}

#[test]
fn a_turn_that_is_not_read_is_waited_for_without_haste() {
    let mut table = Setup::of(Variant::Abalone).started();
    let (mut now, mut ticks) = (0, 0);
    while table.outcome().is_none() {
        let next = table.next_tick_after(now).unwrap();
        assert!(next > now, "it asks to be ticked at {next}, again");
        now = next;
        ticks += 1;
        table.tick(now);
    }
    assert_eq!(now, 10_000 * MS);
    assert!(ticks < 50, "{ticks} ticks");
}

#[test]
fn a_turn_handed_over_while_the_connection_counts_as_lost_is_on_the_clock() {
    let mut table = Setup::of(Variant::Abalone).grace(3_000 * MS).started();
    table.lose(ONE, 10);
    let armed = table.next_tick_after(10).unwrap();
    table.hand(ONE, 20);
    assert!(armed <= table.next_tick_after(20).unwrap());
}
