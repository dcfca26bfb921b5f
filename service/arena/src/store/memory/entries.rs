//! The entries of a log, in pieces that never move: a log grows without being copied, and has little room that it does not use.

use broadside_record::chain::{Entry, Link};
use prost::encoding::{decode_varint, encode_varint, encoded_len_varint};

/// Bytes of a piece; an entry that is longer has one of its own.
const PIECE: usize = 1024;

/// Entries one after the other.
#[derive(Debug, Default)]
pub(super) struct Entries {
    /// How many there are.
    count: usize,
    /// The piece that is added to.
    last: Vec<u8>,
    full: Vec<Piece>,
}

/// Of each entry the length of the body as a varint, the link, the body.
#[derive(Debug)]
struct Piece {
    bytes: Vec<u8>,
    /// How many entries there are up to its end.
    end: usize,
}

impl Entries {
    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.count
    }

    /// Adds one.
    pub(super) fn push(&mut self, entry: &Entry) {
        let Entry { body, link } = entry;
        let length = body.len() as u64;
        let size = encoded_len_varint(length) + link.len() + body.len();
        if self.last.capacity() - self.last.len() < size {
            let bytes = std::mem::replace(&mut self.last, Vec::with_capacity(PIECE.max(size)));
            if !bytes.is_empty() {
                let end = self.count;
                self.full.push(Piece { bytes, end });
            }
        }
        encode_varint(length, &mut self.last);
        self.last.extend_from_slice(link);
        self.last.extend_from_slice(body);
        self.count += 1;
    }

    /// Those from one on.
    pub(super) fn from(&self, first: usize) -> impl Iterator<Item = Entry> {
        let (before, rest) = self
            .full
            .split_at(self.full.partition_point(|piece| piece.end <= first));
        let skipped = first - before.last().map_or(0, |piece| piece.end);
        rest.iter()
            .map(|piece| &piece.bytes)
            .chain([&self.last])
            .flat_map(|bytes| Split(bytes))
            .skip(skipped)
            .map(|(link, body)| Entry {
                body: body.to_vec(),
                link,
            })
    }

    /// Nothing more is added.
    pub(super) fn shrink_to_fit(&mut self) {
        self.last.shrink_to_fit();
        self.full.shrink_to_fit();
    }
}

/// The entries of a piece that are left, not copied.
struct Split<'a>(&'a [u8]);

impl<'a> Iterator for Split<'a> {
    type Item = (Link, &'a [u8]);

    fn next(&mut self) -> Option<Self::Item> {
        let mut rest = self.0;
        let length = usize::try_from(decode_varint(&mut rest).ok()?).ok()?;
        let (link, rest) = rest.split_first_chunk()?;
        let (body, rest) = rest.split_at_checked(length)?;
        self.0 = rest;
        Some((*link, body))
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
    fn entries_of_all_lengths_are_read_as_they_were_written_from_each_on() {
        // Some fill a piece to the byte, some have one of their own.
        let fits = PIECE - 2 - 32;
        let lengths = [
            0,
            1,
            fits,
            2,
            fits - 1,
            fits + 1,
            5 * PIECE,
            3,
            300,
            400,
            500,
            0,
        ];
        let written = lengths.map(entry);
        let mut entries = Entries::default();
        for (at, one) in written.iter().enumerate() {
            assert_eq!(entries.len(), at);
            entries.push(one);
            for first in 0..=at + 1 {
                let read: Vec<_> = entries.from(first).collect();
                assert_eq!(read, written[first..=at], "from {first} of {}", at + 1);
            }
        }
        entries.shrink_to_fit();
        assert!(entries.from(0).eq(written));
        assert_eq!(entries.from(lengths.len() + 7).count(), 0);
    }

    #[test]
    fn a_log_has_little_room_that_it_does_not_use() {
        let mut entries = Entries::default();
        for _ in 0..1_000 {
            entries.push(&entry(50));
        }
        let used = 1_000 * (1 + 32 + 50);
        let pieces = entries.full.iter().map(|piece| piece.bytes.capacity());
        let taken = pieces.sum::<usize>() + entries.last.capacity();
        assert!(taken < used + used / 8, "{taken} for {used}");
    }
}
