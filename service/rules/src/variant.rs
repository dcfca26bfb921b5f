use std::{fmt, str::FromStr};

use thiserror::Error;

/// The seven variants (rules.md, the first table).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Variant {
    /// One shot a turn; a hit names the ship.
    Classic,
    /// As many shots a turn as ships afloat, each answered.
    Salvo,
    /// As salvo, answered only with how many hit.
    AdvancedSalvo,
    /// One shot a turn; a hit does not name the ship.
    Amiral,
    /// Amiral with a submarine and an air strike.
    AmiralAdvanced,
    /// Ten ships that may not touch; a hit shoots again.
    Naumachia,
    /// Marbles on a hexagon; push off six.
    Abalone,
}

impl Variant {
    /// Every variant, in the order of rules.md.
    pub const ALL: [Self; 7] = [
        Self::Classic,
        Self::Salvo,
        Self::AdvancedSalvo,
        Self::Amiral,
        Self::AmiralAdvanced,
        Self::Naumachia,
        Self::Abalone,
    ];

    /// The name used in commands, configuration and records, such as `advanced-salvo`.
    #[must_use]
    pub const fn slug(self) -> &'static str {
        match self {
            Self::Classic => "classic",
            Self::Salvo => "salvo",
            Self::AdvancedSalvo => "advanced-salvo",
            Self::Amiral => "amiral",
            Self::AmiralAdvanced => "amiral-advanced",
            Self::Naumachia => "naumachia",
            Self::Abalone => "abalone",
        }
    }

    /// How many refused moves a player may make in one match, unless the match says otherwise: one
    /// more loses. The rule itself is applied by whoever runs the match.
    #[must_use]
    pub const fn default_strikes(self) -> u32 {
        match self {
            Self::Naumachia => 0,
            _ => 3,
        }
    }
}

impl fmt::Display for Variant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.slug())
    }
}

impl FromStr for Variant {
    type Err = UnknownVariant;

    fn from_str(text: &str) -> Result<Self, UnknownVariant> {
        Self::ALL
            .into_iter()
            .find(|variant| variant.slug() == text)
            .ok_or_else(|| UnknownVariant(text.to_owned()))
    }
}

/// A name that is no variant's slug.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(
    "no variant is called {0:?}: the variants are classic, salvo, advanced-salvo, amiral, \
     amiral-advanced, naumachia and abalone"
)]
pub struct UnknownVariant(
    /// The name that was given.
    pub String,
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slugs_round_trip_and_the_error_names_every_variant() {
        let error = "Classic".parse::<Variant>().unwrap_err();
        for variant in Variant::ALL {
            assert_eq!(variant.to_string().parse(), Ok(variant));
            assert!(error.to_string().contains(variant.slug()));
        }
    }
}
