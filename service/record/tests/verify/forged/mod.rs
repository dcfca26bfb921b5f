//! One thing is changed, and the record chained and signed anew: each kind of check finds its own.

use broadside_proto::v1::{
    self, LogEntry, MatchRecord, MatchResult, Termination, log_entry::Entry,
};
use broadside_record::{verify, verify::Kind};

use crate::kept::{entries as the, forge, load, place};

/// A change, the record that it is made in, and what is found.
type Change = (&'static str, &'static str, Kind, fn(&mut MatchRecord));

fn timing(timing: &mut Option<v1::TurnTiming>) -> &mut v1::TurnTiming {
    timing.as_mut().unwrap()
}

fn accepted(record: &mut MatchRecord, n: usize) -> &mut v1::TurnTiming {
    timing(&mut the::Accepted(record, n).timing)
}

fn outcome(record: &mut MatchRecord) -> &mut v1::Outcome {
    the::Ended(record, 0).outcome.as_mut().unwrap()
}

fn control(record: &mut MatchRecord) -> &mut v1::TimeControl {
    the::Created(record, 0).time_control.as_mut().unwrap()
}

/// Puts an entry after the one at `place`, at the same time.
fn insert(record: &mut MatchRecord, place: usize, entry: Entry) {
    let at_us = record.entries[place].at_us;
    let entry = Some(entry);
    record.entries.insert(place + 1, LogEntry { at_us, entry });
}

fn started(record: &MatchRecord) -> usize {
    place(record, |it| matches!(it, Entry::Started(_)))
}

/// The stamps of the seat at fault.
fn fault_timing(record: &mut MatchRecord) -> &mut v1::TurnTiming {
    let ended = the::Ended(record, 0);
    let one = ended.seat_one_timing.as_mut();
    one.or(ended.seat_two_timing.as_mut()).unwrap()
}

