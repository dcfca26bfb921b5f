//! What the arena counts and times of itself, for those who run it. Off unless asked for: a meter that is off does nothing.
//!
//! The names, with units and meaning, are in `docs/metrics.md`. No agent and no match is ever a label.

mod endpoint;
mod histogram;
mod peak;
mod register;
mod wire;

use broadside_proto::v1::{self, log_entry::Entry};
use broadside_rules::Variant;
use metrics::{Counter, Gauge, Histogram};

pub(crate) use endpoint::{Endpoint, Sampled};
pub(crate) use peak::Peak;

/// How a session came to its end, as a label.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SessionEnd {
    /// The arena ended it.
    Arena(crate::gateway::Ending),
    /// The bot closed its stream.
    Closed,
    /// The connection, or what came on it, broke.
    Broken,
    /// The session's task panicked.
    Panicked,
}

impl SessionEnd {
    /// Every one of them.
    const ALL: [Self; 9] = {
        use crate::gateway::Ending;
        [
            Self::Arena(Ending::TakenOver),
            Self::Arena(Ending::ArenaStops),
            Self::Arena(Ending::TooSlow),
            Self::Arena(Ending::Silent),
            Self::Arena(Ending::TooFast),
            Self::Arena(Ending::TokenRevoked),
            Self::Closed,
            Self::Broken,
            Self::Panicked,
        ]
    };

    fn label(self) -> &'static str {
        use crate::gateway::Ending;
        match self {
            Self::Arena(Ending::TakenOver) => "taken_over",
            Self::Arena(Ending::ArenaStops) => "arena_stops",
            Self::Arena(Ending::TooSlow) => "too_slow",
            Self::Arena(Ending::Silent) => "silent",
            Self::Arena(Ending::TooFast) => "too_fast",
            Self::Arena(Ending::TokenRevoked) => "token_revoked",
            Self::Closed => "closed",
            Self::Broken => "broken",
            Self::Panicked => "panicked",
        }
    }
}

/// The meters of one variant.
struct OfVariant {
    variant: Variant,
    answered: Counter,
    refused: Counter,
    /// By termination.
    ended: Vec<(v1::Termination, Counter)>,
}

/// Every meter of an arena.
pub struct Meters {
    on: bool,
    variants: Vec<OfVariant>,
    turn_service: Histogram,
    turn_bot: Histogram,
    append: Histogram,
    /// Attempts to append that the store could not take then.
    pub(crate) store_retries: Counter,
    /// Tokens that were not valid.
    pub(crate) wrong_tokens: Counter,
    /// Matches whose task panicked.
    pub(crate) match_panics: Counter,
    sessions_ended: Vec<(SessionEnd, Counter)>,
    /// The longest queue to a bot.
    pub(crate) session_queue: Peak,
    /// The longest queue to a match.
    pub(crate) match_inbox: Peak,
    /// The largest delay between a hand-over's stamp and the wire, in microseconds.
    pub(crate) stamp_to_wire: Peak,
    sampled: SampledMeters,
}

/// Those that are looked up when somebody asks.
struct SampledMeters {
    waiting: Gauge,
    running: Gauge,
    agents: Gauge,
    store_queue: Gauge,
    panics: Counter,
    stalls: Counter,
    stalled: Gauge,
}

impl Meters {
    /// Whether anything is measured.
    pub(crate) fn on(&self) -> bool {
        self.on
    }

    /// An entry of a match's log is kept.
    pub(crate) fn entry(&self, variant: Variant, entry: &v1::LogEntry) {
        if !self.on {
            return;
        }
        let Some(of) = self.variants.iter().find(|of| of.variant == variant) else {
            return;
        };
        match &entry.entry {
            Some(Entry::Accepted(accepted)) => {
                of.answered.increment(1);
                if let Some(timing) = &accepted.timing {
                    self.turn(timing);
                }
            }
            Some(Entry::Refused(_)) => of.refused.increment(1),
            Some(Entry::Ended(ended)) => {
                let termination = ended
                    .outcome
                    .as_ref()
                    .map_or(v1::Termination::Unspecified, v1::Outcome::termination);
                if let Some((_, counter)) = of.ended.iter().find(|(of, _)| *of == termination) {
                    counter.increment(1);
                }
            }
            _ => {}
        }
    }

    /// A turn's stamps say whose time it took. One that was never handed over has only a part.
    fn turn(&self, timing: &v1::TurnTiming) {
        if timing.handed_us == 0 {
            return;
        }
        let service_us = timing.handed_us.saturating_sub(timing.asked_us);
        let bot_us = timing
            .answered_us
            .saturating_sub(timing.handed_us)
            .saturating_sub(timing.forgiven_us);
        self.turn_service.record(seconds(service_us));
        self.turn_bot.record(seconds(bot_us));
    }

    /// An append was kept, after so many microseconds.
    pub(crate) fn kept(&self, us: u64) {
        self.append.record(seconds(us));
    }

    /// A session has ended.
    pub(crate) fn session_ended(&self, how: SessionEnd) {
        if let Some((_, counter)) = self.sessions_ended.iter().find(|(of, _)| *of == how) {
            counter.increment(1);
        }
    }
}

/// Microseconds as Prometheus has them. Exact up to 285 years.
#[expect(clippy::cast_precision_loss, reason = "a meter needs no more")]
fn seconds(us: u64) -> f64 {
    us as f64 / 1e6
}
