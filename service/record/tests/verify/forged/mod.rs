//! One thing is changed, and the record chained and signed anew: each kind of check finds its own.

mod clocks;
mod faults;
mod log;
mod moves;
mod outcomes;

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

#[test]
fn every_change_of_a_record_that_is_chained_and_signed_anew_is_found_as_what_it_is() {
    let tables = [
        log::FORM,
        log::ORDER,
        log::CREATION,
        moves::TURNS_AND_MOVES,
        moves::REFUSALS,
        clocks::CLOCKS,
        faults::CONNECTIONS_AND_FAULTS,
        outcomes::OUTCOMES,
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
