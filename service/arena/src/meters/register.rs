//! Every meter by its name. A look-up by name costs, so that it is made once, and not for each turn.

use broadside_proto::v1::Termination;
use broadside_rules::Variant;
use metrics::{
    Counter, Gauge, Histogram, counter, describe_counter, describe_gauge, describe_histogram,
    gauge, histogram, with_local_recorder,
};
use metrics_exporter_prometheus::{BuildError, Matcher, PrometheusBuilder, PrometheusHandle};

use super::{
    Meters, OfVariant, Peak, SampledMeters, SessionEnd,
    histogram::{BOT, SERVICE},
};

const TERMINATIONS: [Termination; 9] = [
    Termination::WonByPlay,
    Termination::DrawByRule,
    Termination::IllegalMoves,
    Termination::Time,
    Termination::NeverConnected,
    Termination::Disconnected,
    Termination::Resigned,
    Termination::Cancelled,
    Termination::PlatformFault,
];

const TURN_SERVICE: &str = "broadside_turn_service_seconds";
const TURN_BOT: &str = "broadside_turn_bot_seconds";
const APPEND: &str = "broadside_append_seconds";

impl Meters {
    /// Meters that measure nothing.
    pub fn off() -> Self {
        Self {
            on: false,
            variants: Vec::new(),
            turn_service: Histogram::noop(),
            turn_bot: Histogram::noop(),
            append: Histogram::noop(),
            store_retries: Counter::noop(),
            wrong_tokens: Counter::noop(),
            match_panics: Counter::noop(),
            sessions_ended: Vec::new(),
            session_queue: Peak::off(),
            match_inbox: Peak::off(),
            stamp_to_wire: Peak::off(),
            sampled: SampledMeters {
                waiting: Gauge::noop(),
                running: Gauge::noop(),
                agents: Gauge::noop(),
                store_queue: Gauge::noop(),
                panics: Counter::noop(),
                stalls: Counter::noop(),
                stalled: Gauge::noop(),
            },
        }
    }

    /// Meters that measure, and what shows them. They are this arena's own: nothing is global.
    pub(super) fn shown() -> Result<(Self, PrometheusHandle), BuildError> {
        let recorder = PrometheusBuilder::new()
            .set_buckets_for_metric(Matcher::Full(TURN_SERVICE.to_owned()), &SERVICE)?
            .set_buckets_for_metric(Matcher::Full(APPEND.to_owned()), &SERVICE)?
            .set_buckets_for_metric(Matcher::Full(TURN_BOT.to_owned()), &BOT)?
            .build_recorder();
        let meters = with_local_recorder(&recorder, register);
        Ok((meters, recorder.handle()))
    }
}

fn counter_of(name: &'static str, help: &'static str) -> Counter {
    describe_counter!(name, help);
    counter!(name)
}

fn gauge_of(name: &'static str, help: &'static str) -> Gauge {
    describe_gauge!(name, help);
    gauge!(name)
}

fn histogram_of(name: &'static str, help: &'static str) -> Histogram {
    describe_histogram!(name, help);
    histogram!(name)
}

fn register() -> Meters {
    describe_gauge!(
        "broadside_matches",
        "Matches that are not over, by state: waiting for their agents, or running."
    );
    describe_counter!(
        "broadside_sessions_ended_total",
        "Sessions of bots that dialled in which have ended, by reason."
    );
    describe_counter!(
        "broadside_turns_answered_total",
        "Moves accepted, by variant."
    );
    describe_counter!(
        "broadside_turns_refused_total",
        "Answers refused, by variant."
    );
    describe_counter!(
        "broadside_matches_ended_total",
        "Matches that have ended, by variant and termination."
    );
    Meters {
        on: true,
        variants: Variant::ALL.into_iter().map(of_variant).collect(),
        turn_service: histogram_of(
            TURN_SERVICE,
            "From a turn being made, which is when the answer that led to it was read, to its hand-over to the transport.",
        ),
        turn_bot: histogram_of(
            TURN_BOT,
            "From a turn's hand-over to the transport to its accepted answer being read off it.",
        ),
        append: histogram_of(APPEND, "From an append to its being kept by the store."),
        store_retries: counter_of(
            "broadside_store_retries_total",
            "Appends made again since the store could not be used.",
        ),
        wrong_tokens: counter_of(
            "broadside_wrong_tokens_total",
            "Calls with a token that is not valid.",
        ),
        match_panics: counter_of(
            "broadside_match_panics_total",
            "Matches that ended since their task panicked.",
        ),
        sessions_ended: SessionEnd::ALL
            .into_iter()
            .map(|end| {
                let counter = counter!("broadside_sessions_ended_total", "reason" => end.label());
                (end, counter)
            })
            .collect(),
        session_queue: Peak::shown(
            gauge_of(
                "broadside_session_queue_peak",
                "Most messages that waited for one bot since the last scrape.",
            ),
            gauge_of(
                "broadside_session_queue_peak_ever",
                "Most messages that ever waited for one bot.",
            ),
        ),
        match_inbox: Peak::shown(
            gauge_of(
                "broadside_match_inbox_peak",
                "Most messages that waited for one match since the last scrape.",
            ),
            gauge_of(
                "broadside_match_inbox_peak_ever",
                "Most messages that ever waited for one match.",
            ),
        ),
        stamp_to_wire: Peak::shown(
            gauge_of(
                "broadside_stamp_to_wire_peak_seconds",
                "Longest time from a turn's hand-over stamp to its bytes being written, since the last scrape.",
            ),
            gauge_of(
                "broadside_stamp_to_wire_peak_ever_seconds",
                "Longest time ever from a turn's hand-over stamp to its bytes being written.",
            ),
        ),
        sampled: SampledMeters {
            waiting: gauge!("broadside_matches", "state" => "waiting"),
            running: gauge!("broadside_matches", "state" => "running"),
            agents: gauge_of(
                "broadside_agents_connected",
                "Agents that are there: on a stream, or dialled and reached.",
            ),
            store_queue: gauge_of(
                "broadside_store_queue",
                "Requests that wait for the store's writer.",
            ),
            panics: counter_of("broadside_panics_total", "Panics of this process."),
            stalls: counter_of(
                "broadside_stalls_total",
                "Times that the arena did not get to run for a quarter of a second or longer.",
            ),
            stalled: gauge_of(
                "broadside_stalled_seconds",
                "How long all those stalls were together.",
            ),
        },
    }
}

fn of_variant(variant: Variant) -> OfVariant {
    let name = variant.to_string();
    OfVariant {
        variant,
        answered: counter!("broadside_turns_answered_total", "variant" => name.clone()),
        refused: counter!("broadside_turns_refused_total", "variant" => name.clone()),
        ended: TERMINATIONS
            .into_iter()
            .map(|termination| {
                let counter = counter!(
                    "broadside_matches_ended_total",
                    "variant" => name.clone(),
                    "termination" => label(termination)
                );
                (termination, counter)
            })
            .collect(),
    }
}

/// `won_by_play` for `TERMINATION_WON_BY_PLAY`.
fn label(termination: Termination) -> String {
    termination
        .as_str_name()
        .trim_start_matches("TERMINATION_")
        .to_lowercase()
}
