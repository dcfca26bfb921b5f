//! What ends a part of the check before its time.

use std::time::Duration;

/// Why a part of the check could not go on.
#[derive(Debug)]
pub(crate) struct Broken {
    pub(crate) how: How,
    pub(crate) message: String,
    pub(crate) lines: Vec<usize>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum How {
    /// The bot does not answer.
    Silent,
    /// The bot is not there any more.
    Gone,
    /// The bot answered with an error.
    Failed,
    /// The bot gave the match up.
    Resigned,
    /// The bot did something else than it should.
    Otherwise,
    /// The check was told to stop.
    Interrupted,
    /// The checker itself failed: not the bot's fault.
    Checker,
}

impl Broken {
    pub(crate) fn new(how: How, message: impl Into<String>, lines: Vec<usize>) -> Self {
        Self {
            how,
            message: message.into(),
            lines,
        }
    }

    pub(crate) fn interrupted() -> Self {
        Self::new(How::Interrupted, "the check was interrupted", Vec::new())
    }

    pub(crate) fn checker(message: impl Into<String>) -> Self {
        Self::new(How::Checker, message, Vec::new())
    }

    /// Why nothing is known of what would have come.
    pub(crate) fn why(&self) -> String {
        match self.how {
            How::Checker => format!("the check could not go on: {}", self.message),
            _ => self.message.clone(),
        }
    }

    pub(crate) fn silent(what: &str, after: Duration, lines: Vec<usize>) -> Self {
        let message = format!("{what} within {} ms", after.as_millis());
        Self::new(How::Silent, message, lines)
    }
}
