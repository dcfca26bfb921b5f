use std::ops::Sub;

use super::Cell;

/// Which of a list of up to a hundred cells are meant: one bit for each place in the list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Places(u128);

impl Places {
    /// No place.
    pub(super) const NONE: Self = Self(0);

    /// The first `count` places of a list.
    pub(super) const fn first(count: usize) -> Self {
        Self((1 << count) - 1)
    }

    /// As many places from `start` on.
    pub(super) const fn run(start: usize, count: usize) -> Self {
        Self(Self::first(count).0 << start)
    }

    /// Adds `place`.
    pub(super) const fn insert(&mut self, place: usize) {
        self.0 |= 1 << place;
    }

    /// Adds all of `other`.
    pub(super) const fn insert_all(&mut self, other: Self) {
        self.0 |= other.0;
    }

    /// How many places are meant.
    pub(super) const fn len(self) -> usize {
        self.0.count_ones() as usize
    }

    /// How many places from `start` on are meant, up to the first that is not.
    pub(super) const fn run_from(self, start: usize) -> usize {
        ((self.0 >> start) as u64).trailing_ones() as usize
    }

    /// Takes the first place out.
    pub(super) const fn pop(&mut self) -> Option<usize> {
        let place = self.peek();
        if place.is_some() {
            self.0 &= self.0 - 1;
        }
        place
    }

    /// The first place.
    pub(super) const fn peek(self) -> Option<usize> {
        if self.0 == 0 {
            return None;
        }
        Some(self.0.trailing_zeros() as usize)
    }

    /// The cells of `list` that are meant, in its order.
    pub(super) const fn of(self, list: &[Cell]) -> Picked<'_> {
        let (front, back) = match list.split_at_checked(u64::BITS as usize) {
            Some(halves) => halves,
            None => (list, [].as_slice()),
        };
        Picked {
            half: front,
            rest: self.0 as u64,
            back,
            back_rest: (self.0 >> u64::BITS) as u64,
        }
    }
}

impl Sub for Places {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }
}

/// The cells of a list that are meant. It goes by halves of 64 places: a word at a time is faster
/// than two.
#[derive(Clone, Debug)]
pub(super) struct Picked<'a> {
    half: &'a [Cell],
    rest: u64,
    back: &'a [Cell],
    back_rest: u64,
}

impl Iterator for Picked<'_> {
    type Item = Cell;

    fn next(&mut self) -> Option<Cell> {
        if self.rest == 0 {
            if self.back_rest == 0 {
                return None;
            }
            self.rest = std::mem::take(&mut self.back_rest);
            self.half = self.back;
        }
        let place = self.rest.trailing_zeros() as usize;
        self.rest &= self.rest - 1;
        self.half.get(place).copied()
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.rest.count_ones() + self.back_rest.count_ones();
        (left as usize, Some(left as usize))
    }
}

impl ExactSizeIterator for Picked<'_> {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cells_meant_are_picked_in_the_order_of_the_list_wherever_they_are_in_it() {
        let list: Vec<_> = Cell::all().collect();
        for every in 1..=100 {
            for length in [0, 1, 63, 64, 65, 100] {
                let list = &list[100 - length..];
                let mut places = Places::NONE;
                (0..length)
                    .step_by(every)
                    .for_each(|place| places.insert(place));
                let picked = places.of(list);
                assert_eq!(picked.len(), length.div_ceil(every));
                assert!(picked.eq(list.iter().copied().step_by(every)), "{every}");
                let others = Places::first(length) - places;
                assert_eq!(others.of(list).len() + places.len(), length);
                assert!(
                    others
                        .of(list)
                        .all(|cell| !places.of(list).any(|c| c == cell))
                );
            }
        }
    }
}
