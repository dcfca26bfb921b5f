//! Log entries one after the other, as they stand in the journal, in a match's tail and in its chunks.
//!
//! Each is the length of its body (4 bytes, lowest first), its link, and its body.

use broadside_record::chain::{Entry, Link};

/// The length of an entry's body.
const LENGTH: usize = size_of::<u32>();

/// Adds an entry.
///
/// # Errors
/// The length of a body that is too long: nothing was added.
pub(super) fn push(bytes: &mut Vec<u8>, entry: &Entry) -> Result<(), usize> {
    let length = u32::try_from(entry.body.len()).map_err(|_| entry.body.len())?;
    bytes.extend_from_slice(&length.to_le_bytes());
    bytes.extend_from_slice(&entry.link);
    bytes.extend_from_slice(&entry.body);
    Ok(())
}

/// The entries in these bytes.
#[derive(Clone, Copy, Debug)]
pub(in super::super) struct Entries<'a>(&'a [u8]);

/// Bytes that are no entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) struct CutShort;

impl<'a> Entries<'a> {
    /// Those in these bytes.
    pub(in super::super) fn new(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    /// The bytes that are left.
    pub(super) fn rest(self) -> &'a [u8] {
        self.0
    }

    /// Those after so many.
    pub(in super::super) fn after(mut self, count: usize) -> Result<Self, CutShort> {
        for _ in 0..count {
            self.split()?;
        }
        Ok(self)
    }

    /// Takes the next one apart: its link and its body.
    fn split(&mut self) -> Result<(Link, &'a [u8]), CutShort> {
        let (length, rest) = self.0.split_first_chunk::<LENGTH>().ok_or(CutShort)?;
        let (link, rest) = rest.split_first_chunk().ok_or(CutShort)?;
        let length = usize::try_from(u32::from_le_bytes(*length)).map_err(|_| CutShort)?;
        let (body, rest) = rest.split_at_checked(length).ok_or(CutShort)?;
        self.0 = rest;
        Ok((*link, body))
    }
}

impl Iterator for Entries<'_> {
    type Item = Result<Entry, CutShort>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.0.is_empty() {
            return None;
        }
        let entry = self.split();
        if entry.is_err() {
            self.0 = &[];
        }
        Some(entry.map(|(link, body)| Entry {
            body: body.to_vec(),
            link,
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(length: usize) -> Entry {
        Entry {
            body: vec![length as u8; length],
            link: [length as u8; 32],
        }
    }

    #[test]
    fn entries_are_read_as_they_were_written() {
        let written = [0, 1, 300].map(entry);
        let mut bytes = Vec::new();
        for one in &written {
            push(&mut bytes, one).unwrap();
        }
        assert_eq!(bytes.len(), 3 * (4 + 32) + 301);
        let read: Result<Vec<_>, _> = Entries::new(&bytes).collect();
        assert_eq!(read.as_deref(), Ok(&written[..]));
        for skipped in 0..=3 {
            let rest = Entries::new(&bytes).after(skipped).unwrap();
            let rest: Result<Vec<_>, _> = rest.collect();
            assert_eq!(rest.as_deref(), Ok(&written[skipped..]));
        }
        assert!(Entries::new(&bytes).after(4).is_err());
    }

    #[test]
    fn bytes_that_are_cut_short_are_an_error_and_no_fewer_entries() {
        let mut bytes = Vec::new();
        let mut ends = Vec::new();
        for one in [2, 3].map(entry) {
            push(&mut bytes, &one).unwrap();
            ends.push(bytes.len());
        }
        for length in 1..bytes.len() {
            let read: Result<Vec<_>, _> = Entries::new(&bytes[..length]).collect();
            assert_eq!(read.is_err(), !ends.contains(&length), "{length}");
        }
    }
}
