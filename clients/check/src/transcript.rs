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
    kept: Arc<Mutex<Kept>>,
}

#[derive(Debug, Default)]
struct Kept {
    lines: Vec<Line>,
    bytes: usize,
    /// How many lines there were no bytes left for.
    lost: usize,
}

/// Longest text of a line; the rest is left out.
const LONGEST: usize = 2_000;
/// So many bytes are kept of what is said and printed, which a bot may do without end; what the checker notes has as much again.
const MOST: usize = 64 << 20;

impl Default for Transcript {
    fn default() -> Self {
        Self {
            begun: Instant::now(),
            kept: Arc::default(),
        }
    }
}

impl Transcript {
    /// Adds a line, and returns its number. When the lines have become too many to be kept, it is only counted.
    pub fn add(&self, speaker: Speaker, text: impl Into<String>) -> usize {
        let mut text = text.into();
        if let Some((end, _)) = text.char_indices().nth(LONGEST) {
            text.truncate(end);
            text.push_str(" ...");
        }
        let at_ms = self.at_ms();
        let mut kept = self.lock();
        let number = kept.lines.len() + kept.lost + 1;
        let bytes = kept.bytes + size_of::<Line>() + text.len();
        let most = match speaker {
            Speaker::Checker => MOST * 2,
            _ => MOST,
        };
        if bytes > most {
            kept.lost += 1;
            return number;
        }
        kept.bytes = bytes;
        kept.lines.push(Line {
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
        let kept = self.lock();
        let line = |number: &usize| {
            let place = kept.lines.binary_search_by_key(number, |line| line.number);
            kept.lines.get(place.ok()?).cloned()
        };
        numbers.iter().filter_map(line).collect()
    }

    /// All of them. If some were too many to be kept, the last line says so.
    #[must_use]
    pub fn all(&self) -> Vec<Line> {
        let kept = self.lock();
        let mut lines = kept.lines.clone();
        if kept.lost > 0 {
            lines.push(Line {
                number: lines.len() + kept.lost + 1,
                at_ms: self.at_ms(),
                speaker: Speaker::Checker,
                text: format!("{} lines were too many, and are not kept", kept.lost),
            });
        }
        lines
    }

    fn at_ms(&self) -> u64 {
        u64::try_from(self.begun.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    fn lock(&self) -> MutexGuard<'_, Kept> {
        // What it holds is right after each line of code that changes it.
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that fails panics")]
mod tests {
    use super::*;

    #[test]
    fn a_bot_that_never_stops_talking_does_not_fill_the_memory() {
        let transcript = Transcript::default();
        let text = "?".repeat(LONGEST);
        let said = MOST / LONGEST + 10;
        for _ in 0..said {
            transcript.add(Speaker::Log, text.clone());
        }
        let note = transcript.note("the checker still has its say");
        assert_eq!(note, said + 1);
        let lines = transcript.lines(&[1, said, note]);
        let numbers: Vec<usize> = lines.iter().map(|line| line.number).collect();
        assert_eq!(numbers, [1, note], "the last that was said is not kept");
        let all = transcript.all();
        let bytes: usize = all.iter().map(|line| line.text.len()).sum();
        assert!(bytes <= MOST, "{bytes}");
        let last = all.last().unwrap();
        let lost = said + 2 - all.len();
        assert_eq!(
            last.text,
            format!("{lost} lines were too many, and are not kept")
        );
        assert_eq!(last.number, note + 1);
    }
}
