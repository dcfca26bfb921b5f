use super::{Alphabet, ShipClass};
use crate::{MoveKind, Variant};

/// How many ships of a class a fleet has, and how long they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FleetEntry {
    /// The class.
    pub class: ShipClass,
    /// Cells a ship.
    pub length: u8,
    /// Ships of this class.
    pub count: u8,
}

impl FleetEntry {
    /// `count` ships of `class`, each `length` long.
    #[must_use]
    pub const fn new(class: ShipClass, length: u8, count: u8) -> Self {
        Self {
            class,
            length,
            count,
        }
    }
}

/// How many shots a turn has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Volley {
    /// One.
    Single,
    /// As many as the shooter has ships afloat when the turn starts, or cells left to fire at.
    ShipsAfloat,
}

/// What is told of the shots of a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Telling {
    /// Hit or miss for each shot, and the class of a ship sunk.
    EachShot,
    /// How many hit, and how many ships are still afloat.
    Count,
}

/// What makes a naval variant: its row in each table of rules.md.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ruleset {
    /// The variant.
    pub variant: Variant,
    /// The ships of each side.
    pub fleet: &'static [FleetEntry],
    /// Whether ships may be in contact by side or corner.
    pub ships_may_touch: bool,
    /// Shots a turn.
    pub volley: Volley,
    /// What is told of them.
    pub telling: Telling,
    /// Whether a hit names the class of the ship.
    pub hit_names_ship: bool,
    /// Whether the shooter of a hit shoots again.
    pub hit_shoots_again: bool,
    /// Whether a sinking tells where the ship lay, and its ring is marked as water.
    pub sinking_shows_ship: bool,
    /// Whether there are a submarine with torpedoes, hunts, and an air strike.
    pub submarine: bool,
    /// How cells are written.
    pub alphabet: Alphabet,
}

impl Ruleset {
    /// Ships of each side.
    #[must_use]
    pub fn fleet_size(&self) -> usize {
        self.fleet
            .iter()
            .map(|entry| usize::from(entry.count))
            .sum()
    }

    /// The fleet's entry for `class`, if it has such ships.
    #[must_use]
    pub fn entry(&self, class: ShipClass) -> Option<FleetEntry> {
        self.fleet
            .iter()
            .copied()
            .find(|entry| entry.class == class)
    }

    /// Whether the variant has moves of this kind at all.
    #[must_use]
    pub const fn has(&self, kind: MoveKind) -> bool {
        match kind {
            MoveKind::Deploy => true,
            MoveKind::Shot => matches!(self.volley, Volley::Single),
            MoveKind::Salvo => matches!(self.volley, Volley::ShipsAfloat),
            MoveKind::Torpedo | MoveKind::Hunt | MoveKind::Relocate | MoveKind::AirStrike => {
                self.submarine
            }
            MoveKind::Marbles => false,
        }
    }
}
