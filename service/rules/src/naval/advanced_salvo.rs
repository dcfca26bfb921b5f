//! Advanced salvo: salvo, answered only with how many of the cells hit.

use super::{Ruleset, Telling, salvo};
use crate::Variant;

/// Advanced salvo with the default options.
pub const RULES: Ruleset = Ruleset {
    variant: Variant::AdvancedSalvo,
    telling: Telling::Count,
    hit_names_ship: false,
    ..salvo::RULES
};
