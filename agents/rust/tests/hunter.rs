//! What the hunter does in positions made by hand.
#![allow(
    clippy::panic,
    clippy::unwrap_used,
    reason = "helpers of tests may stop the test"
)]

use broadside_agents::{Agent, Hunter, Seed};
use broadside_proto::v1::{
    self, AbaloneDirection, AbaloneView, AmiralAdvancedTargets, AmiralAdvancedView, Berth,
    ClassicTargets, ClassicView, NaumachiaTargets, NaumachiaView, OceanGrid, Orientation, OwnShip,
    Phase, PlacedShip, Route, Seat, ShipClass, Sinking, TargetGrid, Turn, View,
    amiral_advanced_move, berth, classic_move, r#move::Variant as Chosen, naumachia_move,
    view::Variant as Seen,
};

/// The answers of hunters with different seeds.
fn answers(phase: Phase, seen: &Seen) -> Vec<Chosen> {
    let turn = Turn {
        seat: Seat::One.into(),
        phase: phase.into(),
        view: Some(View {
            variant: Some(seen.clone()),
        }),
        ..Turn::default()
    };
    (0..50)
        .map(|seed| Hunter::new(Seed(seed)).choose(&turn))
        .map(|chosen| chosen.unwrap().variant.unwrap())
        .collect()
}

/// The cells that hunters fire at, as (row, column), in order and without repetition.
fn shots(seen: &Seen) -> Vec<(u32, u32)> {
    let mut cells: Vec<_> = answers(Phase::Battle, seen)
        .into_iter()
        .map(|chosen| {
            let shot = match chosen {
                Chosen::Classic(chosen) => match chosen.r#move {
                    Some(classic_move::Move::Shot(shot)) => shot,
                    other => panic!("no shot but {other:?}"),
                },
                Chosen::Naumachia(chosen) => match chosen.r#move {
                    Some(naumachia_move::Move::Shot(shot)) => shot,
                    other => panic!("no shot but {other:?}"),
                },
                other => panic!("no shot but {other:?}"),
            };
            let cell = shot.cell.unwrap();
            (cell.row, cell.column)
        })
        .collect();
    cells.sort_unstable();
    cells.dedup();
    cells
}

fn numbers(cells: &[(u32, u32)]) -> Vec<u32> {
    cells
        .iter()
        .map(|&(row, column)| 10 * (row - 1) + column)
        .collect()
}

fn grid(misses: &[(u32, u32)], hits: &[(u32, u32)]) -> Option<TargetGrid> {
    Some(TargetGrid {
        misses: numbers(misses),
        hits: numbers(hits),
    })
}

fn classic(grid: Option<TargetGrid>, hit_classes: &[ShipClass], sunk: &[Sinking]) -> Seen {
    Seen::Classic(ClassicView {
        ocean: None,
        targets: Some(ClassicTargets {
            grid,
            hit_classes: hit_classes.iter().map(|&class| class.into()).collect(),
            sunk: sunk.to_vec(),
            afloat: 5,
        }),
    })
}

#[test]
fn a_hit_is_followed_up_beside_it() {
    let beside = [(4, 5), (5, 4), (5, 6), (6, 5)];
    for cell in shots(&classic(grid(&[], &[(5, 5)]), &[], &[])) {
        assert!(beside.contains(&cell), "{cell:?}");
    }
}

#[test]
fn hits_in_a_line_are_followed_up_at_its_ends() {
    let seen = classic(grid(&[(5, 7)], &[(5, 5), (5, 6)]), &[], &[]);
    assert_eq!(shots(&seen), [(5, 4)]);
}

#[test]
fn a_ship_of_which_the_class_is_known_is_sought_only_where_it_fits() {
    // A carrier: there is no room for five in the column.
    let seen = classic(
        grid(&[(3, 5), (7, 5)], &[(5, 5)]),
        &[ShipClass::Carrier],
        &[],
    );
    for (row, _) in shots(&seen) {
        assert_eq!(row, 5);
    }
}

#[test]
fn hits_on_a_sunk_ship_are_not_followed_up() {
    let sunk = Sinking {
        ship_class: ShipClass::PatrolBoat.into(),
        hits: 2,
    };
    let hits = [(1, 1), (1, 2)];
    for hit_classes in [&[][..], &[ShipClass::PatrolBoat; 2]] {
        let cells = shots(&classic(grid(&[], &hits), hit_classes, &[sunk]));
        let beside = cells
            .iter()
            .filter(|cell| [(1, 3), (2, 1), (2, 2)].contains(cell));
        assert_eq!(beside.count(), 0, "{cells:?}");
    }
}

#[test]
fn the_hunt_keeps_to_the_parity_of_the_shortest_ship() {
    // The shots so far are on one colour, and one of the ships is of two cells.
    let misses: Vec<_> = (1..=10)
        .flat_map(|row| (1..=10).map(move |column| (row, column)))
        .filter(|(row, column)| (row + column) % 2 == 0 && *row != 5)
        .collect();
    for (row, column) in shots(&classic(grid(&misses, &[]), &[], &[])) {
        assert_eq!((row + column) % 2, 0, "({row}, {column})");
    }
}

#[test]
fn in_naumachia_no_ship_is_sought_beside_another() {
    // Only to the right may the ship that was hit go on.
    let seen = Seen::Naumachia(NaumachiaView {
        ocean: None,
        targets: Some(NaumachiaTargets {
            grid: grid(&[(5, 4)], &[(5, 5)]),
            sunk: Vec::new(),
            marked: numbers(&[(4, 5), (6, 5)]),
            afloat: 10,
        }),
    });
    assert_eq!(shots(&seen), [(5, 6)]);
}

