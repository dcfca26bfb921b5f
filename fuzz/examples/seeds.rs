//! Writes seeds for every target, made from the records that are kept: `cargo run -p broadside-fuzz --example seeds -- FOLDER`.
#![allow(clippy::unwrap_used, reason = "a tool for developers")]

use std::{env, fs, path::Path};

use broadside_proto::v1::{self, connect_request::Message as Of, log_entry::Entry};
use prost::Message;

fn main() {
    let into = env::args()
        .nth(1)
        .unwrap_or_else(|| "fuzz/targets/corpus".to_owned());
    let write = |target: &str, name: &str, bytes: &[u8]| {
        let folder = Path::new(&into).join(target);
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join(name), bytes).unwrap();
    };
    let records = Path::new(env!("CARGO_MANIFEST_DIR")).join("../service/record/tests/records");
    for file in fs::read_dir(records).unwrap() {
        let path = file.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap();
        let bytes = fs::read(&path).unwrap();
        let record = v1::MatchRecord::decode(bytes.as_slice()).unwrap();
        write("decode_and_play", name, &moves(&record));
        if bytes.len() < 20_000 {
            write("record", name, &bytes);
        }
        if bytes.len() < 1_000 {
            write(
                "record",
                &format!("{name}.json"),
                &serde_json::to_vec(&record).unwrap(),
            );
        }
        for (number, message) in requests(&record).into_iter().enumerate() {
            write("hello", &format!("{name}-{number}"), &message);
        }
    }
}

/// The moves of a record, as `decode_and_play` reads them.
fn moves(record: &v1::MatchRecord) -> Vec<u8> {
    let mut bytes = Vec::new();
    for entry in &record.entries {
        let (seat, action) = match &entry.entry {
            Some(Entry::Created(created)) => {
                let options = created.options.clone().unwrap().encode_to_vec();
                bytes.push(7);
                bytes.push(u8::try_from(options.len()).unwrap());
                bytes.extend(options);
                continue;
            }
            Some(Entry::Accepted(accepted)) => (accepted.seat(), accepted.r#move.clone()),
            Some(Entry::Refused(refused)) => (refused.seat(), refused.r#move.clone()),
            _ => continue,
        };
        let action = action.unwrap_or_default().encode_to_vec();
        // The seat is the one to act, but in the deployment.
        let whose = u8::from(seat == v1::Seat::Two);
        if let Ok(length) = u8::try_from(action.len()) {
            bytes.push(3 << 1 | whose);
            bytes.push(length);
            bytes.extend(action);
        } else {
            bytes.push(2 << 1 | whose);
            bytes.push(whose);
        }
    }
    bytes
}

/// What the players of a record may have sent before it.
fn requests(record: &v1::MatchRecord) -> Vec<Vec<u8>> {
    let Some(Entry::Created(created)) = record.entries[0].entry.clone() else {
        return Vec::new();
    };
    let send = |message| {
        v1::ConnectRequest {
            message: Some(message),
        }
        .encode_to_vec()
    };
    let hello = send(Of::Hello(v1::Hello {
        protocol_version: 1,
        profile: Some(v1::AgentProfile {
            name: created.seat_one_agent.clone(),
            variants: (1..=7).collect(),
            max_matches: 4,
            ..v1::AgentProfile::default()
        }),
        resume_token: "0123456789abcdef".repeat(5),
        ..v1::Hello::default()
    }));
    let answer = record.entries.iter().find_map(|entry| match &entry.entry {
        Some(Entry::Accepted(accepted)) => accepted.r#move.clone(),
        _ => None,
    });
    let answer = send(Of::Answer(v1::TurnAnswer {
        match_id: record.match_id,
        turn_id: 1,
        r#move: answer,
    }));
    let player = |name: &String| v1::Player {
        agent: Some(match name.starts_with("http") {
            true => v1::player::Agent::Address(name.clone()),
            false => v1::player::Agent::Name(name.clone()),
        }),
    };
    let create = v1::CreateMatchRequest {
        request_id: "again".to_owned(),
        options: created.options,
        players: vec![
            player(&created.seat_one_agent),
            player(&created.seat_two_agent),
        ],
        time_control: created.time_control,
        strikes: Some(created.strikes),
        seed: Some(created.seed),
        ..v1::CreateMatchRequest::default()
    };
    vec![hello, answer, create.encode_to_vec()]
}
