//! What was said, line by line.

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Instant,
};

use serde::Serialize;

/// Whose line it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Speaker {
    /// Said to the bot.
    Arena,
    /// Said by the bot.
    Bot,
    /// What the checker did, or saw.
    Checker,
    /// Printed by the bot's program.
    Log,
}

impl Speaker {
    /// As it is printed.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Arena => "to bot",
            Self::Bot => "from bot",
            Self::Checker => "checker",
            Self::Log => "bot's log",
        }
    }
}

/// One line of a transcript.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Line {
    /// Its number, from 1.
    pub number: usize,
    /// Milliseconds since the check began.
    pub at_ms: u64,
    /// Whose line it is.
    pub speaker: Speaker,
    /// What was said: as foreign as the bot, and not made safe for a terminal.
    pub text: String,
}

/// A transcript that is being written.
#[derive(Clone, Debug)]
pub struct Transcript {
    begun: Instant,
    lines: Arc<Mutex<Vec<Line>>>,
}

/// Longest text of a line; the rest is left out.
const LONGEST: usize = 2_000;

impl Default for Transcript {
    fn default() -> Self {
        Self {
            begun: Instant::now(),
            lines: Arc::default(),
        }
    }
}

impl Transcript {
    /// Adds a line, and returns its number.
    pub fn add(&self, speaker: Speaker, text: impl Into<String>) -> usize {
        let mut text = text.into();
        if let Some((end, _)) = text.char_indices().nth(LONGEST) {
            text.truncate(end);
            text.push_str(" ...");
        }
        let at_ms = u64::try_from(self.begun.elapsed().as_millis()).unwrap_or(u64::MAX);
        let mut lines = self.lock();
        let number = lines.len() + 1;
        lines.push(Line {
            number,
            at_ms,
            speaker,
            text,
        });
        number
    }

    /// What the checker does, or sees.
    pub(crate) fn note(&self, text: impl Into<String>) -> usize {
        self.add(Speaker::Checker, text)
    }

    /// Some of its lines.
    #[must_use]
    pub fn lines(&self, numbers: &[usize]) -> Vec<Line> {
        let lines = self.lock();
        let line = |number: &usize| lines.get(number.checked_sub(1)?).cloned();
        numbers.iter().filter_map(line).collect()
    }

    /// All of them.
    #[must_use]
    pub fn all(&self) -> Vec<Line> {
        self.lock().clone()
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Line>> {
        // A line is pushed whole, or not at all.
        self.lines.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
