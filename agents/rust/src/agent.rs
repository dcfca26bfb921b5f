use broadside_proto::v1;
use rand_chacha::{ChaCha8Rng, rand_core::SeedableRng};

/// Decides turns, for any number of matches at once.
///
/// A turn is complete, so that an agent needs no memory: the same turn is to be answered alike, whatever
/// was asked before and in other matches. Every closure `Fn(&Turn) -> Option<Move>` is an agent.
pub trait Agent: Send + Sync + 'static {
    /// The move for `turn`, or none to resign the match.
    fn choose(&self, turn: &v1::Turn) -> Option<v1::Move>;

    /// How long [`choose`](Self::choose) takes, which decides where it runs.
    fn pace(&self) -> Pace {
        Pace::Quick
    }

    /// A match begins.
    fn match_started(&self, _start: &v1::MatchStart) {}

    /// A match is over.
    fn match_ended(&self, _end: &v1::MatchEnd) {}

    /// The arena could not use something that was sent for this agent. Only agents that dial in hear of it.
    fn rejected(&self, _rejected: &v1::Rejected) {}
}

/// How long an agent takes to decide.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pace {
    /// Well below a millisecond: decided at once, on the task that reads the connection.
    Quick,
    /// Longer, or it blocks: decided on a thread of its own, while the connection is read on.
    Slow,
}

impl<F> Agent for F
where
    F: Fn(&v1::Turn) -> Option<v1::Move> + Send + Sync + 'static,
{
    fn choose(&self, turn: &v1::Turn) -> Option<v1::Move> {
        self(turn)
    }
}

/// Makes an agent [`Pace::Slow`], such as a closure that sleeps.
#[derive(Clone, Debug)]
pub struct Slow<A>(pub A);

impl<A: Agent> Agent for Slow<A> {
    fn choose(&self, turn: &v1::Turn) -> Option<v1::Move> {
        self.0.choose(turn)
    }

    fn pace(&self) -> Pace {
        Pace::Slow
    }

    fn match_started(&self, start: &v1::MatchStart) {
        self.0.match_started(start);
    }

    fn match_ended(&self, end: &v1::MatchEnd) {
        self.0.match_ended(end);
    }

    fn rejected(&self, rejected: &v1::Rejected) {
        self.0.rejected(rejected);
    }
}

/// Where an agent's randomness comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Seed(pub u64);

impl Seed {
    /// The generator for one turn: ChaCha8, seeded by this seed, the match and the seat, with a stream for each
    /// turn and each refusal of it.
    ///
    /// Matches do not influence one another, and a turn that is sent again after a reconnection is answered
    /// as before.
    #[must_use]
    pub fn rng(self, turn: &v1::Turn) -> ChaCha8Rng {
        let mut seed = [0; 32];
        seed[..8].copy_from_slice(&self.0.to_le_bytes());
        seed[8..16].copy_from_slice(&turn.match_id.to_le_bytes());
        seed[16..20].copy_from_slice(&turn.seat.to_le_bytes());
        let mut rng = ChaCha8Rng::from_seed(seed);
        rng.set_stream(u64::from(turn.turn_id) << 32 | u64::from(turn.refusals_left));
        rng
    }
}

#[cfg(test)]
mod tests {
    use rand::Rng;

    use super::*;

    fn turn(match_id: u64, turn_id: u32, seat: v1::Seat) -> v1::Turn {
        v1::Turn {
            match_id,
            turn_id,
            seat: seat.into(),
            ..v1::Turn::default()
        }
    }

    #[test]
    fn a_turn_sent_again_draws_the_same_and_any_other_draws_something_else() {
        let draw = |seed, turn: v1::Turn| Seed(seed).rng(&turn).next_u64();
        let first = draw(1, turn(5, 9, v1::Seat::One));
        assert_eq!(first, draw(1, turn(5, 9, v1::Seat::One)));
        assert_ne!(first, draw(2, turn(5, 9, v1::Seat::One)));
        assert_ne!(first, draw(1, turn(6, 9, v1::Seat::One)));
        assert_ne!(first, draw(1, turn(5, 10, v1::Seat::One)));
        assert_ne!(first, draw(1, turn(5, 9, v1::Seat::Two)));
    }
}
