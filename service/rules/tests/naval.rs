//! Naval corners, one by one: sentences of rules.md.
#![allow(
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test fails by panicking"
)]

mod common;

use Orientation::{Horizontal, Vertical};
use broadside_rules::{
    BerthFault, Ending, IllegalMove, Outcome, Phase, Seat, Seats, Variant,
    naval::{
        Alphabet, Answer, Cell, Deployment, Edition, Game, Move, Options, Orientation, PlacedShip,
        Route, ShipClass, ShotAnswer,
    },
};
use common::ship;

const CLASSIC: Options = Options::Classic {
    edition: Edition::Edition2002,
    name_ship_on_hit: true,
};

fn cell(name: &str) -> Cell {
    Alphabet::Latin.read(name).unwrap()
}

fn shot(name: &str) -> Move {
    Move::Shot(cell(name))
}

fn salvo(names: &str) -> Move {
    Move::Salvo(names.split(' ').map(cell).collect())
}

/// A ship along each edge of the grid, and one in its middle.
fn classic_fleet() -> Vec<PlacedShip> {
    vec![
        ship(ShipClass::Carrier, "A1", Horizontal),
        ship(ShipClass::Battleship, "J7", Horizontal),
        ship(ShipClass::Destroyer, "A10", Vertical),
        ship(ShipClass::Submarine, "H1", Vertical),
        ship(ShipClass::PatrolBoat, "E5", Vertical),
    ]
}

fn amiral_fleet() -> Vec<PlacedShip> {
    vec![
        ship(ShipClass::Carrier, "A1", Horizontal),
        ship(ShipClass::Cruiser, "C1", Horizontal),
        ship(ShipClass::Destroyer, "E1", Horizontal),
        ship(ShipClass::Destroyer, "G1", Horizontal),
        ship(ShipClass::AssaultBoat, "I1", Horizontal),
    ]
}

fn started(options: Options, ships: &[PlacedShip], berth: Option<&str>) -> Game {
    let mut game = Game::new(options);
    for seat in Seat::ALL {
        let action = Move::Deploy {
            ships: ships.to_vec(),
            berth: berth.map(|berth| berth.parse().unwrap()),
        };
        assert_eq!(game.play(seat, &action), Ok(Answer::Deployed));
    }
    assert_eq!(game.phase(), Phase::Battle);
    game
}

/// Plays shots of seat 1; seat 2 answers each with a shot of its own, from the bottom right.
fn shoot(game: &mut Game, names: &str) -> Vec<Answer> {
    let mut answers = Vec::new();
    for name in names.split(' ') {
        answers.push(game.play(Seat::One, &shot(name)).unwrap());
        let last = game.legal_moves(Seat::Two).targets.iter().last();
        if let Some(cell) = last {
            game.play(Seat::Two, &Move::Shot(cell)).unwrap();
        }
    }
    answers
}

#[test]
fn a_deployment_is_refused_for_each_reason_and_with_its_values() {
    let rules = CLASSIC.ruleset();
    let with = |place: usize, changed: PlacedShip| {
        let mut ships = classic_fleet();
        ships[place] = changed;
        Deployment::new(rules, &ships, None)
    };
    assert!(Deployment::new(rules, &classic_fleet(), None).is_ok());
    let wrong = |class, placed, required| IllegalMove::WrongFleet {
        class,
        placed,
        required,
        variant: Variant::Classic,
    };
    let empty = Deployment::new(rules, &[], None);
    assert_eq!(empty, Err(wrong(ShipClass::Carrier, 0, 1)));
    let twice = [classic_fleet(), classic_fleet()].concat();
    let twice = Deployment::new(rules, &twice, None);
    assert_eq!(twice, Err(wrong(ShipClass::Carrier, 2, 1)));
    let foreign = with(2, ship(ShipClass::Cruiser, "A10", Vertical));
    assert_eq!(foreign, Err(wrong(ShipClass::Destroyer, 0, 1)));
    let over_the_edge = with(1, ship(ShipClass::Battleship, "J8", Horizontal));
    let off_grid = IllegalMove::ShipOffGrid {
        class: ShipClass::Battleship,
        row: 10,
        column: 8,
    };
    assert_eq!(over_the_edge, Err(off_grid));
    let overlap = IllegalMove::ShipsOverlap {
        first: ShipClass::Carrier,
        second: ShipClass::PatrolBoat,
        cell: cell("A5"),
    };
    assert_eq!(
        with(4, ship(ShipClass::PatrolBoat, "A5", Vertical)),
        Err(overlap)
    );
    assert!(with(4, ship(ShipClass::PatrolBoat, "B5", Vertical)).is_ok());
    let berth = Deployment::new(rules, &classic_fleet(), Some("A".parse().unwrap()));
    let fault = BerthFault::NotOfVariant(Variant::Classic);
    assert_eq!(berth, Err(IllegalMove::BadBerth(fault)));
    let none = Deployment::new(Options::AmiralAdvanced.ruleset(), &amiral_fleet(), None);
    assert_eq!(none, Err(IllegalMove::BadBerth(BerthFault::Missing)));
}

