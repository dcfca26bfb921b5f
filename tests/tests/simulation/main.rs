//! Matches over a faulty network, simulated: arena and bots run in one thread, on a clock and a network that a seed drives.
//! Messages are late, held back and lost, links are cut, and arena and bots crash and start again.
//!
//! `BROADSIDE_SEEDS` says how many seeds are played (40), `BROADSIDE_FIRST_SEED` from which on (0). What a seed does is the same each time, but for what the arena draws
//! itself (ids of matches, tokens, the order of its hash maps): that may shift a message by a byte, or two that are sent at once.

mod bot;
mod faults;
mod network;
mod organiser;
mod store;
mod world;

use std::{
    collections::BTreeMap,
    sync::{
        OnceLock,
        atomic::{AtomicU64, AtomicUsize, Ordering},
    },
    thread,
};

use anyhow::Context;
use broadside_arena::time::Micros;
use broadside_tests::VARIANTS;
use world::{Course, Played, World};

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name)
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(default)
}

/// How each variant is played when nothing goes wrong, by name.
type Courses = BTreeMap<String, Course>;

fn calm_courses() -> anyhow::Result<&'static Courses> {
    static COURSES: OnceLock<Result<Courses, String>> = OnceLock::new();
    let courses = COURSES.get_or_init(|| play_calmly().map_err(|error| format!("{error:#}")));
    courses
        .as_ref()
        .map_err(|error| anyhow::anyhow!("nothing went wrong, and still: {error}"))
}

fn play_calmly() -> anyhow::Result<Courses> {
    // Before any simulated clock is read: all of them begin later.
    Micros::now();
    let mut courses = BTreeMap::new();
    for (variant, name) in VARIANTS {
        let mut played = World::calm(&[variant]).play().context(name)?;
        courses.append(&mut played.courses);
    }
    Ok(courses)
}

/// Plays a seed: whatever happens, the moves are those of a calm day, each once, and so is the end.
fn survives(seed: u64) -> anyhow::Result<(World, Played)> {
    let calm = calm_courses()?;
    let world = World::faulty(seed);
    let told = || format!("seed {seed}: {}", world.faults());
    let played = world.play().with_context(told)?;
    for (name, course) in &played.courses {
        let expected = calm.get(name).context("a variant without a calm course")?;
        anyhow::ensure!(
            course == expected,
            "{}: {name} took another course: {course:?}, and not {expected:?}",
            told()
        );
    }
    anyhow::ensure!(!played.courses.is_empty(), "{}: nothing was played", told());
    Ok((world, played))
}

#[test]
fn every_match_ends_by_play_with_every_move_once_whatever_the_network_does() -> anyhow::Result<()> {
    calm_courses()?;
    let first = number("BROADSIDE_FIRST_SEED", 0);
    let last = first + number("BROADSIDE_SEEDS", 40);
    let next = AtomicU64::new(first);
    let (lost, starts) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let failures: Vec<String> = thread::scope(|scope| {
        let workers: Vec<_> = (0..thread::available_parallelism().map_or(1, usize::from))
            .map(|_| {
                scope.spawn(|| {
                    let mut failures = Vec::new();
                    loop {
                        let seed = next.fetch_add(1, Ordering::Relaxed);
                        if seed >= last {
                            return failures;
                        }
                        match survives(seed) {
                            Ok((_, played)) => {
                                lost.fetch_add(played.lost, Ordering::Relaxed);
                                starts.fetch_add(played.starts, Ordering::Relaxed);
                            }
                            Err(error) => failures.push(format!("{error:#}")),
                        }
                    }
                })
            })
            .collect();
        workers
            .into_iter()
            .flat_map(|worker| worker.join().unwrap())
            .collect()
    });
    assert!(
        failures.is_empty(),
        "{} of {} seeds:\n{}",
        failures.len(),
        last - first,
        failures.join("\n")
    );
    // What goes wrong must also reach a match that is played.
    let (seeds, lost, starts) = (last - first, lost.into_inner(), starts.into_inner());
    println!("{seeds} seeds: bots lost {lost} times, {starts} starts of the arena");
    assert!(seeds < 20 || (lost > 0 && starts as u64 > seeds));
    Ok(())
}

#[test]
fn a_seed_brings_the_same_faults_and_the_same_course_again() -> anyhow::Result<()> {
    for seed in [3, 17] {
        let ((one, _), (two, _)) = (survives(seed)?, survives(seed)?);
        assert_eq!(one.faults(), two.faults());
        assert_ne!(one.faults(), World::faulty(seed + 1).faults());
    }
    Ok(())
}
