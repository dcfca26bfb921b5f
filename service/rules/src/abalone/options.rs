use thiserror::Error;

use super::Layout;

/// The options of abalone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    layout: Layout,
    max_plies: u32,
    repetition_limit: u32,
}

impl Options {
    /// The longest match that may be asked for, in plies.
    pub const MAX_PLIES: u32 = 10_000;
    /// The highest repetition limit that may be asked for.
    pub const MAX_REPETITION_LIMIT: u32 = 100;

    /// Options: `max_plies` is the number of moves of both sides after which the match is decided by
    /// ejections, 1-10 000; `repetition_limit` how often the same position must stand to draw the
    /// match, 2-100, or 0 for never.
    ///
    /// # Errors
    /// [`OptionsError`] if a number is out of its range. A limit of 1 is: the position at the start
    /// has stood once before any move is made.
    pub const fn new(
        layout: Layout,
        max_plies: u32,
        repetition_limit: u32,
    ) -> Result<Self, OptionsError> {
        if max_plies < 1 || max_plies > Self::MAX_PLIES {
            return Err(OptionsError::MaxPlies(max_plies));
        }
        if repetition_limit == 1 || repetition_limit > Self::MAX_REPETITION_LIMIT {
            return Err(OptionsError::RepetitionLimit(repetition_limit));
        }
        Ok(Self {
            layout,
            max_plies,
            repetition_limit,
        })
    }

    /// How the marbles lie at the start.
    #[must_use]
    pub const fn layout(&self) -> Layout {
        self.layout
    }

    /// After how many plies the match is decided by ejections.
    #[must_use]
    pub const fn max_plies(&self) -> u32 {
        self.max_plies
    }

    /// How often the same position must stand to draw the match; 0: it never does.
    #[must_use]
    pub const fn repetition_limit(&self) -> u32 {
        self.repetition_limit
    }
}

/// The standard layout, 400 plies, and a draw at the third time.
impl Default for Options {
    fn default() -> Self {
        Self {
            layout: Layout::Standard,
            max_plies: 400,
            repetition_limit: 3,
        }
    }
}

/// A number out of its range.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum OptionsError {
    /// Of plies.
    #[error("max_plies is {0}: it must be from 1 to 10000")]
    MaxPlies(u32),
    /// Of repetitions.
    #[error("repetition_limit is {0}: it must be 0 (no limit) or from 2 to 100")]
    RepetitionLimit(u32),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_out_of_range_are_refused() {
        let with = |plies, limit| Options::new(Layout::Standard, plies, limit);
        assert_eq!(with(400, 3), Ok(Options::default()));
        assert!(with(1, 0).is_ok() && with(10_000, 2).is_ok() && with(1, 100).is_ok());
        for plies in [0, 10_001] {
            assert_eq!(with(plies, 3), Err(OptionsError::MaxPlies(plies)));
        }
        for limit in [1, 101] {
            assert_eq!(with(400, limit), Err(OptionsError::RepetitionLimit(limit)));
        }
    }
}
