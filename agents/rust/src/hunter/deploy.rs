//! Placing the fleet: uniformly over all legal ones, so that nothing can be learnt about the next.

use broadside_proto::v1::{
    AdvancedSalvoMove, AmiralAdvancedMove, AmiralMove, ClassicMove, Deployment, Move,
    NaumachiaMove, SalvoMove, advanced_salvo_move, amiral_advanced_move, amiral_move, classic_move,
    r#move, naumachia_move, salvo_move, view,
};
use broadside_rules::naval::{Edition, Options, PlacedShip, deal};
use rand::Rng;

use super::{amiral_advanced, wire};

/// A deployment for the variant that is seen; none in abalone.
pub(super) fn deploy(seen: &view::Variant, edition: Edition, rng: &mut impl Rng) -> Option<Move> {
    let options = match seen {
        view::Variant::Classic(_) => Options::Classic {
            edition,
            name_ship_on_hit: true,
        },
        view::Variant::Salvo(_) => Options::Salvo {
            edition,
            name_ship_on_hit: true,
        },
        view::Variant::AdvancedSalvo(_) => Options::AdvancedSalvo { edition },
        view::Variant::Amiral(_) => Options::Amiral,
        view::Variant::AmiralAdvanced(_) => Options::AmiralAdvanced,
        view::Variant::Naumachia(_) => Options::Naumachia,
        view::Variant::Abalone(_) => return None,
    };
    let dealt = deal(options.ruleset(), rng)?;
    let variant = match options {
        Options::Classic { .. } => r#move::Variant::Classic(ClassicMove {
            r#move: Some(classic_move::Move::Deployment(fleet(dealt.ships()))),
        }),
        Options::Salvo { .. } => r#move::Variant::Salvo(SalvoMove {
            r#move: Some(salvo_move::Move::Deployment(fleet(dealt.ships()))),
        }),
        Options::AdvancedSalvo { .. } => r#move::Variant::AdvancedSalvo(AdvancedSalvoMove {
            r#move: Some(advanced_salvo_move::Move::Deployment(fleet(dealt.ships()))),
        }),
        Options::Amiral => r#move::Variant::Amiral(AmiralMove {
            r#move: Some(amiral_move::Move::Deployment(fleet(dealt.ships()))),
        }),
        Options::AmiralAdvanced => r#move::Variant::AmiralAdvanced(AmiralAdvancedMove {
            r#move: Some(amiral_advanced_move::Move::Deployment(
                amiral_advanced::deployment(dealt.ships(), rng)?,
            )),
        }),
        Options::Naumachia => r#move::Variant::Naumachia(NaumachiaMove {
            r#move: Some(naumachia_move::Move::Deployment(fleet(dealt.ships()))),
        }),
    };
    Some(Move {
        variant: Some(variant),
    })
}

fn fleet(ships: &[PlacedShip]) -> Deployment {
    Deployment {
        ships: ships.iter().copied().map(wire::to_ship).collect(),
    }
}
