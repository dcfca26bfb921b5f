//! Plays the agents against each other with the bare referee: no arena, no sockets.
#![allow(
    clippy::expect_used,
    clippy::panic,
    reason = "a test's own referee may stop the test"
)]

mod abalone;
mod naval;

use broadside_agents::{Agent, Hunter, Random, Seed};
use broadside_proto::v1;
use broadside_rules::{
    Game, Options, Phase, Seat, Variant,
    naval::{self as naval_rules, Edition},
};

/// More turns than any game has.
const MAX_TURNS: u32 = 2_000;

/// Plays one game, and returns the winner.
///
/// # Panics
/// If an agent resigns or makes an illegal move.
pub(crate) fn play(variant: Variant, match_id: u64, agents: [&dyn Agent; 2]) -> Option<Seat> {
    play_by(Options::default_of(variant), match_id, agents).0
}

/// Plays one game, and returns the winner and how many turns each seat had.
///
/// # Panics
/// If an agent resigns or makes an illegal move.
pub(crate) fn play_by(
    options: Options,
    match_id: u64,
    agents: [&dyn Agent; 2],
) -> (Option<Seat>, [u32; 2]) {
    let mut game = Game::new(&options);
    let mut turns = [0; 2];
    let mut events = Vec::new();
    for turn_id in 1..MAX_TURNS {
        let Some(seat) = game.to_act().iter().next() else {
            break;
        };
        turns[seat.index()] += 1;
        let mut turn = turn(&game, match_id, turn_id, seat);
        turn.events.clone_from(&events);
        let agent = agents[seat.index()];
        let chosen = agent
            .choose(&turn)
            .unwrap_or_else(|| panic!("{seat} resigns: {turn:#?}"));
        let action = match &game {
            Game::Naval(_) => naval::action(&chosen),
            Game::Abalone(_) => abalone::action(&chosen),
        };
        let action = action.unwrap_or_else(|| panic!("{seat} answers {chosen:?} to {turn:#?}"));
        // Of abalone only, where nothing is hidden: since the last turn there are one move of each seat.
        events.push(v1::Event {
            seat: turn.seat,
            r#move: Some(chosen.clone()),
            answer: None,
        });
        if events.len() > 2 {
            events.remove(0);
        }
        if let Err(illegal) = game.play(seat, &action) {
            panic!("{seat}: {illegal}\n{chosen:?}\n{turn:#?}");
        }
    }
    let outcome = game.outcome().expect("every game ends");
    (outcome.winner, turns)
}

/// Plays so many games, the hunter in either seat in turn, and returns how many it won.
pub(crate) fn hunters_wins(variant: Variant, games: u64) -> u64 {
    let (hunter, random) = (Hunter::new(Seed(1)), Random::new(Seed(2)));
    let agents: [&dyn Agent; 2] = [&hunter, &random];
    (0..games)
        .filter(|&game| {
            let (seats, own) = if game % 2 == 0 {
                (agents, Seat::One)
            } else {
                ([agents[1], agents[0]], Seat::Two)
            };
            play(variant, game, seats) == Some(own)
        })
        .count() as u64
}

fn turn(game: &Game, match_id: u64, turn_id: u32, seat: Seat) -> v1::Turn {
    let phase = match game.phase() {
        Phase::Deployment => v1::Phase::Deployment,
        Phase::Battle => v1::Phase::Battle,
        Phase::Relocation => v1::Phase::Relocation,
        Phase::Over => v1::Phase::Over,
    };
    let (view, legal_moves) = match game {
        Game::Naval(game) => (
            naval::view(game, seat),
            naval::legal_moves(game, seat, u64::from(turn_id) ^ match_id << 20),
        ),
        Game::Abalone(game) => (abalone::view(game), abalone::legal_moves(game, seat)),
    };
    v1::Turn {
        match_id,
        turn_id,
        seat: i32::from(seat.number()),
        phase: phase.into(),
        view: Some(v1::View {
            variant: Some(view),
        }),
        legal_moves: Some(legal_moves),
        refusals_left: 3,
        options: options_of(game),
        ..v1::Turn::default()
    }
}

/// Variant and options as a turn holds them, as far as an agent cares: whose fleet is placed.
fn options_of(game: &Game) -> Option<v1::Options> {
    let edition = |edition| {
        Some(match edition {
            Edition::Edition1967 => v1::Edition::Edition1967.into(),
            Edition::Edition2002 => v1::Edition::Edition2002.into(),
        })
    };
    let Options::Naval(options) = game.options() else {
        return None;
    };
    let variant = match options {
        naval_rules::Options::Classic {
            edition: of,
            name_ship_on_hit,
        } => v1::options::Variant::Classic(v1::ClassicOptions {
            edition: edition(of),
            name_ship_on_hit: Some(name_ship_on_hit),
        }),
        naval_rules::Options::Salvo {
            edition: of,
            name_ship_on_hit,
        } => v1::options::Variant::Salvo(v1::SalvoOptions {
            edition: edition(of),
            name_ship_on_hit: Some(name_ship_on_hit),
        }),
        naval_rules::Options::AdvancedSalvo { edition: of } => {
            v1::options::Variant::AdvancedSalvo(v1::AdvancedSalvoOptions {
                edition: edition(of),
            })
        }
        _ => return None,
    };
    Some(v1::Options {
        variant: Some(variant),
    })
}
