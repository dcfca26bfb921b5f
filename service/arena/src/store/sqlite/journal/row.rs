//! A row of the journal: the appends of one transaction, each in a frame.
//!
//! A frame is the match, the place of its first entry, how many entries there are, the moves accepted with them, the entries, and a checksum
//! of all that. The row's contents say of each frame whose it is and how long, with a checksum of their own. So whichever byte is
//! damaged, there is one frame at most that cannot be read, and it is known whose it is.
//! A match is 8 bytes and a checksum, CRC-32, is 4, lowest first; all other numbers are varints.

use std::ops::Range;

use broadside_record::chain::Entry;
use prost::encoding::{decode_varint, encode_varint};

use super::entries::{self, Entries};

const CHECKSUM: usize = size_of::<u32>();
/// The most that the entries of an append may have: what is written in one piece must stay well below the 1,000,000,000 bytes that SQLite takes.
const MOST: usize = 64 << 20;

/// A row that is being written.
#[derive(Debug, Default)]
pub(super) struct RowWriter {
    contents: Vec<u8>,
    frames: Vec<u8>,
}

impl RowWriter {
    pub(super) fn is_empty(&self) -> bool {
        self.frames.is_empty()
    }

    /// How many bytes it has.
    pub(super) fn bytes(&self) -> usize {
        self.contents.len() + self.frames.len()
    }

    pub(super) fn clear(&mut self) {
        self.contents.clear();
        self.frames.clear();
    }

    /// Adds an append. Returns where its entries stand.
    ///
    /// # Errors
    /// If it is too long: nothing was added.
    pub(super) fn push(
        &mut self,
        match_id: u64,
        first: usize,
        moves: u32,
        entries: &[Entry],
    ) -> Result<Range<usize>, TooLong> {
        let bytes = entries.iter().fold(0_usize, |bytes, entry| {
            bytes.saturating_add(entry.body.len())
        });
        if bytes > MOST {
            return Err(TooLong(bytes));
        }
        let frames = &mut self.frames;
        let begin = frames.len();
        frames.extend_from_slice(&match_id.to_le_bytes());
        encode_varint(first as u64, frames);
        encode_varint(entries.len() as u64, frames);
        encode_varint(moves.into(), frames);
        let first_entry = frames.len();
        for entry in entries {
            entries::push(frames, &entry.body);
        }
        let end = frames.len();
        let checksum = crc32fast::hash(&frames[begin..]);
        frames.extend_from_slice(&checksum.to_le_bytes());
        self.contents.extend_from_slice(&match_id.to_le_bytes());
        encode_varint((frames.len() - begin) as u64, &mut self.contents);
        Ok(first_entry..end)
    }

    /// The bytes of entries that were added.
    pub(super) fn entries(&self, range: Range<usize>) -> &[u8] {
        &self.frames[range]
    }

    /// The row as it is kept, contents and frames: nothing is added to it any more.
    pub(super) fn seal(&mut self) -> (&[u8], &[u8]) {
        let checksum = crc32fast::hash(&self.contents);
        self.contents.extend_from_slice(&checksum.to_le_bytes());
        (&self.contents, &self.frames)
    }
}

/// An append of so many bytes, more than [`MOST`].
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("its entries have {0} bytes, and an append may have {MOST}")]
pub(super) struct TooLong(usize);

/// An append as it stands in a row.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Frame<'a> {
    pub(super) match_id: u64,
    /// The place in the match's log of the first entry.
    pub(super) first: usize,
    /// How many there are.
    pub(super) count: usize,
    /// Moves accepted with them.
    pub(super) moves: u32,
    /// The entries.
    pub(super) entries: &'a [u8],
}

/// What could be read of a row.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct RowRead<'a> {
    /// Frames that are as they were written, in their order.
    pub(super) frames: Vec<Frame<'a>>,
    /// Matches of frames that are not.
    pub(super) lost: Vec<u64>,
    /// Whether there may have been more frames, of matches that are not known.
    pub(super) cut: bool,
}

/// Reads a row.
pub(super) fn read<'a>(contents: &[u8], frames: &'a [u8]) -> RowRead<'a> {
    match listed(contents) {
        Some(listed) => read_listed(listed, frames),
        None => read_on(frames),
    }
}

/// What the contents say, match and length of each frame, if they are as they were written.
fn listed(contents: &[u8]) -> Option<Vec<(u64, usize)>> {
    let (listed, checksum) = contents.split_last_chunk::<CHECKSUM>()?;
    if crc32fast::hash(listed) != u32::from_le_bytes(*checksum) {
        return None;
    }
    let mut fields = Fields(listed);
    let mut listed = Vec::new();
    while !fields.0.is_empty() {
        listed.push((fields.match_id()?, fields.size()?));
    }
    // A row has a frame at least, and zeros are the checksum of nothing.
    (!listed.is_empty()).then_some(listed)
}

/// The frames are where the contents say.
fn read_listed(listed: Vec<(u64, usize)>, mut frames: &[u8]) -> RowRead<'_> {
    let mut read = RowRead::default();
    for (match_id, length) in listed {
        let (bytes, rest) = frames.split_at_checked(length).unwrap_or((frames, &[]));
        frames = rest;
        match Frame::read(bytes) {
            Some((frame, [])) if frame.match_id == match_id => read.frames.push(frame),
            _ => read.lost.push(match_id),
        }
    }
    read
}

/// The frames follow each other.
fn read_on(mut frames: &[u8]) -> RowRead<'_> {
    let mut read = RowRead::default();
    while !frames.is_empty() {
        let Some((frame, rest)) = Frame::read(frames) else {
            read.cut = true;
            break;
        };
        read.frames.push(frame);
        frames = rest;
    }
    read
}

