//! Variant and options.

use broadside_proto::v1::{self, options::Variant as Of};
use broadside_rules::{Options, naval, naval::Edition};

use super::abalone;

/// An option that is out of range.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{field} {what}")]
pub struct OptionsError {
    /// The field.
    pub field: String,
    /// What is wrong with it, as the end of a sentence that begins with the field's name.
    pub what: String,
}

impl OptionsError {
    pub(super) fn new(field: &str, what: impl Into<String>) -> Self {
        Self {
            field: format!("options.{field}"),
            what: what.into(),
        }
    }
}

/// Options, every field set.
pub fn options(options: &Options) -> v1::Options {
    let of = match *options {
        Options::Naval(naval::Options::Classic {
            edition,
            name_ship_on_hit,
        }) => Of::Classic(v1::ClassicOptions {
            edition: Some(edition_to(edition).into()),
            name_ship_on_hit: Some(name_ship_on_hit),
        }),
        Options::Naval(naval::Options::Salvo {
            edition,
            name_ship_on_hit,
        }) => Of::Salvo(v1::SalvoOptions {
            edition: Some(edition_to(edition).into()),
            name_ship_on_hit: Some(name_ship_on_hit),
        }),
        Options::Naval(naval::Options::AdvancedSalvo { edition }) => {
            Of::AdvancedSalvo(v1::AdvancedSalvoOptions {
                edition: Some(edition_to(edition).into()),
            })
        }
        Options::Naval(naval::Options::Amiral) => Of::Amiral(v1::AmiralOptions {}),
        Options::Naval(naval::Options::AmiralAdvanced) => {
            Of::AmiralAdvanced(v1::AmiralAdvancedOptions {})
        }
        Options::Naval(naval::Options::Naumachia) => Of::Naumachia(v1::NaumachiaOptions {}),
        Options::Abalone(options) => Of::Abalone(abalone::options(&options)),
    };
    v1::Options { variant: Some(of) }
}

/// Options, defaults filled in.
///
/// # Errors
/// Names the field that is wrong, and its range.
pub fn options_from(options: v1::Options) -> Result<Options, OptionsError> {
    let v1::Options { variant } = options;
    let unset = || OptionsError {
        field: "options".to_owned(),
        what: "names no variant: it must hold the options of one that this arena knows".to_owned(),
    };
    Ok(match variant.ok_or_else(unset)? {
        Of::Classic(v1::ClassicOptions {
            edition,
            name_ship_on_hit,
        }) => Options::Naval(naval::Options::Classic {
            edition: edition_from(edition, "classic.edition")?,
            name_ship_on_hit: name_ship_on_hit.unwrap_or(true),
        }),
        Of::Salvo(v1::SalvoOptions {
            edition,
            name_ship_on_hit,
        }) => Options::Naval(naval::Options::Salvo {
            edition: edition_from(edition, "salvo.edition")?,
            name_ship_on_hit: name_ship_on_hit.unwrap_or(true),
        }),
        Of::AdvancedSalvo(v1::AdvancedSalvoOptions { edition }) => {
            Options::Naval(naval::Options::AdvancedSalvo {
                edition: edition_from(edition, "advanced_salvo.edition")?,
            })
        }
        Of::Amiral(v1::AmiralOptions {}) => Options::Naval(naval::Options::Amiral),
        Of::AmiralAdvanced(v1::AmiralAdvancedOptions {}) => {
            Options::Naval(naval::Options::AmiralAdvanced)
        }
        Of::Naumachia(v1::NaumachiaOptions {}) => Options::Naval(naval::Options::Naumachia),
        Of::Abalone(options) => Options::Abalone(abalone::options_from(options)?),
    })
}

fn edition_to(edition: Edition) -> v1::Edition {
    match edition {
        Edition::Edition1967 => v1::Edition::Edition1967,
        Edition::Edition2002 => v1::Edition::Edition2002,
    }
}

fn edition_from(value: Option<i32>, field: &str) -> Result<Edition, OptionsError> {
    match value.map(v1::Edition::try_from) {
        None => Ok(Edition::default()),
        Some(Ok(v1::Edition::Edition1967)) => Ok(Edition::Edition1967),
        Some(Ok(v1::Edition::Edition2002)) => Ok(Edition::Edition2002),
        Some(Ok(v1::Edition::Unspecified) | Err(_)) => Err(OptionsError::new(
            field,
            format!(
                "is {}: it must be 1967 (1) or 2002 (2), or unset for 2002",
                value.unwrap_or_default()
            ),
        )),
    }
}
