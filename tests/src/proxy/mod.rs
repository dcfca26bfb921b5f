//! The network between bots and arena, as bad as a test wants it: [`FaultProxy`] at the level of TCP, [`StreamProxy`] and
//! [`CallProxy`] at the level of messages.

mod call;
mod meddler;
mod stream;
mod tcp;
mod weather;

pub use call::{CallMischief, CallProxy};
pub use meddler::Mischief;
pub use stream::StreamProxy;
pub use tcp::{Cut, FaultProxy, Way};
pub use weather::Weather;

use rand_chacha::{ChaCha8Rng, rand_core::SeedableRng};

/// The generator of one connection or stream: the same seed makes the same faults.
fn rng(seed: u64, connection: u64, way: u64) -> ChaCha8Rng {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    rng.set_stream(connection << 2 | way);
    rng
}
