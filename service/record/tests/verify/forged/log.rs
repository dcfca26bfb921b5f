//! What a record is, in what order, and of which match.

use super::*;

pub(super) const FORM: &[Change] = &[
    ("another version", "time", Kind::Form, |it| {
        it.format_version = 2
    }),
    ("no match id", "time", Kind::Form, |it| it.match_id = 0),
    ("a huge match id", "time", Kind::Form, |it| {
        it.match_id = 1 << 53
    }),
    ("no entries", "time", Kind::Form, |it| it.entries.clear()),
    ("an empty entry", "time", Kind::Form, |it| {
        it.entries[1].entry = None
    }),
    ("a move without stamps", "classic-won", Kind::Form, |it| {
        the::Accepted(it, 3).timing = None
    }),
    ("a refusal without reason", "refused", Kind::Form, |it| {
        the::Refused(it, 0).illegal_move = None
    }),
    ("an unknown reason", "refused", Kind::Form, |it| {
        the::Refused(it, 0).illegal_move.as_mut().unwrap().reason = 999;
    }),
    ("a move of no seat", "classic-won", Kind::Form, |it| {
        the::Accepted(it, 3).seat = 0
    }),
    ("a move of seat 7", "classic-won", Kind::Form, |it| {
        the::Accepted(it, 3).seat = 7
    }),
    ("no outcome", "time", Kind::Form, |it| {
        the::Ended(it, 0).outcome = None
    }),
    ("no termination", "time", Kind::Form, |it| {
        outcome(it).termination = 0
    }),
    ("an unknown termination", "time", Kind::Form, |it| {
        outcome(it).termination = 99
    }),
    ("an unknown result", "time", Kind::Form, |it| {
        outcome(it).result = 99
    }),
    ("an end without a word", "time", Kind::Form, |it| {
        outcome(it).message.clear()
    }),
];

pub(super) const ORDER: &[Change] = &[
    ("not created", "time", Kind::Order, |it| {
        drop(it.entries.remove(0))
    }),
    ("created later", "time", Kind::Order, |it| {
        it.entries[0].at_us = 1
    }),
    ("created twice", "time", Kind::Order, |it| {
        let created = it.entries[0].clone();
        it.entries.insert(1, created);
    }),
    ("not started", "classic-won", Kind::Order, |it| {
        drop(it.entries.remove(1))
    }),
    ("started twice", "classic-won", Kind::Order, |it| {
        let started = it.entries[1].clone();
        it.entries.insert(2, started);
    }),
    ("time goes back", "classic-won", Kind::Order, |it| {
        it.entries[1].at_us = u64::MAX
    }),
    ("no end", "classic-won", Kind::Order, |it| {
        drop(it.entries.pop())
    }),
    (
        "something after the end",
        "classic-won",
        Kind::Order,
        |it| {
            let last = it.entries.last().unwrap().clone();
            it.entries.push(last);
        },
    ),
];

pub(super) const CREATION: &[Change] = &[
    ("no options", "time", Kind::Creation, |it| {
        the::Created(it, 0).options = None
    }),
    ("no agent", "time", Kind::Creation, |it| {
        the::Created(it, 0).seat_two_agent.clear()
    }),
    ("too many strikes", "classic-won", Kind::Creation, |it| {
        the::Created(it, 0).strikes = 101
    }),
    (
        "strikes in naumachia",
        "naumachia-won",
        Kind::Creation,
        |it| the::Created(it, 0).strikes = 1,
    ),
    ("a short commitment key", "time", Kind::Creation, |it| {
        the::Created(it, 0).commitment_key.truncate(31)
    }),
    ("no time control", "time", Kind::Creation, |it| {
        the::Created(it, 0).time_control = None
    }),
    ("no limit", "time", Kind::Creation, |it| {
        control(it).budget_ms = None;
        control(it).turn_cap_ms = None;
    }),
    ("an increment to nothing", "time", Kind::Creation, |it| {
        control(it).budget_ms = None;
        control(it).turn_cap_ms = Some(1);
        control(it).increment_ms = Some(1);
    }),
    ("a cap of nothing", "time", Kind::Creation, |it| {
        control(it).turn_cap_ms = Some(0)
    }),
    ("a budget of ages", "time", Kind::Creation, |it| {
        control(it).budget_ms = Some(u64::MAX)
    }),
    ("no limit for deployments", "time", Kind::Creation, |it| {
        control(it).deployment_ms = None
    }),
    ("no lag allowance", "time", Kind::Creation, |it| {
        control(it).lag_allowance_ms = None
    }),
];
