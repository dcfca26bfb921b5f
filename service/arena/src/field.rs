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
