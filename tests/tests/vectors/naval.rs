use std::collections::BTreeMap;

use broadside_rules::{
    Answer, Game, IllegalMove, Move, Options, Phase, Seat, Variant,
    naval::{self, Berth, Cell, CellSet, Edition, Orientation, PlacedShip, Route, ShipClass},
};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Verdict, expect, seat};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Played {
    variant: String,
    #[serde(default)]
    title: String,
    options: OptionsText,
    steps: Vec<Step>,
    winner: Option<u8>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct OptionsText {
    edition: Option<u32>,
    name_ship_on_hit: Option<bool>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Step {
    seat: u8,
    #[serde(rename = "move")]
    action: MoveText,
    refused: Option<String>,
    answer: Option<Value>,
    phase: Option<String>,
    to_act: Option<Vec<u8>>,
    winner: Option<u8>,
    sees: Option<BTreeMap<u8, Sees>>,
}

#[derive(Debug, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
enum MoveText {
    Deploy {
        ships: Vec<ShipText>,
        berth: Option<End>,
    },
    Shot {
        cell: [i64; 2],
    },
    Salvo {
        cells: Vec<[i64; 2]>,
    },
    Torpedo {
        letter: String,
        number: i64,
    },
    Hunt {
        end: End,
    },
    Relocate {
        berth: End,
    },
    AirStrike {
        cell: [i64; 2],
    },
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ShipText {
    class: String,
    row: i64,
    column: i64,
    orientation: String,
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum End {
    Letter(String),
    Number(i64),
}

/// What one side knows.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Sees {
    targets: Vec<String>,
    enemy_afloat: u8,
    enemy_sunk: Option<Vec<String>>,
    hit_classes: Option<BTreeMap<String, String>>,
    salvo_size: Option<usize>,
    torpedoes: Option<u8>,
    enemy_torpedoes: Option<u8>,
    submarine_in_play: Option<bool>,
    enemy_submarine_in_play: Option<bool>,
    berth: Option<Value>,
    huntable: Option<(String, u8)>,
    air_strike_spent: Option<bool>,
}

pub(crate) fn run_game(played: Played) -> Verdict {
    let options = options(&played)?;
    let mut game = Game::new(&Options::Naval(options));
    for (index, step) in played.steps.iter().enumerate() {
        run_step(&mut game, step).map_err(|error| {
            format!(
                "{} {} step {index}, seat {} {:?}: {error}",
                played.variant, played.title, step.seat, step.action
            )
        })?;
    }
    expect("the winner", winner(&game), played.winner)
}

fn options(played: &Played) -> Result<naval::Options, String> {
    let variant: Variant = played.variant.parse().map_err(|error| format!("{error}"))?;
    let mut options =
        naval::Options::default_of(variant).ok_or_else(|| format!("{variant} is not naval"))?;
    let chosen = match played.options.edition {
        None => Edition::default(),
        Some(1967) => Edition::Edition1967,
        Some(2002) => Edition::Edition2002,
        Some(year) => return Err(format!("there is no edition {year}")),
    };
    match &mut options {
        naval::Options::Classic {
            edition,
            name_ship_on_hit,
        }
        | naval::Options::Salvo {
            edition,
            name_ship_on_hit,
        } => {
            *edition = chosen;
            *name_ship_on_hit = played.options.name_ship_on_hit.unwrap_or(true);
        }
        naval::Options::AdvancedSalvo { edition } => *edition = chosen,
        naval::Options::Amiral | naval::Options::AmiralAdvanced | naval::Options::Naumachia => {}
    }
    Ok(options)
}

fn run_step(game: &mut Game, step: &Step) -> Verdict {
    let mover = seat(step.seat)?;
    let before = game.clone();
    let played = step
        .action
        .read()?
        .and_then(|action| game.play(mover, &Move::Naval(action)));
    let answer = match (played, &step.refused) {
        (Err(reason), Some(slug)) => {
            expect(&format!("after {reason:?} the game"), &*game, &before)?;
            return check_reason(reason, slug);
        }
        (Err(reason), None) => return Err(format!("it was refused: {reason}")),
        (Ok(answer), Some(slug)) => {
            return Err(format!("it was accepted, {answer:?}, in spite of {slug}"));
        }
        (Ok(answer), None) => answer,
    };
    if let Some(expected) = &step.answer {
        expect("the answer", &answer_json(&answer), expected)?;
    }
    if let Some(phase) = &step.phase {
        expect("the phase", &game.phase().to_string(), phase)?;
    }
    if let Some(to_act) = &step.to_act {
        let seats: Vec<_> = game.to_act().iter().map(Seat::number).collect();
        expect("who is to act", &seats, to_act)?;
    }
    expect("the winner", winner(game), step.winner)?;
    for (&number, sees) in step.sees.iter().flatten() {
        let Game::Naval(game) = game else {
            return Err("the game is not naval".to_owned());
        };
        check_sees(game, seat(number)?, sees)
            .map_err(|error| format!("as seat {number} sees it: {error}"))?;
    }
    Ok(())
}

/// The reasons that one move may have together: where more than one thing is wrong, any true one
/// will do.
const TOGETHER: [&[&str]; 4] = [
    &[
        "wrong_fleet",
        "ship_off_grid",
        "ships_overlap",
        "ships_touch",
        "bad_berth",
    ],
    &["wrong_salvo_size", "already_fired", "duplicate_cell"],
    &["no_submarine", "berth_not_on_route", "needs_shot_first"],
    &[
        "strike_spent",
        "carrier_hit",
        "too_few_sunk",
        "already_fired",
    ],
];

fn check_reason(reason: IllegalMove, slug: &str) -> Verdict {
    // That a name in the move means nothing is true whatever else is wrong.
    let of_names = matches!(
        reason,
        IllegalMove::OffGrid { .. }
            | IllegalMove::ShipOffGrid { .. }
            | IllegalMove::BadBerth(_)
            | IllegalMove::NotARoute { .. }
    );
    let together = |reasons: &&[&str]| reasons.contains(&slug) && reasons.contains(&reason.slug());
    if of_names || TOGETHER.iter().any(together) {
        return Ok(());
    }
    expect("the reason", reason.slug(), slug)
}

fn winner(game: &Game) -> Option<u8> {
    game.outcome()?.winner.map(Seat::number)
}

impl MoveText {
    fn read(&self) -> Result<Result<naval::Move, IllegalMove>, String> {
        Ok(match self {
            Self::Deploy { ships, berth } => {
                let classes = ships.iter().map(ShipText::read);
                let ships: Vec<_> = classes.collect::<Result<_, String>>()?;
                let ships: Result<Vec<_>, _> = ships.into_iter().collect();
                let berth = berth.as_ref().map(End::read).transpose();
                ships.and_then(|ships| {
                    Ok(naval::Move::Deploy {
                        ships,
                        berth: berth?,
                    })
                })
            }
            Self::Shot { cell } => named(cell).map(naval::Move::Shot),
            Self::Salvo { cells } => cells
                .iter()
                .map(named)
                .collect::<Result<_, _>>()
                .map(naval::Move::Salvo),
            Self::Torpedo { letter, number } => {
                Route::named(line(letter), coordinate(*number)).map(naval::Move::Torpedo)
            }
            Self::Hunt { end } => end.read().map(naval::Move::Hunt),
            Self::Relocate { berth } => berth.read().map(naval::Move::Relocate),
            Self::AirStrike { cell } => named(cell).map(naval::Move::AirStrike),
        })
    }
}

impl ShipText {
    fn read(&self) -> Result<Result<PlacedShip, IllegalMove>, String> {
        let orientation = match self.orientation.as_str() {
            "horizontal" => Orientation::Horizontal,
            "vertical" => Orientation::Vertical,
            other => return Err(format!("nothing lies {other}")),
        };
        let class = ShipClass::ALL
            .into_iter()
            .find(|class| class.slug() == self.class)
            .ok_or_else(|| format!("there is no {}", self.class))?;
        let (row, column) = (coordinate(self.row), coordinate(self.column));
        Ok(PlacedShip::named(class, row, column, orientation))
    }
}

impl End {
    fn read(&self) -> Result<Berth, IllegalMove> {
        match self {
            Self::Letter(letter) => Berth::letter(line(letter)),
            Self::Number(number) => Berth::number(coordinate(*number)),
        }
    }
}

fn named(&[row, column]: &[i64; 2]) -> Result<Cell, IllegalMove> {
    Cell::named(coordinate(row), coordinate(column))
}

/// A negative coordinate is as far off as one that is far too large.
fn coordinate(number: i64) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

fn line(letter: &str) -> u32 {
    let mut letters = letter.chars();
    match (letters.next(), letters.next()) {
        (Some(letter), None) => (letter as u32).wrapping_sub('A' as u32 - 1),
        _ => 0,
    }
}

fn answer_json(answer: &Answer) -> Value {
    let Answer::Naval(answer) = answer else {
        return Value::Null;
    };
    match answer {
        naval::Answer::Deployed | naval::Answer::Relocated => json!({}),
        naval::Answer::Shot { hit, class, sunk } => json!({
            "hit": hit,
            "class": class.map(ShipClass::slug),
            "sunk": slugs(sunk.iter().map(|sunk| sunk.class)),
        }),
        naval::Answer::Salvo { shots, sunk } => {
            let shots: Vec<_> = shots
                .iter()
                .map(|shot| json!({ "hit": shot.hit, "class": shot.class.map(ShipClass::slug) }))
                .collect();
            json!({ "shots": shots, "sunk": slugs(sunk.iter().copied()) })
        }
        naval::Answer::SalvoCount { hits, .. } => json!({ "hits": hits }),
        naval::Answer::Torpedo { sunk } => json!({ "sunk": slugs(sunk.iter().copied()) }),
        naval::Answer::Hunt { found } => json!({ "found": found }),
        naval::Answer::AirStrike { struck, sunk } => {
            let cells: Vec<_> = struck
                .iter()
                .map(
                    |(cell, hit)| json!({ "row": cell.row(), "column": cell.column(), "hit": hit }),
                )
                .collect();
            json!({ "cells": cells, "sunk": slugs(sunk.iter().copied()) })
        }
    }
}

fn slugs(classes: impl Iterator<Item = ShipClass>) -> Vec<&'static str> {
    classes.map(ShipClass::slug).collect()
}

fn check_sees(game: &naval::Game, seat: Seat, sees: &Sees) -> Verdict {
    let view = game.view(seat);
    let known = view.target;
    expect("targets", targets(game, seat), sees.targets.clone())?;
    expect("enemy_afloat", known.enemy_afloat(), sees.enemy_afloat)?;
    expect("salvo_size", view.salvo_size, sees.salvo_size)?;
    if let Some(classes) = &sees.enemy_sunk {
        expect("enemy_sunk", &enemy_sunk(game, seat), classes)?;
    }
    if let Some(classes) = &sees.hit_classes {
        let hits = known.hits().zip(known.hit_classes());
        let found = hits.map(|(cell, class)| {
            let name = format!("{},{}", cell.row(), cell.column());
            (name, class.slug().to_owned())
        });
        expect("hit_classes", &found.collect(), classes)?;
    } else {
        expect("hit_classes", known.hit_classes(), &[])?;
    }
    let (own, enemy) = (known.arsenal(), view.incoming.arsenal());
    let in_play = naval::Arsenal::submarine_in_play;
    let left = naval::Arsenal::torpedoes_left;
    expect("torpedoes", own.map(left), sees.torpedoes)?;
    expect("enemy_torpedoes", enemy.map(left), sees.enemy_torpedoes)?;
    expect(
        "submarine_in_play",
        own.map(in_play),
        sees.submarine_in_play,
    )?;
    expect(
        "enemy_submarine_in_play",
        enemy.map(in_play),
        sees.enemy_submarine_in_play,
    )?;
    let spent = own.map(naval::Arsenal::air_strike_spent);
    expect("air_strike_spent", spent, sees.air_strike_spent)?;
    let huntable = view.huntable().map(|route| {
        (
            Berth::Letter(route.letter()).to_string(),
            route.number().number(),
        )
    });
    expect("huntable", huntable, sees.huntable.clone())?;
    let berth = view.own.and_then(|own| own.berth).map(|berth| match berth {
        Berth::Letter(_) => json!(berth.to_string()),
        Berth::Number(line) => json!(line.number()),
    });
    expect("berth", berth, sees.berth.clone())
}

/// Ten rows, as the vectors show them. When a game is over everything is open: what the shots of
/// advanced salvo did is then read from the other side.
fn targets(game: &naval::Game, seat: Seat) -> Vec<String> {
    let known = game.view(seat).target;
    let opened = game.view(seat.other());
    let hits: CellSet = if game.phase() == Phase::Over {
        opened
            .incoming_shots()
            .filter(|(_, hit)| *hit)
            .map(|(cell, _)| cell)
            .collect()
    } else {
        known.hits().collect()
    };
    let misses: CellSet = if game.phase() == Phase::Over {
        known.fired() - hits
    } else {
        known.misses().collect()
    };
    let character = |cell| match () {
        () if hits.contains(cell) => 'x',
        () if misses.contains(cell) => 'o',
        () if known.fired().contains(cell) => '?',
        () if known.marked().contains(cell) => '~',
        () => '.',
    };
    let cells: Vec<char> = Cell::all().map(character).collect();
    cells.chunks(10).map(|row| row.iter().collect()).collect()
}

fn enemy_sunk(game: &naval::Game, seat: Seat) -> Vec<String> {
    let told = game
        .view(seat)
        .target
        .sinkings()
        .iter()
        .map(|sinking| sinking.class);
    let opened = game
        .view(seat.other())
        .own
        .into_iter()
        .flat_map(|own| own.lost());
    let classes: Vec<_> = if game.phase() == Phase::Over {
        opened.map(|ship| ship.class).collect()
    } else {
        told.collect()
    };
    classes
        .into_iter()
        .map(|class| class.slug().to_owned())
        .collect()
}
