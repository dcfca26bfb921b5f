//! The notation: what is printed reads back as the same, and nothing else is taken for it.
#![allow(
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test that fails panics"
)]

mod support;

use broadside_cli::notation::*;
use broadside_proto::v1::*;
use proptest::{prelude::*, sample::select};
use support::samples;

fn any_cell() -> impl Strategy<Value = Cell> {
    (1..=10_u32, 1..=10_u32).prop_map(|(row, column)| Cell { row, column })
}

fn any_abalone_cell() -> impl Strategy<Value = AbaloneCell> {
    (1..=9_u32, 1..=9_u32)
        .prop_map(|(row, number)| AbaloneCell { row, number })
        .prop_filter("on the board", |cell| {
            parse_abalone_cell(&abalone_cell(*cell)).is_ok()
        })
}

fn any_ship() -> impl Strategy<Value = PlacedShip> {
    let orientations = [Orientation::Horizontal, Orientation::Vertical];
    (
        select(broadside_cli::names::SHIP_CLASSES.to_vec()),
        any_cell(),
        select(orientations.to_vec()),
    )
        .prop_map(|(class, cell, orientation)| PlacedShip {
            ship_class: class.into(),
            cell: Some(cell),
            orientation: orientation.into(),
        })
}

fn any_berth() -> impl Strategy<Value = Berth> {
    (any::<bool>(), 1..=10_u32).prop_map(|(letter, edge)| Berth {
        edge: Some(if letter {
            berth::Edge::Letter(edge)
        } else {
            berth::Edge::Number(edge)
        }),
    })
}

fn naval(variant: Variant) -> bool {
    variant != Variant::Abalone
}

/// A move of a variant, and the phase it belongs to.
fn any_move(variant: Variant) -> BoxedStrategy<(Phase, String)> {
    let grid = Coordinates::of(variant);
    let cell = any_cell().prop_map(move |cell| (Phase::Battle, grid.cell(cell)));
    let with_berth = variant == Variant::AmiralAdvanced;
    let fleet = (proptest::collection::vec(any_ship(), 1..10), any_berth()).prop_map(
        move |(ships, place)| {
            let fleet = deployment(grid, &Deployment { ships });
            let berth = if with_berth {
                format!(", berth {}", berth(&place))
            } else {
                String::new()
            };
            (Phase::Deployment, fleet + &berth)
        },
    );
    match variant {
        Variant::Salvo | Variant::AdvancedSalvo => {
            let salvo = proptest::collection::hash_set((1..=10_u32, 1..=10_u32), 1..=5);
            let salvo = salvo.prop_map(move |cells| {
                let cells: Vec<String> = cells
                    .into_iter()
                    .map(|(row, column)| grid.cell(Cell { row, column }))
                    .collect();
                (Phase::Battle, cells.join(" "))
            });
            prop_oneof![salvo, fleet].boxed()
        }
        Variant::AmiralAdvanced => {
            let torpedo = (1..=10_u32, any::<bool>()).prop_map(|(letter, rising)| {
                let number = if rising { letter } else { 11 - letter };
                (
                    Phase::Battle,
                    format!("torpedo {}", route(&Route { letter, number })),
                )
            });
            let hunt = any_berth().prop_map(|end| (Phase::Battle, format!("hunt {}", berth(&end))));
            let strike =
                any_cell().prop_map(move |at| (Phase::Battle, format!("strike {}", grid.cell(at))));
            let move_to =
                any_berth().prop_map(|to| (Phase::Relocation, format!("berth {}", berth(&to))));
            prop_oneof![cell, fleet, torpedo, hunt, strike, move_to].boxed()
        }
        Variant::Abalone => {
            let directions = ["e", "w", "nw", "ne", "se", "sw"];
            (
                proptest::collection::vec(any_abalone_cell(), 1..=3),
                select(directions.to_vec()),
            )
                .prop_map(|(mut group, direction)| {
                    group.sort_by_key(|cell| (cell.row, cell.number));
                    group.dedup();
                    let cells: Vec<String> = group.into_iter().map(abalone_cell).collect();
                    (Phase::Battle, format!("{} {direction}", cells.join(" ")))
                })
                .boxed()
        }
        _ => prop_oneof![cell, fleet].boxed(),
    }
}

