//! Games of random moves, drawn so cheaply that it is the referee that takes the time.

use arrayvec::ArrayVec;
use broadside_rules::{Game, Move, Options, Seat, Variant, abalone, naval};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// The games of one variant, always the same ones.
pub(crate) struct Games {
    options: Options,
    /// The fleets of both seats, a pair a game; nothing in abalone. They are drawn beforehand: that
    /// may take thousands of times as long as a move.
    fleets: Vec<ArrayVec<Move, 2>>,
}

impl Games {
    /// So many games of a variant with the options it has when none are given.
    pub(crate) fn of(variant: Variant, count: usize) -> Self {
        let options = Options::default_of(variant);
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let fleets = (0..count).map(|_| match options {
            Options::Naval(options) => {
                let rules = options.ruleset();
                Seat::ALL.map(|_| fleet(rules, &mut rng)).into()
            }
            Options::Abalone(_) => ArrayVec::new(),
        });
        Self {
            options,
            fleets: fleets.collect(),
        }
    }

    /// Plays each game to its end; returns how many moves that took, those of deployment included.
    pub(crate) fn play(&self) -> usize {
        let games = self.numbered();
        games
            .map(|(seed, fleets)| self.game(seed, fleets, usize::MAX).1)
            .sum()
    }

    /// Each game when half of its moves are made.
    pub(crate) fn at_middle(&self) -> Vec<Game> {
        let games = self.numbered();
        games
            .map(|(seed, fleets)| {
                let (_, moves) = self.game(seed, fleets, usize::MAX);
                self.game(seed, fleets, moves / 2).0
            })
            .collect()
    }

    fn numbered(&self) -> impl Iterator<Item = (u64, &[Move])> {
        (0..).zip(self.fleets.iter().map(ArrayVec::as_slice))
    }

    /// A game after so many moves, or at its end, and how many moves were made.
    fn game(&self, seed: u64, fleets: &[Move], most: usize) -> (Game, usize) {
        let mut game = Game::new(&self.options);
        for (seat, fleet) in Seat::ALL.into_iter().zip(fleets) {
            game.play(seat, fleet).expect("a dealt fleet is legal");
        }
        let mut player = Player::new(seed);
        let mut moves = fleets.len();
        while moves < most
            && let Some(seat) = game.to_act().iter().next()
        {
            let action = player.pick(&game, seat);
            game.play(seat, &action).expect("a legal move is picked");
            moves += 1;
        }
        (game, moves)
    }
}

fn fleet(rules: &naval::Ruleset, rng: &mut ChaCha8Rng) -> Move {
    let dealt = naval::deal(rules, rng).expect("every fleet of the rules can be placed");
    Move::Naval(naval::Move::Deploy {
        ships: dealt.ships().to_vec(),
        berth: dealt.berth(),
    })
}

/// Plays both seats of one game.
struct Player {
    rng: ChaCha8Rng,
    /// The cells that a seat has not drawn yet, by [`Seat::index`].
    undrawn: [ArrayVec<naval::Cell, 100>; 2],
}

impl Player {
    fn new(seed: u64) -> Self {
        let cells: ArrayVec<_, 100> = naval::Cell::all().collect();
        Self {
            rng: ChaCha8Rng::seed_from_u64(seed),
            undrawn: [cells.clone(), cells],
        }
    }

    /// A legal move of `seat`, who is to act, and has deployed.
    fn pick(&mut self, game: &Game, seat: Seat) -> Move {
        match game {
            Game::Naval(game) => Move::Naval(self.naval(game, seat)),
            Game::Abalone(game) => Move::Abalone(self.marbles(game, seat)),
        }
    }

    fn marbles(&mut self, game: &abalone::Game, seat: Seat) -> abalone::Move {
        let legal = game.legal_moves(seat);
        legal[self.rng.random_range(0..legal.len())]
    }

    fn naval(&mut self, game: &naval::Game, seat: Seat) -> naval::Move {
        if game.ruleset().submarine
            && let Some(action) = self.beside_guns(game, seat)
        {
            return action;
        }
        let view = game.view(seat);
        let targets = view.target.targets();
        match view.salvo_size {
            Some(size) => naval::Move::Salvo((0..size).map(|_| self.cell(seat, targets)).collect()),
            None => naval::Move::Shot(self.cell(seat, targets)),
        }
    }

    /// What only amiral-advanced has, whenever it may be done.
    fn beside_guns(&mut self, game: &naval::Game, seat: Seat) -> Option<naval::Move> {
        let legal = game.legal_moves(seat);
        if !legal.berths.is_empty() {
            let berth = legal.berths[self.rng.random_range(0..legal.berths.len())];
            return Some(naval::Move::Relocate(berth));
        }
        let hunt = legal.hunts.first().copied().map(naval::Move::Hunt);
        let torpedo = || legal.torpedoes.first().copied().map(naval::Move::Torpedo);
        let air_strike = || legal.air_strikes.first().map(naval::Move::AirStrike);
        hunt.or_else(torpedo).or_else(air_strike)
    }

    /// One of the targets, each as likely as any other.
    fn cell(&mut self, seat: Seat, targets: naval::CellSet) -> naval::Cell {
        let undrawn = &mut self.undrawn[seat.index()];
        loop {
            let cell = undrawn.swap_remove(self.rng.random_range(0..undrawn.len()));
            if targets.contains(cell) {
                return cell;
            }
        }
    }
}
