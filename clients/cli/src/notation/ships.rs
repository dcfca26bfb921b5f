//! Ships and whole fleets: `patrol boat A1 horizontal`, joined by commas.

use broadside_proto::v1::{Deployment, Orientation, PlacedShip, ShipClass};

use super::{Coordinates, NotationError, quoted};
use crate::names::{SHIP_CLASSES, ship_class};

/// A ship and where it lies: `carrier A1 horizontal`.
pub fn ship(coordinates: Coordinates, ship: &PlacedShip) -> String {
    let cell = ship
        .cell
        .map_or_else(|| "?".to_owned(), |cell| coordinates.cell(cell));
    let orientation = match ship.orientation() {
        Orientation::Unspecified => "?",
        Orientation::Horizontal => "horizontal",
        Orientation::Vertical => "vertical",
    };
    format!("{} {cell} {orientation}", ship_class(ship.ship_class()))
}

/// Reads a ship: its class, its top-left cell and `horizontal` or `vertical` (or `h`, `v`).
///
/// # Errors
/// If a part is missing or is not what it should be.
pub fn parse_ship(coordinates: Coordinates, text: &str) -> Result<PlacedShip, NotationError> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let [class @ .., cell, orientation] = words.as_slice() else {
        return Err(whole(coordinates, text));
    };
    if class.is_empty() {
        return Err(whole(coordinates, text));
    }
    let class = parse_class(&class.join(" "))?;
    let cell = coordinates.parse(cell)?;
    let orientation = match orientation.to_ascii_lowercase().as_str() {
        "horizontal" | "h" => Orientation::Horizontal,
        "vertical" | "v" => Orientation::Vertical,
        _ => {
            return Err(NotationError::new(format!(
                "{} is no orientation: a ship lies horizontal (to the right of its cell) or vertical (down from it).",
                quoted(orientation)
            )));
        }
    };
    Ok(PlacedShip {
        ship_class: class.into(),
        cell: Some(cell),
        orientation: orientation.into(),
    })
}

fn parse_class(text: &str) -> Result<ShipClass, NotationError> {
    let wanted = text.to_ascii_lowercase().replace(['-', '_'], " ");
    SHIP_CLASSES
        .into_iter()
        .find(|class| ship_class(*class) == wanted)
        .ok_or_else(|| {
            NotationError::new(format!(
                "{} is no class of ship: there are {}.",
                quoted(text),
                SHIP_CLASSES.map(ship_class).join(", ")
            ))
        })
}

fn whole(coordinates: Coordinates, text: &str) -> NotationError {
    let example = match coordinates {
        Coordinates::LetterNumber => "carrier A1 horizontal",
        Coordinates::Greek => "battleship Γ4 horizontal",
    };
    NotationError::new(format!(
        "{} is no ship: a ship is its class, its top-left cell and horizontal or vertical, such as {example}.",
        quoted(text)
    ))
}

/// A fleet: its ships joined by commas.
pub fn deployment(coordinates: Coordinates, deployment: &Deployment) -> String {
    let ships: Vec<String> = deployment
        .ships
        .iter()
        .map(|placed| ship(coordinates, placed))
        .collect();
    ships.join(", ")
}

/// Reads a fleet: ships separated by commas.
///
/// # Errors
/// If one of them is no ship.
pub fn parse_deployment(coordinates: Coordinates, text: &str) -> Result<Deployment, NotationError> {
    let ships = text
        .split(',')
        .map(|ship| parse_ship(coordinates, ship.trim()))
        .collect::<Result<_, _>>()?;
    Ok(Deployment { ships })
}
