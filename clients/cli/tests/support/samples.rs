//! A position of every variant, for a player and for spectators.

use broadside_cli::notation::{Coordinates, parse_deployment};
use broadside_proto::v1::*;

/// The seven variants with the options that the arena fills in.
pub fn options(variant: Variant) -> Options {
    let edition = Some(Edition::Edition2002.into());
    let variant = match variant {
        Variant::Classic => options::Variant::Classic(ClassicOptions {
            edition,
            name_ship_on_hit: Some(true),
        }),
        Variant::Salvo => options::Variant::Salvo(SalvoOptions {
            edition,
            name_ship_on_hit: Some(true),
        }),
        Variant::AdvancedSalvo => options::Variant::AdvancedSalvo(AdvancedSalvoOptions { edition }),
        Variant::Amiral => options::Variant::Amiral(AmiralOptions {}),
        Variant::AmiralAdvanced => options::Variant::AmiralAdvanced(AmiralAdvancedOptions {}),
        Variant::Naumachia => options::Variant::Naumachia(NaumachiaOptions {}),
        Variant::Abalone => options::Variant::Abalone(AbaloneOptions {
            start: Some(abalone_options::Start::Layout(
                AbaloneLayout::Standard.into(),
            )),
            max_plies: Some(400),
            repetition_limit: Some(3),
        }),
        Variant::Unspecified => panic!("no such variant"),
    };
    Options {
        variant: Some(variant),
    }
}

/// A fleet of each naval variant.
pub fn fleet(variant: Variant) -> Deployment {
    let (coordinates, text) = match variant {
        Variant::Classic | Variant::Salvo | Variant::AdvancedSalvo => (
            Coordinates::LetterNumber,
            "carrier A1 horizontal, battleship C3 vertical, destroyer J8 horizontal, \
             submarine E10 vertical, patrol boat C4 horizontal",
        ),
        Variant::Amiral | Variant::AmiralAdvanced => (
            Coordinates::LetterNumber,
            "carrier A1 horizontal, cruiser C3 vertical, destroyer J8 horizontal, \
             destroyer E10 vertical, assault boat C4 horizontal",
        ),
        Variant::Naumachia => (
            Coordinates::Greek,
            "battleship Α1 horizontal, cruiser Α3 vertical, cruiser Γ3 horizontal, \
             destroyer Κ1 vertical, destroyer Θ10 horizontal, destroyer Γ5 vertical, \
             torpedo boat Ζ1 horizontal, torpedo boat Θ5 horizontal, torpedo boat Κ7 vertical, \
             torpedo boat Α10 horizontal",
        ),
        Variant::Abalone | Variant::Unspecified => panic!("no fleet"),
    };
    parse_deployment(coordinates, text).unwrap()
}

/// Seat 1's shots so far: two misses, three hits on the carrier (with the whole patrol or assault boat).
fn grid() -> TargetGrid {
    TargetGrid {
        misses: vec![100, 55],
        hits: vec![1, 2, 24, 25],
    }
}

fn hit_classes() -> Vec<i32> {
    [
        ShipClass::Carrier,
        ShipClass::Carrier,
        ShipClass::PatrolBoat,
        ShipClass::PatrolBoat,
    ]
    .map(i32::from)
    .to_vec()
}

fn sinking(class: ShipClass, hits: u32) -> Sinking {
    Sinking {
        ship_class: class.into(),
        hits,
    }
}

fn classic_targets() -> ClassicTargets {
    ClassicTargets {
        grid: Some(grid()),
        hit_classes: hit_classes(),
        sunk: vec![sinking(ShipClass::PatrolBoat, 4)],
        afloat: 4,
    }
}

fn salvo_targets() -> SalvoTargets {
    SalvoTargets {
        grid: Some(grid()),
        hit_classes: hit_classes(),
        sunk: vec![sinking(ShipClass::PatrolBoat, 4)],
        afloat: 4,
    }
}

