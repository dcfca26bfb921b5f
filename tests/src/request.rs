//! Requests for matches.

use broadside_proto::v1::{self, options::Variant as Of};

/// The seven variants, with their names.
pub const VARIANTS: [(v1::Variant, &str); 7] = broadside_agents::profile::VARIANTS;

/// Default options of a variant.
pub fn options(variant: v1::Variant) -> v1::Options {
    v1::Options {
        variant: match variant {
            v1::Variant::Unspecified => None,
            v1::Variant::Classic => Some(Of::Classic(v1::ClassicOptions::default())),
            v1::Variant::Salvo => Some(Of::Salvo(v1::SalvoOptions::default())),
            v1::Variant::AdvancedSalvo => {
                Some(Of::AdvancedSalvo(v1::AdvancedSalvoOptions::default()))
            }
            v1::Variant::Amiral => Some(Of::Amiral(v1::AmiralOptions {})),
            v1::Variant::AmiralAdvanced => Some(Of::AmiralAdvanced(v1::AmiralAdvancedOptions {})),
            v1::Variant::Naumachia => Some(Of::Naumachia(v1::NaumachiaOptions {})),
            v1::Variant::Abalone => Some(Of::Abalone(v1::AbaloneOptions::default())),
        },
    }
}

/// An agent that dials in.
pub fn named(name: &str) -> v1::Player {
    v1::Player {
        agent: Some(v1::player::Agent::Name(name.to_owned())),
    }
}

/// An agent that the arena dials.
pub fn dialled(address: impl std::fmt::Display) -> v1::Player {
    v1::Player {
        agent: Some(v1::player::Agent::Address(format!("http://{address}"))),
    }
}

/// A request for a match with everything else left to the arena.
pub fn request(variant: v1::Variant, one: v1::Player, two: v1::Player) -> v1::CreateMatchRequest {
    v1::CreateMatchRequest {
        options: Some(options(variant)),
        players: vec![one, two],
        ..Default::default()
    }
}

/// A cap of so many milliseconds and no lag allowance.
pub fn fast(cap_ms: u64) -> v1::TimeControl {
    v1::TimeControl {
        turn_cap_ms: Some(cap_ms),
        lag_allowance_ms: Some(0),
        ..Default::default()
    }
}
