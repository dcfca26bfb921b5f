//! How the hunter fares against random, and that neither ever makes an illegal move.

mod referee;

use broadside_agents::{Agent, Hunter, Seed};
use broadside_proto::v1::{AmiralAdvancedView, IllegalMove, Move, Phase, Turn, view};
use broadside_rules::{
    Options, Seat, Variant,
    naval::{self, Edition},
};

#[test]
fn the_hunter_beats_random_where_shots_are_answered() {
    for variant in [
        Variant::Classic,
        Variant::Salvo,
        Variant::Amiral,
        Variant::AmiralAdvanced,
    ] {
        let wins = referee::hunters_wins(variant, 200);
        assert!(wins >= 198, "{variant}: only {wins} of 200");
    }
}

#[test]
fn the_hunter_beats_random_where_only_hits_are_counted() {
    let wins = referee::hunters_wins(Variant::AdvancedSalvo, 100);
    assert!(wins >= 98, "only {wins} of 100");
}

#[test]
fn the_hunter_beats_random_where_rings_help_both() {
    let wins = referee::hunters_wins(Variant::Naumachia, 400);
    assert!(wins >= 390, "only {wins} of 400");
}

#[test]
fn the_hunter_beats_random_in_abalone() {
    let wins = referee::hunters_wins(Variant::Abalone, 100);
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

/// The same hunter with nothing but its guns: it is shown no other arms.
fn guns_only(hunter: Hunter) -> impl Agent {
    move |turn: &Turn| {
        let mut turn = turn.clone();
        let seen = turn.view.as_mut().and_then(|view| view.variant.as_mut());
        if let Some(view::Variant::AmiralAdvanced(AmiralAdvancedView {
            targets: Some(targets),
            ..
        })) = seen
        {
            targets.torpedoes_left = 0;
            targets.air_strike_spent = true;
            targets.huntable = None;
        }
        hunter.choose(&turn)
    }
}

#[test]
fn torpedoes_hunts_and_the_air_strike_are_worth_their_turns() {
    let hunter = Hunter::new(Seed(5));
    let plain = guns_only(Hunter::new(Seed(6)));
    let games = 400;
    let wins = (0..games)
        .filter(|&game| {
            let (agents, own): ([&dyn Agent; 2], _) = if game % 2 == 0 {
                ([&hunter, &plain], Seat::One)
            } else {
                ([&plain, &hunter], Seat::Two)
            };
            referee::play(Variant::AmiralAdvanced, game, agents) == Some(own)
        })
        .count();
    assert!(wins >= 240, "only {wins} of {games}");
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
            let (winner, _) = referee::play_by(Options::Naval(options), game, [&hunter, &hunter]);
            assert!(winner.is_some(), "{options:?}");
        }
    }
}

/// Plays what the hunter plays once its first choice was refused, each time.
fn refused(turn: &Turn) -> Option<Move> {
    let hunter = Hunter::new(Seed(5));
    let turn = &Turn {
        refusals_left: 3,
        ..turn.clone()
    };
    let first = hunter.choose(turn)?;
    let again = Turn {
        refusal: Some(IllegalMove::default()),
        refusals_left: 2,
        ..turn.clone()
    };
    let second = hunter.choose(&again)?;
    let choices = turn.legal_moves.as_ref().map_or(0, |it| it.moves.len());
    if turn.phase() == Phase::Battle && choices > 1 {
        assert_ne!(first, second, "{turn:#?}");
    }
    Some(second)
}

#[test]
fn a_hunter_whose_move_was_refused_plays_another_one_and_a_legal_one() {
    let hunter = Hunter::new(Seed(6));
    for variant in Variant::ALL {
        for game in 0..3 {
            referee::play(variant, game, [&refused, &hunter]);
        }
    }
}
