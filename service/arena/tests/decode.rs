//! Whatever arrives as a move is a move, a refusal, or no message at all: never a panic.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use broadside_arena::{convert, seed};
use broadside_proto::v1;
use broadside_rules::{Game, Options, Seat, Variant};
use proptest::prelude::*;
use prost::Message;

/// A game of each variant in which both have deployed, and the legal moves of whoever is to act.
fn begun(variant: Variant, number: u64) -> (Game, Seat, Vec<v1::Move>) {
    let options = Options::default_of(variant);
    let mut game = Game::new(&options);
    for (seat, purpose) in [
        (Seat::One, seed::Purpose::FleetOfSeatOne),
        (Seat::Two, seed::Purpose::FleetOfSeatTwo),
    ] {
        if let Some(fleet) = convert::dealt_fleet(&options, &mut seed::rng(number, purpose)) {
            let action = convert::move_from(variant, Some(fleet)).unwrap();
            game.play(seat, &action).unwrap();
        }
    }
    let legal = convert::legal_moves(&game, Seat::One, || None);
    let mut moves = legal.moves;
    moves.extend(convert::dealt_fleet(
        &options,
        &mut seed::rng(number, seed::Purpose::Seating),
    ));
    (game, Seat::One, moves)
}

/// Plays what the bytes say, if they say anything, in a game of every variant.
fn play_all(bytes: &[u8], number: u64) {
    let Ok(message) = v1::Move::decode(bytes) else {
        return;
    };
    for variant in Variant::ALL {
        let (mut game, seat, _) = begun(variant, number);
        let before = game.clone();
        match convert::move_from(variant, Some(message.clone())) {
            Ok(action) => {
                if game.play(seat, &action).is_err() {
                    assert_eq!(game, before, "a refused move changed the game");
                }
            }
            Err(refusal) => assert!(!refusal.message.is_empty()),
        }
    }
}

proptest! {
    #[test]
    fn any_bytes_are_taken_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..64), number in 0..8u64) {
        play_all(&bytes, number);
    }

    #[test]
    fn a_legal_move_with_bytes_changed_is_taken_or_refused(
        variant in prop::sample::select(Variant::ALL.to_vec()),
        number in 0..8u64,
        which in any::<prop::sample::Index>(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..4),
        cut in any::<prop::sample::Index>(),
    ) {
        let (_, _, moves) = begun(variant, number);
        prop_assume!(!moves.is_empty());
        let mut bytes = moves[which.index(moves.len())].encode_to_vec();
        for (place, value) in changes {
            let place = place.index(bytes.len());
            bytes[place] = value;
        }
        play_all(&bytes, number);
        let cut = cut.index(bytes.len());
        play_all(&bytes[..cut], number);
    }
}

#[test]
fn a_legal_move_as_the_contract_lists_it_is_taken() {
    for variant in Variant::ALL {
        let (game, seat, moves) = begun(variant, 3);
        for action in moves.iter().filter(|action| !is_deployment(action)) {
            let action = convert::move_from(variant, Some(action.clone())).unwrap();
            assert_eq!(game.check(seat, &action), Ok(()), "{variant}: {action:?}");
        }
    }
}

fn is_deployment(action: &v1::Move) -> bool {
    format!("{action:?}").contains("Deployment")
}