impl<'a> Frame<'a> {
    /// A frame that is as it was written, and what follows it.
    fn read(bytes: &'a [u8]) -> Option<(Self, &'a [u8])> {
        let mut fields = Fields(bytes);
        let match_id = fields.match_id()?;
        let (first, count) = (fields.size()?, fields.size()?);
        let moves = u32::try_from(fields.varint()?).ok()?;
        let mut entries = Entries::new(fields.0);
        // Each takes a byte at least: a count that is none comes to an end.
        for _ in 0..count {
            entries.next()?.ok()?;
        }
        let after = entries.rest();
        let (checked, _) = bytes.split_at_checked(bytes.len() - after.len())?;
        let (entries, _) = fields.0.split_at_checked(fields.0.len() - after.len())?;
        let (checksum, rest) = after.split_first_chunk::<CHECKSUM>()?;
        if crc32fast::hash(checked) != u32::from_le_bytes(*checksum) {
            return None;
        }
        let frame = Self {
            match_id,
            first,
            count,
            moves,
            entries,
        };
        Some((frame, rest))
    }
}

/// Numbers one after the other.
struct Fields<'a>(&'a [u8]);

impl Fields<'_> {
    fn match_id(&mut self) -> Option<u64> {
        let (field, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(u64::from_le_bytes(*field))
    }

    fn varint(&mut self) -> Option<u64> {
        decode_varint(&mut self.0).ok()
    }

    fn size(&mut self) -> Option<usize> {
        self.varint().and_then(|size| usize::try_from(size).ok())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entries(count: usize, length: usize) -> Vec<Entry> {
        let entry = |at: usize| Entry {
            body: vec![at as u8; length],
            link: [at as u8; 32],
        };
        (0..count).map(entry).collect()
    }

    /// Three appends, of matches 1 to 3.
    fn row() -> (Vec<u8>, Vec<u8>) {
        let mut row = RowWriter::default();
        for (match_id, count, length) in [(1, 1, 20), (2, 3, 0), (3, 2, 50)] {
            let entries = entries(count, length);
            row.push(match_id, 7, 9, &entries).unwrap();
        }
        let (contents, frames) = row.seal();
        (contents.to_vec(), frames.to_vec())
    }

    fn matches(read: &RowRead<'_>) -> Vec<u64> {
        read.frames.iter().map(|frame| frame.match_id).collect()
    }

    #[test]
    fn a_row_is_read_as_it_was_written() {
        let (contents, frames) = row();
        let read = read(&contents, &frames);
        assert_eq!((read.lost.len(), read.cut), (0, false));
        assert_eq!(matches(&read), [1, 2, 3]);
        for (frame, (count, length)) in read.frames.iter().zip([(1, 20), (3, 0), (2, 50)]) {
            assert_eq!((frame.first, frame.count, frame.moves), (7, count, 9));
            let kept: Result<Vec<_>, _> = Entries::new(frame.entries).collect();
            let written = entries(count, length);
            let written = written.iter().map(|entry| entry.body.as_slice());
            assert_eq!(kept, Ok(written.collect()));
        }
    }

    #[test]
    fn a_bit_that_is_flipped_anywhere_costs_one_match_at_most_which_is_named() {
        let (contents, frames) = row();
        for bit in 0..frames.len() * 8 {
            let mut damaged = frames.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            let read = read(&contents, &damaged);
            assert_eq!((read.lost.len(), read.cut), (1, false), "bit {bit}");
            let mut all = [matches(&read), read.lost].concat();
            all.sort_unstable();
            assert_eq!(all, [1, 2, 3], "bit {bit}");
        }
        for bit in 0..contents.len() * 8 {
            let mut damaged = contents.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(read(&damaged, &frames), read(&contents, &frames));
        }
    }

    #[test]
    fn bytes_of_something_else_are_no_frames_and_that_is_said() {
        let (contents, frames) = row();
        assert_eq!(read(&contents, &[0xa5; 99]).lost, [1, 2, 3]);
        assert_eq!(read(&contents, &[]).lost, [1, 2, 3]);
        let nothing = read(&[], &[0xa5; 99]);
        assert_eq!((nothing.frames.len(), nothing.cut), (0, true));
        // Both are damaged: what comes before is kept.
        let mut damaged = frames.clone();
        *damaged.last_mut().unwrap() ^= 1;
        let begin = read(&[], &damaged);
        assert_eq!((matches(&begin), begin.cut), (vec![1, 2], true));
    }

    #[test]
    fn whatever_the_bytes_are_they_are_read_or_not() {
        // Numbers without an end, and counts and lengths of all there could be.
        for byte in 0..=u8::MAX {
            for length in 0..40 {
                let bytes = vec![byte; length];
                let read = read(&bytes, &bytes);
                assert!(read.frames.is_empty(), "{length} of {byte}");
                assert_eq!(read.cut, length > 0);
            }
        }
    }

    #[test]
    fn an_append_takes_few_bytes_beside_its_entries() {
        let mut row = RowWriter::default();
        row.push(u64::MAX, 100, 50, &entries(1, 43)).unwrap();
        let before = row.bytes();
        row.push(u64::MAX - 1, 100, 50, &entries(1, 43)).unwrap();
        assert_eq!(row.bytes() - before, 43 + 25);
    }

    #[test]
    fn an_append_that_no_database_takes_is_refused_and_changes_nothing() {
        let mut row = RowWriter::default();
        row.push(1, 0, 0, &entries(1, 20)).unwrap();
        let before = row.bytes();
        let refused = row.push(2, 0, 0, &entries(2, MOST / 2 + 1)).unwrap_err();
        assert_eq!(
            refused.to_string(),
            "its entries have 67108866 bytes, and an append may have 67108864"
        );
        assert_eq!(row.bytes(), before);
    }
}
