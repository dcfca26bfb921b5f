//! Amiral advanced: amiral with a submarine off the grid and one air strike.

use super::{Ruleset, amiral};
use crate::Variant;

/// Amiral advanced, which has no options.
pub const RULES: Ruleset = Ruleset {
    variant: Variant::AmiralAdvanced,
    submarine: true,
    ..amiral::RULES
};

/// Torpedoes of each submarine; it withdraws after the last.
pub const TORPEDOES: usize = 3;

/// Enemy ships that must be sunk before an air strike.
pub const SUNK_BEFORE_AIR_STRIKE: usize = 2;
