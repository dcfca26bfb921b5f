//! What goes wrong, and when.

use std::{fmt, time::Duration};

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use turmoil::Sim;

use super::network::ARENA;

/// The bots' names on the network.
pub(crate) const BOTS: [&str; 2] = ["ada", "bob"];

/// The organiser's.
pub(crate) const ORGANISER: &str = "organiser";

/// What goes wrong for a while.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// What is sent between arena and bot is late.
    Hold(&'static str),
    /// What is sent between arena and that host is lost.
    Cut(&'static str),
    /// What the arena sends is lost, and what it is sent arrives.
    Deaf(&'static str),
    /// What the arena is sent is lost, and what it sends arrives.
    Mute(&'static str),
    /// It is gone, and starts again with what its store has.
    Crash(&'static str),
}

/// One thing that goes wrong.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Fault {
    kind: Kind,
    from: Duration,
    until: Duration,
}

impl fmt::Debug for Fault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            formatter,
            "{:?} from {} to {} ms",
            self.kind,
            self.from.as_millis(),
            self.until.as_millis()
        )
    }
}

/// What goes wrong with this seed: up to eight things, each for up to three seconds, and maybe at once.
pub(crate) fn drawn(seed: u64) -> Vec<Fault> {
    let mut draws = ChaCha8Rng::seed_from_u64(seed);
    let mut faults: Vec<Fault> = Vec::new();
    let mut at_ms: u64 = 0;
    for _ in 0..draws.random_range(1..=8) {
        at_ms += draws.random_range(0..800);
        let bot = BOTS[draws.random_range(0..BOTS.len())];
        let kind = match draws.random_range(0..10) {
            0 | 1 => Kind::Hold(bot),
            2 => Kind::Cut(bot),
            3 => Kind::Deaf(bot),
            4 => Kind::Mute(bot),
            5 => Kind::Cut(ORGANISER),
            6 => Kind::Crash(bot),
            _ => Kind::Crash(ARENA),
        };
        let fault = Fault {
            kind,
            from: Duration::from_millis(at_ms),
            until: Duration::from_millis(at_ms + draws.random_range(1..3_000)),
        };
        // The same thing does not go wrong twice at once.
        let busy = |other: &Fault| other.kind.host() == kind.host() && fault.from <= other.until;
        if !faults.iter().any(busy) {
            faults.push(fault);
        }
    }
    faults
}

impl Kind {
    fn host(self) -> &'static str {
        match self {
            Self::Hold(host) | Self::Cut(host) | Self::Deaf(host) | Self::Mute(host) => host,
            Self::Crash(host) => host,
        }
    }

    fn begin(self, sim: &mut Sim<'_>) {
        match self {
            Self::Hold(host) => sim.hold(ARENA, host),
            Self::Cut(host) => sim.partition(ARENA, host),
            Self::Deaf(host) => sim.partition_oneway(ARENA, host),
            Self::Mute(host) => sim.partition_oneway(host, ARENA),
            Self::Crash(host) => sim.crash(host),
        }
    }

    fn end(self, sim: &mut Sim<'_>) {
        match self {
            Self::Hold(host) => sim.release(ARENA, host),
            Self::Cut(host) => sim.repair(ARENA, host),
            Self::Deaf(host) => sim.repair_oneway(ARENA, host),
            Self::Mute(host) => sim.repair_oneway(host, ARENA),
            Self::Crash(host) => sim.bounce(host),
        }
    }
}

/// Lets things go wrong, and right again, as time passes.
pub(crate) struct Course<'a> {
    faults: &'a [Fault],
    begun: Vec<bool>,
    ended: Vec<bool>,
}

impl<'a> Course<'a> {
    pub(crate) fn new(faults: &'a [Fault]) -> Self {
        Self {
            faults,
            begun: vec![false; faults.len()],
            ended: vec![false; faults.len()],
        }
    }

    /// It is this late.
    pub(crate) fn pass(&mut self, sim: &mut Sim<'_>) {
        let now = sim.elapsed();
        for (index, fault) in self.faults.iter().enumerate() {
            if !self.begun[index] && fault.from <= now {
                self.begun[index] = true;
                fault.kind.begin(sim);
            }
            if self.begun[index] && !self.ended[index] && fault.until <= now {
                self.ended[index] = true;
                fault.kind.end(sim);
            }
        }
    }
}
