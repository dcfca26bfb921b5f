//! A row of the journal: the appends of one transaction, each in a frame.
//!
//! A frame is a checksum of all that follows in it, its length, the match, the place of its first entry, how many entries there are, the
//! moves accepted with them, and the entries. The row's contents say of each frame whose it is and how long, with a checksum of their
//! own. So whichever byte is damaged, there is one frame at most that cannot be read, and it is known whose it is.
//! All numbers are written lowest byte first; checksums are CRC-32.

use std::ops::Range;

use broadside_record::chain::Entry;

use super::entries::{self, Entries};

const CHECKSUM: usize = size_of::<u32>();
/// What stands before the entries of a frame: checksum, length, match, first, count, moves.
const HEAD: usize = CHECKSUM + 4 + 8 + 8 + 4 + 4;
/// What the contents say of a frame: match and length.
const LISTED: usize = 8 + 4;

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
        let begin = self.frames.len();
        let pushed = self.push_frame(match_id, first, moves, entries);
        if pushed.is_none() {
            self.frames.truncate(begin);
        }
        pushed.ok_or(TooLong)
    }

    fn push_frame(
        &mut self,
        match_id: u64,
        first: usize,
        moves: u32,
        entries: &[Entry],
    ) -> Option<Range<usize>> {
        let frames = &mut self.frames;
        let begin = frames.len();
        frames.extend_from_slice(&[0; CHECKSUM + 4]);
        frames.extend_from_slice(&match_id.to_le_bytes());
        frames.extend_from_slice(&(first as u64).to_le_bytes());
        frames.extend_from_slice(&u32::try_from(entries.len()).ok()?.to_le_bytes());
        frames.extend_from_slice(&moves.to_le_bytes());
        for entry in entries {
            entries::push(frames, entry).ok()?;
        }
        let length = u32::try_from(frames.len() - begin).ok()?.to_le_bytes();
        let frame = &mut frames[begin..];
        frame[CHECKSUM..][..length.len()].copy_from_slice(&length);
        let checksum = crc32fast::hash(&frame[CHECKSUM..]);
        frame[..CHECKSUM].copy_from_slice(&checksum.to_le_bytes());
        self.contents.extend_from_slice(&match_id.to_le_bytes());
        self.contents.extend_from_slice(&length);
        Some(begin + HEAD..self.frames.len())
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

/// An append of more than 4 GiB.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct TooLong;

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

/// What the contents say, if they are as they were written.
fn listed(contents: &[u8]) -> Option<impl Iterator<Item = (u64, usize)>> {
    let (listed, checksum) = contents.split_last_chunk::<CHECKSUM>()?;
    if crc32fast::hash(listed) != u32::from_le_bytes(*checksum) {
        return None;
    }
    let (listed, rest) = listed.as_chunks::<LISTED>();
    rest.is_empty().then(|| {
        listed.iter().map(|one| {
            let mut fields = Fields(one);
            let match_id = fields.u64().unwrap_or_default();
            (match_id, fields.size().unwrap_or_default())
        })
    })
}

/// The frames are where the contents say.
fn read_listed<'a>(
    listed: impl Iterator<Item = (u64, usize)>,
    mut frames: &'a [u8],
) -> RowRead<'a> {
    let mut read = RowRead::default();
    for (match_id, length) in listed {
        let (bytes, rest) = frames.split_at_checked(length).unwrap_or((frames, &[]));
        frames = rest;
        match Frame::read(bytes) {
            Some(frame) if frame.match_id == match_id => read.frames.push(frame),
            _ => read.lost.push(match_id),
        }
    }
    read
}

/// The frames follow each other.
fn read_on(mut frames: &[u8]) -> RowRead<'_> {
    let mut read = RowRead::default();
    while !frames.is_empty() {
        let length = frames.get(CHECKSUM..).and_then(|rest| Fields(rest).size());
        let split = length.and_then(|length| frames.split_at_checked(length));
        let Some((frame, rest)) = split.and_then(|(frame, rest)| Some((Frame::read(frame)?, rest)))
        else {
            read.cut = true;
            break;
        };
        read.frames.push(frame);
        frames = rest;
    }
    read
}

impl<'a> Frame<'a> {
    /// A frame that is as it was written.
    fn read(bytes: &'a [u8]) -> Option<Self> {
        let (checksum, rest) = bytes.split_first_chunk::<CHECKSUM>()?;
        if crc32fast::hash(rest) != u32::from_le_bytes(*checksum) {
            return None;
        }
        let mut fields = Fields(rest);
        if fields.size()? != bytes.len() {
            return None;
        }
        let frame = Self {
            match_id: fields.u64()?,
            first: usize::try_from(fields.u64()?).ok()?,
            count: fields.size()?,
            moves: fields.u32()?,
            entries: fields.0,
        };
        let mut count = 0;
        for entry in Entries::new(frame.entries) {
            entry.ok()?;
            count += 1;
        }
        (count == frame.count).then_some(frame)
    }
}

/// Numbers one after the other.
struct Fields<'a>(&'a [u8]);

impl Fields<'_> {
    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (field, rest) = self.0.split_first_chunk::<N>()?;
        self.0 = rest;
        Some(*field)
    }

    fn u32(&mut self) -> Option<u32> {
        self.take().map(u32::from_le_bytes)
    }

    fn u64(&mut self) -> Option<u64> {
        self.take().map(u64::from_le_bytes)
    }

    fn size(&mut self) -> Option<usize> {
        self.u32().and_then(|size| usize::try_from(size).ok())
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
            assert_eq!(kept, Ok(entries(count, length)));
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
}
