//! What is the same for every variant: seats, moves, views.

use broadside_proto::v1::{self, r#move::Variant as MoveOf};
use broadside_rules::{
    Answer, Ending, Game, Move, Options, Phase, Seat, Variant,
    naval::{self as rules, Deployment, LegalMoves},
};
use rand::Rng;

use super::{
    Refusal, Writer, abalone, advanced_salvo, amiral, amiral_advanced, classic, naumachia, naval,
    salvo,
};

/// A variant.
pub fn variant(variant: Variant) -> v1::Variant {
    match variant {
        Variant::Classic => v1::Variant::Classic,
        Variant::Salvo => v1::Variant::Salvo,
        Variant::AdvancedSalvo => v1::Variant::AdvancedSalvo,
        Variant::Amiral => v1::Variant::Amiral,
        Variant::AmiralAdvanced => v1::Variant::AmiralAdvanced,
        Variant::Naumachia => v1::Variant::Naumachia,
        Variant::Abalone => v1::Variant::Abalone,
    }
}

/// A variant; `None` if it is unset or of a newer contract.
pub fn variant_from(value: i32) -> Option<Variant> {
    Some(match v1::Variant::try_from(value).ok()? {
        v1::Variant::Unspecified => return None,
        v1::Variant::Classic => Variant::Classic,
        v1::Variant::Salvo => Variant::Salvo,
        v1::Variant::AdvancedSalvo => Variant::AdvancedSalvo,
        v1::Variant::Amiral => Variant::Amiral,
        v1::Variant::AmiralAdvanced => Variant::AmiralAdvanced,
        v1::Variant::Naumachia => Variant::Naumachia,
        v1::Variant::Abalone => Variant::Abalone,
    })
}

/// The variant whose options these are; `None` if they are unset.
pub fn variant_of(options: &v1::Options) -> Option<v1::Variant> {
    use v1::options::Variant as Of;
    Some(match options.variant.as_ref()? {
        Of::Classic(_) => v1::Variant::Classic,
        Of::Salvo(_) => v1::Variant::Salvo,
        Of::AdvancedSalvo(_) => v1::Variant::AdvancedSalvo,
        Of::Amiral(_) => v1::Variant::Amiral,
        Of::AmiralAdvanced(_) => v1::Variant::AmiralAdvanced,
        Of::Naumachia(_) => v1::Variant::Naumachia,
        Of::Abalone(_) => v1::Variant::Abalone,
    })
}

/// A seat.
pub fn seat(seat: Seat) -> v1::Seat {
    match seat {
        Seat::One => v1::Seat::One,
        Seat::Two => v1::Seat::Two,
    }
}

/// A seat; `None` if it is unset.
pub fn seat_from(seat: v1::Seat) -> Option<Seat> {
    match seat {
        v1::Seat::Unspecified => None,
        v1::Seat::One => Some(Seat::One),
        v1::Seat::Two => Some(Seat::Two),
    }
}

/// A phase.
pub fn phase(phase: Phase) -> v1::Phase {
    match phase {
        Phase::Deployment => v1::Phase::Deployment,
        Phase::Battle => v1::Phase::Battle,
        Phase::Relocation => v1::Phase::Relocation,
        Phase::Over => v1::Phase::Over,
    }
}

/// The rule by which play ended a game.
pub fn ending(ending: Ending) -> v1::Ending {
    match ending {
        Ending::FleetSunk => v1::Ending::FleetSunk,
        Ending::SixEjected => v1::Ending::SixEjected,
        Ending::MaxPlies => v1::Ending::MaxPlies,
        Ending::Repetition => v1::Ending::Repetition,
        Ending::NoLegalMove => v1::Ending::NoLegalMove,
    }
}

/// The move that a message holds, for a game of `variant`.
///
/// # Errors
/// If it is unset, of another variant, or names something that does not exist.
pub fn move_from(variant: Variant, message: Option<v1::Move>) -> Result<Move, Refusal> {
    let v1::Move { variant: of } = message.ok_or_else(|| Refusal::unset("move"))?;
    Ok(match (variant, of.ok_or_else(|| Refusal::unset("move"))?) {
        (Variant::Classic, MoveOf::Classic(action)) => Move::Naval(classic::move_from(action)?),
        (Variant::Salvo, MoveOf::Salvo(action)) => Move::Naval(salvo::move_from(action)?),
        (Variant::AdvancedSalvo, MoveOf::AdvancedSalvo(action)) => {
            Move::Naval(advanced_salvo::move_from(action)?)
        }
        (Variant::Amiral, MoveOf::Amiral(action)) => Move::Naval(amiral::move_from(action)?),
        (Variant::AmiralAdvanced, MoveOf::AmiralAdvanced(action)) => {
            Move::Naval(amiral_advanced::move_from(action)?)
        }
        (Variant::Naumachia, MoveOf::Naumachia(action)) => {
            Move::Naval(naumachia::move_from(action)?)
        }
        (Variant::Abalone, MoveOf::Abalone(action)) => Move::Abalone(abalone::move_from(action)?),
        (variant, other) => {
            return Err(Refusal {
                reason: v1::IllegalMoveReason::MoveNotOfVariant,
                message: format!(
                    "the move is one of {}: this match is one of {variant}",
                    of_variant(&other)
                ),
            });
        }
    })
}

fn of_variant(of: &MoveOf) -> Variant {
    match of {
        MoveOf::Classic(_) => Variant::Classic,
        MoveOf::Salvo(_) => Variant::Salvo,
        MoveOf::AdvancedSalvo(_) => Variant::AdvancedSalvo,
        MoveOf::Amiral(_) => Variant::Amiral,
        MoveOf::AmiralAdvanced(_) => Variant::AmiralAdvanced,
        MoveOf::Naumachia(_) => Variant::Naumachia,
        MoveOf::Abalone(_) => Variant::Abalone,
    }
}

/// Whether a move is the mover's secret: where its fleet or its submarine lies.
pub fn is_secret(action: &Move) -> bool {
    matches!(
        action,
        Move::Naval(rules::Move::Deploy { .. } | rules::Move::Relocate(_))
    )
}

/// What is announced after a move in a game of `variant`.
pub fn answer(variant: Variant, answer: &Answer) -> v1::Answer {
    use v1::answer::Variant as Of;
    let of = match answer {
        Answer::Naval(answer) => match variant {
            Variant::Classic => Of::Classic(classic::answer(answer)),
            Variant::Salvo => Of::Salvo(salvo::answer(answer)),
            Variant::AdvancedSalvo => Of::AdvancedSalvo(advanced_salvo::answer(answer)),
            Variant::Amiral => Of::Amiral(amiral::answer(answer)),
            Variant::AmiralAdvanced => Of::AmiralAdvanced(amiral_advanced::answer(answer)),
            Variant::Naumachia => Of::Naumachia(naumachia::answer(answer)),
            Variant::Abalone => return v1::Answer::default(),
        },
        Answer::Abalone(answer) => Of::Abalone(abalone::answer(answer)),
    };
    v1::Answer { variant: Some(of) }
}

/// All that a seat may know.
pub fn view(game: &Game, seat: Seat) -> v1::View {
    use v1::view::Variant as Of;
    let of = match game {
        Game::Naval(naval_game) => {
            let seen = naval_game.view(seat);
            match game.variant() {
                Variant::Classic => Of::Classic(classic::view(&seen)),
                Variant::Salvo => Of::Salvo(salvo::view(&seen)),
                Variant::AdvancedSalvo => Of::AdvancedSalvo(advanced_salvo::view(&seen)),
                Variant::Amiral => Of::Amiral(amiral::view(&seen)),
                Variant::AmiralAdvanced => Of::AmiralAdvanced(amiral_advanced::view(&seen)),
                Variant::Naumachia => Of::Naumachia(naumachia::view(&seen)),
                Variant::Abalone => return v1::View::default(),
            }
        }
        Game::Abalone(game) => Of::Abalone(abalone::view(game)),
    };
    v1::View { variant: Some(of) }
}

/// All that a seat may know, written as the fields of a `View`: the same as [`view`].
pub fn write_view(game: &Game, seat: Seat, to: &mut Writer<'_>) {
    match game {
        Game::Naval(naval_game) => {
            let seen = naval_game.view(seat);
            match game.variant() {
                Variant::Classic => to.nested(1, |to| classic::write_view(&seen, to)),
                Variant::Salvo => to.nested(2, |to| salvo::write_view(&seen, to)),
                Variant::AdvancedSalvo => {
                    to.nested(3, |to| advanced_salvo::write_view(&seen, to));
                }
                Variant::Amiral => to.nested(4, |to| amiral::write_view(&seen, to)),
                Variant::AmiralAdvanced => {
                    to.nested(5, |to| amiral_advanced::write_view(&seen, to));
                }
                Variant::Naumachia => to.nested(6, |to| naumachia::write_view(&seen, to)),
                Variant::Abalone => {}
            }
        }
        Game::Abalone(game) => to.nested(7, |to| abalone::write_view(game, to)),
    }
}

/// What everybody may know while the match runs.
pub fn public_view(game: &Game) -> v1::PublicView {
    use v1::public_view::Variant as Of;
    let of = match game {
        Game::Naval(naval_game) => {
            let said = naval_game.public_view();
            match game.variant() {
                Variant::Classic => Of::Classic(classic::public_view(&said)),
                Variant::Salvo => Of::Salvo(salvo::public_view(&said)),
                Variant::AdvancedSalvo => Of::AdvancedSalvo(advanced_salvo::public_view(&said)),
                Variant::Amiral => Of::Amiral(amiral::public_view(&said)),
                Variant::AmiralAdvanced => Of::AmiralAdvanced(amiral_advanced::public_view(&said)),
                Variant::Naumachia => Of::Naumachia(naumachia::public_view(&said)),
                Variant::Abalone => return v1::PublicView::default(),
            }
        }
        Game::Abalone(game) => Of::Abalone(abalone::view(game)),
    };
    v1::PublicView { variant: Some(of) }
}

/// What was hidden, for when the match is over; `None` in abalone.
pub fn reveal(game: &Game) -> Option<v1::Reveal> {
    let Game::Naval(game) = game else {
        return None;
    };
    let fleet = |seat| Some(naval::deployment(game.deployment(seat)?.ships()));
    let berth = |seat| game.view(seat).own?.berth.map(amiral_advanced::berth);
    Some(v1::Reveal {
        seat_one_fleet: fleet(Seat::One),
        seat_two_fleet: fleet(Seat::Two),
        seat_one_berth: berth(Seat::One),
        seat_two_berth: berth(Seat::Two),
    })
}

/// The legal moves of a seat that is to act. `dealt` gives the fleet that stands for all of them in the deployment.
pub fn legal_moves(
    game: &Game,
    seat: Seat,
    dealt: impl FnOnce() -> Option<v1::Move>,
) -> v1::LegalMoves {
    let moves = |moves: Vec<v1::Move>| v1::LegalMoves { moves, salvo: None };
    match game {
        Game::Abalone(game) => moves(
            abalone::legal_moves(game)
                .map(|action| wrap(MoveOf::Abalone(action)))
                .collect(),
        ),
        Game::Naval(_) if game.phase() == Phase::Deployment => moves(dealt().into_iter().collect()),
        Game::Naval(naval_game) => {
            let legal = naval_game.legal_moves(seat);
            battle_moves(game.variant(), &legal)
        }
    }
}

fn battle_moves(variant: Variant, legal: &LegalMoves) -> v1::LegalMoves {
    if let Some(size) = legal.salvo_size {
        return v1::LegalMoves {
            moves: Vec::new(),
            salvo: Some(v1::SalvoChoice {
                cells: legal.targets.iter().map(naval::cell).collect(),
                size: size as u32,
            }),
        };
    }
    let shots = |shot: fn(v1::Cell) -> MoveOf| {
        let targets = legal.targets.iter();
        targets.map(|cell| wrap(shot(naval::cell(cell)))).collect()
    };
    let moves = match variant {
        Variant::Classic => shots(|cell| MoveOf::Classic(classic::shot(cell))),
        Variant::Amiral => shots(|cell| MoveOf::Amiral(amiral::shot(cell))),
        Variant::Naumachia => shots(|cell| MoveOf::Naumachia(naumachia::shot(cell))),
        Variant::AmiralAdvanced => amiral_advanced::legal_moves(legal)
            .map(|action| wrap(MoveOf::AmiralAdvanced(action)))
            .collect(),
        Variant::Salvo | Variant::AdvancedSalvo | Variant::Abalone => Vec::new(),
    };
    v1::LegalMoves { moves, salvo: None }
}

fn wrap(of: MoveOf) -> v1::Move {
    v1::Move { variant: Some(of) }
}

/// A fleet drawn uniformly from all legal ones, as a move; `None` in abalone.
pub fn dealt_fleet(options: &Options, rng: &mut impl Rng) -> Option<v1::Move> {
    let Options::Naval(options) = options else {
        return None;
    };
    let dealt = rules::deal(options.ruleset(), rng)?;
    deployment_move(options.variant(), &dealt)
}

/// A deployment as a move of `variant`; `None` in abalone.
pub fn deployment_move(variant: Variant, deployment: &Deployment) -> Option<v1::Move> {
    let fleet = naval::deployment(deployment.ships());
    Some(wrap(match variant {
        Variant::Classic => MoveOf::Classic(classic::deployment(fleet)),
        Variant::Salvo => MoveOf::Salvo(salvo::deployment(fleet)),
        Variant::AdvancedSalvo => MoveOf::AdvancedSalvo(advanced_salvo::deployment(fleet)),
        Variant::Amiral => MoveOf::Amiral(amiral::deployment(fleet)),
        Variant::AmiralAdvanced => {
            MoveOf::AmiralAdvanced(amiral_advanced::deployment(fleet, deployment.berth()))
        }
        Variant::Naumachia => MoveOf::Naumachia(naumachia::deployment(fleet)),
        Variant::Abalone => return None,
    }))
}