fn arms() -> AmiralAdvancedTargets {
    AmiralAdvancedTargets {
        grid: grid(&[], &[]),
        afloat: 5,
        torpedoes_left: 3,
        submarine_in_play: true,
        shot_since_torpedo: true,
        ..AmiralAdvancedTargets::default()
    }
}

fn own(fired_at: &[(u32, u32)]) -> OceanGrid {
    OceanGrid {
        ships: vec![OwnShip {
            ship: Some(PlacedShip {
                ship_class: ShipClass::Carrier.into(),
                cell: Some(v1::Cell { row: 1, column: 1 }),
                orientation: Orientation::Horizontal.into(),
            }),
            sunk: false,
        }],
        fired_at: numbers(fired_at),
    }
}

/// What hunters do in amiral-advanced.
fn turns(targets: AmiralAdvancedTargets, ocean: OceanGrid) -> Vec<amiral_advanced_move::Move> {
    let seen = Seen::AmiralAdvanced(AmiralAdvancedView {
        ocean: Some(ocean),
        targets: Some(targets),
        berth: Some(Berth {
            edge: Some(berth::Edge::Letter(10)),
        }),
        enemy_targets: Some(AmiralAdvancedTargets {
            torpedoes_left: 2,
            ..arms()
        }),
    });
    answers(Phase::Battle, &seen)
        .into_iter()
        .map(|chosen| match chosen {
            Chosen::AmiralAdvanced(chosen) => chosen.r#move.unwrap(),
            other => panic!("of another variant: {other:?}"),
        })
        .collect()
}

#[test]
fn torpedoes_are_fired_from_the_berth_while_nothing_is_hit() {
    for chosen in turns(arms(), own(&[])) {
        let amiral_advanced_move::Move::Torpedo(torpedo) = chosen else {
            panic!("no torpedo but {chosen:?}");
        };
        let route = torpedo.route.unwrap();
        assert_eq!(route.letter, 10);
        assert!([1, 10].contains(&route.number));
    }
}

#[test]
fn a_shot_is_fired_where_a_torpedo_may_or_should_not_be() {
    let not_yet = AmiralAdvancedTargets {
        shot_since_torpedo: false,
        ..arms()
    };
    let withdrawn = AmiralAdvancedTargets {
        torpedoes_left: 0,
        submarine_in_play: false,
        ..arms()
    };
    let on_target = AmiralAdvancedTargets {
        grid: grid(&[], &[(5, 5)]),
        ..arms()
    };
    for targets in [not_yet, withdrawn, on_target] {
        for chosen in turns(targets.clone(), own(&[])) {
            let shot = matches!(chosen, amiral_advanced_move::Move::Shot(_));
            assert!(shot, "{chosen:?} in {targets:?}");
        }
    }
}

#[test]
fn a_submarine_that_can_be_hunted_is() {
    let targets = AmiralAdvancedTargets {
        huntable: Some(Route {
            letter: 9,
            number: 2,
        }),
        ..arms()
    };
    let ends = [berth::Edge::Letter(9), berth::Edge::Number(2)];
    for chosen in turns(targets, own(&[])) {
        let amiral_advanced_move::Move::Hunt(hunt) = chosen else {
            panic!("no hunt but {chosen:?}");
        };
        assert!(ends.contains(&hunt.end.unwrap().edge.unwrap()));
    }
}

#[test]
fn an_air_strike_is_flown_as_soon_as_it_may_be() {
    let sinking = |ship_class: ShipClass| Sinking {
        ship_class: ship_class.into(),
        hits: 0,
    };
    let two_sunk = AmiralAdvancedTargets {
        sunk: vec![sinking(ShipClass::Carrier), sinking(ShipClass::AssaultBoat)],
        afloat: 3,
        ..arms()
    };
    let flown = |targets: AmiralAdvancedTargets, ocean| {
        let turns = turns(targets, ocean);
        turns
            .iter()
            .filter(|chosen| matches!(chosen, amiral_advanced_move::Move::AirStrike(_)))
            .count()
    };
    assert_eq!(flown(two_sunk.clone(), own(&[])), 50);
    assert_eq!(flown(two_sunk.clone(), own(&[(1, 5)])), 0, "carrier hit");
    let spent = AmiralAdvancedTargets {
        air_strike_spent: true,
        ..two_sunk
    };
    assert_eq!(flown(spent, own(&[])), 0);
}

fn abalone(black: &[u32], white: &[u32]) -> Seen {
    Seen::Abalone(AbaloneView {
        black: black.to_vec(),
        white: white.to_vec(),
        plies: 10,
        repetitions: 1,
        ..AbaloneView::default()
    })
}

#[test]
fn in_abalone_a_marble_that_can_be_ejected_is() {
    // Black on e5, e6 and e7 pushes white off e9.
    for chosen in answers(Phase::Battle, &abalone(&[55, 56, 57], &[58, 59, 11])) {
        let Chosen::Abalone(chosen) = chosen else {
            panic!("of another variant: {chosen:?}");
        };
        assert_eq!(chosen.direction(), AbaloneDirection::East);
        assert_eq!(chosen.group.len(), 3);
    }
}

#[test]
fn in_abalone_a_marble_that_could_be_ejected_is_moved_away() {
    // White on e7 and e8 would push black off e9.
    for chosen in answers(Phase::Battle, &abalone(&[59, 55, 45], &[57, 58])) {
        let Chosen::Abalone(chosen) = chosen else {
            panic!("of another variant: {chosen:?}");
        };
        let moved: Vec<_> = chosen
            .group
            .iter()
            .map(|cell| (cell.row, cell.number))
            .collect();
        assert_eq!(moved, [(5, 9)]);
    }
}
