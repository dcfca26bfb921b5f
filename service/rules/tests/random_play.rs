//! What holds in every game, whatever is played.
#![allow(
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test fails by panicking"
)]

mod common;

use broadside_rules::{
    Ending, Game, IllegalMove, Move, Phase, Seat,
    naval::{self, Berth, Cell, CellSet, Route},
};
use common::{
    all_options, any_naval_move, drawn, legal_move, legal_naval_move, naval_options, random_actor,
    random_game, rng,
};
use proptest::prelude::*;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn every_game_ends_and_its_moves_give_it_again(seed: u64) {
        for options in all_options() {
            let (game, moves) = random_game(&options, &mut rng(seed));
            let outcome = game.outcome().unwrap();
            prop_assert_eq!(game.phase(), Phase::Over);
            prop_assert!(game.to_act().is_empty());
            prop_assert_eq!(game.options(), options);
            let drawn_by = [Ending::MaxPlies, Ending::Repetition].contains(&outcome.ending);
            prop_assert!(outcome.winner.is_some() || drawn_by);

            let mut again = Game::new(&options);
            for (seat, action, answer) in moves {
                prop_assert_eq!(again.check(seat, &action), Ok(()));
                prop_assert_eq!(again.play(seat, &action), Ok(answer));
            }
            prop_assert_eq!(again, game);
        }
    }

    #[test]
    fn a_refused_move_changes_nothing(seed: u64) {
        for options in naval_options() {
            let mut rng = rng(seed);
            let mut game = Game::new(&broadside_rules::Options::Naval(options));
            loop {
                for seat in Seat::ALL {
                    let Ok(action) = any_naval_move(&mut rng) else { continue };
                    let action = Move::Naval(action);
                    let mut tried = game.clone();
                    match game.check(seat, &action) {
                        Err(reason) => {
                            prop_assert_eq!(tried.play(seat, &action), Err(reason));
                            prop_assert_eq!(&tried, &game);
                            check_sentence(reason);
                        }
                        Ok(()) => prop_assert!(tried.play(seat, &action).is_ok()),
                    }
                }
                let Some(seat) = random_actor(&game, &mut rng) else { break };
                let action = legal_move(&game, seat, &mut rng);
                game.play(seat, &action).unwrap();
            }
        }
    }

    #[test]
    fn what_is_listed_as_legal_is_what_is_legal(seed: u64) {
        for options in naval_options() {
            let mut rng = rng(seed);
            let mut game = naval::Game::new(options);
            while let Some(seat) = game.to_act().iter().next() {
                for seat in Seat::ALL {
                    check_listed(&game, seat);
                }
                let action = legal_naval_move(&game, seat, &mut rng);
                game.play(seat, &action).unwrap();
            }
            for seat in Seat::ALL {
                prop_assert_eq!(game.legal_moves(seat), naval::LegalMoves::default());
            }
        }
    }

    #[test]
    fn what_was_told_is_true_and_adds_up(seed: u64) {
        for options in naval_options() {
            let mut rng = rng(seed);
            let mut game = naval::Game::new(options);
            while let Some(seat) = game.to_act().iter().next() {
                let action = legal_naval_move(&game, seat, &mut rng);
                game.play(seat, &action).unwrap();
                for seat in Seat::ALL {
                    check_told(&game, seat);
                }
            }
        }
    }
}

fn check_sentence(reason: IllegalMove) {
    let sentence = reason.to_string();
    assert!(
        !reason.slug().is_empty() && sentence.len() > 20,
        "{reason:?}"
    );
}

