//! Amiral: classic with a fleet of its own and without naming the ship hit.

use super::{FleetEntry, Ruleset, ShipClass, classic};
use crate::Variant;

/// Amiral, which has no options.
pub const RULES: Ruleset = Ruleset {
    variant: Variant::Amiral,
    fleet: &FLEET,
    hit_names_ship: false,
    ..classic::RULES
};

/// The fleet, with two destroyers.
pub const FLEET: [FleetEntry; 4] = [
    FleetEntry::new(ShipClass::Carrier, 5, 1),
    FleetEntry::new(ShipClass::Cruiser, 4, 1),
    FleetEntry::new(ShipClass::Destroyer, 3, 2),
    FleetEntry::new(ShipClass::AssaultBoat, 2, 1),
];
