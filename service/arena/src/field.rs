//! What is wrong with a request, field by field.

use std::fmt;

use tonic::{Code, Status};
use tonic_types::{ErrorDetails, FieldViolation, StatusExt};

/// The fields of a request that are wrong, each with what would be right.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Violations(Vec<(String, String)>);

impl Violations {
    /// Adds a field, and what is wrong with it as the end of a sentence that begins with the field's name.
    pub fn add(&mut self, field: impl Into<String>, what: impl Into<String>) {
        self.0.push((field.into(), what.into()));
    }

    /// Checks a text that people may get to see: not too long, and nothing in it that does something to a terminal or a page.
    pub fn check_text(&mut self, field: &str, text: &str, longest: usize) {
        if text.chars().count() > longest {
            self.add(field, format!("must be at most {longest} characters"));
        }
        if let Some(bad) = text.chars().find(|&character| is_unprintable(character)) {
            self.add(
                field,
                format!(
                    "holds the character U+{:04X}: it must hold no control or formatting character",
                    u32::from(bad)
                ),
            );
        }
    }

    /// Whether nothing is wrong.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// `Ok` if nothing is wrong.
    ///
    /// # Errors
    /// The violations themselves.
    pub fn into_result(self) -> Result<(), Self> {
        if self.is_empty() { Ok(()) } else { Err(self) }
    }
}

/// Most that is kept of what a bot's own program says, in characters.
const MAX_SAID: usize = 200;

/// The beginning of what a bot's own program said, for logs and records: what would do something to a terminal or a page is U+FFFD.
pub(crate) fn plain(said: &str) -> String {
    let plain = |character| match is_unprintable(character) {
        true => char::REPLACEMENT_CHARACTER,
        false => character,
    };
    said.chars().take(MAX_SAID).map(plain).collect()
}

/// Control characters, and those that change the direction or the look of others, or are not seen (Unicode's category Cf and the
/// separators of lines).
fn is_unprintable(character: char) -> bool {
    character.is_control()
        || matches!(character,
            '\u{ad}' | '\u{600}'..='\u{605}' | '\u{61c}' | '\u{6dd}' | '\u{70f}'
            | '\u{890}'..='\u{891}' | '\u{8e2}' | '\u{180e}' | '\u{200b}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}'
            | '\u{fff9}'..='\u{fffb}' | '\u{110bd}' | '\u{110cd}' | '\u{13430}'..='\u{1343f}'
            | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0001}'
            | '\u{e0020}'..='\u{e007f}')
}

impl fmt::Display for Violations {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, (field, what)) in self.0.iter().enumerate() {
            let separator = if index == 0 { "" } else { "; " };
            write!(f, "{separator}{field} {what}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Violations {}

impl From<Violations> for Status {
    fn from(violations: Violations) -> Self {
        let message = violations.to_string();
        let fields: Vec<_> = violations
            .0
            .into_iter()
            .map(|(field, what)| FieldViolation::new(field, what))
            .collect();
        Self::with_error_details(
            Code::InvalidArgument,
            message,
            ErrorDetails::with_bad_request(fields),
        )
    }
}
