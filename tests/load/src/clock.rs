//! A clock that is the same in all processes of a machine.

use rustix::time::{ClockId, clock_gettime};

/// Nanoseconds since some moment before.
pub(crate) fn now_ns() -> u64 {
    let now = clock_gettime(ClockId::Monotonic);
    now.tv_sec.unsigned_abs() * 1_000_000_000 + now.tv_nsec.unsigned_abs()
}
