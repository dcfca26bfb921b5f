use super::{Ruleset, advanced_salvo, amiral, amiral_advanced, classic, naumachia, salvo};
use crate::Variant;

/// Whose fleet is played in classic, salvo and advanced salvo.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Edition {
    /// Carrier, battleship, cruiser, submarine, destroyer.
    Edition1967,
    /// Carrier, battleship, destroyer, submarine, patrol boat.
    #[default]
    Edition2002,
}

/// A naval variant and its options.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Options {
    /// Classic.
    Classic {
        /// Whose fleet is played.
        edition: Edition,
        /// Whether a hit names the class of the ship; by default it does.
        name_ship_on_hit: bool,
    },
    /// Salvo.
    Salvo {
        /// Whose fleet is played.
        edition: Edition,
        /// Whether a hit names the class of the ship; by default it does.
        name_ship_on_hit: bool,
    },
    /// Advanced salvo.
    AdvancedSalvo {
        /// Whose fleet is played.
        edition: Edition,
    },
    /// Amiral.
    Amiral,
    /// Amiral advanced.
    AmiralAdvanced,
    /// Naumachia.
    Naumachia,
}

impl Options {
    /// The options that `variant` has when none are given; none if it is not naval.
    #[must_use]
    pub fn default_of(variant: Variant) -> Option<Self> {
        let edition = Edition::default();
        Some(match variant {
            Variant::Classic => Self::Classic {
                edition,
                name_ship_on_hit: true,
            },
            Variant::Salvo => Self::Salvo {
                edition,
                name_ship_on_hit: true,
            },
            Variant::AdvancedSalvo => Self::AdvancedSalvo { edition },
            Variant::Amiral => Self::Amiral,
            Variant::AmiralAdvanced => Self::AmiralAdvanced,
            Variant::Naumachia => Self::Naumachia,
            Variant::Abalone => return None,
        })
    }

    /// The variant that they are of.
    #[must_use]
    pub const fn variant(self) -> Variant {
        match self {
            Self::Classic { .. } => Variant::Classic,
            Self::Salvo { .. } => Variant::Salvo,
            Self::AdvancedSalvo { .. } => Variant::AdvancedSalvo,
            Self::Amiral => Variant::Amiral,
            Self::AmiralAdvanced => Variant::AmiralAdvanced,
            Self::Naumachia => Variant::Naumachia,
        }
    }

    /// The variant's table with these options filled in.
    #[must_use]
    pub const fn ruleset(self) -> &'static Ruleset {
        match self {
            Self::Classic {
                edition,
                name_ship_on_hit,
            } => of(&CLASSIC, edition, name_ship_on_hit),
            Self::Salvo {
                edition,
                name_ship_on_hit,
            } => of(&SALVO, edition, name_ship_on_hit),
            Self::AdvancedSalvo { edition } => of(&ADVANCED_SALVO, edition, false),
            Self::Amiral => &amiral::RULES,
            Self::AmiralAdvanced => &amiral_advanced::RULES,
            Self::Naumachia => &naumachia::RULES,
        }
    }
}

/// A table for each edition, and of each the one in which a hit names no ship before the one in
/// which it does.
type Tables = [[Ruleset; 2]; 2];

static CLASSIC: Tables = tables(&classic::RULES);
static SALVO: Tables = tables(&salvo::RULES);
static ADVANCED_SALVO: Tables = tables(&advanced_salvo::RULES);

const fn tables(rules: &Ruleset) -> Tables {
    let [old, new] = [Edition::Edition1967, Edition::Edition2002];
    [
        [filled_in(rules, old, false), filled_in(rules, old, true)],
        [filled_in(rules, new, false), filled_in(rules, new, true)],
    ]
}

const fn filled_in(rules: &Ruleset, edition: Edition, hit_names_ship: bool) -> Ruleset {
    Ruleset {
        fleet: edition.fleet(),
        hit_names_ship,
        ..*rules
    }
}

const fn of(tables: &Tables, edition: Edition, hit_names_ship: bool) -> &Ruleset {
    &tables[edition as usize][hit_names_ship as usize]
}

impl Edition {
    const fn fleet(self) -> &'static [super::FleetEntry] {
        match self {
            Self::Edition1967 => &classic::FLEET_1967,
            Self::Edition2002 => &classic::FLEET_2002,
        }
    }
}
