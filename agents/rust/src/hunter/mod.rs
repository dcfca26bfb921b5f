//! The agent that knows the rules.

mod abalone;
mod advanced_salvo;
mod amiral;
mod amiral_advanced;
mod classic;
mod deploy;
mod hulls;
mod naumachia;
mod naval;
mod salvo;
mod sunk;
mod told;
mod wire;

use std::{
    collections::BTreeSet,
    sync::{Mutex, PoisonError},
};

use broadside_proto::v1::{
    self, IllegalMoveReason, Move, Phase, r#move::Variant as Chosen, options, view::Variant as Seen,
};
use broadside_rules::naval::Edition;
use rand::Rng;

use crate::{Agent, Seed};

/// Matches of the older edition that are kept in mind at once.
const MAX_KEPT: usize = 65_536;

/// Knows the rules of all seven variants and plays soundly, within microseconds.
#[derive(Debug)]
pub struct Hunter {
    seed: Seed,
    /// The matches that are played with the fleet of 1967: the one thing that a turn does not tell, until one's own
    /// fleet is placed.
    older: Mutex<BTreeSet<u64>>,
}

impl Hunter {
    /// An agent that draws its fleets, and settles what is equally good, from `seed`.
    #[must_use]
    pub fn new(seed: Seed) -> Self {
        Self {
            seed,
            older: Mutex::default(),
        }
    }

    fn edition(&self, turn: &v1::Turn) -> Edition {
        // An agent that was started in the middle of a match has not heard of its options; a refusal tells it.
        let refused = turn
            .refusal
            .as_ref()
            .is_some_and(|refusal| refusal.reason() == IllegalMoveReason::WrongFleet);
        if refused != self.older().contains(&turn.match_id) {
            Edition::Edition1967
        } else {
            Edition::Edition2002
        }
    }

    fn older(&self) -> std::sync::MutexGuard<'_, BTreeSet<u64>> {
        self.older.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Agent for Hunter {
    fn choose(&self, turn: &v1::Turn) -> Option<Move> {
        let mut rng = self.seed.rng(turn);
        let seen = turn.view.as_ref()?.variant.as_ref()?;
        match turn.phase() {
            Phase::Deployment => deploy::deploy(seen, self.edition(turn), &mut rng),
            Phase::Battle => battle(turn, seen, &mut rng),
            Phase::Relocation => relocation(seen, &mut rng),
            Phase::Unspecified | Phase::Over => None,
        }
    }

    fn match_started(&self, start: &v1::MatchStart) {
        let edition = match start.options.as_ref().and_then(|o| o.variant.as_ref()) {
            Some(options::Variant::Classic(options)) => options.edition(),
            Some(options::Variant::Salvo(options)) => options.edition(),
            Some(options::Variant::AdvancedSalvo(options)) => options.edition(),
            _ => v1::Edition::Unspecified,
        };
        if edition == v1::Edition::Edition1967 {
            let mut older = self.older();
            older.insert(start.match_id);
            if older.len() > MAX_KEPT {
                older.pop_first();
            }
        }
    }

    fn match_ended(&self, end: &v1::MatchEnd) {
        self.older().remove(&end.match_id);
    }
}

fn battle(turn: &v1::Turn, seen: &Seen, rng: &mut impl Rng) -> Option<Move> {
    let chosen = match seen {
        Seen::Classic(view) => Chosen::Classic(classic::shot(view, rng)?),
        Seen::Salvo(view) => Chosen::Salvo(salvo::salvo(view, rng)?),
        Seen::AdvancedSalvo(view) => Chosen::AdvancedSalvo(advanced_salvo::salvo(view, rng)?),
        Seen::Amiral(view) => Chosen::Amiral(amiral::shot(view, rng)?),
        Seen::AmiralAdvanced(view) => Chosen::AmiralAdvanced(amiral_advanced::battle(view, rng)?),
        Seen::Naumachia(view) => Chosen::Naumachia(naumachia::shot(view, rng)?),
        Seen::Abalone(view) => Chosen::Abalone(abalone::choose(turn, view, rng)?),
    };
    Some(Move {
        variant: Some(chosen),
    })
}

fn relocation(seen: &Seen, rng: &mut impl Rng) -> Option<Move> {
    match seen {
        Seen::AmiralAdvanced(view) => Some(Move {
            variant: Some(Chosen::AmiralAdvanced(amiral_advanced::relocation(
                view, rng,
            )?)),
        }),
        _ => None,
    }
}
