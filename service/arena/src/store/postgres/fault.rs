//! What an error of the database means for whoever waits.

use std::error::Error as _;

use deadpool_postgres::PoolError;
use tokio_postgres::Error;

use crate::store::StoreError;

/// SQLSTATE codes, and classes of them, that pass: the connection or the server is gone, going or out of something, or
/// another transaction was in the way.
const PASSING: [&str; 8] = ["08", "25006", "40", "53", "55P03", "57", "58", "25P03"];

/// What happened, in one line.
pub(super) fn describe(error: &Error) -> String {
    if let Some(error) = error.as_db_error() {
        let detail = error.detail().map(|detail| format!(": {detail}"));
        return format!(
            "{}{} (SQLSTATE {})",
            error.message(),
            detail.unwrap_or_default(),
            error.code().code()
        );
    }
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(error) = source {
        let more = error.to_string();
        if !text.contains(&more) {
            text = format!("{text}: {more}");
        }
        source = error.source();
    }
    text
}

/// Whether the same may succeed later.
pub(super) fn passes(error: &Error) -> bool {
    match error.code() {
        Some(code) => PASSING
            .iter()
            .any(|passing| code.code().starts_with(passing)),
        // Not from the server: the connection.
        None => true,
    }
}

/// An error as whoever waits is told it.
pub(super) fn store_error(error: &Error) -> StoreError {
    if passes(error) {
        StoreError::Unavailable(describe(error))
    } else {
        StoreError::Failed(describe(error))
    }
}

/// The error for an answer that did not come.
pub(super) fn late() -> StoreError {
    StoreError::Unavailable("the database did not answer in time".to_owned())
}

/// The error for a connection that was not to be had.
pub(super) fn no_connection(error: &PoolError) -> StoreError {
    match error {
        PoolError::Backend(error) => store_error(error),
        PoolError::Timeout(_) => late(),
        other => StoreError::Unavailable(other.to_string()),
    }
}