fn check_listed(game: &naval::Game, seat: Seat) {
    let legal = game.legal_moves(seat);
    let check = |action| game.is_legal(seat, &action);
    let place = || drawn(&Game::Naval(game.clone()));
    for cell in Cell::all() {
        let shot = legal.salvo_size.is_none() && legal.targets.contains(cell);
        assert_eq!(
            check(naval::Move::Shot(cell)),
            shot,
            "{seat} {cell}\n{}",
            place()
        );
        let strike = legal.air_strikes.contains(cell);
        assert_eq!(
            check(naval::Move::AirStrike(cell)),
            strike,
            "{seat} {cell}\n{}",
            place()
        );
    }
    for berth in Berth::all() {
        assert_eq!(
            check(naval::Move::Hunt(berth)),
            legal.hunts.contains(&berth)
        );
        assert_eq!(
            check(naval::Move::Relocate(berth)),
            legal.berths.contains(&berth)
        );
    }
    for (letter, number) in (1..=10).flat_map(|i| [(i, i), (i, 11 - i)]) {
        let route = Route::named(letter, number).unwrap();
        assert_eq!(
            check(naval::Move::Torpedo(route)),
            legal.torpedoes.contains(&route)
        );
    }
    if let Some(size) = legal.salvo_size {
        assert!(size >= 1 && size <= legal.targets.len());
        let first = legal.targets.iter().take(size);
        assert!(check(naval::Move::Salvo(first.collect())));
        let fewer = legal.targets.iter().take(size - 1);
        assert!(!check(naval::Move::Salvo(fewer.collect())));
    }
    let acts = game.to_act().contains(seat);
    match game.phase() {
        Phase::Battle => assert_eq!(!legal.targets.is_empty(), acts, "{}", place()),
        Phase::Relocation => assert_eq!(legal.berths.len(), if acts { 20 } else { 0 }),
        Phase::Deployment | Phase::Over => {}
    }
}

fn check_told(game: &naval::Game, seat: Seat) {
    let (view, enemy) = (game.view(seat), game.view(seat.other()));
    let Some(waters) = enemy.own else { return };
    let told = view.target;
    let struck: Vec<_> = enemy.incoming_shots().collect();
    assert!(
        struck
            .iter()
            .map(|(cell, _)| *cell)
            .eq(told.called().iter().copied())
    );
    assert_eq!(
        told.called().iter().copied().collect::<CellSet>(),
        told.fired()
    );
    assert_eq!(told.enemy_afloat(), waters.afloat);
    assert_eq!(
        waters.ships().filter(|(_, sunk)| !sunk).count(),
        usize::from(waters.afloat)
    );

    if game.ruleset().telling == naval::Telling::Count {
        assert_eq!(
            told.hits().count() + told.misses().count() + told.sinkings().len(),
            0
        );
        let (mut called, mut hits) = (Vec::new(), 0);
        for salvo in told.salvos() {
            called.extend_from_slice(salvo.cells);
            hits += usize::from(salvo.hits);
        }
        assert_eq!(called, told.called());
        assert_eq!(hits, waters.hits.len());
        return;
    }
    let hits: Vec<_> = struck
        .iter()
        .filter(|(_, hit)| *hit)
        .map(|(cell, _)| *cell)
        .collect();
    assert!(told.hits().eq(hits.iter().copied()));
    let misses = struck.iter().filter(|(_, hit)| !*hit);
    assert!(told.misses().eq(misses.map(|(cell, _)| *cell)));
    assert_eq!(told.hits().len() + told.misses().len(), struck.len());
    let lost: Vec<_> = waters.lost().collect();
    let classes = |ship: &naval::PlacedShip| ship.class;
    assert!(
        told.sinkings()
            .iter()
            .map(|s| s.class)
            .eq(lost.iter().map(classes))
    );

    let ruleset = game.ruleset();
    for (sinking, ship) in told.sinkings().iter().zip(&lost) {
        let place = waters
            .deployment
            .ships()
            .iter()
            .position(|other| other == ship)
            .unwrap();
        let hull = waters.deployment.hulls().nth(place).unwrap();
        let by_torpedo = told.arsenal().is_some_and(|arsenal| {
            arsenal
                .torpedoes()
                .iter()
                .any(|t| t.sunk == Some(ship.class))
        });
        let seen: CellSet = hits.iter().copied().take(sinking.hits.into()).collect();
        assert!(by_torpedo || hull.is_subset(seen));
        assert_eq!(
            sinking.placement(),
            ruleset.sinking_shows_ship.then_some(*ship)
        );
        if ruleset.sinking_shows_ship {
            assert!(hull.ring().is_subset(told.marked() | told.fired()));
        }
    }
    let afloat = waters
        .deployment
        .hulls()
        .fold(CellSet::EMPTY, |all, hull| all | hull);
    assert!((told.marked() & (afloat | told.fired())).is_empty());
    if ruleset.hit_names_ship {
        for (hit, class) in told.hits().zip(told.hit_classes()) {
            let ships = waters
                .deployment
                .ships()
                .iter()
                .zip(waters.deployment.hulls());
            assert!(
                ships
                    .into_iter()
                    .any(|(s, hull)| s.class == *class && hull.contains(hit))
            );
        }
        assert_eq!(told.hit_classes().len(), hits.len());
    } else {
        assert!(told.hit_classes().is_empty());
    }
}
