//! Stamps, charges and deadlines.

use super::*;

pub(super) const CLOCKS: &[Change] = &[
    ("asked at another time", "classic-won", Kind::Clock, |it| {
        accepted(it, 4).asked_us += 1
    }),
    (
        "handed over before it was made",
        "classic-won",
        Kind::Clock,
        |it| {
            let timing = accepted(it, 4);
            timing.handed_us = timing.asked_us - 1;
        },
    ),
    (
        "handed over after it was answered",
        "classic-won",
        Kind::Clock,
        |it| {
            let timing = accepted(it, 4);
            timing.handed_us = timing.answered_us + 1;
        },
    ),
    ("handed over later", "classic-won", Kind::Clock, |it| {
        accepted(it, 5).handed_us -= 1
    }),
    (
        "answered at another time than the entry's",
        "classic-won",
        Kind::Clock,
        |it| accepted(it, 4).answered_us += 1,
    ),
    (
        "an entry at another time than the answer",
        "classic-won",
        Kind::Clock,
        |it| {
            let last = it.entries.len() - 1;
            let end = it.entries[last].at_us;
            for entry in &mut it.entries[last - 1..] {
                entry.at_us = end + 5;
            }
        },
    ),
    ("never answered", "classic-won", Kind::Clock, |it| {
        accepted(it, 4).answered_us = 0
    }),
    ("charged more", "classic-won", Kind::Clock, |it| {
        accepted(it, 4).charged_us += 1
    }),
    (
        "charged for a deployment",
        "classic-won",
        Kind::Clock,
        |it| accepted(it, 0).charged_us = 1,
    ),
    ("charged for a refusal", "agent-error", Kind::Clock, |it| {
        timing(&mut the::Refused(it, 0).timing).charged_us = 1
    }),
    ("another budget", "classic-won", Kind::Clock, |it| {
        let timing = accepted(it, 4);
        timing.budget_left_us = Some(timing.budget_left_us.unwrap_or(0) + 1);
    }),
    (
        "another budget after a refusal",
        "agent-error",
        Kind::Clock,
        |it| {
            timing(&mut the::Refused(it, 0).timing).budget_left_us = Some(7);
        },
    ),
    (
        "carried over from nowhere",
        "classic-won",
        Kind::Clock,
        |it| accepted(it, 4).carried_us = 1,
    ),
    (
        "forgiven what was charged",
        "classic-won",
        Kind::Clock,
        |it| {
            let index = (0..).find(|&n| accepted(it, n).charged_us > 0).unwrap();
            accepted(it, index).forgiven_us += 1;
        },
    ),
    ("more used than has passed", "noted", Kind::Clock, |it| {
        the::Noted(it, 0).used_us = u64::MAX
    }),
    ("a shorter limit", "classic-won", Kind::Clock, |it| {
        control(it).deployment_ms = Some(1);
        control(it).lag_allowance_ms = Some(0);
    }),
    ("a shorter turn", "abalone-won", Kind::Clock, |it| {
        control(it).turn_cap_ms = Some(1);
        control(it).lag_allowance_ms = Some(0);
    }),
    (
        "times at the end of time",
        "classic-won",
        Kind::Clock,
        |it| {
            let timing = accepted(it, 4);
            timing.handed_us = u64::MAX;
            timing.answered_us = u64::MAX;
            timing.carried_us = u64::MAX;
            timing.forgiven_us = u64::MAX;
        },
    ),
    (
        "a time loss asked at another time",
        "time",
        Kind::Clock,
        |it| fault_timing(it).asked_us += 1,
    ),
    ("a time loss that was charged", "time", Kind::Clock, |it| {
        fault_timing(it).charged_us = 1
    }),
    (
        "a late answer from after the end",
        "time-late",
        Kind::Clock,
        |it| fault_timing(it).answered_us = u64::MAX,
    ),
];
