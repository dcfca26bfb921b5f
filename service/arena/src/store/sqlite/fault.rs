//! What can go wrong with a database, sorted by whom it concerns.

use rusqlite::ErrorCode;

use super::{files::Files, space};
use crate::store::StoreError;

/// Less room than this within the limit on the size of files, and the limit is the cause of a failed write.
const NEAR_LIMIT: u64 = 4 << 20;

/// Why a request did not succeed.
#[derive(Debug)]
pub(super) enum Fault {
    /// The request itself: nobody else is concerned.
    Request(StoreError),
    /// The database.
    Database(rusqlite::Error),
}

/// Whom a fault of the database concerns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Why {
    /// Only the request that met it.
    Request,
    /// Only the request that met it, and the match that it is about: what is kept of it is damaged.
    Damage,
    /// All: the database cannot be used now.
    Outage,
}

impl From<rusqlite::Error> for Fault {
    fn from(error: rusqlite::Error) -> Self {
        Self::Database(error)
    }
}

impl From<StoreError> for Fault {
    fn from(error: StoreError) -> Self {
        Self::Request(error)
    }
}

/// Whom an error concerns.
pub(super) fn why(error: &rusqlite::Error) -> Why {
    match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseCorrupt) => Why::Damage,
        Some(
            ErrorCode::ConstraintViolation
            | ErrorCode::TooBig
            | ErrorCode::TypeMismatch
            | ErrorCode::ParameterOutOfRange,
        ) => Why::Request,
        Some(_) => Why::Outage,
        // Of rusqlite's own: a column that does not hold what it should.
        None => Why::Damage,
    }
}

/// An error of the database as one about a match, or about none.
pub(super) fn told(files: &Files, match_id: Option<u64>, error: &rusqlite::Error) -> StoreError {
    match (why(error), match_id) {
        (Why::Outage, _) => StoreError::Unavailable(cause(files, error)),
        (Why::Damage, Some(match_id)) => StoreError::Corrupt {
            match_id,
            why: format!("{} is damaged: {error}", files.database.display()),
        },
        (Why::Damage | Why::Request, _) => {
            StoreError::Failed(format!("{}: {error}", files.database.display()))
        }
    }
}

/// What stands in the way, for people: the file and the cause.
pub(super) fn cause(files: &Files, error: &rusqlite::Error) -> String {
    let file = files.database.display();
    match error.sqlite_error_code() {
        Some(ErrorCode::DiskFull) => format!("{file}: there is no space left on its disk"),
        Some(ErrorCode::SystemIoFailure) => match space::file_limit() {
            Some(limit) if limit.saturating_sub(files.largest()) < NEAR_LIMIT => format!(
                "{file}: a file of this process may have {limit} bytes, and that is reached (ulimit -f)"
            ),
            _ => format!("{file}: its disk fails: {error}"),
        },
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
            format!("{file}: another program keeps it locked")
        }
        Some(ErrorCode::ReadOnly) => format!("{file}: it cannot be written any more"),
        Some(ErrorCode::CannotOpen) => format!("{file}: it cannot be opened: {error}"),
        Some(ErrorCode::NotADatabase) => {
            format!("{file}: it is not a database any more: restore it from a backup")
        }
        Some(ErrorCode::DatabaseCorrupt) => {
            format!("{file}: it is damaged: restore it from a backup ({error})")
        }
        _ => format!("{file}: {error}"),
    }
}
