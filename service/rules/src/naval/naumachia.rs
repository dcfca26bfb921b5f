//! Naumachia: ten ships that may not touch; a hit shoots again, and a sinking shows the ship.

use super::{Alphabet, FleetEntry, Ruleset, ShipClass, classic};
use crate::Variant;

/// Naumachia, which has no options.
pub const RULES: Ruleset = Ruleset {
    variant: Variant::Naumachia,
    fleet: &FLEET,
    ships_may_touch: false,
    hit_names_ship: false,
    hit_shoots_again: true,
    sinking_shows_ship: true,
    alphabet: Alphabet::Greek,
    ..classic::RULES
};

/// The fleet of ten.
pub const FLEET: [FleetEntry; 4] = [
    FleetEntry::new(ShipClass::Battleship, 4, 1),
    FleetEntry::new(ShipClass::Cruiser, 3, 2),
    FleetEntry::new(ShipClass::Destroyer, 2, 3),
    FleetEntry::new(ShipClass::TorpedoBoat, 1, 4),
];