#[test]
fn naumachia_ships_may_not_meet_even_at_a_corner() {
    let rules = Options::Naumachia.ruleset();
    let mut fleet = vec![
        ship(ShipClass::Battleship, "A1", Horizontal),
        ship(ShipClass::Cruiser, "C1", Horizontal),
        ship(ShipClass::Cruiser, "E1", Horizontal),
        ship(ShipClass::Destroyer, "G1", Horizontal),
        ship(ShipClass::Destroyer, "I1", Horizontal),
        ship(ShipClass::Destroyer, "A8", Horizontal),
        ship(ShipClass::TorpedoBoat, "C8", Horizontal),
        ship(ShipClass::TorpedoBoat, "E8", Vertical),
        ship(ShipClass::TorpedoBoat, "G8", Horizontal),
        ship(ShipClass::TorpedoBoat, "J10", Vertical),
    ];
    assert!(Deployment::new(rules, &fleet, None).is_ok());
    for (name, touches) in [("C4", true), ("D4", true), ("B5", true), ("C5", false)] {
        fleet[9].cell = cell(name);
        let placed = Deployment::new(rules, &fleet, None);
        let refused = matches!(
            placed,
            Err(IllegalMove::ShipsTouch { .. } | IllegalMove::ShipsOverlap { .. })
        );
        assert_eq!(refused, touches, "{name}: {placed:?}");
    }
}

#[test]
fn edge_cells_are_hit_on_all_four_sides() {
    let mut game = started(CLASSIC, &classic_fleet(), None);
    for (answer, class) in shoot(&mut game, "A1 A10 J10 H1 J1").into_iter().zip([
        ShipClass::Carrier,
        ShipClass::Destroyer,
        ShipClass::Battleship,
        ShipClass::Submarine,
        ShipClass::Submarine,
    ]) {
        let hit = Answer::Shot {
            hit: true,
            class: Some(class),
            sunk: None,
        };
        assert_eq!(answer, hit);
    }
}

#[test]
fn a_salvo_is_resolved_together_and_wins_for_either_seat() {
    let options = Options::Salvo {
        edition: Edition::Edition2002,
        name_ship_on_hit: false,
    };
    let mut game = started(options, &classic_fleet(), None);
    let waste = ["B1 B2 B3 B4 B5", "C1 C2 C3", "D1 D2", "B6"];
    let hits = [
        "E5 F5 A10 B10 C10",
        "A1 A2 A3 A4 A5",
        "J7 J8 J9 J10 H1",
        "I1 J1 B1 B2 B3",
    ];
    let sunk: Vec<Vec<ShipClass>> = waste
        .iter()
        .zip(hits)
        .map(|(waste, hits)| {
            game.play(Seat::One, &salvo(waste)).unwrap();
            match game.play(Seat::Two, &salvo(hits)).unwrap() {
                Answer::Salvo { shots, sunk } => {
                    let answered = |shot: &ShotAnswer| shot.class.is_none();
                    assert!(shots.len() == 5 && shots.iter().all(answered));
                    sunk.to_vec()
                }
                answer => panic!("{answer:?}"),
            }
        })
        .collect();
    let expected: [&[ShipClass]; 4] = [
        &[ShipClass::PatrolBoat, ShipClass::Destroyer],
        &[ShipClass::Carrier],
        &[ShipClass::Battleship],
        &[ShipClass::Submarine],
    ];
    assert_eq!(sunk, expected);
    let won = Outcome {
        winner: Some(Seat::Two),
        ending: Ending::FleetSunk,
    };
    assert_eq!((game.outcome(), game.to_act()), (Some(won), Seats::NONE));
}

#[test]
fn a_refused_salvo_leaves_no_shot_behind() {
    let options = Options::AdvancedSalvo {
        edition: Edition::Edition2002,
    };
    let mut game = started(options, &classic_fleet(), None);
    let before = game.clone();
    for (cells, slug) in [
        ("A1 A2 A3 A4", "wrong_salvo_size"),
        ("A1 A2 A3 A4 A5 A6", "wrong_salvo_size"),
        ("A1 A2 A3 A4 A1", "duplicate_cell"),
    ] {
        let refused = game.play(Seat::One, &salvo(cells)).unwrap_err();
        assert_eq!((refused.slug(), &game), (slug, &before), "{cells}");
    }
    let answer = game.play(Seat::One, &salvo("E5 F5 A1 B1 C1"));
    let told = Answer::SalvoCount {
        hits: 3,
        enemy_afloat: 4,
    };
    assert_eq!(answer, Ok(told));
    assert_eq!(game.view(Seat::Two).salvo_size, Some(4));
}

