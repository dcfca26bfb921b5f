//! Refusals, and matches that are cancelled.

use broadside_proto::v1::{Phase, Turn, Variant};

use super::{Done, any_variant, wanted};
use crate::{
    bench::{Bench, Broken, Replied, Reply, Verdict, Went},
    moves, rules,
};

/// So often a bot may answer a refusal with the very same move: one that draws its moves may draw it again.
const SAME: usize = 3;

pub(super) async fn refusal(bench: &mut Bench) -> Result<Done, Broken> {
    let variant = any_variant(bench);
    if variant == Variant::Naumachia {
        let why = "it plays naumachia alone, where a refused move loses";
        return Ok(Done::Skipped(why.to_owned()));
    }
    bench.blame = Some(rules::REFUSAL);
    let match_id = bench.create(wanted(variant)).await?;
    let Some(mut turn) = battle(bench, match_id).await? else {
        return Ok(Done::Skipped("the match was over too soon".to_owned()));
    };
    bench.show(&turn);
    let first = bench.reply(&turn).await?;
    let mut lines = vec![first.line];
    for refusals in 1..=SAME {
        lines.push(refuse(bench, &turn, variant).await?);
        let Some(again) = bench.turn(match_id).await? else {
            return Err(Broken::checker("the match ended after a refusal"));
        };
        turn = again;
        bench.show(&turn);
        let reply = bench.reply(&turn).await?;
        lines.push(reply.line);
        let same = played(&reply) == played(&first);
        if same && refusals < SAME {
            continue;
        }
        if same {
            let message = format!(
                "its answer to turn {} of match {match_id} was refused {SAME} times, and it plays the same move again",
                turn.turn_id
            );
            bench.grades.fail(rules::ANOTHER_MOVE, message, lines);
        }
        bench.hand(&reply);
        bench.judge(&turn, &reply).await?;
        break;
    }
    bench.play(match_id, 2).await?;
    bench.grades.pass(rules::REFUSAL);
    bench.grades.pass(rules::ANOTHER_MOVE);
    Ok(Done::Tested)
}

/// Puts an illegal move in the place of the bot's, and has it refused. Returns the line that says so.
async fn refuse(bench: &mut Bench, turn: &Turn, variant: Variant) -> Result<usize, Broken> {
    bench
        .transcript
        .note("puts an illegal move in the place of its answer");
    bench.answer_for_it(turn, moves::illegal(variant));
    match bench.verdict(turn).await? {
        Some(Verdict::Refused(_, line)) => Ok(line),
        _ => Err(Broken::checker("the arena does not refuse an illegal move")),
    }
}

fn played(reply: &Reply) -> Option<&broadside_proto::v1::Move> {
    match &reply.replied {
        Replied::Answer(answer) => answer.r#move.as_ref(),
        _ => None,
    }
}

/// The first turn of the battle: what is before it is played.
async fn battle(bench: &mut Bench, match_id: u64) -> Result<Option<Turn>, Broken> {
    loop {
        let Some(turn) = bench.turn(match_id).await? else {
            return Ok(None);
        };
        if turn.phase() == Phase::Battle {
            return Ok(Some(turn));
        }
        bench.show(&turn);
        let reply = bench.reply(&turn).await?;
        bench.hand(&reply);
        if bench.judge(&turn, &reply).await? == Went::Over {
            return Ok(None);
        }
    }
}

pub(super) async fn cancelled(bench: &mut Bench) -> Result<Done, Broken> {
    bench.blame = Some(rules::CANCELLED);
    let variant = any_variant(bench);
    let together = bench.bot.as_ref().is_some_and(|bot| bot.max_matches > 1);
    let cancelled = bench.create(wanted(variant)).await?;
    let mut other = None;
    if together {
        other = Some(bench.create(wanted(variant)).await?);
    }
    if let Some(turn) = bench.turn(cancelled).await? {
        bench.show(&turn);
    }
    bench.cancel(cancelled).await?;
    let other = match other {
        Some(other) => other,
        None => bench.create(wanted(variant)).await?,
    };
    bench.play(other, 3).await?;
    // An answer that came too late is none of the bot's faults: the arena rejects it.
    for late in bench.take_replies(cancelled) {
        bench.hand(&late);
    }
    bench.play(other, 2).await?;
    Ok(Done::Tested)
}
