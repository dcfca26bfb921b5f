//! Moves of every kind, as they may arrive, in a game of any variant.

use broadside_proto::v1;
use broadside_record::{convert, seed};
use broadside_rules::{Game, Options, Phase, Seat, Variant};
use prost::Message;

/// Longer than any game: 400 plies of abalone, and refusals between them.
const MOST: usize = 1_000;

/// The first byte is the variant, or asks for options of the bytes' own; then moves follow, each after a byte that says whose it is, and whether it is
/// listed as legal (the next byte says which), the fleet dealt, or raw: a length and so many bytes of a `Move`.
pub fn decode_and_play(bytes: &[u8]) {
    let mut bytes = Bytes(bytes);
    let Some(options) = options(&mut bytes) else {
        return;
    };
    let variant = options.variant();
    let mut game = Game::new(&options);
    for _ in 0..MOST {
        let Some(how) = bytes.next() else {
            break;
        };
        let seat = match how & 1 {
            0 => game.to_act().iter().next().unwrap_or(Seat::One),
            _ => Seat::Two,
        };
        let message = match how >> 1 & 3 {
            0 | 1 => listed(&game, seat, &mut bytes),
            2 => dealt(&options, &mut bytes),
            _ => {
                let length = bytes.next().unwrap_or(0).into();
                v1::Move::decode(bytes.take(length)).ok()
            }
        };
        play(&mut game, variant, seat, message);
    }
}

fn options(bytes: &mut Bytes<'_>) -> Option<Options> {
    let first = usize::from(bytes.next()?);
    match Variant::ALL.get(first % 8) {
        Some(variant) => Some(Options::default_of(*variant)),
        None => {
            let length = bytes.next()?.into();
            let options = v1::Options::decode(bytes.take(length)).ok()?;
            convert::options_from(options).ok()
        }
    }
}

/// One of the moves listed as legal.
fn listed(game: &Game, seat: Seat, bytes: &mut Bytes<'_>) -> Option<v1::Move> {
    let which = usize::from(bytes.next().unwrap_or(0));
    let legal = convert::legal_moves(game, seat, || None);
    if let Some(choice) = legal.salvo {
        let start = which % choice.cells.len().max(1);
        let cells = choice.cells.iter().cycle().skip(start);
        let cells: Vec<_> = cells.take(choice.size as usize).copied().collect();
        let salvo = v1::Salvo { cells };
        let variant = match game.variant() {
            Variant::Salvo => v1::r#move::Variant::Salvo(v1::SalvoMove {
                r#move: Some(v1::salvo_move::Move::Salvo(salvo)),
            }),
            _ => v1::r#move::Variant::AdvancedSalvo(v1::AdvancedSalvoMove {
                r#move: Some(v1::advanced_salvo_move::Move::Salvo(salvo)),
            }),
        };
        return Some(v1::Move {
            variant: Some(variant),
        });
    }
    let count = legal.moves.len();
    let action = legal.moves.into_iter().nth(which % count.max(1))?;
    let read = convert::move_from(game.variant(), Some(action.clone())).expect("a listed move");
    // Asked out of its turn, a seat is told what it could do in it.
    if game.to_act().contains(seat) {
        let checked = game.check(seat, &read);
        assert_eq!(checked, Ok(()), "it is listed as legal: {action:?}");
    }
    Some(action)
}

fn dealt(options: &Options, bytes: &mut Bytes<'_>) -> Option<v1::Move> {
    let number = bytes.next().unwrap_or(0).into();
    convert::dealt_fleet(
        options,
        &mut seed::rng(number, seed::Purpose::FleetOfSeatOne),
    )
}

fn play(game: &mut Game, variant: Variant, seat: Seat, message: Option<v1::Move>) {
    let before = game.clone();
    let action = match convert::move_from(variant, message) {
        Ok(action) => action,
        Err(refusal) => return assert!(!refusal.message.is_empty()),
    };
    let checked = game.check(seat, &action);
    let may = before.to_act().contains(seat);
    match game.play(seat, &action) {
        Ok(answer) => {
            assert_eq!(checked, Ok(()), "it was played");
            assert!(may, "{seat} was not to act");
            convert::answer(variant, &answer);
        }
        Err(illegal) => {
            assert_eq!(checked, Err(illegal), "it was refused");
            assert_eq!(*game, before, "a refused move changed the game");
        }
    }
    check(game);
}

/// What is true of every game at any time.
fn check(game: &Game) {
    let over = game.outcome().is_some();
    assert_eq!(over, game.phase() == Phase::Over);
    assert_eq!(over, game.to_act().iter().next().is_none());
    convert::public_view(game);
    convert::reveal(game);
    for seat in Seat::ALL {
        convert::view(game, seat);
        if !game.to_act().contains(seat) || game.phase() == Phase::Deployment {
            continue;
        }
        let legal = convert::legal_moves(game, seat, || None);
        let salvo = legal.salvo.is_some_and(|choice| choice.size > 0);
        assert!(salvo || !legal.moves.is_empty(), "{seat} cannot move");
    }
}

/// Bytes from the front.
struct Bytes<'a>(&'a [u8]);

impl<'a> Bytes<'a> {
    fn next(&mut self) -> Option<u8> {
        let (first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(*first)
    }

    fn take(&mut self, length: usize) -> &'a [u8] {
        let (taken, rest) = self.0.split_at(length.min(self.0.len()));
        self.0 = rest;
        taken
    }
}