#[test]
fn a_torpedo_sinks_outright_and_what_it_sank_has_left_the_board() {
    let mut game = started(Options::AmiralAdvanced, &amiral_fleet(), Some("E"));
    shoot(&mut game, "E1");
    let route = Route::named(5, 5).unwrap();
    let answer = game.play(Seat::One, &Move::Torpedo(route));
    assert_eq!(
        answer,
        Ok(Answer::Torpedo {
            sunk: Some(ShipClass::Destroyer)
        })
    );
    game.play(Seat::Two, &shot("J9")).unwrap();
    let missed = Answer::Shot {
        hit: false,
        class: None,
        sunk: None,
    };
    assert_eq!(game.play(Seat::One, &shot("E2")), Ok(missed));
    game.play(Seat::Two, &shot("J8")).unwrap();
    // The next ship on the route, at C3, is met now that the first is gone.
    let answer = game.play(Seat::One, &Move::Torpedo(route));
    assert_eq!(
        answer,
        Ok(Answer::Torpedo {
            sunk: Some(ShipClass::Cruiser)
        })
    );
}

#[test]
fn a_carrier_sunk_by_a_torpedo_launches_no_air_strike() {
    let mut game = started(Options::AmiralAdvanced, &amiral_fleet(), Some("A"));
    let letter_a = Move::Torpedo(Route::named(1, 1).unwrap());
    let sunk = game.play(Seat::One, &letter_a);
    assert_eq!(
        sunk,
        Ok(Answer::Torpedo {
            sunk: Some(ShipClass::Carrier)
        })
    );
    let strike = Move::AirStrike(cell("C1"));
    assert_eq!(game.play(Seat::Two, &strike), Err(IllegalMove::CarrierHit));
}

#[test]
fn an_air_strike_strikes_what_was_not_fired_at_and_only_once() {
    let mut game = started(Options::AmiralAdvanced, &amiral_fleet(), Some("J"));
    shoot(&mut game, "I1 I2 E1 E2");
    assert_eq!(
        game.play(Seat::One, &Move::AirStrike(cell("G1"))),
        Err(IllegalMove::TooFewSunk { sunk: 1 })
    );
    shoot(&mut game, "E3 G1");
    for (name, row, column) in [("J1", 11, 2), ("A10", 2, 11), ("J10", 11, 11)] {
        let refused = game.play(Seat::One, &Move::AirStrike(cell(name)));
        assert_eq!(refused, Err(IllegalMove::OffGrid { row, column }));
    }
    let answer = game.play(Seat::One, &Move::AirStrike(cell("G1")));
    let Ok(Answer::AirStrike { struck, sunk }) = answer else {
        panic!("{answer:?}");
    };
    let expected = [("G2", true), ("H1", false), ("H2", false)];
    assert_eq!(struck[..], expected.map(|(name, hit)| (cell(name), hit)));
    assert!(sunk.is_empty());
    game.play(Seat::Two, &shot("B10")).unwrap();
    let again = game.play(Seat::One, &Move::AirStrike(cell("A1")));
    assert_eq!(again, Err(IllegalMove::StrikeSpent));
}

#[test]
fn the_submarine_is_hunted_once_a_torpedo_and_withdraws_after_the_third() {
    let mut game = started(Options::AmiralAdvanced, &amiral_fleet(), Some("J"));
    let torpedo = Move::Torpedo(Route::named(10, 10).unwrap());
    let hunt = |end: &str| Move::Hunt(end.parse().unwrap());
    assert_eq!(
        game.play(Seat::One, &hunt("J")),
        Err(IllegalMove::NothingToHunt)
    );
    game.play(Seat::One, &torpedo).unwrap();
    assert_eq!(
        game.play(Seat::Two, &hunt("10")),
        Ok(Answer::Hunt { found: false })
    );
    assert_eq!(
        (game.phase(), game.to_act()),
        (Phase::Relocation, Seats::only(Seat::One))
    );
    let stays = Move::Relocate("J".parse().unwrap());
    assert_eq!(game.play(Seat::One, &stays), Ok(Answer::Relocated));
    assert_eq!(
        game.play(Seat::One, &torpedo),
        Err(IllegalMove::NeedsShotFirst)
    );
    game.play(Seat::One, &shot("J10")).unwrap();
    assert_eq!(
        game.play(Seat::Two, &hunt("J")),
        Err(IllegalMove::NothingToHunt)
    );
    game.play(Seat::Two, &shot("J10")).unwrap();
    game.play(Seat::One, &torpedo).unwrap();
    game.play(Seat::Two, &shot("J9")).unwrap();
    game.play(Seat::One, &shot("J9")).unwrap();
    game.play(Seat::Two, &shot("J8")).unwrap();
    game.play(Seat::One, &torpedo).unwrap();
    assert_eq!(game.view(Seat::Two).huntable(), None);
    assert_eq!(
        game.play(Seat::Two, &hunt("J")),
        Err(IllegalMove::NothingToHunt)
    );
    game.play(Seat::Two, &shot("J7")).unwrap();
    game.play(Seat::One, &shot("J8")).unwrap();
    game.play(Seat::Two, &shot("J6")).unwrap();
    assert_eq!(
        game.play(Seat::One, &torpedo),
        Err(IllegalMove::NoSubmarine)
    );
}
