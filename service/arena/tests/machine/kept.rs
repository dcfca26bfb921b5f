//! Records that are kept in the repository, for tests of whatever reads records: real ones, as short as they come.
//!
//! With `BROADSIDE_UPDATE_RECORDS` set they are made anew.

use std::{collections::BTreeMap, fs, path::PathBuf};

use broadside_arena::play::MatchSpec;
use broadside_proto::v1::{self, MatchResult, log_entry::Entry};
use broadside_record::verify;
use broadside_rules::{Seats, Variant};
use prost::Message;

use crate::{
    record::record,
    resume::interrupted_match,
    table::{Setup, at},
    world::{Manner, random_match},
};

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../record/tests/records")
}

#[test]
fn the_records_that_are_kept_verify() {
    if std::env::var_os("BROADSIDE_UPDATE_RECORDS").is_some() {
        write();
    }
    let mut count = 0;
    for file in fs::read_dir(folder()).expect("the folder") {
        let path = file.expect("a file").path();
        let bytes = fs::read(&path).expect("its bytes");
        let record = v1::MatchRecord::decode(bytes.as_slice()).expect("a record");
        verify(&record, None).unwrap_or_else(|finding| panic!("{}: {finding}", path.display()));
        count += 1;
    }
    assert!(count >= 20, "{count} records");
}

/// What a record is an example of.
fn names(variant: Variant, log: &[v1::LogEntry]) -> Vec<String> {
    let mut names = Vec::new();
    for entry in log {
        match entry.entry.as_ref().expect("an entry") {
            Entry::Refused(refused) => match refused.illegal_move.as_ref().map(|it| it.reason()) {
                Some(v1::IllegalMoveReason::AgentError) => names.push("agent-error".to_owned()),
                _ => names.push("refused".to_owned()),
            },
            Entry::Disconnected(_) => names.push("lost".to_owned()),
            Entry::Reconnected(_) => names.push("found-again".to_owned()),
            Entry::Resumed(_) => names.push("resumed".to_owned()),
            Entry::Noted(_) => names.push("noted".to_owned()),
            Entry::AtFault(_) => names.push("at-fault".to_owned()),
            Entry::Disputed(_) => names.push("disputed".to_owned()),
            Entry::Ended(ended) => {
                let end = ended.outcome.as_ref().expect("an outcome");
                let how = end.termination().as_str_name();
                let how = how.trim_start_matches("TERMINATION_").to_lowercase();
                let how = how.replace('_', "-");
                let timing = ended.seat_one_timing.or(ended.seat_two_timing);
                match end.result() {
                    MatchResult::Void => names.push(format!("void-{how}")),
                    MatchResult::Draw => names.push(how),
                    _ if how == "won-by-play" => names.push(format!("{variant}-won")),
                    _ => match timing {
                        Some(timing) if timing.answered_us != 0 => {
                            names.push(format!("{how}-late"))
                        }
                        Some(timing) if timing.handed_us == 0 => {
                            names.push(format!("{how}-unread"))
                        }
                        _ => names.push(how),
                    },
                }
            }
            _ => {}
        }
    }
    names
}

fn write() {
    let mut kept: BTreeMap<String, (MatchSpec, Vec<v1::LogEntry>)> = BTreeMap::new();
    let mut keep = |spec: &MatchSpec, log: Vec<v1::LogEntry>| {
        for name in names(spec.options.variant(), &log) {
            let best = kept.get(&name).map_or(usize::MAX, |(_, log)| log.len());
            if log.len() < best {
                kept.insert(name, (spec.clone(), log.clone()));
            }
        }
    };
    for (seed, variant) in (0..4_200).zip(Variant::ALL.into_iter().cycle()) {
        let manner = match seed % 4 {
            0 => Manner::Good,
            _ => Manner::Wild,
        };
        let (script, course) = random_match(seed, variant, [manner; 2]);
        keep(&script.spec, course.log);
        let (script, log) = interrupted_match(seed, variant, [manner; 2]);
        keep(&script.spec, log);
    }
    for absent in [Seats::BOTH, Seats::only(broadside_rules::Seat::Two)] {
        let mut table = Setup::of(Variant::Salvo).waiting();
        table.give(|machine| {
            let why = ["did not connect".to_owned(), "did not connect".to_owned()];
            machine.never_connected(absent, why, at(5));
        });
        keep(&table.spec, table.log);
    }
    let mut table = Setup::of(Variant::Amiral).waiting();
    table.give(|machine| {
        machine.start(at(5));
        machine.abandon(
            broadside_arena::play::platform_fault("its disk is full"),
            at(9),
        );
    });
    keep(&table.spec, table.log);
    fs::create_dir_all(folder()).expect("the folder");
    for (name, (spec, log)) in kept {
        let bytes = record(&spec, &log).encode_to_vec();
        fs::write(folder().join(format!("{name}.binpb")), bytes).expect("a file");
    }
}
