//! Pages of lists.

use tonic::Status;

/// Rows of a page that asks for no size.
const DEFAULT_SIZE: usize = 50;
/// Most rows of a page.
pub(crate) const MAX_SIZE: u32 = 1_000;

/// How many rows a page shall have.
///
/// # Errors
/// `INVALID_ARGUMENT` if that is too many.
pub(super) fn size(asked: u32) -> Result<usize, Status> {
    match asked {
        0 => Ok(DEFAULT_SIZE),
        1..=MAX_SIZE => Ok(asked as usize),
        _ => {
            let mut violations = crate::field::Violations::default();
            violations.add(
                "page_size",
                format!("is {asked}: it must be 1 to {MAX_SIZE}, or 0 for {DEFAULT_SIZE}"),
            );
            Err(violations.into())
        }
    }
}

/// The error for a token that no list has given out.
pub(super) fn bad_token(token: &str) -> Status {
    let mut violations = crate::field::Violations::default();
    violations.add(
        "page_token",
        format!(
            "is {:?}: it must be the next_page_token of the page before, or empty",
            crate::gateway::excerpt(token)
        ),
    );
    violations.into()
}
