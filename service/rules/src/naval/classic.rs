//! Classic: one shot a turn, turns alternate, and a hit names the ship.

use super::{Alphabet, FleetEntry, Ruleset, ShipClass, Telling, Volley};
use crate::Variant;

/// Classic with the default options.
pub const RULES: Ruleset = Ruleset {
    variant: Variant::Classic,
    fleet: &FLEET_2002,
    ships_may_touch: true,
    volley: Volley::Single,
    telling: Telling::EachShot,
    hit_names_ship: true,
    hit_shoots_again: false,
    sinking_shows_ship: false,
    submarine: false,
    alphabet: Alphabet::Latin,
};

/// The fleet of the edition of 2002.
pub const FLEET_2002: [FleetEntry; 5] = [
    FleetEntry::new(ShipClass::Carrier, 5, 1),
    FleetEntry::new(ShipClass::Battleship, 4, 1),
    FleetEntry::new(ShipClass::Destroyer, 3, 1),
    FleetEntry::new(ShipClass::Submarine, 3, 1),
    FleetEntry::new(ShipClass::PatrolBoat, 2, 1),
];

/// The fleet of the edition of 1967.
pub const FLEET_1967: [FleetEntry; 5] = [
    FleetEntry::new(ShipClass::Carrier, 5, 1),
    FleetEntry::new(ShipClass::Battleship, 4, 1),
    FleetEntry::new(ShipClass::Cruiser, 3, 1),
    FleetEntry::new(ShipClass::Submarine, 3, 1),
    FleetEntry::new(ShipClass::Destroyer, 2, 1),
];
