//! Which rows the journal has, and which of them are still needed.

use std::collections::VecDeque;

/// What a row takes beside its own bytes, here and in the database, about.
const ROW_BYTES: usize = 64;

/// A row.
#[derive(Debug)]
struct Row {
    bytes: usize,
    /// Matches whose tail began here; it may have been written elsewhere since.
    begun: Vec<u64>,
    /// How many of them have that tail still.
    pins: usize,
}

/// The rows, oldest first, with places that follow each other.
///
/// A row is needed as long as a tail begins in it or before it.
#[derive(Debug)]
pub(super) struct Rows {
    rows: VecDeque<Row>,
    /// The place of the first one, or of the next if there is none.
    first: i64,
    bytes: usize,
}

impl Rows {
    /// None yet.
    pub(super) fn new() -> Self {
        Self {
            rows: VecDeque::new(),
            first: 1,
            bytes: 0,
        }
    }

    /// The place of the first row.
    pub(super) fn first(&self) -> i64 {
        self.first
    }

    /// The place of the last row; 0 if there is none.
    pub(super) fn last(&self) -> i64 {
        match self.rows.len() {
            0 => 0,
            rows => self.place(rows - 1),
        }
    }

    /// The place of the next row.
    pub(super) fn next(&self) -> i64 {
        self.place(self.rows.len())
    }

    /// How many bytes there are.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Adds a row in which these tails begin.
    pub(super) fn push(&mut self, bytes: usize, begun: Vec<u64>) {
        let bytes = bytes + ROW_BYTES;
        self.bytes += bytes;
        let pins = begun.len();
        self.rows.push_back(Row { bytes, begun, pins });
    }

    /// A tail that began in this row is needed no more.
    pub(super) fn unpin(&mut self, place: i64) {
        let index = usize::try_from(place - self.first).ok();
        if let Some(row) = index.and_then(|index| self.rows.get_mut(index)) {
            row.pins = row.pins.saturating_sub(1);
        }
    }

    /// How many rows at the beginning are not needed.
    pub(super) fn unneeded(&self) -> usize {
        self.rows.iter().take_while(|row| row.pins == 0).count()
    }

    /// The oldest rows that make up so many bytes, with the matches whose tails began in them.
    pub(super) fn oldest(&self, bytes: usize) -> impl Iterator<Item = (i64, &[u64])> {
        let mut before = 0_usize;
        let oldest = self.rows.iter().take_while(move |row| {
            let wanted = before < bytes;
            before += row.bytes;
            wanted
        });
        oldest
            .enumerate()
            .map(|(index, row)| (self.place(index), row.begun.as_slice()))
    }

    /// Takes so many rows at the beginning away.
    pub(super) fn drop_first(&mut self, count: usize) {
        for row in self.rows.drain(..count.min(self.rows.len())) {
            self.bytes -= row.bytes;
            self.first += 1;
        }
    }

    fn place(&self, index: usize) -> i64 {
        self.first.saturating_add_unsigned(index as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_is_needed_as_long_as_a_tail_begins_in_it_or_before_it() {
        let mut rows = Rows::new();
        assert_eq!(rows.last(), 0);
        for begun in [vec![1, 2], vec![], vec![3], vec![]] {
            rows.push(100, begun);
        }
        assert_eq!((rows.first(), rows.next(), rows.unneeded()), (1, 5, 0));
        assert_eq!(rows.last(), 4);
        rows.unpin(1);
        rows.unpin(3);
        assert_eq!(rows.unneeded(), 0);
        rows.unpin(1);
        assert_eq!(rows.unneeded(), 4);
        let bytes = rows.bytes();
        rows.drop_first(2);
        assert_eq!((rows.first(), rows.next()), (3, 5));
        assert_eq!(rows.bytes(), bytes / 2);
        rows.push(100, vec![4]);
        rows.unpin(5);
        assert_eq!(rows.unneeded(), 3);
        rows.drop_first(3);
        assert_eq!((rows.first(), rows.last()), (6, 0));
    }

    #[test]
    fn the_oldest_rows_are_as_many_as_make_up_the_bytes() {
        let mut rows = Rows::new();
        for match_id in 1..=4 {
            rows.push(1_000, vec![match_id]);
        }
        let oldest = |bytes| rows.oldest(bytes).map(|(place, _)| place).collect();
        let found: [Vec<_>; 4] = [0, 1, 1_500, 9_999].map(oldest);
        assert_eq!(found, [vec![], vec![1], vec![1, 2], vec![1, 2, 3, 4]]);
    }
}