fn any_variant_and_move() -> impl Strategy<Value = (Variant, Phase, String)> {
    select(broadside_cli::names::VARIANTS.to_vec()).prop_flat_map(|variant| {
        any_move(variant).prop_map(move |(phase, text)| (variant, phase, text))
    })
}

proptest! {
    #[test]
    fn a_move_reads_back_as_it_is_printed((variant, phase, text) in any_variant_and_move()) {
        let played = parse_move(variant, phase, &text).unwrap();
        prop_assert_eq!(move_text(&played), text.clone());
        // The case does not matter, nor does space around it.
        let shouted = format!("  {}  ", text.to_uppercase());
        prop_assert_eq!(parse_move(variant, phase, &shouted).unwrap(), played.clone());
        let whispered = parse_move(variant, phase, &text.to_lowercase()).unwrap();
        prop_assert_eq!(whispered, played);
    }

    #[test]
    fn no_text_breaks_the_reader(text in "\\PC{0,30}") {
        for variant in broadside_cli::names::VARIANTS {
            for phase in [Phase::Deployment, Phase::Battle, Phase::Relocation, Phase::Over] {
                if let Err(error) = parse_move(variant, phase, &text) {
                    prop_assert!(error.to_string().ends_with('.'));
                }
            }
        }
    }

    #[test]
    fn whatever_is_read_as_a_cell_prints_in_capitals_without_ornament(text in "[A-Ka-kΑ-Κ0-9 +_-]{1,4}") {
        for grid in [Coordinates::LetterNumber, Coordinates::Greek] {
            if let Ok(cell) = grid.parse(&text) {
                let digits = |text: &str| text.chars().skip(1).collect::<String>();
                prop_assert_eq!(digits(&grid.cell(cell)), digits(&text));
            }
        }
    }
}

#[test]
fn rows_and_columns_are_not_swapped() {
    let cell = |row, column| Cell { row, column };
    assert_eq!(Coordinates::LetterNumber.parse("B10"), Ok(cell(2, 10)));
    assert_eq!(Coordinates::LetterNumber.parse("J1"), Ok(cell(10, 1)));
    assert_eq!(Coordinates::Greek.parse("Γ4"), Ok(cell(4, 3)));
    assert_eq!(Coordinates::Greek.parse("Ζ10"), Ok(cell(10, 6)));
    assert_eq!(Coordinates::Greek.cell(cell(1, 10)), "Κ1");
}

#[test]
fn latin_letters_that_look_greek_are_read_as_greek() {
    for (latin, greek) in "ABEZHIKabezhik".chars().zip("ΑΒΕΖΗΙΚΑΒΕΖΗΙΚ".chars()) {
        let read = Coordinates::Greek.parse(&format!("{latin}7")).unwrap();
        assert_eq!(Coordinates::Greek.cell(read), format!("{greek}7"));
    }
    for other in ["C1", "D1", "F1", "G1", "J1", "Λ1", "Ϛ1"] {
        assert!(Coordinates::Greek.parse(other).is_err(), "{other}");
    }
    assert!(
        Coordinates::LetterNumber.parse("Α1").is_err(),
        "a Greek alpha is no A"
    );
}