fn counted_targets() -> AdvancedSalvoTargets {
    AdvancedSalvoTargets {
        salvos: vec![
            CountedSalvo {
                cells: vec![1, 2, 24, 25, 100],
                hits: 4,
                afloat: 4,
            },
            CountedSalvo {
                cells: vec![55, 56, 57, 58, 59],
                hits: 0,
                afloat: 4,
            },
        ],
        afloat: 4,
    }
}

fn amiral_targets() -> AmiralTargets {
    AmiralTargets {
        grid: Some(grid()),
        sunk: vec![sinking(ShipClass::AssaultBoat, 4)],
        afloat: 4,
    }
}

fn armed_targets() -> AmiralAdvancedTargets {
    AmiralAdvancedTargets {
        grid: Some(grid()),
        sunk: vec![
            sinking(ShipClass::AssaultBoat, 4),
            sinking(ShipClass::Destroyer, 4),
        ],
        afloat: 3,
        torpedoes: vec![
            TorpedoRun {
                route: Some(Route {
                    letter: 10,
                    number: 10,
                }),
                sunk: None,
            },
            TorpedoRun {
                route: Some(Route {
                    letter: 10,
                    number: 1,
                }),
                sunk: Some(ShipClass::Destroyer.into()),
            },
        ],
        torpedoes_left: 1,
        submarine_in_play: true,
        hunts: vec![PastHunt {
            end: Some(Berth {
                edge: Some(berth::Edge::Letter(5)),
            }),
            found: false,
        }],
        air_strike_spent: true,
        shot_since_torpedo: false,
        huntable: Some(Route {
            letter: 5,
            number: 5,
        }),
    }
}

fn unarmed_targets() -> AmiralAdvancedTargets {
    AmiralAdvancedTargets {
        grid: Some(TargetGrid {
            misses: vec![11],
            hits: vec![],
        }),
        afloat: 5,
        torpedoes_left: 3,
        submarine_in_play: true,
        shot_since_torpedo: true,
        ..AmiralAdvancedTargets::default()
    }
}

fn naumachia_targets() -> NaumachiaTargets {
    let boat = parse_deployment(Coordinates::Greek, "torpedo boat Θ5 horizontal").unwrap();
    NaumachiaTargets {
        grid: Some(TargetGrid {
            misses: vec![100, 55],
            hits: vec![1, 48],
        }),
        sunk: boat.ships,
        marked: vec![37, 38, 39, 47, 49, 57, 58, 59],
        afloat: 9,
    }
}

fn ocean(variant: Variant) -> OceanGrid {
    let mut ships: Vec<OwnShip> = fleet(variant)
        .ships
        .into_iter()
        .map(|ship| OwnShip {
            ship: Some(ship),
            sunk: false,
        })
        .collect();
    if let Some(last) = ships.last_mut() {
        last.sunk = true;
    }
    let fired_at = match variant {
        Variant::Naumachia => vec![91, 1, 60],
        _ => vec![24, 25, 1, 60],
    };
    OceanGrid { ships, fired_at }
}

/// In mid-game, with a pair of black marbles moved up and a white one ejected.
pub fn abalone_view() -> AbaloneView {
    AbaloneView {
        black: vec![11, 12, 13, 14, 15, 21, 22, 23, 24, 25, 26, 43, 44, 35],
        white: vec![75, 76, 77, 84, 85, 86, 87, 88, 89, 95, 96, 97, 98],
        ejected_by_black: 1,
        ejected_by_white: 0,
        plies: 21,
        repetitions: 2,
    }
}

