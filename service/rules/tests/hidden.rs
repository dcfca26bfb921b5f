//! Hidden means hidden: two games that differ only in what a player may not know are the same to
//! that player, in everything that the referee gives.
#![allow(
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test fails by panicking"
)]

mod common;

use broadside_rules::{
    Seat,
    naval::{
        self, Answer, Cell, Deployment, Game, Move, Options, Orientation, PlacedShip, ShipClass,
    },
};
use common::{any_naval_move, deploy, legal_naval_move, naval_options, pick, rng};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

/// Two games alike to `seat` so far.
struct Twins {
    seat: Seat,
    games: [Game; 2],
}

impl Twins {
    /// Asserts that nothing tells them apart for their seat and, whatever is said aloud being the
    /// same, for spectators.
    fn assert_alike(&self, rng: &mut ChaCha8Rng) {
        let Self {
            seat,
            games: [one, two],
        } = self;
        assert_eq!(one.view(*seat), two.view(*seat));
        assert_eq!(
            format!("{:?}", one.view(*seat)),
            format!("{:?}", two.view(*seat))
        );
        assert_eq!(one.public_view(), two.public_view());
        assert_eq!(one.legal_moves(*seat), two.legal_moves(*seat));
        for cell in Cell::all() {
            let shot = Move::Shot(cell);
            assert_eq!(one.check(*seat, &shot), two.check(*seat, &shot));
        }
        for _ in 0..20 {
            if let Ok(action) = any_naval_move(rng) {
                let (first, second) = (one.check(*seat, &action), two.check(*seat, &action));
                assert_eq!(first, second, "{action:?}");
            }
        }
    }

    /// Plays a move in both. `None` if what may be told parts them, or if the one refuses what its
    /// own secret forbids the other seat.
    fn play(&mut self, seat: Seat, action: &Move) -> Option<()> {
        let [one, two] = &mut self.games;
        let first = one.play(seat, action).unwrap();
        let second = two.play(seat, action).ok()?;
        same_told(one.options(), &first, &second).then_some(())
    }
}

/// Whether two answers are alike in what may be told; they must then be alike altogether.
fn same_told(options: Options, one: &Answer, two: &Answer) -> bool {
    let alike = may_be_told(options, one) == may_be_told(options, two);
    if alike {
        assert_eq!(one, two, "{options:?}");
    }
    alike
}

/// An answer without what the table in rules.md, "What the shooter learns", withholds.
fn may_be_told(options: Options, answer: &Answer) -> Answer {
    let names_ship = matches!(
        options,
        Options::Classic {
            name_ship_on_hit: true,
            ..
        } | Options::Salvo {
            name_ship_on_hit: true,
            ..
        }
    );
    let mut answer = answer.clone();
    match &mut answer {
        Answer::Shot { class, sunk, .. } => {
            *class = class.filter(|_| names_ship);
            if let Some(sunk) = sunk {
                sunk.placement = sunk.placement.filter(|_| options == Options::Naumachia);
            }
        }
        Answer::Salvo { shots, .. } => {
            assert!(!matches!(options, Options::AdvancedSalvo { .. }));
            for shot in shots {
                shot.class = shot.class.filter(|_| names_ship);
            }
        }
        Answer::Deployed
        | Answer::SalvoCount { .. }
        | Answer::Torpedo { .. }
        | Answer::Hunt { .. }
        | Answer::Relocated
        | Answer::AirStrike { .. } => {}
    }
    answer
}

/// What differs between twins.
#[derive(Clone, Copy, PartialEq)]
enum Secret {
    Ships,
    Berth,
}

