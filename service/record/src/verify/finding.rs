//! What is wrong with a record.

use std::fmt;

/// What kind of thing is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// The record, or a part of it, is not as the contract has it: a version, a field that must be set.
    Form,
    /// An entry does not follow from the entries before it: it was changed, added, taken out or moved.
    Chain,
    /// It is signed with another key than the one that is trusted.
    Key,
    /// The signature does not hold.
    Signature,
    /// An entry stands where it cannot, or at a time before the one before it.
    Order,
    /// The match is not one that can be created.
    Creation,
    /// It is of a turn that this seat was not asked, or that is answered.
    Turn,
    /// A move was accepted that the referee refuses.
    Move,
    /// What was announced is not what the referee says.
    Answer,
    /// A move was refused that the referee accepts or refuses for another reason, or once too often.
    Refusal,
    /// A commitment does not open to the deployment.
    Commitment,
    /// A time is not what the stamps, the time control and the entries before it make it.
    Clock,
    /// A connection was lost or found that was not there to be.
    Connection,
    /// A seat is said to be at fault, and is not by what the record shows.
    Fault,
    /// The match did not end so, or not here.
    Outcome,
}

impl Kind {
    /// The kind in one word.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Form => "form",
            Self::Chain => "chain",
            Self::Key => "key",
            Self::Signature => "signature",
            Self::Order => "order",
            Self::Creation => "creation",
            Self::Turn => "turn",
            Self::Move => "move",
            Self::Answer => "answer",
            Self::Refusal => "refusal",
            Self::Commitment => "commitment",
            Self::Clock => "clock",
            Self::Connection => "connection",
            Self::Fault => "fault",
            Self::Outcome => "outcome",
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The first thing that is wrong with a record.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}{kind}: {message}", place(*.entry))]
pub struct Finding {
    /// In which entry, counted from 0; `None` if it is in none.
    pub entry: Option<usize>,
    /// Of what kind it is.
    pub kind: Kind,
    /// What it is, and what would be right.
    pub message: String,
}

impl Finding {
    /// A finding in a log of which not all is known.
    pub(super) fn of_newer(mut self, newer: &[usize]) -> Self {
        if let Some(first) = newer.first() {
            self.message += &format!(
                " (a newer arena wrote more in entry {first} than this program knows, which may be why: verify the record with a newer version)"
            );
        }
        self
    }
}

fn place(entry: Option<usize>) -> String {
    entry.map_or_else(String::new, |entry| format!("entry {entry}: "))
}

/// A finding whose place is not known yet.
#[derive(Debug)]
pub(super) struct Wrong {
    kind: Kind,
    message: String,
}

impl Wrong {
    pub(super) fn in_entry(self, entry: usize) -> Finding {
        Finding {
            entry: Some(entry),
            kind: self.kind,
            message: self.message,
        }
    }

    pub(super) fn in_record(self) -> Finding {
        Finding {
            entry: None,
            kind: self.kind,
            message: self.message,
        }
    }
}

impl Kind {
    pub(super) fn wrong(self, message: impl Into<String>) -> Wrong {
        Wrong {
            kind: self,
            message: message.into(),
        }
    }

    /// Checks that a value is the one that it must be.
    pub(super) fn expect<T: PartialEq + fmt::Debug>(
        self,
        what: &str,
        found: &T,
        expected: &T,
    ) -> Result<(), Wrong> {
        if found == expected {
            Ok(())
        } else {
            Err(self.wrong(format!("{what} is {found:?}: it must be {expected:?}")))
        }
    }
}
