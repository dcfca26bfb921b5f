//! Matches as they usually go.

use std::time::{Duration, Instant};

use broadside_proto::v1::{Seat, Variant};

use super::{Done, wanted};
use crate::{
    bench::{Bench, Broken, Wanted, Went},
    rules,
};

/// How long a match may take; one that takes longer has shown enough.
const LONGEST: Duration = Duration::from_secs(15);

pub(super) async fn play(bench: &mut Bench, variant: Variant) -> Result<Done, Broken> {
    // Both seats get their turn.
    let first = variant as i32 % 2 == 1;
    let match_id = bench
        .create(Wanted {
            first,
            ..wanted(variant)
        })
        .await?;
    let end = Instant::now() + LONGEST;
    let mut accepted = 0;
    loop {
        match bench.ask(match_id).await? {
            Went::On => accepted += 1,
            Went::Refused => {}
            Went::Over => break,
        }
        if Instant::now() > end || (accepted > 2 && bench.grades.failed(rules::IN_TIME)) {
            break;
        }
    }
    if let Some(outcome) = bench.ended(match_id).cloned() {
        let seat = if first { Seat::One } else { Seat::Two };
        match bench.left_off(&outcome, seat) {
            Some(why) => {
                let line = bench.transcript.note(&why);
                bench.grades.fail(rules::LAST_MOVE, why, vec![line]);
            }
            None => bench.grades.pass(rules::LAST_MOVE),
        }
    } else {
        let why = "its matches took too long to be played to their end";
        bench.grades.skip(rules::LAST_MOVE, why);
    }
    if accepted == 0 {
        return Ok(Done::Skipped(
            "it made no move that was accepted".to_owned(),
        ));
    }
    for kept in [
        rules::legal_moves(variant),
        rules::IN_TIME,
        rules::ASKED,
        rules::ONCE,
        rules::WELL_FORMED,
        rules::DECIDES,
    ] {
        bench.grades.pass(kept);
    }
    Ok(Done::Tested)
}
