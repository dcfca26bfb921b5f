//! Connections, and whose fault an end is.

use super::*;

pub(super) const CONNECTIONS_AND_FAULTS: &[Change] = &[
    ("lost twice", "lost", Kind::Connection, |it| {
        let lost = place(it, |it| matches!(it, Entry::Disconnected(_)));
        let again = it.entries[lost].clone();
        it.entries.insert(lost + 1, again);
    }),
    (
        "found and never lost",
        "classic-won",
        Kind::Connection,
        |it| {
            let place = started(it);
            insert(
                it,
                place,
                Entry::Reconnected(v1::SeatReconnected { seat: 1 }),
            );
        },
    ),
    ("in time after all", "time", Kind::Fault, |it| {
        let at_us = it.entries.last().unwrap().at_us;
        fault_timing(it).handed_us = at_us;
    }),
    ("never handed over", "time", Kind::Fault, |it| {
        fault_timing(it).handed_us = 0
    }),
    ("forgiven", "time", Kind::Fault, |it| {
        fault_timing(it).forgiven_us = u64::MAX
    }),
    ("answered in time", "time-late", Kind::Fault, |it| {
        let timing = fault_timing(it);
        timing.answered_us = timing.handed_us;
    }),
    ("no stamps of a time loss", "time", Kind::Fault, |it| {
        the::Ended(it, 0).seat_one_timing = None;
        the::Ended(it, 0).seat_two_timing = None;
    }),
    ("allowed for longer", "disconnected", Kind::Fault, |it| {
        let ended = the::Ended(it, 0);
        for allowed in [
            &mut ended.seat_one_allowed_us,
            &mut ended.seat_two_allowed_us,
        ] {
            *allowed *= 1_000;
        }
    }),
    ("never disconnected", "disconnected", Kind::Fault, |it| {
        it.entries.retain(|it| {
            !matches!(
                it.entry,
                Some(Entry::Disconnected(_) | Entry::Reconnected(_) | Entry::Resumed(_))
            )
        });
    }),
    (
        "had longer to read",
        "disconnected-unread",
        Kind::Fault,
        |it| {
            let ended = the::Ended(it, 0);
            for allowed in [
                &mut ended.seat_one_allowed_us,
                &mut ended.seat_two_allowed_us,
            ] {
                *allowed *= 1_000;
            }
        },
    ),
    (
        "read it after all",
        "disconnected-unread",
        Kind::Fault,
        |it| {
            let timing = fault_timing(it);
            timing.handed_us = timing.asked_us;
        },
    ),
    ("no refusals at all", "illegal-moves", Kind::Fault, |it| {
        it.entries
            .retain(|it| !matches!(it.entry, Some(Entry::Refused(_))));
    }),
    (
        "illegal moves told as a resignation",
        "illegal-moves",
        Kind::Fault,
        |it| {
            outcome(it).termination = Termination::Resigned.into();
        },
    ),
    (
        "a resignation told as illegal moves",
        "resigned",
        Kind::Fault,
        |it| {
            outcome(it).termination = Termination::IllegalMoves.into();
        },
    ),
    ("at fault for resigning", "at-fault", Kind::Fault, |it| {
        the::AtFault(it, 0).termination = Termination::Resigned.into();
    }),
    (
        "at fault with other stamps in the end",
        "void-time",
        Kind::Fault,
        |it| {
            let place = place(it, |it| matches!(it, Entry::AtFault(_)));
            assert!(place > 0);
            let seat = the::AtFault(it, 0).seat;
            let ended = the::Ended(it, 0);
            let timing = if seat == 1 {
                &mut ended.seat_one_timing
            } else {
                &mut ended.seat_two_timing
            };
            timing.as_mut().unwrap().forgiven_us += 1;
        },
    ),
    ("at fault twice", "void-time", Kind::Fault, |it| {
        let place = place(it, |it| matches!(it, Entry::AtFault(_)));
        let again = it.entries[place].clone();
        it.entries.insert(place + 1, again);
    }),
    ("at fault and still lost", "void-time", Kind::Fault, |it| {
        let place = place(it, |it| matches!(it, Entry::AtFault(_)));
        let seat = the::AtFault(it, 0).seat;
        insert(
            it,
            place,
            Entry::Disconnected(v1::SeatDisconnected {
                seat,
                message: String::new(),
            }),
        );
    }),
];
