//! Messages in a line each.

use broadside_agents::profile::VARIANTS;
use broadside_proto::v1::{
    self, Variant, connect_request::Message as Said, connect_response::Message as Told,
};
use serde::Serialize;

use crate::moves;

pub(crate) fn variant(variant: Variant) -> &'static str {
    VARIANTS
        .iter()
        .find(|(known, _)| *known == variant)
        .map_or("no variant", |(_, name)| name)
}

/// Proto-JSON on one line.
pub(crate) fn json(message: &impl Serialize) -> String {
    serde_json::to_string(message)
        .unwrap_or_else(|error| format!("(it cannot be written as JSON: {error})"))
}

pub(crate) fn turn(turn: &v1::Turn) -> String {
    let mut text = format!(
        "turn {} of match {}: {}, seat {}, {}, {} ms left",
        turn.turn_id,
        turn.match_id,
        variant(moves::variant(turn.options.as_ref())),
        turn.seat,
        match turn.phase() {
            v1::Phase::Deployment => "deployment",
            v1::Phase::Relocation => "relocation",
            _ => "battle",
        },
        turn.time_left_us / 1000,
    );
    if let Some(refusal) = &turn.refusal {
        text.push_str(&format!(
            "; the last answer was refused: {}",
            refusal.message
        ));
    }
    text
}

pub(crate) fn told(message: &Told) -> String {
    match message {
        Told::Welcome(it) => format!(
            "welcome: resumed: {}, running matches: {:?}, resume token {}",
            it.resumed, it.running_matches, it.resume_token
        ),
        Told::MatchStart(it) => format!(
            "match {} begins: {}, seat {}, against {}",
            it.match_id,
            variant(moves::variant(it.options.as_ref())),
            it.seat,
            it.opponent
        ),
        Told::Turn(it) => turn(it),
        Told::Accepted(it) => format!("turn {} of match {}: accepted", it.turn_id, it.match_id),
        Told::Rejected(it) => format!(
            "turn {} of match {}: rejected: {} ({})",
            it.turn_id,
            it.match_id,
            it.message,
            it.reason().as_str_name()
        ),
        Told::MatchEnd(it) => {
            let message = it.outcome.as_ref().map_or("", |outcome| &outcome.message);
            format!("match {} is over, seat {}: {message}", it.match_id, it.seat)
        }
        Told::Heartbeat(it) => format!("heartbeat {}", it.beat),
        Told::SessionEnd(it) => format!(
            "the session ends: {} ({})",
            it.message,
            it.reason().as_str_name()
        ),
    }
}

pub(crate) fn said(message: Option<&Said>) -> String {
    match message {
        Some(Said::Hello(it)) => format!("hello: {}", json(it)),
        Some(Said::Answer(it)) => format!(
            "answers turn {} of match {}: {}",
            it.turn_id,
            it.match_id,
            it.r#move
                .as_ref()
                .map_or_else(|| "no move".to_owned(), json)
        ),
        Some(Said::Resignation(it)) => {
            format!("resigns match {}, seat {}", it.match_id, it.seat)
        }
        Some(Said::Dispute(it)) => format!(
            "disputes the refusal of turn {} of match {}",
            it.turn_id, it.match_id
        ),
        Some(Said::Heartbeat(it)) => format!("heartbeat {}", it.beat),
        None => "a message that holds nothing of the contract".to_owned(),
    }
}

pub(crate) fn status(status: &tonic::Status) -> String {
    let mut text = format!("{:?}", status.code());
    if !status.message().is_empty() {
        text.push_str(": ");
        text.push_str(status.message());
    }
    // The innermost cause is the one that tells something.
    let mut cause = std::error::Error::source(status);
    while let Some(error) = cause {
        cause = error.source();
        if cause.is_none() && !text.contains(&error.to_string()) {
            text.push_str(&format!(" ({error})"));
        }
    }
    text
}
