use std::fmt;

use arrayvec::ArrayVec;

use super::{Berth, Cell, Line, cell::SIZE};
use crate::IllegalMove;

/// A torpedo's way: a letter and a number at the two ends of one diagonal (rules.md,
/// amiral-advanced). There are 20.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Route {
    letter: Line,
    number: Line,
}

impl Route {
    /// The route between a letter (A is 1) and a number, as a player named them.
    ///
    /// # Errors
    /// [`IllegalMove::NotARoute`] unless both are 1-10 and the number is the letter's or 11 less it.
    pub fn named(letter: u32, number: u32) -> Result<Self, IllegalMove> {
        match (Line::new(letter), Line::new(number)) {
            (Some(from), Some(to)) if to == from || to == from.mirrored() => Ok(Self {
                letter: from,
                number: to,
            }),
            _ => Err(IllegalMove::NotARoute { letter, number }),
        }
    }

    /// From the left edge of row `letter` up and to the right.
    pub(super) const fn rising_right(letter: Line) -> Self {
        Self {
            letter,
            number: letter,
        }
    }

    /// From the right edge of row `letter` up and to the left.
    pub(super) const fn rising_left(letter: Line) -> Self {
        Self {
            letter,
            number: letter.mirrored(),
        }
    }

    /// The row at whose edge it starts.
    #[must_use]
    pub const fn letter(self) -> Line {
        self.letter
    }

    /// The column at whose top it ends.
    #[must_use]
    pub const fn number(self) -> Line {
        self.number
    }

    /// The two berths that it may have been fired from, the letter first.
    #[must_use]
    pub const fn ends(self) -> [Berth; 2] {
        [Berth::Letter(self.letter), Berth::Number(self.number)]
    }

    /// Its cells, from the letter's end to the number's.
    #[must_use]
    pub fn cells(self) -> ArrayVec<Cell, { SIZE as usize }> {
        let length = u32::from(self.letter.number());
        (0..length)
            .filter_map(|step| {
                let column = if self.letter == self.number {
                    1 + step
                } else {
                    u32::from(SIZE) - step
                };
                Cell::new(length - step, column)
            })
            .collect()
    }
}

impl fmt::Display for Route {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [letter, number] = self.ends();
        write!(f, "{letter}{number}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::naval::Alphabet;

    fn cells(route: Route) -> String {
        let cells: Vec<_> = route
            .cells()
            .into_iter()
            .map(|cell| Alphabet::Latin.write(cell))
            .collect();
        cells.join(" ")
    }

    #[test]
    fn the_examples_of_the_rules_run_from_the_letter_to_the_number() {
        assert_eq!(cells(Route::named(5, 5).unwrap()), "E1 D2 C3 B4 A5");
        assert_eq!(
            cells(Route::named(9, 2).unwrap()),
            "I10 H9 G8 F7 E6 D5 C4 B3 A2"
        );
        assert_eq!(cells(Route::named(1, 1).unwrap()), "A1");
        assert_eq!(cells(Route::named(1, 10).unwrap()), "A10");
    }

    #[test]
    fn there_are_twenty_routes_and_each_berth_is_an_end_of_two() {
        let routes: Vec<_> = (0..=12)
            .flat_map(|letter| (0..=12).filter_map(move |number| Route::named(letter, number).ok()))
            .collect();
        assert_eq!(routes.len(), 20);
        for berth in Berth::all() {
            let [one, two] = berth.routes();
            assert_ne!(one, two);
            for route in &routes {
                let is_end = route.ends().contains(&berth);
                assert_eq!(is_end, [one, two].contains(route), "{berth} {route}");
            }
        }
    }
}
