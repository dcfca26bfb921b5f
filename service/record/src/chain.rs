//! The hash chain of a log: each value stands for an entry and all before it.

use std::fmt;

use broadside_proto::v1;
use prost::Message;
use sha2::{Digest, Sha256};

/// What the first value of a chain begins with.
const DOMAIN: &[u8] = b"broadside record chain 1";

/// One value of a chain, SHA-256.
///
/// Of the family that every language's standard library has, since whoever verifies a record may write in any of them.
pub type Link = [u8; 32];

/// One entry as it is kept: encoded once, and hashed as it was encoded.
#[derive(Clone, PartialEq, Eq)]
pub struct Entry {
    /// The `LogEntry`, encoded.
    pub body: Vec<u8>,
    /// The chain's value for it.
    pub link: Link,
}

impl fmt::Debug for Entry {
    /// What an entry says may be hidden until its match is over.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Entry({} bytes)", self.body.len())
    }
}

/// An entry that is not as it was written.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BrokenChain {
    /// The bytes were changed, or the entries are not of this match.
    #[error("entry {0} does not follow from the entries before it: the log was changed")]
    Link(usize),
    /// The bytes are no entry.
    #[error("entry {0} cannot be read: {1}")]
    Unreadable(usize, String),
    /// The bytes hold more than this program knows.
    #[error("entry {0} was written by a newer version of this program")]
    Newer(usize),
}

/// A chain as far as it goes.
#[derive(Clone, Debug)]
pub struct Chain {
    hasher: Sha256,
    entries: usize,
    last: Link,
}

impl Chain {
    /// The chain of a match before its first entry.
    pub fn new(match_id: u64, create_time_ms: u64) -> Self {
        let hasher = Sha256::new()
            .chain_update(DOMAIN)
            .chain_update(match_id.to_be_bytes())
            .chain_update(create_time_ms.to_be_bytes());
        Self {
            hasher,
            entries: 0,
            last: [0; 32],
        }
    }

    /// The chain of a match after so many entries, with the value for the last of them, which does not count if there are none.
    pub fn after(match_id: u64, create_time_ms: u64, entries: usize, last: Link) -> Self {
        if entries == 0 {
            return Self::new(match_id, create_time_ms);
        }
        Self {
            hasher: Sha256::new_with_prefix(last),
            entries,
            last,
        }
    }

    /// How many entries it holds.
    pub fn entries(&self) -> usize {
        self.entries
    }

    /// The value for the last entry; zeros before the first.
    pub fn last(&self) -> Link {
        self.last
    }

    /// Adds an entry.
    pub fn push(&mut self, entry: &v1::LogEntry) -> Entry {
        let body = entry.encode_to_vec();
        let link = self.push_encoded(&body);
        Entry { body, link }
    }

    /// Adds an entry that is encoded.
    pub fn push_encoded(&mut self, body: &[u8]) -> Link {
        let hasher = std::mem::take(&mut self.hasher);
        self.last = hasher.chain_update(body).finalize().into();
        self.hasher.update(self.last);
        self.entries += 1;
        self.last
    }

    /// Adds an entry as it was kept, and reads it.
    ///
    /// # Errors
    /// If it is not what was written after the entries so far.
    pub fn read(&mut self, entry: &Entry) -> Result<v1::LogEntry, BrokenChain> {
        let index = self.entries;
        if self.push_encoded(&entry.body) != entry.link {
            return Err(BrokenChain::Link(index));
        }
        let read = v1::LogEntry::decode(entry.body.as_slice())
            .map_err(|error| BrokenChain::Unreadable(index, error.to_string()))?;
        // What this program does not know it would silently leave out.
        if read.entry.is_none() || read.encoded_len() != entry.body.len() {
            return Err(BrokenChain::Newer(index));
        }
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn started(at_us: u64) -> v1::LogEntry {
        v1::LogEntry {
            at_us,
            entry: Some(v1::log_entry::Entry::Started(v1::MatchStarted {})),
        }
    }

    #[test]
    fn a_log_is_read_as_it_was_written() {
        let mut chain = Chain::new(7, 9);
        let kept: Vec<_> = (0..3).map(|at| chain.push(&started(at))).collect();
        let mut again = Chain::new(7, 9);
        for (at, entry) in kept.iter().enumerate() {
            assert_eq!(again.read(entry), Ok(started(at as u64)));
        }
        assert_eq!(again.last(), chain.last());
    }

    #[test]
    fn a_chain_goes_on_from_its_last_value_alone() {
        let mut whole = Chain::new(7, 9);
        for at in 0..3 {
            let mut rest = Chain::after(7, 9, whole.entries(), whole.last());
            let next = started(at);
            assert_eq!(rest.push(&next), whole.push(&next));
            assert_eq!(
                (rest.entries(), rest.last()),
                (whole.entries(), whole.last())
            );
        }
    }

    #[test]
    fn a_changed_byte_another_match_and_a_missing_entry_are_found() {
        let mut chain = Chain::new(7, 9);
        let kept: Vec<_> = (0..3).map(|at| chain.push(&started(at))).collect();
        let mut changed = kept[0].clone();
        changed.body.push(0);
        assert_eq!(Chain::new(7, 9).read(&changed), Err(BrokenChain::Link(0)));
        assert_eq!(Chain::new(8, 9).read(&kept[0]), Err(BrokenChain::Link(0)));
        let mut skipping = Chain::new(7, 9);
        skipping.read(&kept[0]).unwrap();
        assert_eq!(skipping.read(&kept[2]), Err(BrokenChain::Link(1)));
    }

    #[test]
    fn an_entry_of_a_newer_version_is_not_read_in_part() {
        let mut body = started(5).encode_to_vec();
        // Field 2000, a number.
        body.extend([0x80, 0x7d, 1]);
        let link = Chain::new(7, 9).push_encoded(&body);
        let newer = Entry { body, link };
        assert_eq!(Chain::new(7, 9).read(&newer), Err(BrokenChain::Newer(0)));
    }
}
