//! Every limit, for those who ask.

use std::time::Duration;

use broadside_proto::v1::{Limit, LimitUnit};

use crate::{
    auth, dial, gateway, listener, request, server, services, settings::Settings, time::duration_us,
};

/// The limits that hold with these settings.
pub fn limits(settings: &Settings) -> Vec<Limit> {
    let count = |value: usize| (LimitUnit::Count, value as u64);
    let bytes = |value: usize| (LimitUnit::Bytes, value as u64);
    let characters = |value: usize| (LimitUnit::Characters, value as u64);
    let time = |value: Duration| (LimitUnit::Milliseconds, duration_us(value) / 1_000);
    let rate = |value: u32| (LimitUnit::PerSecond, u64::from(value));
    let limit = |name: &str, (unit, value): (LimitUnit, u64), description: &str| Limit {
        name: name.to_owned(),
        value,
        unit: unit.into(),
        description: description.to_owned(),
    };
    vec![
        limit(
            "max_message_bytes",
            bytes(settings.max_message_bytes),
            "Size of a message to the arena, or of a dialled bot's answer; a larger one ends its stream or call with OUT_OF_RANGE.",
        ),
        limit(
            "max_header_bytes",
            bytes(server::MAX_HEADERS as usize),
            "Metadata of a call, and of a dialled bot's answer; a call with more fails in HTTP/2.",
        ),
        limit(
            "max_streams_per_connection",
            count(settings.max_streams_per_connection as usize),
            "Streams and calls at once on a connection; more are refused by HTTP/2.",
        ),
        limit(
            "max_calls_per_connection",
            count(settings.max_calls_per_connection),
            "Calls at once on a connection; more are refused with RESOURCE_EXHAUSTED.",
        ),
        limit(
            "max_connections",
            count(listener::most_connections(settings.max_connections)),
            "Connections at once; more are closed.",
        ),
        limit(
            "max_connections_per_address",
            count(settings.max_connections_per_address),
            "Connections at once from one address; more are closed.",
        ),
        limit(
            "handshake_timeout",
            time(settings.handshake_timeout),
            "For the TLS handshake of a connection; the connection is closed.",
        ),
        limit(
            "preface_timeout",
            time(settings.preface_timeout),
            "Until a connection begins with HTTP/2; it is closed.",
        ),
        limit(
            "first_call_timeout",
            time(settings.first_call_timeout),
            "Until the first call of a connection; it is closed.",
        ),
        limit(
            "call_timeout",
            time(settings.call_timeout),
            "For a call that is no stream; it ends with DEADLINE_EXCEEDED or CANCELLED.",
        ),
        limit(
            "max_messages_per_second",
            rate(settings.max_messages_per_second),
            "Messages of a bot on its stream, turns answered and anything else; more end the stream with RESOURCE_EXHAUSTED.",
        ),
        limit(
            "max_matches",
            count(settings.max_matches),
            "Matches that are not over; another one is refused with RESOURCE_EXHAUSTED.",
        ),
        limit(
            "max_matches_per_agent",
            count(settings.max_matches_per_agent),
            "Matches at once of an agent, whatever its profile says; others wait.",
        ),
        limit(
            "max_pending_messages",
            count(gateway::queue_limit(settings.max_matches_per_agent)),
            "Turns and other messages that wait to be read by a bot that takes as many matches as may be (8 for each match, and 64); more end its stream with RESOURCE_EXHAUSTED.",
        ),
        limit(
            "max_strikes",
            count(request::MAX_STRIKES as usize),
            "Refusals that a match may allow each seat; more are refused with INVALID_ARGUMENT.",
        ),
        limit(
            "max_page_size",
            count(services::MAX_PAGE_SIZE as usize),
            "Rows of a page of a list; a larger page is refused with INVALID_ARGUMENT.",
        ),
        limit(
            "max_name_characters",
            characters(gateway::MAX_NAME),
            "An agent's name, of A-Z a-z 0-9 . _ - and nothing else; another is refused with INVALID_ARGUMENT.",
        ),
        limit(
            "max_address_bytes",
            bytes(dial::MAX_ADDRESS),
            "A dialled agent's address; a longer one is refused with INVALID_ARGUMENT.",
        ),
        limit(
            "max_request_id_characters",
            characters(request::MAX_REQUEST_ID),
            "A request id, without control or formatting characters; another is refused with INVALID_ARGUMENT.",
        ),
        limit(
            "max_reason_characters",
            characters(services::MAX_REASON),
            "The reason of a cancellation, without control or formatting characters; another is refused with INVALID_ARGUMENT.",
        ),
        limit(
            "max_wrong_tokens_per_second",
            rate(auth::WRONG_TOKENS.get()),
            "Calls with a wrong token from one address; more are refused with RESOURCE_EXHAUSTED.",
        ),
        limit(
            "hello_timeout",
            time(settings.hello_timeout),
            "Until the hello of a new stream; the stream ends with DEADLINE_EXCEEDED.",
        ),
        limit(
            "heartbeat_interval",
            time(settings.heartbeat_interval),
            "Silence of the arena on a bot's stream; it sends a heartbeat then.",
        ),
        limit(
            "http2_keepalive_interval",
            time(settings.http2_keepalive_interval),
            "Silence of a connection; it is pinged then, whoever made it.",
        ),
        limit(
            "http2_keepalive_timeout",
            time(settings.http2_keepalive_timeout),
            "Until such a ping is answered; the connection is closed.",
        ),
        limit(
            "dial_timeout",
            time(settings.dial_timeout),
            "For a connection to a dialled bot, and for each call to it but ChooseMove; it counts as failed.",
        ),
        limit(
            "dial_seats_per_connection",
            count(settings.dial_seats_per_connection),
            "Seats of a dialled bot that share a connection; others get another one.",
        ),
        limit(
            "grace",
            time(settings.grace),
            "For which a bot in a match may be disconnected; after it the match is lost.",
        ),
        limit(
            "delivery_timeout",
            time(settings.delivery_timeout),
            "In which a bot must have read a turn off its stream; after it the match is lost.",
        ),
        limit(
            "connect_timeout",
            time(settings.connect_timeout),
            "For which a match waits for an agent that is not there.",
        ),
        limit(
            "queue_timeout",
            time(settings.queue_timeout),
            "For which a match waits for agents that are there to have room.",
        ),
    ]
}
