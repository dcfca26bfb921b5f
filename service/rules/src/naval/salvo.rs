//! Salvo: classic with as many shots a turn as one has ships afloat.

use super::{Ruleset, Volley, classic};
use crate::Variant;

/// Salvo with the default options.
pub const RULES: Ruleset = Ruleset {
    variant: Variant::Salvo,
    volley: Volley::ShipsAfloat,
    ..classic::RULES
};
