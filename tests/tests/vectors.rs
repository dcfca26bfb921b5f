//! The referees against the games of an independent one.
//!
//! Runs every file of the folder that `BROADSIDE_VECTORS` names, or of `tests/vectors`: each move
//! with its answer, each refusal, what each side sees, and how it ends. See the README there for the
//! format. A file or field that is not understood fails.

#![allow(clippy::panic, reason = "a test fails by panicking")]

#[path = "vectors/abalone.rs"]
mod abalone;
#[path = "vectors/naval.rs"]
mod naval;

use std::{env, fs, path::Path};

use broadside_rules::Seat;
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::Value;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Games {
    games: Vec<Value>,
    #[serde(default)]
    abalone_moves: Vec<abalone::Single>,
}

/// What went wrong, and where.
type Verdict = Result<(), String>;

#[test]
fn every_vector_holds() {
    let default = concat!(env!("CARGO_MANIFEST_DIR"), "/vectors");
    let folder = env::var("BROADSIDE_VECTORS").unwrap_or_else(|_| default.to_owned());
    let mut files: Vec<_> = fs::read_dir(&folder)
        .unwrap_or_else(|error| panic!("{folder}: {error}"))
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.file_name().is_some_and(|name| name != "README.md"))
        .collect();
    files.sort();
    assert!(!files.is_empty(), "{folder} holds no vectors");

    let failures: Vec<String> = files.iter().flat_map(|path| run_file(path)).collect();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// What fails in a file: one line each.
fn run_file(path: &Path) -> Vec<String> {
    let text = fs::read_to_string(path).unwrap_or_else(|error| panic!("{path:?}: {error}"));
    let cases = match serde_json::from_str::<Value>(&text) {
        Ok(Value::Array(positions)) => run_all("position", positions, abalone::run_position),
        Ok(games) => match parse::<Games>(games) {
            Ok(games) => {
                let mut cases = run_all("game", games.games, run_game);
                cases.extend(run_all("move", games.abalone_moves, abalone::run_single));
                cases
            }
            Err(error) => vec![Err(error)],
        },
        Err(error) => vec![Err(error.to_string())],
    };
    if cases.is_empty() {
        return vec![format!("{}: holds no case", path.display())];
    }
    cases
        .into_iter()
        .filter_map(Result::err)
        .map(|error| format!("{}: {error}", path.display()))
        .collect()
}

fn run_all<T>(name: &str, cases: Vec<T>, run: impl Fn(T) -> Verdict) -> Vec<Verdict> {
    let cases = cases.into_iter().enumerate();
    cases
        .map(|(index, case)| run(case).map_err(|error| format!("{name} {index}: {error}")))
        .collect()
}

fn run_game(game: Value) -> Verdict {
    match game["variant"].as_str() {
        Some("abalone") => abalone::run_game(parse(game)?),
        _ => naval::run_game(parse(game)?),
    }
}

fn parse<T: DeserializeOwned>(value: Value) -> Result<T, String> {
    serde_json::from_value(value).map_err(|error| error.to_string())
}

fn seat(number: u8) -> Result<Seat, String> {
    Seat::ALL
        .into_iter()
        .find(|seat| seat.number() == number)
        .ok_or_else(|| format!("there is no seat {number}"))
}

/// Fails unless what is there is what the vector says.
fn expect<T: PartialEq + std::fmt::Debug>(what: &str, found: T, expected: T) -> Verdict {
    if found == expected {
        Ok(())
    } else {
        Err(format!("{what} is {found:?}, not {expected:?}"))
    }
}
