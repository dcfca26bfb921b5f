//! How strong the hunter is, and how fast: prints wins, turns and time for each variant. Run it in release:
//! `cargo run --release -p broadside-agents --example figures`.

#[path = "../tests/referee/mod.rs"]
mod referee;

use std::time::Instant;

use broadside_agents::{Hunter, Random, Seed};
use broadside_rules::{Options, Seat, Variant};

fn main() {
    for variant in Variant::ALL {
        let wins = referee::hunters_wins(variant, 2_000);
        println!("{variant}: {wins} of 2000 against random");
    }
    let (hunter, random) = (Hunter::new(Seed(3)), Random::new(Seed(4)));
    for variant in Variant::ALL {
        let options = Options::default_of(variant);
        let (games, mut taken) = (2_000, 0);
        for game in 0..games {
            taken += referee::play_by(options, game, [&hunter, &random]).1[0];
        }
        println!(
            "{variant}: {:.2} turns against random",
            f64::from(taken) / games as f64
        );
        let (mut all, mut first, games) = (0, 0, 500);
        let start = Instant::now();
        for game in 0..games {
            let (winner, taken) = referee::play_by(options, game, [&hunter, &hunter]);
            all += taken[0] + taken[1];
            first += u32::from(winner == Some(Seat::One));
        }
        println!(
            "{variant}: seat 1 won {first} of {games} against itself, {:?} a turn with the referee",
            start.elapsed() / all
        );
    }
}
