//! Log entries one after the other, as they stand in the journal, in a match's tail and in its chunks.
//!
//! Each is the length of its body, as a varint, and its body. Their links are left out: they follow from the bodies.

use prost::encoding::{decode_varint, encode_varint};

/// Adds an entry.
pub(super) fn push(bytes: &mut Vec<u8>, body: &[u8]) {
    encode_varint(body.len() as u64, bytes);
    bytes.extend_from_slice(body);
}

/// The bodies of the entries in these bytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entries<'a>(&'a [u8]);

/// Bytes that are no entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct CutShort;

impl<'a> Entries<'a> {
    /// Those in these bytes.
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    /// The bytes that are left.
    pub(super) fn rest(self) -> &'a [u8] {
        self.0
    }

    fn split(&mut self) -> Result<&'a [u8], CutShort> {
        let length = decode_varint(&mut self.0).map_err(|_| CutShort)?;
        let length = usize::try_from(length).map_err(|_| CutShort)?;
        let (body, rest) = self.0.split_at_checked(length).ok_or(CutShort)?;
        self.0 = rest;
        Ok(body)
    }
}

impl<'a> Iterator for Entries<'a> {
    type Item = Result<&'a [u8], CutShort>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.0.is_empty() {
            return None;
        }
        let body = self.split();
        if body.is_err() {
            self.0 = &[];
        }
        Some(body)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn body(length: usize) -> Vec<u8> {
        vec![length as u8; length]
    }

    #[test]
    fn entries_are_read_as_they_were_written() {
        let written = [0, 1, 300].map(body);
        let mut bytes = Vec::new();
        for one in &written {
            push(&mut bytes, one);
        }
        assert_eq!(bytes.len(), 1 + 1 + 2 + 301);
        let read: Result<Vec<_>, _> = Entries::new(&bytes).collect();
        assert_eq!(read, Ok(written.iter().map(Vec::as_slice).collect()));
    }

    #[test]
    fn bytes_that_are_cut_short_are_an_error_and_no_fewer_entries() {
        let mut bytes = Vec::new();
        let mut ends = Vec::new();
        for one in [2, 300].map(body) {
            push(&mut bytes, &one);
            ends.push(bytes.len());
        }
        for length in 1..bytes.len() {
            let read: Result<Vec<_>, _> = Entries::new(&bytes[..length]).collect();
            assert_eq!(read.is_err(), !ends.contains(&length), "{length}");
        }
    }

    #[test]
    fn a_length_that_is_none_is_an_error() {
        // Longer than a number may be, larger than one may be, and larger than what there is.
        for bytes in [[0xff; 12].as_slice(), &[0xff; 10], &[0xfe, 0xff, 0x7f, 0]] {
            assert_eq!(Entries::new(bytes).next(), Some(Err(CutShort)));
        }
    }
}
