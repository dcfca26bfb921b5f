//! Settings that cannot hold are refused at the start, by name.

use std::time::Duration;

use anyhow::Context;
use broadside_proto::v1;

use super::Settings;
use crate::{field::Violations, request, store::StorePlace, time::duration_us};

/// A thread that stays awake for longer than this saves nothing that anybody would notice.
const MOST_BUSY_POLL: Duration = Duration::from_millis(10);

impl Settings {
    pub(super) fn check(&self) -> anyhow::Result<()> {
        self.time_control()
            .context("the settings are not right: the default time control")?;
        for (name, value) in [
            ("max_matches", self.max_matches),
            ("max_matches_per_agent", self.max_matches_per_agent),
            ("keep_matches", self.keep_matches),
            ("max_message_bytes", self.max_message_bytes),
            (
                "max_messages_per_second",
                self.max_messages_per_second as usize,
            ),
            (
                "max_streams_per_connection",
                self.max_streams_per_connection as usize,
            ),
            // None is a limit of the system's, which is not 0.
            ("max_connections", self.max_connections.unwrap_or(1)),
            (
                "max_connections_per_address",
                self.max_connections_per_address,
            ),
            ("max_calls_per_connection", self.max_calls_per_connection),
            ("dial_seats_per_connection", self.dial_seats_per_connection),
        ] {
            anyhow::ensure!(
                value > 0,
                "the settings are not right: {name} is 0, it must be at least 1"
            );
        }
        anyhow::ensure!(
            self.busy_poll <= MOST_BUSY_POLL,
            "the settings are not right: busy_poll is {:?}, it must be at most {MOST_BUSY_POLL:?}",
            self.busy_poll
        );
        for (name, value) in [
            ("connect_timeout", self.connect_timeout),
            ("queue_timeout", self.queue_timeout),
            ("grace", self.grace),
            ("delivery_timeout", self.delivery_timeout),
            ("hello_timeout", self.hello_timeout),
            ("heartbeat_interval", self.heartbeat_interval),
            ("http2_keepalive_interval", self.http2_keepalive_interval),
            ("http2_keepalive_timeout", self.http2_keepalive_timeout),
            ("dial_timeout", self.dial_timeout),
            ("tls_reload_interval", self.tls_reload_interval),
            ("handshake_timeout", self.handshake_timeout),
            ("preface_timeout", self.preface_timeout),
            ("first_call_timeout", self.first_call_timeout),
            ("call_timeout", self.call_timeout),
        ] {
            anyhow::ensure!(
                value >= Duration::from_millis(1),
                "the settings are not right: {name} is {value:?}, it must be at least 1ms"
            );
        }
        anyhow::ensure!(
            !(self.require_tokens && self.store == StorePlace::Memory),
            "the settings are not right: require_tokens is set and store is memory, in which no token can be made: name a file or a database"
        );
        // A dialled bot is told of its match's start first, and is asked for its first move only then.
        anyhow::ensure!(
            self.dial_timeout < self.delivery_timeout,
            "the settings are not right: dial_timeout is {:?}, it must be shorter than delivery_timeout, which is {:?}",
            self.dial_timeout,
            self.delivery_timeout
        );
        Ok(())
    }

    /// The time control of matches that ask for none, held to the same ranges as one that is asked for.
    fn time_control(&self) -> Result<(), Violations> {
        let ms = |duration: Duration| Some(duration_us(duration) / 1_000);
        let mut violations = Violations::default();
        request::check_time_control(
            v1::TimeControl {
                budget_ms: self.budget.and_then(ms),
                increment_ms: ms(self.increment).filter(|ms| *ms > 0),
                turn_cap_ms: self.turn_cap.and_then(ms),
                deployment_ms: ms(self.deployment_limit),
                lag_allowance_ms: ms(self.lag_allowance),
            },
            request::default_time_control(self),
            &mut violations,
        );
        violations.into_result()
    }
}