/// What seat 1 may know.
pub fn view(variant: Variant) -> View {
    let ocean = || Some(ocean(variant));
    let variant = match variant {
        Variant::Classic => view::Variant::Classic(ClassicView {
            ocean: ocean(),
            targets: Some(classic_targets()),
        }),
        Variant::Salvo => view::Variant::Salvo(SalvoView {
            ocean: ocean(),
            targets: Some(salvo_targets()),
            salvo_size: 4,
        }),
        Variant::AdvancedSalvo => view::Variant::AdvancedSalvo(AdvancedSalvoView {
            ocean: ocean(),
            targets: Some(counted_targets()),
            salvo_size: 4,
        }),
        Variant::Amiral => view::Variant::Amiral(AmiralView {
            ocean: ocean(),
            targets: Some(amiral_targets()),
        }),
        Variant::AmiralAdvanced => view::Variant::AmiralAdvanced(AmiralAdvancedView {
            ocean: ocean(),
            targets: Some(armed_targets()),
            berth: Some(Berth {
                edge: Some(berth::Edge::Letter(10)),
            }),
            enemy_targets: Some(unarmed_targets()),
        }),
        Variant::Naumachia => view::Variant::Naumachia(NaumachiaView {
            ocean: ocean(),
            targets: Some(naumachia_targets()),
        }),
        Variant::Abalone => view::Variant::Abalone(abalone_view()),
        Variant::Unspecified => panic!("no such variant"),
    };
    View {
        variant: Some(variant),
    }
}

/// What spectators may know in mid-game; with `over`, at the end.
pub fn position(variant: Variant, over: bool) -> Position {
    let view = match variant {
        Variant::Classic => public_view::Variant::Classic(ClassicPublicView {
            seat_one_targets: Some(classic_targets()),
            seat_two_targets: Some(ClassicTargets {
                afloat: 5,
                ..ClassicTargets::default()
            }),
        }),
        Variant::Salvo => public_view::Variant::Salvo(SalvoPublicView {
            seat_one_targets: Some(salvo_targets()),
            seat_two_targets: Some(SalvoTargets {
                afloat: 5,
                ..SalvoTargets::default()
            }),
        }),
        Variant::AdvancedSalvo => public_view::Variant::AdvancedSalvo(AdvancedSalvoPublicView {
            seat_one_targets: Some(counted_targets()),
            seat_two_targets: Some(AdvancedSalvoTargets {
                salvos: Vec::new(),
                afloat: 5,
            }),
        }),
        Variant::Amiral => public_view::Variant::Amiral(AmiralPublicView {
            seat_one_targets: Some(amiral_targets()),
            seat_two_targets: Some(AmiralTargets {
                afloat: 5,
                ..AmiralTargets::default()
            }),
        }),
        Variant::AmiralAdvanced => public_view::Variant::AmiralAdvanced(AmiralAdvancedPublicView {
            seat_one_targets: Some(armed_targets()),
            seat_two_targets: Some(unarmed_targets()),
        }),
        Variant::Naumachia => public_view::Variant::Naumachia(NaumachiaPublicView {
            seat_one_targets: Some(naumachia_targets()),
            seat_two_targets: Some(NaumachiaTargets {
                afloat: 10,
                ..NaumachiaTargets::default()
            }),
        }),
        Variant::Abalone => public_view::Variant::Abalone(abalone_view()),
        Variant::Unspecified => panic!("no such variant"),
    };
    let reveal = (over && variant != Variant::Abalone).then(|| {
        let berth =
            |edge| (variant == Variant::AmiralAdvanced).then_some(Berth { edge: Some(edge) });
        Reveal {
            seat_one_fleet: Some(fleet(variant)),
            seat_two_fleet: Some(fleet(variant)),
            seat_one_berth: berth(berth::Edge::Letter(10)),
            seat_two_berth: berth(berth::Edge::Number(5)),
        }
    });
    Position {
        phase: if over { Phase::Over } else { Phase::Battle }.into(),
        to_act: if over {
            Vec::new()
        } else {
            vec![Seat::One.into()]
        },
        view: Some(PublicView {
            variant: Some(view),
        }),
        reveal,
        ..Position::default()
    }
}
