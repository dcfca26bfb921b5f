//! Dealt fleets are legal, and every legal fleet is as likely as any other.
#![allow(
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test fails by panicking"
)]

mod common;

use std::collections::HashMap;

use broadside_rules::naval::{
    Cell, CellSet, Deployment, FleetEntry, Orientation, PlacedShip, Ruleset, ShipClass, deal,
    naumachia,
};
use common::{naval_options, rng};

#[test]
fn dealt_fleets_are_legal_in_every_variant_and_reach_every_edge() {
    let mut rng = rng(1);
    for options in naval_options() {
        let rules = options.ruleset();
        let mut covered = CellSet::EMPTY;
        for _ in 0..200 {
            let dealt = deal(rules, &mut rng).unwrap();
            let checked = Deployment::new(rules, dealt.ships(), dealt.berth());
            assert_eq!(checked.as_ref(), Ok(&dealt));
            for hull in dealt.hulls() {
                covered |= hull;
            }
        }
        assert_eq!(covered, CellSet::ALL, "{options:?}");
    }
}

/// How often each fleet of `fleet` was dealt in `deals`, by its cells.
fn histogram(fleet: &'static [FleetEntry], deals: u32) -> HashMap<Vec<Vec<u8>>, u32> {
    let rules = Ruleset {
        fleet,
        ..naumachia::RULES
    };
    let mut rng = rng(2);
    let mut counts = HashMap::new();
    for _ in 0..deals {
        let dealt = deal(&rules, &mut rng).unwrap();
        let hulls = dealt.hulls();
        let key = hulls.map(|hull| hull.iter().map(|cell| cell.number()).collect());
        *counts.entry(key.collect()).or_default() += 1;
    }
    counts
}

/// Asserts that `fleets` fleets came up evenly: chi-squared within six standard deviations.
fn assert_even(counts: &HashMap<Vec<Vec<u8>>, u32>, fleets: usize, deals: u32) {
    assert_eq!(counts.len(), fleets);
    let expected = f64::from(deals) / fleets as f64;
    let chi_squared: f64 = counts
        .values()
        .map(|&count| (f64::from(count) - expected).powi(2) / expected)
        .sum();
    let freedom = fleets as f64 - 1.0;
    assert!(
        (chi_squared - freedom).abs() < 6.0 * (2.0 * freedom).sqrt(),
        "{chi_squared}"
    );
}

#[test]
fn a_ship_of_one_cell_lies_on_each_cell_as_often() {
    const FLEET: [FleetEntry; 1] = [FleetEntry::new(ShipClass::TorpedoBoat, 1, 1)];
    assert_even(&histogram(&FLEET, 20_000), 100, 20_000);
}

#[test]
fn both_orientations_and_all_places_come_as_often() {
    const FLEET: [FleetEntry; 1] = [FleetEntry::new(ShipClass::Cruiser, 3, 1)];
    assert_even(&histogram(&FLEET, 32_000), 160, 32_000);
}

/// Two ships as long as the grid, not in contact: 72 ordered pairs of rows, as many of columns.
#[test]
fn fleets_that_clash_are_drawn_anew_as_a_whole() {
    const FLEET: [FleetEntry; 1] = [FleetEntry::new(ShipClass::Battleship, 10, 2)];
    assert_even(&histogram(&FLEET, 28_800), 144, 28_800);
}

/// Two long ships: drawing only the second again on a clash would favour those places of the first
/// that leave it the least room.
#[test]
fn the_room_that_a_ship_leaves_to_the_next_does_not_matter() {
    const FLEET: [FleetEntry; 2] = [
        FleetEntry::new(ShipClass::Battleship, 9, 1),
        FleetEntry::new(ShipClass::Cruiser, 8, 1),
    ];
    let rules = Ruleset {
        fleet: &FLEET,
        ..naumachia::RULES
    };
    let places = |class| {
        let all = Cell::all().flat_map(move |cell| {
            [Orientation::Horizontal, Orientation::Vertical].map(|orientation| PlacedShip {
                class,
                cell,
                orientation,
            })
        });
        all.collect::<Vec<_>>()
    };
    let cruisers = places(ShipClass::Cruiser);
    let fleets = places(ShipClass::Battleship)
        .into_iter()
        .flat_map(|one| cruisers.iter().map(move |&two| [one, two]))
        .filter(|fleet| Deployment::new(&rules, fleet, None).is_ok())
        .count();
    let deals = 50 * fleets as u32;
    assert_even(&histogram(&FLEET, deals), fleets, deals);
}

#[test]
fn fault_39_a_fleet_for_which_there_is_no_room_is_given_up() {
    const FLEET: [FleetEntry; 1] = [FleetEntry::new(ShipClass::Battleship, 10, 6)];
    let rules = Ruleset {
        fleet: &FLEET,
        ..naumachia::RULES
    };
    assert_eq!(deal(&rules, &mut rng(3)), None);
}
