//! What is within the contract, and seldom seen.

use std::time::Duration;

use super::{Done, any_variant, wanted};
use crate::{
    bench::{Bench, Broken, How, Replied, Went},
    rules,
    transcript::Speaker,
    wire::{self, Spice},
};

/// How much is sent that means nothing, in messages of this size.
const FLOOD: usize = 256;
const FLOOD_BYTES: usize = 16 * 1024;
/// Turns that are played to see that nothing is amiss.
const FEW: usize = 3;

pub(super) async fn unknown_fields(bench: &mut Bench) -> Result<Done, Broken> {
    bench.blame = Some(rules::UNKNOWN_FIELDS);
    bench.transcript.note(
        "every message holds fields that the contract does not have, and so do the messages in it",
    );
    bench.spice = Spice::Unknown;
    let match_id = bench.create(wanted(any_variant(bench))).await?;
    bench.play(match_id, FEW).await?;
    bench.cancel(match_id).await?;
    // The end of the match had such fields too.
    bench.spice = Spice::Plain;
    let next = bench.create(wanted(any_variant(bench))).await?;
    bench.play(next, 1).await?;
    Ok(Done::Tested)
}

pub(super) async fn unknown_messages(bench: &mut Bench) -> Result<Done, Broken> {
    bench.blame = Some(rules::UNKNOWN_MESSAGES);
    let match_id = bench.create(wanted(any_variant(bench))).await?;
    bench.play(match_id, 1).await?;
    for bytes in [wire::unknown_message(10), bytes::Bytes::new()] {
        let what = format!("a message of an unknown kind, {} bytes", bytes.len());
        bench.transcript.add(Speaker::Arena, what);
        drop(bench.send_raw(bytes));
    }
    bench.play(match_id, FEW).await?;
    Ok(Done::Tested)
}

pub(super) async fn reads(bench: &mut Bench) -> Result<Done, Broken> {
    if bench.grades.failed(rules::UNKNOWN_MESSAGES) {
        let why = "it does not ignore messages of an unknown kind";
        return Ok(Done::Skipped(why.to_owned()));
    }
    bench.blame = Some(rules::READS);
    let match_id = bench.create(wanted(any_variant(bench))).await?;
    bench.play(match_id, 1).await?;
    let what = format!(
        "{FLOOD} messages of an unknown kind, {} KiB each",
        FLOOD_BYTES / 1024
    );
    let line = bench.transcript.add(Speaker::Arena, what);
    let bytes = wire::unknown_message(FLOOD_BYTES);
    let mut taken = bench.send_raw(bytes.clone());
    for _ in 1..FLOOD {
        taken = bench.send_raw(bytes.clone());
    }
    let patience = bench.patience();
    let read = bench
        .until(patience, |bench| match taken.try_recv() {
            Ok(()) => Some(Ok(())),
            Err(_) => (!bench.is_connected()).then(|| Err(bench.gone())),
        })
        .await?;
    match read {
        Some(Ok(())) => {}
        Some(Err(gone)) => return Err(gone),
        None => return Err(Broken::silent("it did not read them", patience, vec![line])),
    }
    bench.play(match_id, FEW).await?;
    Ok(Done::Tested)
}

pub(super) async fn redelivered(bench: &mut Bench) -> Result<Done, Broken> {
    bench.blame = Some(rules::REDELIVERED);
    bench.surplus = rules::REDELIVERED;
    let match_id = bench.create(wanted(any_variant(bench))).await?;
    for _ in 0..2 {
        let Some(turn) = bench.turn(match_id).await? else {
            break;
        };
        bench.transcript.note("sends the next turn twice");
        bench.show(&turn);
        bench.show(&turn);
        let reply = bench.reply(&turn).await?;
        bench.hand(&reply);
        if bench.judge(&turn, &reply).await? == Went::Over {
            break;
        }
        // The second answer, if there is one, need not wait for anything: the arena rejects it.
        bench.watch(Duration::from_millis(100)).await?;
        second_answers(bench, match_id)?;
    }
    bench.play(match_id, FEW).await?;
    second_answers(bench, match_id)?;
    Ok(Done::Tested)
}

fn second_answers(bench: &mut Bench, match_id: u64) -> Result<(), Broken> {
    for reply in bench.take_replies(match_id) {
        match &reply.replied {
            Replied::Failed(_) => {
                let message = "it answers the second time with an error";
                return Err(Broken::new(How::Failed, message, vec![reply.line]));
            }
            _ => bench.hand(&reply),
        }
    }
    Ok(())
}
