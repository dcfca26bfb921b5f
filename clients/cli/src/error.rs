//! What can go wrong, in words for the person at the terminal, and the exit codes that a script can tell apart.

use std::{io, path::PathBuf, process::ExitCode};

use broadside_check::CheckError;
use tonic::{Code, Status};
use tonic_types::StatusExt;

use crate::{history::HistoryError, text::escape};

/// How the program ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Exit {
    /// All done.
    Done = 0,
    /// The arena refused, a file could not be used, or a record cannot be believed.
    Failed = 1,
    /// The command line is wrong.
    Usage = 2,
    /// The arena is not there, or stopped answering.
    Unreachable = 3,
    /// There is no such match.
    NotFound = 4,
    /// The match that was played or watched ended without a result.
    Void = 5,
    /// The bot that was checked breaks a rule.
    Broken = 6,
    /// The bot to be checked did not come.
    NoBot = 7,
    /// The check was interrupted.
    Interrupted = 130,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

/// Why a command failed.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// What was asked for on the command line cannot be meant.
    #[error("{0}")]
    Usage(String),
    /// No connection.
    #[error(
        "cannot reach an arena at {address}: {cause}. Start one with `cargo run --bin broadside-arena`, or say where one is with --arena or BROADSIDE_ARENA."
    )]
    Unreachable {
        /// Where the arena should have been.
        address: String,
        /// What the transport said.
        cause: String,
    },
    /// The arena went away, or took too long.
    #[error("cannot {doing}: the arena at {address} {what}.")]
    Lost {
        /// What was being done.
        doing: String,
        /// Where the arena is.
        address: String,
        /// What was seen.
        what: String,
    },
    /// The arena refused.
    #[error("cannot {doing}: {}", refusal(.status))]
    Refused {
        /// What was being done.
        doing: String,
        /// Its answer.
        status: Box<Status>,
    },
    /// The arena answered with less than the contract promises.
    #[error("cannot {doing}: the arena's answer has no {missing}.")]
    Incomplete {
        /// What was being done.
        doing: String,
        /// What should have been there.
        missing: &'static str,
    },
    /// A file could not be read or written.
    #[error("{}: {source}.", escape(&.path.display().to_string()))]
    File {
        /// Which file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A file is no record of a match.
    #[error("{} is no record of a match: {}.", escape(&.path.display().to_string()), escape(.message))]
    NotARecord {
        /// Which file.
        path: PathBuf,
        /// Why.
        message: String,
    },
    /// A record's moves cannot be followed.
    #[error("{}: {source}", escape(&.path.display().to_string()))]
    History {
        /// Which file.
        path: PathBuf,
        /// Where it breaks off.
        source: HistoryError,
    },
    /// A record that was fetched is not as it must be.
    #[error("the record of match {match_id} cannot be believed: {}", escape(&.finding.to_string()))]
    Unbelievable {
        /// The match.
        match_id: u64,
        /// The first thing that is wrong.
        finding: broadside_record::Finding,
    },
    /// Nothing can be printed any more.
    #[error("cannot write the output: {0}.")]
    Output(#[from] io::Error),
    /// A bot could not be checked.
    #[error("{}.", escape(&.0.to_string()))]
    Check(#[from] broadside_check::CheckError),
    /// The session of `play` was ended.
    #[error("the arena ended the session: {0}")]
    SessionEnded(String),
}

impl Error {
    /// The exit code that tells this apart.
    pub fn exit(&self) -> Exit {
        match self {
            Self::Usage(_) => Exit::Usage,
            Self::Unreachable { .. } | Self::Lost { .. } => Exit::Unreachable,
            Self::Refused { status, .. } => match status.code() {
                Code::NotFound => Exit::NotFound,
                Code::Unavailable | Code::DeadlineExceeded => Exit::Unreachable,
                _ => Exit::Failed,
            },
            Self::Check(CheckError::NoBot(_)) => Exit::NoBot,
            Self::Check(CheckError::Address(_)) => Exit::Usage,
            // Whoever reads the output has had enough of it.
            Self::Output(error) if error.kind() == io::ErrorKind::BrokenPipe => Exit::Done,
            Self::Incomplete { .. }
            | Self::File { .. }
            | Self::NotARecord { .. }
            | Self::History { .. }
            | Self::Unbelievable { .. }
            | Self::Check(_)
            | Self::Output(_)
            | Self::SessionEnded(_) => Exit::Failed,
        }
    }
}

/// What the arena said, and a line for each field, precondition or limit that it named.
fn refusal(status: &Status) -> String {
    let details = status.get_error_details();
    let fields = details.bad_request().into_iter();
    let fields = fields.flat_map(|it| &it.field_violations);
    let fields = fields.map(|it| (&it.field, &it.description));
    let conditions = details.precondition_failure().into_iter();
    let conditions = conditions.flat_map(|it| &it.violations);
    let conditions = conditions.map(|it| (&it.subject, &it.description));
    let limits = details.quota_failure().into_iter();
    let limits = limits.flat_map(|it| &it.violations);
    let limits = limits.map(|it| (&it.subject, &it.description));
    let named: Vec<(&String, &String)> = fields.chain(conditions).chain(limits).collect();

    // A message that says it all already is not printed beside the lines that say it again.
    let said_below = !named.is_empty()
        && named
            .iter()
            .all(|(_, description)| status.message().contains(description.as_str()));
    let mut text = match status.message() {
        "" => format!("the arena answered {:?}", status.code()),
        _ if said_below => format!("the arena refuses ({:?})", status.code()),
        message => format!("{} ({:?})", escape(message), status.code()),
    };
    for (subject, description) in named {
        text.push_str(&format!("\n  {}: {}", escape(subject), escape(description)));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use tonic_types::{ErrorDetails, FieldViolation};

    #[test]
    fn every_field_that_is_wrong_is_named() {
        let details = ErrorDetails::with_bad_request(vec![
            FieldViolation::new("players", "exactly 2 are needed, not 1"),
            FieldViolation::new("strikes", "101 is not in 0-100\u{1b}[31m"),
        ]);
        let status =
            Status::with_error_details(Code::InvalidArgument, "2 fields are wrong", details);
        let error = Error::Refused {
            doing: "create the match".to_owned(),
            status: Box::new(status),
        };
        assert_eq!(
            error.to_string(),
            "cannot create the match: 2 fields are wrong (InvalidArgument)\n  players: exactly 2 are needed, not 1\n  strikes: 101 is not in 0-100\\u{1b}[31m"
        );
        assert_eq!(error.exit(), Exit::Failed);
    }

    #[test]
    fn nothing_is_said_twice() {
        let details =
            ErrorDetails::with_bad_request_violation("strikes", "is 101: it must be 0-100");
        let message = "strikes is 101: it must be 0-100";
        let status = Status::with_error_details(Code::InvalidArgument, message, details);
        assert_eq!(
            refusal(&status),
            "the arena refuses (InvalidArgument)\n  strikes: is 101: it must be 0-100"
        );
    }

    #[test]
    fn what_was_not_found_has_its_own_code() {
        let error = Error::Refused {
            doing: "show match 7".to_owned(),
            status: Box::new(Status::not_found("there is no match 7")),
        };
        assert_eq!(error.exit(), Exit::NotFound);
    }
}
