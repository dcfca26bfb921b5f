//! How the hunter fares against random, and that neither ever makes an illegal move.

mod referee;

use broadside_agents::{Agent, Hunter, Random, Seed};
use broadside_rules::{
    Options, Seat, Variant,
    naval::{self, Edition},
};

/// Plays so many games, the hunter in either seat in turn, and returns how many it won.
fn hunters_wins(variant: Variant, games: u64) -> u64 {
    let (hunter, random) = (Hunter::new(Seed(1)), Random::new(Seed(2)));
    let agents: [&dyn Agent; 2] = [&hunter, &random];
    (0..games)
        .filter(|&game| {
            let (seats, own) = if game % 2 == 0 {
                (agents, Seat::One)
            } else {
                ([agents[1], agents[0]], Seat::Two)
            };
            referee::play(variant, game, seats) == Some(own)
        })
        .count() as u64
}

#[test]
fn the_hunter_beats_random_where_shots_are_answered() {
    for variant in [
        Variant::Classic,
        Variant::Salvo,
        Variant::Amiral,
        Variant::AmiralAdvanced,
    ] {
        let wins = hunters_wins(variant, 200);
        assert!(wins >= 198, "{variant}: only {wins} of 200");
    }
}

#[test]
fn the_hunter_beats_random_where_only_hits_are_counted() {
    let wins = hunters_wins(Variant::AdvancedSalvo, 100);
    assert!(wins >= 98, "only {wins} of 100");
}

#[test]
fn the_hunter_beats_random_where_rings_help_both() {
    let wins = hunters_wins(Variant::Naumachia, 400);
    assert!(wins >= 380, "only {wins} of 400");
}

#[test]
fn the_hunter_beats_random_in_abalone() {
    let wins = hunters_wins(Variant::Abalone, 100);
    assert!(wins >= 99, "only {wins} of 100");
}

#[test]
fn two_hunters_bring_abalone_to_a_decision() {
    let hunter = Hunter::new(Seed(3));
    let drawn = (0..50)
        .filter(|&game| referee::play(Variant::Abalone, game, [&hunter, &hunter]).is_none())
        .count();
    assert!(drawn <= 5, "{drawn} of 50 are drawn");
}

#[test]
fn both_editions_are_played_to_the_end() {
    let hunter = Hunter::new(Seed(4));
    for options in [
        naval::Options::Classic {
            edition: Edition::Edition1967,
            name_ship_on_hit: false,
        },
        naval::Options::Salvo {
            edition: Edition::Edition1967,
            name_ship_on_hit: false,
        },
        naval::Options::AdvancedSalvo {
            edition: Edition::Edition1967,
        },
    ] {
        for game in 0..20 {
            hunter.match_started(&referee::older_edition(game, options));
            let (winner, _) = referee::play_by(Options::Naval(options), game, [&hunter, &hunter]);
            assert!(winner.is_some(), "{options:?}");
        }
    }
}

#[test]
#[ignore = "a measurement"]
fn turns_that_two_hunters_take() {
    let hunter = Hunter::new(Seed(3));
    let unnamed = |name_ship_on_hit| {
        Options::Naval(naval::Options::Classic {
            edition: Edition::Edition2002,
            name_ship_on_hit,
        })
    };
    for options in [
        unnamed(true),
        unnamed(false),
        Options::default_of(Variant::Salvo),
        Options::default_of(Variant::AdvancedSalvo),
        Options::default_of(Variant::Amiral),
        Options::default_of(Variant::AmiralAdvanced),
        Options::default_of(Variant::Naumachia),
    ] {
        let start = std::time::Instant::now();
        let (mut turns, mut won, games) = (0, 0, 500);
        let mut all = 0;
        for game in 0..games {
            let (winner, taken) = referee::play_by(options, game, [&hunter, &hunter]);
            let winner = winner.expect("somebody wins");
            turns += taken[winner.index()] - 1;
            all += taken[0] + taken[1];
            won += u32::from(winner == Seat::One);
        }
        println!(
            "{options:?}: the winner took {:.2} turns, seat 1 won {won} of {games}, {:?} a turn",
            f64::from(turns) / games as f64,
            start.elapsed() / all
        );
    }
}
