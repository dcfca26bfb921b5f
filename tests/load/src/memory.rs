//! What a process holds of memory.

use std::fmt;

use serde::Serialize;

use super::{process::Process, tally::Count};

/// Memory of a process, or a share of it, in bytes.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct Memory {
    /// Resident: pages that the system gives it.
    pub(crate) resident: f64,
    /// Allocated and not freed, if that is counted.
    pub(crate) live: Option<f64>,
}

impl Memory {
    /// Of a process, now.
    pub(crate) fn of(process: &mut Process) -> anyhow::Result<Self> {
        let count: Count = process.ask("count")?;
        Ok(Self {
            resident: process.usage()?.memory_bytes as f64,
            live: count.live_bytes.map(|bytes| bytes as f64),
        })
    }

    /// The more of each.
    pub(crate) fn most(self, other: Self) -> Self {
        Self {
            resident: self.resident.max(other.resident),
            live: self.live.zip(other.live).map(|(one, two)| one.max(two)),
        }
    }

    /// What each of so many has added to what was held before.
    pub(crate) fn each(self, before: Self, of: usize) -> Self {
        let each = |after: f64, before: f64| (after - before) / of.max(1) as f64;
        Self {
            resident: each(self.resident, before.resident),
            live: self
                .live
                .zip(before.live)
                .map(|(after, before)| each(after, before)),
        }
    }

    /// Without so many bytes.
    pub(crate) fn beside(self, bytes: f64) -> Self {
        Self {
            resident: self.resident - bytes,
            live: self.live.map(|live| live - bytes),
        }
    }
}

impl fmt::Display for Memory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.1} KiB resident", self.resident / 1024.0)?;
        match self.live {
            Some(live) => write!(f, ", {:.1} KiB live", live / 1024.0),
            None => Ok(()),
        }
    }
}