/// A fleet that differs from `fleet` in its berth, or else in the place of one ship or in two that
/// have changed places.
fn neighbour(
    rules: &naval::Ruleset,
    fleet: &Deployment,
    secret: Secret,
    rng: &mut ChaCha8Rng,
) -> Option<Deployment> {
    let mut ships = fleet.ships().to_vec();
    let mut berth = fleet.berth();
    let (one, two) = (
        rng.random_range(0..ships.len()),
        rng.random_range(0..ships.len()),
    );
    if secret == Secret::Berth {
        berth = Some(pick(rng, &naval::Berth::all().collect::<Vec<_>>()));
    } else if rng.random_bool(0.5) {
        let (class, other) = (ships[one].class, ships[two].class);
        ships[one].class = other;
        ships[two].class = class;
        ships.swap(one, two);
    } else {
        ships[one].cell = Cell::from_number(rng.random_range(1..=100))?;
        ships[one].orientation = pick(rng, &[Orientation::Horizontal, Orientation::Vertical]);
    }
    let other = Deployment::new(rules, &ships, berth).ok()?;
    let same_hulls = other.hulls().eq(fleet.hulls());
    (!same_hulls || other.berth() != fleet.berth()).then_some(other)
}

/// Another game with the same moves and answers, in which the enemy of `seat` lies elsewhere.
fn twin(
    seat: Seat,
    game: &Game,
    fleets: &[Deployment; 2],
    moves: &[(Seat, Move, Answer)],
    secret: Secret,
    rng: &mut ChaCha8Rng,
) -> Option<Game> {
    let mut fleets = fleets.clone();
    let hidden = &mut fleets[seat.other().index()];
    *hidden = neighbour(game.ruleset(), hidden, secret, rng)?;
    let mut other = Game::new(game.options());
    for seat in Seat::ALL {
        other.play(seat, &deploy(&fleets[seat.index()])).unwrap();
    }
    moves
        .iter()
        .all(|(mover, action, answer)| {
            let played = other.play(*mover, action);
            played.is_ok_and(|played| same_told(game.options(), answer, &played))
        })
        .then_some(other)
}

/// Plays a game, stops it somewhere, looks for its twin, and plays both on while they are alike.
/// Returns how many positions were compared, if there is a twin.
fn compare(options: Options, secret: Secret, seed: u64) -> Option<usize> {
    let mut rng = rng(seed);
    let mut game = Game::new(options);
    let fleets = [(); 2].map(|()| naval::deal(game.ruleset(), &mut rng).unwrap());
    for seat in Seat::ALL {
        game.play(seat, &deploy(&fleets[seat.index()])).unwrap();
    }
    let seat = pick(&mut rng, &Seat::ALL);
    let mut moves = Vec::new();
    for _ in 0..rng.random_range(0..120) {
        let before = game.clone();
        let mover = game.to_act().iter().next().unwrap();
        let action = legal_naval_move(&game, mover, &mut rng);
        let answer = game.play(mover, &action).unwrap();
        if game.outcome().is_some() {
            game = before;
            break;
        }
        moves.push((mover, action, answer));
    }
    let other = (0..100).find_map(|_| twin(seat, &game, &fleets, &moves, secret, &mut rng))?;
    assert_ne!(game.view(seat.other()), other.view(seat.other()));

    let mut twins = Twins {
        seat,
        games: [game, other],
    };
    let mut compared = 0;
    loop {
        twins.assert_alike(&mut rng);
        compared += 1;
        let Some(mover) = twins.games[0].to_act().iter().next() else {
            break;
        };
        let action = legal_naval_move(&twins.games[0], mover, &mut rng);
        if twins.play(mover, &action).is_none() {
            break;
        }
    }
    Some(compared)
}

/// Compares forty pairs of twins, and asserts that they were alike for some while.
fn compare_many(options: Options, secret: Secret) {
    let found: Vec<_> = (0..2000)
        .filter_map(|seed| compare(options, secret, seed))
        .take(40)
        .collect();
    let positions: usize = found.iter().sum();
    assert!(
        found.len() == 40 && positions >= 80,
        "{options:?}: only {} twins, alike in {positions} positions",
        found.len()
    );
}