#[test]
fn cells_are_written_in_one_way() {
    let refused = [
        "",
        "A",
        "1",
        "A0",
        "A11",
        "A01",
        "A1_0",
        "A+1",
        "A-1",
        "A 1",
        "AA1",
        "K1",
        "1A",
        "A1 ",
        "A1.0",
        "A١",
        "A１",
        "Ａ1",
        "A100",
        "A4294967297",
        "ı1",
        "ſ1",
    ];
    for text in refused {
        assert!(Coordinates::LetterNumber.parse(text).is_err(), "{text}");
    }
    for text in [
        "a0", "a6", "b7", "e10", "f1", "i4", "j5", "c04", "c+4", "c", "4c",
    ] {
        assert!(parse_abalone_cell(text).is_err(), "{text}");
    }
    for text in ["a1", "a5", "e1", "e9", "f2", "f9", "i5", "i9", "C4"] {
        assert!(parse_abalone_cell(text).is_ok(), "{text}");
    }
    for text in ["", "K", "0", "11", "05", "A1", "E5", "+5"] {
        assert!(parse_berth(text).is_err(), "{text}");
    }
}

#[test]
fn a_refusal_says_what_would_be_right() {
    let error = |variant, text: &str| {
        let read = parse_move(variant, Phase::Battle, text);
        read.unwrap_err().to_string()
    };
    assert_eq!(
        error(Variant::Classic, "K5"),
        "\"K5\" is not a cell: a cell is a row's letter A-J and a column's number 1-10, such as B10."
    );
    assert_eq!(error(Variant::Salvo, "A1 B2 a1"), "A1 is named twice.");
    assert_eq!(
        error(Variant::AmiralAdvanced, "torpedo E4"),
        "\"E4\" is not a route: E and 4 are not the two ends of one diagonal. From E there are E5 and E6."
    );
    assert_eq!(
        error(Variant::AmiralAdvanced, "dive"),
        "\"dive\" is no move: a move is a shot (E5), torpedo E5, hunt E or hunt 5, or strike B1."
    );
    assert_eq!(
        error(Variant::Abalone, "c3 c4"),
        "The direction is missing after c4: e, w, nw, ne, se or sw."
    );
    assert_eq!(
        error(Variant::Abalone, "a6 e"),
        "\"a6\" is not on the board: row a goes from a1 to a5."
    );
    assert_eq!(
        error(Variant::Abalone, "a1 a2 a3 a4 e"),
        "A move names one to three marbles, not 4, and then the direction: c3 c4 c5 ne."
    );
    assert_eq!(error(Variant::Abalone, "a1 a1 e"), "a1 is named twice.");
    assert_eq!(
        error(Variant::Abalone, "a1 north"),
        "\"north\" is not a direction: the directions are e, w, nw, ne, se and sw."
    );
    assert_eq!(
        error(Variant::Classic, "\u{1b}[2J"),
        "\"\\u{1b}[2J\" is not a cell: a cell is a row's letter A-J and a column's number 1-10, such as B10."
    );
    let grid = Coordinates::LetterNumber;
    let ship = |text| parse_ship(grid, text).unwrap_err().to_string();
    assert!(
        ship("carrier A1").starts_with("\"carrier\"") || ship("carrier A1").contains("is no ship")
    );
    assert!(ship("canoe A1 h").contains("is no class of ship: there are carrier, battleship"));
    assert!(ship("carrier A1 diagonal").contains("horizontal (to the right of its cell)"));
    let bare = parse_move(Variant::AmiralAdvanced, Phase::Deployment, "carrier A1 h");
    assert!(bare.unwrap_err().to_string().contains("berth is missing"));
}

#[test]
fn ships_may_be_typed_short() {
    let grid = Coordinates::LetterNumber;
    let long = parse_ship(grid, "patrol boat A1 horizontal").unwrap();
    assert_eq!(parse_ship(grid, "Patrol-Boat  a1 h"), Ok(long));
}

#[test]
fn every_sample_fleet_reads_back() {
    for variant in broadside_cli::names::VARIANTS
        .into_iter()
        .filter(|it| naval(*it))
    {
        let grid = Coordinates::of(variant);
        let fleet = samples::fleet(variant);
        assert_eq!(parse_deployment(grid, &deployment(grid, &fleet)), Ok(fleet));
    }
}
