//! Who an agent says it is, and the variants' names.

use broadside_proto::v1::{self, Variant};

/// Every variant and the name that it goes by.
pub const VARIANTS: [(Variant, &str); 7] = [
    (Variant::Classic, "classic"),
    (Variant::Salvo, "salvo"),
    (Variant::AdvancedSalvo, "advanced-salvo"),
    (Variant::Amiral, "amiral"),
    (Variant::AmiralAdvanced, "amiral-advanced"),
    (Variant::Naumachia, "naumachia"),
    (Variant::Abalone, "abalone"),
];

/// An agent's profile.
pub type Profile = v1::AgentProfile;

/// The profile of an agent that plays all seven variants, `max_matches` at once, and asks for nothing.
#[must_use]
pub fn every_variant(name: impl Into<String>, max_matches: u32) -> Builder {
    Builder(Profile {
        name: name.into(),
        variants: VARIANTS
            .iter()
            .map(|&(variant, _)| variant.into())
            .collect(),
        max_matches,
        wants_legal_moves: false,
        wants_accepted: false,
    })
}

/// A profile in the making: it becomes a [`Profile`] by `into()`.
#[derive(Clone, Debug)]
pub struct Builder(Profile);

impl Builder {
    /// Plays only these variants.
    #[must_use]
    pub fn with_variants(mut self, variants: &[Variant]) -> Self {
        self.0.variants = variants.iter().map(|&variant| variant.into()).collect();
        self
    }

    /// Every turn shall hold the legal moves.
    #[must_use]
    pub fn with_legal_moves(mut self) -> Self {
        self.0.wants_legal_moves = true;
        self
    }

    /// Every accepted move shall be answered with `Accepted`.
    #[must_use]
    pub fn with_accepted(mut self) -> Self {
        self.0.wants_accepted = true;
        self
    }
}

impl From<Builder> for Profile {
    fn from(builder: Builder) -> Self {
        builder.0
    }
}

/// The variant that goes by `name`.
///
/// # Errors
/// A sentence that lists the names, if there is none.
pub fn variant(name: &str) -> Result<Variant, String> {
    VARIANTS
        .iter()
        .find(|&&(_, slug)| slug == name)
        .map(|&(variant, _)| variant)
        .ok_or_else(|| {
            let names: Vec<_> = VARIANTS.iter().map(|&(_, slug)| slug).collect();
            format!("no variant {name:?}; there are {}", names.join(", "))
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_variant_of_the_contract_has_a_name() {
        for (known, slug) in VARIANTS {
            assert_eq!(variant(slug), Ok(known));
        }
        let beyond = 1 + VARIANTS.len() as i32;
        assert!(
            Variant::try_from(beyond).is_err(),
            "a variant without a name"
        );
        assert!(variant("chess").unwrap_err().contains("amiral-advanced"));
    }
}