#[test]
fn a_hidden_fleet_changes_nothing_that_its_enemy_is_given() {
    for options in naval_options() {
        compare_many(options, Secret::Ships);
    }
}

#[test]
fn a_hidden_berth_changes_nothing_that_its_enemy_is_given() {
    compare_many(Options::AmiralAdvanced, Secret::Berth);
}

#[test]
fn a_fleet_that_waits_for_the_other_tells_nothing() {
    for options in naval_options() {
        for seed in 0..20 {
            let mut rng = rng(seed);
            let games = [(); 2].map(|()| {
                let mut game = Game::new(options);
                let fleet = naval::deal(game.ruleset(), &mut rng).unwrap();
                assert_eq!(game.play(Seat::Two, &deploy(&fleet)), Ok(Answer::Deployed));
                game
            });
            assert_ne!(games[0], games[1]);
            let twins = Twins {
                seat: Seat::One,
                games,
            };
            twins.assert_alike(&mut rng);
        }
    }
}

#[test]
fn whether_a_hunted_submarine_moved_is_not_told() {
    let mut rng = rng(7);
    let mut told = 0;
    for seed in 0..200 {
        let mut game = Game::new(Options::AmiralAdvanced);
        let mut draw = common::rng(seed);
        while let Some(mover) = game.to_act().iter().next() {
            if game.phase() == broadside_rules::Phase::Relocation {
                let hunter = mover.other();
                let berths: Vec<_> = game.legal_moves(mover).berths.to_vec();
                let games = [0, 11].map(|choice| {
                    let mut game = game.clone();
                    game.play(mover, &Move::Relocate(berths[choice])).unwrap();
                    game
                });
                let twins = Twins {
                    seat: hunter,
                    games,
                };
                twins.assert_alike(&mut rng);
                told += 1;
            }
            let action = legal_naval_move(&game, mover, &mut draw);
            game.play(mover, &action).unwrap();
        }
    }
    assert!(told > 20, "only {told} relocations seen");
}

/// rules.md, salvo: which shots hit and which ships sank is told, but not which shot sank a ship.
#[test]
fn a_salvo_does_not_tell_which_of_its_shots_sank_a_ship() {
    let options = naval::Options::Salvo {
        edition: naval::Edition::Edition2002,
        name_ship_on_hit: false,
    };
    let ship = |class, row, column| {
        PlacedShip::named(class, row, column, Orientation::Horizontal).unwrap()
    };
    let fleet = |patrol_boat: (u32, u32), submarine: (u32, u32)| Move::Deploy {
        ships: vec![
            ship(ShipClass::Carrier, 8, 1),
            ship(ShipClass::Battleship, 9, 1),
            ship(ShipClass::Destroyer, 10, 1),
            ship(ShipClass::Submarine, submarine.0, submarine.1),
            ship(ShipClass::PatrolBoat, patrol_boat.0, patrol_boat.1),
        ],
        berth: None,
    };
    // Hit, hit, miss, hit, hit; the patrol boat is sunk by the second shot, or by the fifth.
    let cells = [(1, 1), (1, 2), (3, 1), (3, 2), (3, 3)];
    let fleets = [fleet((1, 1), (3, 2)), fleet((3, 2), (1, 1))];
    let views = fleets.map(|hidden| {
        let mut game = Game::new(options);
        game.play(Seat::One, &fleet((1, 1), (3, 2))).unwrap();
        game.play(Seat::Two, &hidden).unwrap();
        let salvo = cells.map(|(row, column)| Cell::new(row, column).unwrap());
        let answer = game.play(Seat::One, &Move::Salvo(salvo.to_vec())).unwrap();
        let seen = game.view(Seat::One).target.clone();
        (answer, seen)
    });
    let [one, two] = views;
    assert_eq!(one, two);
    assert_eq!(one.1.sinkings()[0].hits, 4);
}
