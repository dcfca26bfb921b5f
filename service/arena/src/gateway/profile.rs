//! A bot's profile, checked.

use broadside_proto::v1;

use crate::{convert, field::Violations, roster::Profile};

/// Longest name of an agent, in characters.
pub(crate) const MAX_NAME: usize = 64;

/// Checks a profile: name (for a dialled bot it is optional, since its address is its name), variants, matches at once.
///
/// # Errors
/// Names each field that is wrong, and what would be right.
pub fn profile_from(
    profile: v1::AgentProfile,
    max_matches_limit: usize,
    needs_name: bool,
) -> Result<(String, Profile), Violations> {
    let v1::AgentProfile {
        name,
        variants,
        max_matches,
        wants_legal_moves,
        wants_accepted,
    } = profile;
    let mut violations = Violations::default();
    if (needs_name || !name.is_empty()) && !is_name(&name) {
        violations.add(
            "profile.name",
            format!(
                "is {:?}: it must be 1-{MAX_NAME} characters of A-Z a-z 0-9 . _ - and start with a letter or a digit",
                excerpt(&name)
            ),
        );
    }
    let mut plays = Vec::new();
    for (index, value) in variants.into_iter().enumerate() {
        match convert::variant_from(value) {
            Some(variant) if plays.contains(&variant) => {}
            Some(variant) => plays.push(variant),
            // A newer bot may play variants that this arena does not have; they are just not asked for.
            None if value != 0 => {}
            None => violations.add(
                format!("profile.variants[{index}]"),
                "is unset: it must be a variant".to_owned(),
            ),
        }
    }
    if plays.is_empty() && violations.is_empty() {
        violations.add(
            "profile.variants",
            "names no variant that this arena knows: name at least one".to_owned(),
        );
    }
    let wanted = usize::try_from(max_matches).unwrap_or(usize::MAX);
    if !(1..=max_matches_limit).contains(&wanted) {
        violations.add(
            "profile.max_matches",
            format!("is {max_matches}: it must be 1 to {max_matches_limit}"),
        );
    }
    violations.into_result()?;
    let profile = Profile {
        variants: plays,
        max_matches: wanted,
        wants_legal_moves,
        wants_accepted,
    };
    Ok((name, profile))
}

/// Whether a text may name an agent.
pub(crate) fn is_name(text: &str) -> bool {
    let mut characters = text.chars();
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
    text.len() <= MAX_NAME
        && characters.next().is_some_and(|c| c.is_ascii_alphanumeric())
        && characters.all(plain)
}

/// The beginning of a text from outside, for a message about it.
pub(crate) fn excerpt(text: &str) -> String {
    text.chars().take(MAX_NAME).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn profile() -> v1::AgentProfile {
        v1::AgentProfile {
            name: "ada".to_owned(),
            variants: vec![v1::Variant::Classic.into()],
            max_matches: 4,
            wants_legal_moves: true,
            wants_accepted: false,
        }
    }

    #[test]
    fn a_good_profile_is_taken() {
        let (name, checked) = profile_from(profile(), 8, true).unwrap();
        assert_eq!((name.as_str(), checked.max_matches), ("ada", 4));
    }

    #[test]
    fn each_wrong_field_is_named_with_what_would_be_right() {
        let bad = v1::AgentProfile {
            name: "-x\u{202e}".to_owned(),
            variants: vec![0],
            max_matches: 9,
            ..profile()
        };
        let text = profile_from(bad, 8, true).unwrap_err().to_string();
        for part in [
            "profile.name",
            "profile.variants[0]",
            "profile.max_matches",
            "1 to 8",
        ] {
            assert!(text.contains(part), "{part} in {text}");
        }
    }

    #[test]
    fn variants_of_a_newer_contract_are_not_asked_for() {
        let newer = v1::AgentProfile {
            variants: vec![v1::Variant::Abalone.into(), 99],
            ..profile()
        };
        assert_eq!(profile_from(newer, 8, true).unwrap().1.variants.len(), 1);
        let only_newer = v1::AgentProfile {
            variants: vec![99],
            ..profile()
        };
        assert!(profile_from(only_newer, 8, true).is_err());
    }
}
