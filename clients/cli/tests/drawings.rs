//! How every variant is drawn, plain and coloured.
#![allow(
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test that fails panics"
)]

mod support;

use broadside_cli::{board, names};
use broadside_proto::v1::*;
use support::{golden, samples};

#[test]
fn every_variant_is_drawn_for_its_player_and_for_spectators() {
    for variant in names::VARIANTS {
        let options = samples::options(variant);
        let mut drawn = String::from("For seat 1:\n");
        drawn += &board::view(&options, Seat::One, &samples::view(variant));
        drawn += "\nFor spectators:\n";
        drawn += &board::position(&options, &samples::position(variant, false));
        drawn += "\nAt the end:\n";
        drawn += &board::position(&options, &samples::position(variant, true));
        golden(
            &format!("{}.txt", names::slug(variant)),
            &board::plain(&drawn),
        );
    }
}

#[test]
fn colours_say_what_the_characters_say() {
    for variant in names::VARIANTS {
        let options = samples::options(variant);
        let drawn = board::position(&options, &samples::position(variant, true));
        golden(&format!("{}.colour.txt", names::slug(variant)), &drawn);
    }
}

#[test]
fn nothing_that_an_arena_may_send_breaks_a_drawing() {
    for variant in names::VARIANTS {
        let options = samples::options(variant);
        let empty = Position {
            view: samples::position(variant, false).view,
            ..Position::default()
        };
        assert!(!board::position(&options, &empty).contains("to move"));
        assert!(
            !board::position(&Options::default(), &samples::position(variant, true)).is_empty()
        );
    }
    let absurd = ClassicView {
        ocean: Some(OceanGrid {
            ships: vec![OwnShip {
                ship: Some(PlacedShip {
                    ship_class: 77,
                    cell: Some(Cell {
                        row: u32::MAX,
                        column: 0,
                    }),
                    orientation: 9,
                }),
                sunk: true,
            }],
            fired_at: vec![0, 101, u32::MAX],
        }),
        targets: Some(ClassicTargets {
            hit_classes: vec![99, 0],
            sunk: vec![Sinking {
                ship_class: -1,
                hits: u32::MAX,
            }],
            ..ClassicTargets::default()
        }),
    };
    let view = View {
        variant: Some(view::Variant::Classic(absurd)),
    };
    let drawn = board::view(&samples::options(Variant::Classic), Seat::One, &view);
    assert!(drawn.contains("unknown ship"));
}

#[test]
fn an_outcome_is_one_line() {
    let player = |name: &str| Player {
        agent: Some(player::Agent::Name(name.to_owned())),
    };
    let mut played = Match {
        options: Some(samples::options(Variant::Abalone)),
        players: vec![player("hunter"), player("evil\u{1b}[2J")],
        state: MatchState::Over.into(),
        outcome: Some(Outcome {
            result: MatchResult::SeatTwoWins.into(),
            termination: Termination::Time.into(),
            at_fault: Seat::One.into(),
            ending: Ending::Unspecified.into(),
            message: "Black did not\nanswer in time.".to_owned(),
            ..Outcome::default()
        }),
        ..Match::default()
    };
    assert_eq!(
        board::plain(&board::outcome_line(&played)),
        "White (evil\\u{1b}[2J) wins: Black did not\\u{a}answer in time."
    );
    // An arena that begins with the result is not let say it twice.
    if let Some(outcome) = &mut played.outcome {
        outcome.message = "seat 2 wins: six marbles are ejected".to_owned();
    }
    let line = board::plain(&board::outcome_line(&played));
    assert!(line.ends_with(") wins: six marbles are ejected"), "{line}");
    played.outcome = None;
    played.state = MatchState::Running.into();
    played.moves = 1;
    assert_eq!(board::outcome_line(&played), "Running: 1 move so far.");
}
