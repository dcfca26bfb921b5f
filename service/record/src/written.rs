//! A record as it was written, byte by byte: chain and commitments are over bytes, and a newer arena writes more than this program
//! knows.

use broadside_proto::v1;
use prost::{DecodeError, Message};

/// A record, and the bytes of its entries.
#[derive(Clone, Debug, PartialEq)]
pub struct Written {
    record: v1::MatchRecord,
    entries: Vec<Vec<u8>>,
    has_more: bool,
}

/// A record with its entries unread.
#[derive(Clone, PartialEq, Message)]
struct Unread {
    #[prost(uint32, tag = "1")]
    format_version: u32,
    #[prost(uint64, tag = "2")]
    match_id: u64,
    #[prost(uint64, tag = "3")]
    create_time_ms: u64,
    #[prost(bytes = "vec", repeated, tag = "4")]
    entries: Vec<Vec<u8>>,
    #[prost(bytes = "vec", repeated, tag = "5")]
    chain: Vec<Vec<u8>>,
    #[prost(bytes = "vec", tag = "6")]
    public_key: Vec<u8>,
    #[prost(bytes = "vec", tag = "7")]
    signature: Vec<u8>,
}

/// An entry of which only an accepted move is looked at, unread.
#[derive(Clone, PartialEq, Message)]
struct EntryOfMove {
    #[prost(message, optional, tag = "4")]
    accepted: Option<UnreadMove>,
}

#[derive(Clone, PartialEq, Message)]
struct UnreadMove {
    #[prost(bytes = "vec", optional, tag = "3")]
    r#move: Option<Vec<u8>>,
}

impl Written {
    /// Reads a record: what it says of what this program knows, and all its bytes.
    ///
    /// # Errors
    /// If the bytes are no record.
    pub fn read(bytes: &[u8]) -> Result<Self, DecodeError> {
        let unread = Unread::decode(bytes)?;
        Ok(Self {
            record: v1::MatchRecord::decode(bytes)?,
            has_more: unread.encoded_len() != bytes.len(),
            entries: unread.entries,
        })
    }

    /// What this program knows of it.
    pub fn record(&self) -> &v1::MatchRecord {
        &self.record
    }

    /// The entries as they were written.
    pub(crate) fn entries(&self) -> &[Vec<u8>] {
        &self.entries
    }

    /// Whether there is more in it than this program knows, outside of the entries.
    pub fn has_more_outside(&self) -> bool {
        self.has_more
    }

    /// Whether there is more in it than this program knows.
    pub fn has_more(&self) -> bool {
        let known = self.record.entries.iter().map(Message::encoded_len);
        self.has_more || known.ne(self.entries.iter().map(Vec::len))
    }
}

/// As this program writes it.
impl From<v1::MatchRecord> for Written {
    fn from(record: v1::MatchRecord) -> Self {
        Self {
            entries: record.entries.iter().map(Message::encode_to_vec).collect(),
            record,
            has_more: false,
        }
    }
}

/// The bytes of the move in the entry of an accepted one; none if there are none.
pub(crate) fn move_in(entry: &[u8]) -> Vec<u8> {
    let read = EntryOfMove::decode(entry).unwrap_or_default();
    read.accepted
        .and_then(|accepted| accepted.r#move)
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_this_program_writes_has_nothing_more_in_it_and_an_added_field_is_seen_wherever_it_is() {
        let record = v1::MatchRecord {
            format_version: 1,
            match_id: 7,
            entries: vec![
                v1::LogEntry::default(),
                v1::LogEntry {
                    at_us: 300,
                    entry: None,
                },
            ],
            chain: vec![vec![1; 32]; 2],
            ..v1::MatchRecord::default()
        };
        let written = Written::from(record.clone());
        let mut bytes = record.encode_to_vec();
        assert_eq!(Written::read(&bytes), Ok(written.clone()));
        assert!(!written.has_more());

        // Field 2000, a number.
        bytes.extend([0x80, 0x7d, 1]);
        let read = Written::read(&bytes).unwrap();
        assert!(read.has_more_outside() && read.has_more());
        // An entry that holds nothing else.
        let mut bytes = record.encode_to_vec();
        bytes.extend([0x22, 3, 0x80, 0x7d, 1]);
        let read = Written::read(&bytes).unwrap();
        assert!(!read.has_more_outside() && read.has_more());
        assert_eq!(read.record().entries.len(), 3);
    }

    #[test]
    fn a_move_is_read_as_the_bytes_that_it_is() {
        let action = v1::Move {
            variant: Some(v1::r#move::Variant::Abalone(v1::AbaloneMove::default())),
        };
        let entry = v1::LogEntry {
            at_us: 9,
            entry: Some(v1::log_entry::Entry::Accepted(v1::MoveAccepted {
                seat: 1,
                r#move: Some(action.clone()),
                ..v1::MoveAccepted::default()
            })),
        };
        assert_eq!(move_in(&entry.encode_to_vec()), action.encode_to_vec());
        assert!(move_in(&[]).is_empty());
        assert!(move_in(&[255]).is_empty());
    }
}