const FORM: &[Change] = &[
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

const ORDER: &[Change] = &[
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

const CREATION: &[Change] = &[
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

const TURNS_AND_MOVES: &[Change] = &[
    ("a turn to come", "classic-won", Kind::Turn, |it| {
        the::Accepted(it, 4).turn_id += 2
    }),
    ("the other seat's turn", "classic-won", Kind::Turn, |it| {
        let moved = the::Accepted(it, 4);
        moved.seat = 3 - moved.seat;
    }),
    ("a move twice", "classic-won", Kind::Turn, |it| {
        let last = place(it, |it| matches!(it, Entry::Accepted(_)));
        let again = it.entries[last].clone();
        it.entries.insert(last + 1, again);
    }),
    ("a note of another turn", "noted", Kind::Turn, |it| {
        the::Noted(it, 0).turn_id += 2
    }),
    ("a cell fired at before", "classic-won", Kind::Move, |it| {
        the::Accepted(it, 4).r#move = the::Accepted(it, 2).r#move.clone();
    }),
    ("no move", "classic-won", Kind::Move, |it| {
        the::Accepted(it, 4).r#move = None
    }),
    (
        "a move of another variant",
        "abalone-won",
        Kind::Move,
        |it| {
            the::Accepted(it, 4).r#move = Some(v1::Move {
                variant: Some(v1::r#move::Variant::Classic(v1::ClassicMove::default())),
            });
        },
    ),
    ("nothing announced", "classic-won", Kind::Answer, |it| {
        the::Accepted(it, 4).answer = None
    }),
    (
        "a hit that was none, or one that was not told",
        "classic-won",
        Kind::Answer,
        |it| {
            let answer = the::Accepted(it, 4).answer.as_mut().unwrap();
            let Some(v1::answer::Variant::Classic(said)) = &mut answer.variant else {
                panic!("{answer:?}");
            };
            said.hit = !said.hit;
        },
    ),
    (
        "another commitment",
        "classic-won",
        Kind::Commitment,
        |it| the::Accepted(it, 0).commitment[5] ^= 1,
    ),
    ("no commitment", "classic-won", Kind::Commitment, |it| {
        the::Accepted(it, 1).commitment.clear()
    }),
    (
        "a commitment to a shot",
        "classic-won",
        Kind::Commitment,
        |it| {
            the::Accepted(it, 4).commitment = the::Accepted(it, 0).commitment.clone();
        },
    ),
    (
        "another commitment key",
        "classic-won",
        Kind::Commitment,
        |it| the::Created(it, 0).commitment_key[0] ^= 1,
    ),
];

const REFUSALS: &[Change] = &[
    ("another reason", "refused", Kind::Refusal, |it| {
        let refused = the::Refused(it, 0).illegal_move.as_mut().unwrap();
        refused.reason = v1::IllegalMoveReason::GameOver.into();
    }),
    (
        "an agent's error with a move",
        "agent-error",
        Kind::Refusal,
        |it| {
            the::Refused(it, 0).r#move = Some(v1::Move::default());
        },
    ),
    (
        "an error of an agent that dials in",
        "agent-error",
        Kind::Refusal,
        |it| {
            the::Created(it, 0).seat_one_dialled = false;
            the::Created(it, 0).seat_two_dialled = false;
        },
    ),
    (
        "a refusal of a legal move",
        "classic-won",
        Kind::Refusal,
        |it| {
            let legal = place(it, |it| matches!(it, Entry::Accepted(_)));
            let moved = the::Accepted(it, 0).clone();
            let timing = v1::TurnTiming {
                charged_us: 0,
                ..moved.timing.unwrap()
            };
            let refused = v1::MoveRefused {
                seat: moved.seat,
                turn_id: moved.turn_id,
                r#move: moved.r#move,
                illegal_move: Some(v1::IllegalMove {
                    reason: v1::IllegalMoveReason::WrongFleet.into(),
                    message: "so it is".to_owned(),
                }),
                timing: Some(timing),
            };
            it.entries[legal].entry = Some(Entry::Refused(refused));
        },
    ),
    (
        "a refusal that does not stand",
        "disputed",
        Kind::Refusal,
        |it| the::Disputed(it, 0).stands = false,
    ),
    ("a dispute of nothing", "disputed", Kind::Refusal, |it| {
        let refused = place(it, |it| matches!(it, Entry::Refused(_)));
        let disputed = place(it, |it| matches!(it, Entry::Disputed(_)));
        let dispute = it.entries.remove(disputed);
        // The same turn, before it was refused.
        it.entries.insert(
            refused,
            LogEntry {
                at_us: it.entries[refused - 1].at_us,
                ..dispute
            },
        );
    }),
    ("a dispute twice", "disputed", Kind::Refusal, |it| {
        let disputed = place(it, |it| matches!(it, Entry::Disputed(_)));
        let again = it.entries[disputed].clone();
        it.entries.insert(disputed + 1, again);
    }),
    (
        "one refusal more than allowed, and on it goes",
        "agent-error",
        Kind::Outcome,
        |it| {
            the::Created(it, 0).strikes = 0;
            let refused = place(it, |it| matches!(it, Entry::Refused(_)));
            let seat = the::Refused(it, 0).seat;
            insert(
                it,
                refused,
                Entry::Disconnected(v1::SeatDisconnected {
                    seat,
                    message: String::new(),
                }),
            );
        },
    ),
];

const CLOCKS: &[Change] = &[
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

const CONNECTIONS_AND_FAULTS: &[Change] = &[
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

const OUTCOMES: &[Change] = &[
    ("the loser wins", "classic-won", Kind::Outcome, |it| {
        outcome(it).result = 3 - outcome(it).result
    }),
    ("a win told as a draw", "classic-won", Kind::Outcome, |it| {
        outcome(it).result = MatchResult::Draw.into();
        outcome(it).termination = Termination::DrawByRule.into();
    }),
    ("another ending", "abalone-won", Kind::Outcome, |it| {
        outcome(it).ending = v1::Ending::NoLegalMove.into()
    }),
    (
        "a win with a seat at fault",
        "classic-won",
        Kind::Outcome,
        |it| outcome(it).at_fault = 1,
    ),
    ("a win cancelled", "classic-won", Kind::Outcome, |it| {
        *outcome(it) = v1::Outcome {
            result: MatchResult::Void.into(),
            termination: Termination::Cancelled.into(),
            message: "oh".to_owned(),
            ..v1::Outcome::default()
        };
    }),
    (
        "a win before the game is over",
        "classic-won",
        Kind::Outcome,
        |it| {
            let last = it.entries.len() - 1;
            it.entries.remove(last - 1);
        },
    ),
    (
        "a move after the game is over",
        "classic-won",
        Kind::Outcome,
        |it| {
            let last = it.entries.len() - 2;
            insert(
                it,
                last,
                Entry::Disconnected(v1::SeatDisconnected {
                    seat: 1,
                    message: String::new(),
                }),
            );
        },
    ),
    ("a win with stamps", "classic-won", Kind::Outcome, |it| {
        the::Ended(it, 0).seat_one_timing = Some(v1::TurnTiming::default());
    }),
    (
        "another fault than the termination's",
        "time",
        Kind::Outcome,
        |it| outcome(it).fault = v1::Fault::Network.into(),
    ),
    (
        "an ending that play did not bring",
        "time",
        Kind::Outcome,
        |it| outcome(it).ending = v1::Ending::FleetSunk.into(),
    ),
    ("the seat at fault wins", "time", Kind::Outcome, |it| {
        outcome(it).result = 3 - outcome(it).result
    }),
    ("a time loss without result", "time", Kind::Outcome, |it| {
        outcome(it).result = MatchResult::Void.into();
        outcome(it).at_fault = 0;
    }),
    ("a draw by time", "time", Kind::Outcome, |it| {
        outcome(it).result = MatchResult::Draw.into()
    }),
    (
        "both at fault and one wins",
        "void-time",
        Kind::Outcome,
        |it| {
            let first = the::AtFault(it, 0).seat;
            outcome(it).result = first;
            outcome(it).at_fault = 3 - first;
            let ended = the::Ended(it, 0);
            if first == 1 {
                ended.seat_one_timing = None;
            } else {
                ended.seat_two_timing = None;
            }
        },
    ),
    ("never connected and started", "time", Kind::Outcome, |it| {
        outcome(it).termination = Termination::NeverConnected.into();
        outcome(it).fault = v1::Fault::Network.into();
    }),
    (
        "who never connected wins",
        "never-connected",
        Kind::Outcome,
        |it| {
            outcome(it).result = outcome(it).at_fault;
        },
    ),
    (
        "a win by the arena's failure",
        "void-platform-fault",
        Kind::Outcome,
        |it| {
            outcome(it).result = MatchResult::SeatOneWins.into();
        },
    ),
    (
        "a seat at fault for the arena's failure",
        "void-platform-fault",
        Kind::Outcome,
        |it| outcome(it).at_fault = 1,
    ),
    (
        "a seat at fault for being cancelled",
        "void-cancelled",
        Kind::Outcome,
        |it| outcome(it).at_fault = 2,
    ),
    (
        "a resignation of the winner",
        "resigned",
        Kind::Outcome,
        |it| outcome(it).at_fault = 3 - outcome(it).at_fault,
    ),
    (
        "a seat that wins by its own absence",
        "disconnected",
        Kind::Outcome,
        |it| {
            outcome(it).result = 3 - outcome(it).result;
        },
    ),
];

#[test]
fn every_change_of_a_record_that_is_chained_and_signed_anew_is_found_as_what_it_is() {
    let tables = [
        FORM,
        ORDER,
        CREATION,
        TURNS_AND_MOVES,
        REFUSALS,
        CLOCKS,
        CONNECTIONS_AND_FAULTS,
        OUTCOMES,
    ];
    let mut wrong = Vec::new();
    for (what, name, kind, change) in tables.into_iter().flatten() {
        let mut record = load(name);
        change(&mut record);
        forge(&mut record);
        match verify(&record, None) {
            Err(finding) if finding.kind == *kind => {}
            Err(finding) => wrong.push(format!("{what} ({name}): not {kind}: {finding}")),
            Ok(_) => wrong.push(format!("{what} ({name}): nothing is found")),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_record_that_is_only_signed_anew_is_as_good_as_whoever_signed_it() {
    let mut record = load("classic-won");
    let key = record.public_key.as_slice().try_into().unwrap();
    forge(&mut record);
    assert!(verify(&record, None).is_ok_and(|verified| !verified.trusted));
    assert_eq!(verify(&record, Some(key)).unwrap_err().kind, Kind::Key);
}

#[test]
fn a_refusal_that_the_arena_found_wrong_itself_ends_the_match_as_its_fault_and_is_in_order() {
    let mut record = load("classic-won");
    let legal = place(&record, |it| matches!(it, Entry::Accepted(_)));
    let moved = the::Accepted(&mut record, 0).clone();
    record.entries.truncate(legal);
    let at_us = moved.timing.unwrap().answered_us;
    let mut push = |entry| {
        let entry = Some(entry);
        record.entries.push(LogEntry { at_us, entry });
    };
    push(Entry::Refused(v1::MoveRefused {
        seat: moved.seat,
        turn_id: moved.turn_id,
        r#move: moved.r#move,
        illegal_move: Some(v1::IllegalMove {
            reason: v1::IllegalMoveReason::WrongFleet.into(),
            message: "so it is".to_owned(),
        }),
        timing: moved.timing,
    }));
    push(Entry::Disputed(v1::RefusalDisputed {
        seat: moved.seat,
        turn_id: moved.turn_id,
        stands: false,
    }));
    let disputed = record.clone();
    let end = |record: &mut MatchRecord, termination: Termination, fault: v1::Fault| {
        let outcome = Some(v1::Outcome {
            result: MatchResult::Void.into(),
            termination: termination.into(),
            message: "no result".to_owned(),
            fault: fault.into(),
            ..v1::Outcome::default()
        });
        let entry = Some(Entry::Ended(v1::MatchEnded {
            outcome,
            ..v1::MatchEnded::default()
        }));
        record.entries.push(LogEntry { at_us, entry });
        forge(record);
        verify(record, None).map_err(|finding| finding.kind)
    };
    let mut honest = disputed.clone();
    assert!(end(&mut honest, Termination::PlatformFault, v1::Fault::Platform).is_ok());
    let mut denied = disputed;
    let found = end(&mut denied, Termination::Cancelled, v1::Fault::Unspecified);
    assert_eq!(found, Err(Kind::Outcome));
}
