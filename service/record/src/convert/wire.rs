//! Messages written straight into their encoding.
//!
//! What a turn holds is written this way (see docs/performance.md): no message is built for it, and no length is computed twice. Everything
//! else goes by the generated types. A field is written as `prost` writes it, byte for byte, and the tests hold the two against each other.

use prost::{
    Message,
    encoding::{WireType, encode_key, encode_varint, encoded_len_varint},
};

/// Writes the fields of a message, in the order of their numbers, to the end of a buffer.
#[derive(Debug)]
pub struct Writer<'a>(&'a mut Vec<u8>);

impl<'a> Writer<'a> {
    /// A message at the end of this buffer.
    pub fn new(buffer: &'a mut Vec<u8>) -> Self {
        Self(buffer)
    }

    /// A number, an enum or a truth without presence: 0 is not written.
    pub fn number(&mut self, field: u32, value: impl Into<u64>) {
        let value = value.into();
        if value != 0 {
            self.present(field, value);
        }
    }

    /// An `optional` number or enum.
    pub fn optional(&mut self, field: u32, value: Option<impl Into<u64>>) {
        if let Some(value) = value {
            self.present(field, value.into());
        }
    }

    fn present(&mut self, field: u32, value: u64) {
        encode_key(field, WireType::Varint, self.0);
        encode_varint(value, self.0);
    }

    /// A `repeated` number or enum, of values below 128, so that each takes one byte.
    pub fn bytes(&mut self, field: u32, values: impl ExactSizeIterator<Item = u8>) {
        let length = values.len();
        if length > 0 {
            self.length(field, length);
            self.0.extend(values);
        }
    }

    /// A message in a field, written by `write`.
    pub fn nested(&mut self, field: u32, write: impl FnOnce(&mut Writer<'_>)) {
        encode_key(field, WireType::LengthDelimited, self.0);
        let at = self.0.len();
        // Most are short: the length has one byte, and what follows is moved if it needs more.
        self.0.push(0);
        write(&mut Writer(self.0));
        let length = self.0.len() - at - 1;
        let more = encoded_len_varint(length as u64) - 1;
        if more > 0 {
            let end = self.0.len();
            self.0.resize(end + more, 0);
            self.0.copy_within(at + 1..end, at + 1 + more);
        }
        encode_varint(length as u64, &mut &mut self.0[at..=at + more]);
    }

    /// A message in a field.
    pub fn message(&mut self, field: u32, message: &impl Message) {
        self.length(field, message.encoded_len());
        // A Vec has room for whatever it is.
        let _ = message.encode(self.0);
    }

    /// A message in a field, encoded before.
    pub fn encoded(&mut self, field: u32, message: &[u8]) {
        self.length(field, message.len());
        self.0.extend_from_slice(message);
    }

    fn length(&mut self, field: u32, length: usize) {
        encode_key(field, WireType::LengthDelimited, self.0);
        encode_varint(length as u64, self.0);
    }
}

#[cfg(test)]
mod tests {
    use broadside_proto::v1;

    use super::*;

    fn written(write: impl FnOnce(&mut Writer<'_>)) -> Vec<u8> {
        let mut buffer = Vec::new();
        write(&mut Writer::new(&mut buffer));
        buffer
    }

    #[test]
    fn a_message_is_written_as_prost_writes_it_however_long_it_is() {
        for length in [0, 1, 126, 127, 128, 200, 16_383, 16_384, 40_000] {
            let grid = v1::TargetGrid {
                misses: vec![100; length],
                hits: vec![1, 2],
            };
            let targets = v1::ClassicTargets {
                grid: Some(grid),
                afloat: 3,
                ..Default::default()
            };
            let bytes = written(|targets| {
                targets.nested(1, |grid| {
                    grid.bytes(1, std::iter::repeat_n(100, length));
                    grid.bytes(2, [1, 2].into_iter());
                });
                targets.bytes(2, [].into_iter());
                targets.number(4, 3_u32);
            });
            assert!(bytes == targets.encode_to_vec(), "{length}");
        }
    }

    #[test]
    fn a_list_of_one_zero_and_an_empty_message_are_not_taken_for_an_empty_list() {
        let answer = v1::ClassicTargets {
            hit_classes: vec![0],
            grid: Some(v1::TargetGrid::default()),
            ..Default::default()
        };
        let bytes = written(|targets| {
            targets.nested(1, |_| {});
            targets.bytes(2, [0].into_iter());
        });
        assert_eq!(bytes, answer.encode_to_vec());
    }

    #[test]
    fn presence_is_kept() {
        let answer = v1::ClassicAnswer {
            hit: false,
            ship_class: Some(0),
            sunk: None,
        };
        let bytes = written(|answer| {
            answer.number(1, false);
            answer.optional(2, Some(0_u32));
            answer.optional(3, None::<u32>);
        });
        assert_eq!(bytes, answer.encode_to_vec());
    }
}
