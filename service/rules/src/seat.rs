use std::fmt;

/// One of the two players. Seat 1 moves first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Seat {
    /// Seat 1: red in the classic box, black in abalone.
    One,
    /// Seat 2.
    Two,
}

impl Seat {
    /// Both seats, the first mover first.
    pub const ALL: [Self; 2] = [Self::One, Self::Two];

    /// The opponent.
    #[must_use]
    pub const fn other(self) -> Self {
        match self {
            Self::One => Self::Two,
            Self::Two => Self::One,
        }
    }

    /// 0 or 1: the place of this seat in an array of two.
    #[must_use]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// 1 or 2, as players call it.
    #[must_use]
    pub const fn number(self) -> u8 {
        self as u8 + 1
    }
}

impl fmt::Display for Seat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "seat {}", self.number())
    }
}

/// A set of seats.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Seats(u8);

impl Seats {
    /// Nobody.
    pub const NONE: Self = Self(0);
    /// Both seats.
    pub const BOTH: Self = Self(0b11);

    /// The set of one seat.
    #[must_use]
    pub const fn only(seat: Seat) -> Self {
        Self(1 << seat.index())
    }

    /// Whether `seat` is in the set.
    #[must_use]
    pub const fn contains(self, seat: Seat) -> bool {
        self.0 & Self::only(seat).0 != 0
    }

    /// Whether nobody is in the set.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// How many seats are in the set: 0, 1 or 2.
    #[must_use]
    pub const fn len(self) -> usize {
        self.0.count_ones() as usize
    }

    /// Adds `seat`.
    pub const fn insert(&mut self, seat: Seat) {
        self.0 |= Self::only(seat).0;
    }

    /// Takes `seat` out.
    pub const fn remove(&mut self, seat: Seat) {
        self.0 &= !Self::only(seat).0;
    }

    /// The seats of the set, seat 1 first.
    pub fn iter(self) -> impl Iterator<Item = Seat> {
        Seat::ALL
            .into_iter()
            .filter(move |&seat| self.contains(seat))
    }
}

impl fmt::Display for Seats {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.0 {
            0 => "nobody",
            1 => "seat 1",
            2 => "seat 2",
            _ => "both seats",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_of_seats_is_a_set() {
        let mut seats = Seats::BOTH;
        seats.remove(Seat::One);
        seats.remove(Seat::One);
        assert_eq!(seats, Seats::only(Seat::Two));
        assert!(seats.iter().eq([Seat::Two]));
        seats.insert(Seat::One);
        assert_eq!((seats, seats.len()), (Seats::BOTH, 2));
        assert!(Seats::NONE.is_empty() && Seats::NONE.iter().next().is_none());
    }
}
