//! Bots that know nothing but the turn before them.

use broadside_proto::v1::{Phase, Variant};

use super::{Done, any_variant, wanted};
use crate::{
    bench::{Bench, Broken, Verdict, Wanted, Went},
    moves, rules,
};

/// So many turns of a match the bot does not see.
const UNSEEN: usize = 8;
/// Turns of a match of the bot against itself.
const ALONE: usize = 8;

pub(super) async fn stateless(bench: &mut Bench) -> Result<Done, Broken> {
    bench.blame = Some(rules::STATELESS);
    let played = bench.bot.as_ref().map(|bot| bot.variants.clone());
    let mut asked = 0;
    for variant in played.unwrap_or_default() {
        asked += in_the_middle(bench, variant).await?;
    }
    if asked == 0 {
        let why = "every match was over before there was a turn to show";
        return Ok(Done::Skipped(why.to_owned()));
    }
    Ok(Done::Tested)
}

/// Returns how many turns the bot was asked for.
async fn in_the_middle(bench: &mut Bench, variant: Variant) -> Result<usize, Broken> {
    let match_id = bench
        .create(Wanted {
            hidden: true,
            ..wanted(variant)
        })
        .await?;
    bench.transcript.note(format!(
        "plays {UNSEEN} turns of match {match_id} in the place of the bot, which hears nothing of it"
    ));
    for _ in 0..UNSEEN {
        let Some(turn) = bench.turn(match_id).await? else {
            return Ok(0);
        };
        let chosen =
            moves::legal(&turn).ok_or_else(|| Broken::checker("the arena lists no legal move"))?;
        bench.answer_for_it(&turn, chosen);
        match bench.verdict(&turn).await? {
            Some(Verdict::Accepted) => {}
            Some(Verdict::Refused(why, _)) => {
                return Err(Broken::checker(format!(
                    "the checker's move is refused: {why}"
                )));
            }
            None => return Ok(0),
        }
    }
    let asked = bench.play(match_id, 2).await?;
    bench.cancel(match_id).await?;
    Ok(asked)
}

pub(super) async fn both_seats(bench: &mut Bench) -> Result<Done, Broken> {
    bench.blame = Some(rules::BOTH_SEATS);
    let match_id = bench
        .create(Wanted {
            alone: true,
            ..wanted(any_variant(bench))
        })
        .await?;
    let mut played = 0;
    while played < ALONE {
        let Some(turn) = bench.turn(match_id).await? else {
            break;
        };
        let mut due = vec![turn];
        // Both deploy at the same time.
        if due.iter().any(|turn| turn.phase() == Phase::Deployment)
            && played == 0
            && let Some(other) = bench.turn(match_id).await?
        {
            due.push(other);
        }
        for turn in &due {
            bench.show(turn);
        }
        for turn in &due {
            let reply = bench.reply(turn).await?;
            bench.hand(&reply);
            if bench.judge(turn, &reply).await? == Went::Over {
                return Ok(Done::Tested);
            }
            played += 1;
        }
    }
    Ok(Done::Tested)
}
