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
mod otherwise;
mod salvo;
mod sunk;
mod told;
mod wire;

use broadside_proto::v1::{
    self, Move, Phase, r#move::Variant as Chosen, options, view::Variant as Seen,
};
use broadside_rules::naval::Edition;
use rand::Rng;

use crate::{Agent, Seed};

/// Knows the rules of all seven variants and plays soundly, within microseconds.
#[derive(Clone, Copy, Debug)]
pub struct Hunter {
    seed: Seed,
}

impl Hunter {
    /// An agent that draws its fleets, and settles what is equally good, from `seed`.
    #[must_use]
    pub const fn new(seed: Seed) -> Self {
        Self { seed }
    }
}

impl Agent for Hunter {
    fn choose(&self, turn: &v1::Turn) -> Option<Move> {
        let mut rng = self.seed.rng(turn);
        let seen = turn.view.as_ref()?.variant.as_ref()?;
        match turn.phase() {
            Phase::Deployment => deploy::deploy(seen, edition(turn), &mut rng),
            Phase::Battle if turn.refusal.is_some() => {
                let refused = self.before(turn, seen)?;
                otherwise::otherwise(turn, seen, &refused, &mut rng).or(Some(refused))
            }
            Phase::Battle => battle(turn, seen, &mut rng),
            Phase::Relocation => relocation(seen, &mut rng),
            Phase::Unspecified | Phase::Over => None,
        }
    }
}

impl Hunter {
    /// What it chose before the last refusal: it remembers nothing, and need not.
    fn before(&self, turn: &v1::Turn, seen: &Seen) -> Option<Move> {
        let before = v1::Turn {
            refusals_left: turn.refusals_left.saturating_add(1),
            ..turn.clone()
        };
        battle(&before, seen, &mut self.seed.rng(&before))
    }
}

/// Whose fleet is to be placed.
fn edition(turn: &v1::Turn) -> Edition {
    let edition = match turn.options.as_ref().and_then(|of| of.variant.as_ref()) {
        Some(options::Variant::Classic(options)) => options.edition(),
        Some(options::Variant::Salvo(options)) => options.edition(),
        Some(options::Variant::AdvancedSalvo(options)) => options.edition(),
        _ => v1::Edition::Unspecified,
    };
    match edition {
        v1::Edition::Edition1967 => Edition::Edition1967,
        v1::Edition::Edition2002 | v1::Edition::Unspecified => Edition::Edition2002,
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
