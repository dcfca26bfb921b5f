//! What was agreed before the match.

use broadside_proto::v1;
use broadside_rules::{Options, Variant};

use super::{Kind, finding::Wrong};
use crate::convert;

/// A day, in milliseconds.
const DAY_MS: u64 = 86_400_000;
const HOUR_MS: u64 = 3_600_000;
const MINUTE_MS: u64 = 60_000;
const MAX_STRIKES: u32 = 100;

/// The match as it was asked for, checked.
#[derive(Debug)]
pub(super) struct Terms {
    pub(super) options: Options,
    pub(super) control: Control,
    pub(super) strikes: u32,
    pub(super) commitment_key: Vec<u8>,
    pub(super) dialled: [bool; 2],
}

/// A time control, in microseconds.
#[derive(Clone, Copy, Debug)]
pub(super) struct Control {
    pub(super) budget: Option<u64>,
    pub(super) increment: u64,
    pub(super) cap: Option<u64>,
    pub(super) deployment: u64,
    pub(super) lag: u64,
}

impl Terms {
    pub(super) fn new(created: &v1::MatchCreated) -> Result<Self, Wrong> {
        let v1::MatchCreated {
            options,
            seat_one_agent,
            seat_two_agent,
            time_control,
            strikes,
            // Whatever was drawn from it is an offer: nothing that was played must follow from it.
            seed: _,
            seat_one_dialled,
            seat_two_dialled,
            request_id: _,
            commitment_key,
            private: _,
        } = created;
        let wrong = |message: String| Kind::Creation.wrong(message);
        let options = options
            .clone()
            .ok_or_else(|| wrong("options is not set: it must be".to_owned()))?;
        let options = convert::options_from(options)
            .map_err(|error| wrong(format!("{} {}", error.field, error.what)))?;
        for (seat, agent) in [(1, seat_one_agent), (2, seat_two_agent)] {
            if agent.is_empty() {
                return Err(wrong(format!("seat {seat} has no agent: it must have one")));
            }
        }
        let control = time_control
            .as_ref()
            .ok_or_else(|| wrong("time_control is not set: it must be".to_owned()))?;
        let most = match options.variant() {
            Variant::Naumachia => 0,
            _ => MAX_STRIKES,
        };
        if *strikes > most {
            return Err(wrong(format!(
                "strikes is {strikes}: it must be 0 to {most} in {}",
                options.variant()
            )));
        }
        if commitment_key.len() != 32 {
            return Err(wrong(format!(
                "commitment_key has {} bytes: it must have 32",
                commitment_key.len()
            )));
        }
        Ok(Self {
            options,
            control: Control::new(control)?,
            strikes: *strikes,
            commitment_key: commitment_key.clone(),
            dialled: [*seat_one_dialled, *seat_two_dialled],
        })
    }
}

impl Control {
    fn new(control: &v1::TimeControl) -> Result<Self, Wrong> {
        let v1::TimeControl {
            budget_ms,
            increment_ms,
            turn_cap_ms,
            deployment_ms,
            lag_allowance_ms,
        } = *control;
        if budget_ms.is_none() && turn_cap_ms.is_none() {
            return Err(Kind::Creation.wrong(
                "time_control has neither budget_ms nor turn_cap_ms: it must have one of them",
            ));
        }
        if budget_ms.is_none() && increment_ms.is_some() {
            return Err(Kind::Creation
                .wrong("time_control has increment_ms without budget_ms, to which it is added"));
        }
        let budget = limit("budget_ms", budget_ms, 1, DAY_MS)?;
        let increment = limit("increment_ms", increment_ms, 0, HOUR_MS)?;
        let cap = limit("turn_cap_ms", turn_cap_ms, 1, DAY_MS)?;
        let deployment = limit("deployment_ms", deployment_ms, 1, DAY_MS)?;
        let lag = limit("lag_allowance_ms", lag_allowance_ms, 0, MINUTE_MS)?;
        let unset = |field: &str| {
            Kind::Creation.wrong(format!("time_control.{field} is not set: it must be"))
        };
        Ok(Self {
            budget,
            increment: increment.unwrap_or(0),
            cap,
            deployment: deployment.ok_or_else(|| unset("deployment_ms"))?,
            lag: lag.ok_or_else(|| unset("lag_allowance_ms"))?,
        })
    }
}

/// Milliseconds in their range, as microseconds.
fn limit(field: &str, ms: Option<u64>, least: u64, most: u64) -> Result<Option<u64>, Wrong> {
    match ms {
        Some(ms) if !(least..=most).contains(&ms) => Err(Kind::Creation.wrong(format!(
            "time_control.{field} is {ms}: it must be {least} to {most}"
        ))),
        _ => Ok(ms.map(|ms| ms * 1_000)),
    }
}
