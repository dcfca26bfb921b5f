//! The lines under the grids: what each side has done, its arms, its salvos.

use broadside_proto::v1::{Berth, OceanGrid, Options, Reveal, Seat};

use super::told::{self, Told};
use crate::{
    names,
    notation::{Coordinates, berth, route},
    text::count,
};

/// Whose line it is.
#[derive(Clone, Copy)]
pub(super) enum Side {
    Seat(Seat),
    You,
    Enemy,
}

impl Side {
    fn name(self) -> &'static str {
        match self {
            Self::Seat(Seat::One) => "Seat 1",
            Self::Seat(Seat::Two) => "Seat 2",
            Self::Seat(Seat::Unspecified) => "No seat",
            Self::You => "You",
            Self::Enemy => "Enemy",
        }
    }
}

/// What a side has fired and what came of it.
pub(super) fn summary(options: &Options, side: Side, told: &Told) -> String {
    let coordinates = Coordinates::of(names::variant(options));
    let mut parts = vec![format!(
        "{}, {}",
        count(told.shots(), "shot"),
        count(told.hit_count(), "hit")
    )];
    let sunk: Vec<&str> = told.sunk().into_iter().map(names::ship_class).collect();
    if !sunk.is_empty() {
        parts.push(format!("sunk: {}", sunk.join(", ")));
    }
    for (class, cells) in told.named_hits() {
        let cells: Vec<String> = cells.iter().map(|cell| coordinates.cell(*cell)).collect();
        parts.push(format!(
            "{} hit at {}",
            names::ship_class(class),
            cells.join(" ")
        ));
    }
    // Before the enemy has deployed there is nothing to say of its ships.
    if told.afloat > 0 || told.shots() > 0 {
        let afloat = count(super::usize_of(told.afloat), "enemy ship");
        parts.push(format!("{afloat} afloat"));
    }
    format!("{}: {}.\n", side.name(), parts.join("; "))
}

/// How a player's own fleet fares.
pub(super) fn own_fleet(ocean: &OceanGrid) -> String {
    if ocean.ships.is_empty() {
        return String::new();
    }
    let sunk = ocean.ships.iter().filter(|ship| ship.sunk);
    let lost: Vec<&str> = sunk
        .map(|own| own.ship.unwrap_or_default().ship_class())
        .map(names::ship_class)
        .collect();
    let afloat = ocean.ships.len() - lost.len();
    let mut line = format!(
        "Enemy: {}; {} of yours afloat",
        count(told::cells(&ocean.fired_at).count(), "shot"),
        count(afloat, "ship")
    );
    if !lost.is_empty() {
        line.push_str(&format!("; lost: {}", lost.join(", ")));
    }
    line + ".\n"
}

/// How many cells the next salvo has.
pub(super) fn salvo_size(size: u32) -> String {
    if size == 0 {
        return String::new();
    }
    format!("Your salvo has {}.\n", count(super::usize_of(size), "cell"))
}

/// Every counted salvo: the cells and how many of them hit.
pub(super) fn all_salvos(told: &Told) -> String {
    salvos(told, 0)
}

/// The last three counted salvos.
pub(super) fn last_salvos(told: &Told) -> String {
    salvos(told, told.salvos.len().saturating_sub(3))
}

fn salvos(told: &Told, skipped: usize) -> String {
    let mut lines = String::new();
    for (number, salvo) in told.salvos.iter().enumerate().skip(skipped) {
        let cells: Vec<String> = told::cells(&salvo.cells)
            .map(|cell| Coordinates::LetterNumber.cell(cell))
            .collect();
        lines.push_str(&format!(
            "  salvo {}: {}: {}, {} left afloat\n",
            number + 1,
            cells.join(" "),
            count(super::usize_of(salvo.hits), "hit"),
            salvo.afloat
        ));
    }
    lines
}

/// Submarine, torpedoes, hunts and air strike of a side; nothing in other variants.
pub(super) fn arms(side: Side, told: &Told) -> String {
    let Some(arms) = &told.arms else {
        return String::new();
    };
    let submarine = if arms.submarine_in_play {
        "submarine in play"
    } else {
        "submarine out of play"
    };
    let mut parts = vec![
        submarine.to_owned(),
        format!(
            "{} left",
            match arms.torpedoes_left {
                1 => "1 torpedo".to_owned(),
                left => format!("{left} torpedoes"),
            }
        ),
    ];
    for run in &arms.torpedoes {
        let path = run.route.as_ref().map_or_else(|| "?".to_owned(), route);
        parts.push(match run.sunk {
            Some(_) => format!("torpedo {path} sunk {}", names::ship_class(run.sunk())),
            None => format!("torpedo {path} missed"),
        });
    }
    for hunt in &arms.hunts {
        let end = hunt.end.as_ref().map_or_else(|| "?".to_owned(), berth);
        let found = if hunt.found {
            "sunk it"
        } else {
            "found nothing"
        };
        parts.push(format!("hunt {end} {found}"));
    }
    if let Some(huntable) = &arms.huntable {
        parts.push(format!("may hunt at route {}", route(huntable)));
    }
    if arms.submarine_in_play && !arms.shot_since_torpedo {
        parts.push("a shot is due before the next torpedo".to_owned());
    }
    parts.push(
        if arms.air_strike_spent {
            "air strike used"
        } else {
            "air strike unused"
        }
        .to_owned(),
    );
    let owner = match side {
        Side::Seat(_) | Side::Enemy => format!("{}'s arms", side.name()),
        Side::You => "Your arms".to_owned(),
    };
    format!("{owner}: {}.\n", parts.join("; "))
}

/// Where a player's own submarine lies.
pub(super) fn own_berth(place: Option<&Berth>) -> String {
    match place {
        Some(place) => format!("Your submarine lies at berth {}.\n", berth(place)),
        None => String::new(),
    }
}

/// Where both submarines lay at the end.
pub(super) fn berths(open: &Reveal) -> String {
    let mut lines = String::new();
    for (seat, place) in [(1, &open.seat_one_berth), (2, &open.seat_two_berth)] {
        if let Some(place) = place {
            lines.push_str(&format!(
                "Seat {seat}'s submarine lay at berth {}.\n",
                berth(place)
            ));
        }
    }
    lines
}
