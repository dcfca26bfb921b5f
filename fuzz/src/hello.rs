//! What a stranger may send: a first message on a stream, and a request for a match.

use broadside_arena::{
    Settings,
    gateway::{ResumeKey, profile_from},
    request::match_from,
};
use broadside_proto::v1::{self, connect_request::Message as Of};
use broadside_record::convert;
use broadside_rules::Variant;
use prost::Message;

const MAX_MATCHES: usize = 100;

/// A message of a bot's stream, or a request for a match: taken or refused with a reason, and what is taken is in its bounds.
pub fn hello(bytes: &[u8]) {
    if let Ok(v1::ConnectRequest {
        message: Some(message),
    }) = v1::ConnectRequest::decode(bytes)
    {
        match message {
            Of::Hello(hello) => admit(hello),
            Of::Answer(answer) => {
                for variant in Variant::ALL {
                    if let Err(refusal) = convert::move_from(variant, answer.r#move.clone()) {
                        assert!(!refusal.message.is_empty());
                    }
                }
            }
            _ => {}
        }
    }
    if let Ok(request) = v1::CreateMatchRequest::decode(bytes) {
        create(request);
    }
}

fn admit(hello: v1::Hello) {
    let key = ResumeKey::new([1; 32]);
    let Some(profile) = hello.profile else {
        return;
    };
    assert!(
        !key.is_genuine(&profile.name, &hello.resume_token),
        "a token was guessed"
    );
    for needs_name in [true, false] {
        match profile_from(profile.clone(), MAX_MATCHES, needs_name) {
            Ok((name, checked)) => {
                assert!(name.len() <= 64 && name.is_ascii());
                assert!(!needs_name || !name.is_empty());
                assert!((1..=MAX_MATCHES).contains(&checked.max_matches));
                assert!((1..=7).contains(&checked.variants.len()));
            }
            Err(violations) => assert!(!violations.to_string().is_empty()),
        }
    }
}

fn create(request: v1::CreateMatchRequest) {
    match match_from(request, &Settings::default()) {
        Ok(spec) => {
            let first = v1::LogEntry {
                at_us: 0,
                entry: Some(v1::log_entry::Entry::Created(spec.created())),
            };
            let read = broadside_arena::play::MatchSpec::from_log(spec.match_id, &first);
            let read = read.expect("what was just written");
            assert_eq!(read.created(), spec.created());
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}
