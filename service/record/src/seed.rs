//! Randomness: one seed a match, ChaCha8, a stream for each purpose.

use rand::{
    Rng, SeedableRng,
    rngs::{SysError, SysRng},
};
use rand_chacha::ChaCha8Rng;

/// What something is drawn for: its number is the generator's stream, and is part of the record's format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// Who sits where.
    Seating = 0,
    /// The fleet dealt to seat 1.
    FleetOfSeatOne = 1,
    /// The fleet dealt to seat 2.
    FleetOfSeatTwo = 2,
}

/// The generator of a match for one purpose.
pub fn rng(seed: u64, purpose: Purpose) -> ChaCha8Rng {
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    let mut rng = ChaCha8Rng::from_seed(bytes);
    rng.set_stream(purpose as u64);
    rng
}

/// Whether the players of a request change places.
pub fn swaps_seats(seed: u64) -> bool {
    rng(seed, Purpose::Seating).next_u32() & 1 == 1
}

/// A number that nobody can foresee.
///
/// # Errors
/// If the operating system has no randomness to give.
pub fn fresh() -> Result<u64, SysError> {
    use rand::TryRng;
    SysRng.try_next_u64()
}

/// 32 bytes that nobody can foresee.
///
/// # Errors
/// If the operating system has no randomness to give.
pub fn fresh_key() -> Result<[u8; 32], SysError> {
    use rand::TryRng;
    let mut key = [0; 32];
    SysRng.try_fill_bytes(&mut key)?;
    Ok(key)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_purpose_draws_from_a_stream_of_its_own() {
        let first = |purpose| rng(7, purpose).next_u64();
        assert_eq!(first(Purpose::Seating), first(Purpose::Seating));
        assert_ne!(
            first(Purpose::FleetOfSeatOne),
            first(Purpose::FleetOfSeatTwo)
        );
        assert_ne!(rng(8, Purpose::Seating).next_u64(), first(Purpose::Seating));
    }

    #[test]
    fn both_seatings_occur() {
        let swapped = (0..64).filter(|&seed| swaps_seats(seed)).count();
        assert!((16..=48).contains(&swapped), "{swapped} of 64");
    }
}
