//! Many matches at once.

use std::time::{Duration, Instant};

use broadside_proto::v1::{Termination, Turn};
use rand::seq::SliceRandom;
use rand_chacha::{ChaCha8Rng, rand_core::SeedableRng};

use super::{Done, wanted};
use crate::{
    bench::{Bench, Broken, Replied, Reply, Verdict, Wanted},
    moves, rules,
};

const MATCHES: usize = 40;
/// How often the turns of all of them are held until all are due, and sent in another order.
const ROUNDS: usize = 25;
/// After so long what was seen is enough.
const LONGEST: Duration = Duration::from_secs(15);

pub(super) async fn play(bench: &mut Bench) -> Result<Done, Broken> {
    let (variants, most) = bench
        .bot
        .as_ref()
        .map(|bot| (bot.variants.clone(), bot.max_matches))
        .unwrap_or_default();
    let count = MATCHES.min(most);
    bench
        .transcript
        .note(format!("{count} matches at once; its profile takes {most}"));
    let mut open = Vec::new();
    for (index, variant) in variants.iter().cycle().take(count).enumerate() {
        // Matches of one variant differ in options and seats, so that moves of one seldom fit another.
        let options = moves::options(*variant, index / variants.len());
        let first = index.is_multiple_of(2);
        let match_id = bench
            .create(Wanted {
                options,
                first,
                ..wanted(*variant)
            })
            .await?;
        open.push(match_id);
    }
    bench.late = rules::MANY;
    let mut shown = Vec::new();
    let mut order = ChaCha8Rng::seed_from_u64(1);
    let end = Instant::now() + LONGEST;
    for _ in 0..ROUNDS {
        let mut due = Vec::new();
        for match_id in &open {
            due.extend(bench.turn(*match_id).await?);
        }
        open.retain(|match_id| due.iter().any(|turn| turn.match_id == *match_id));
        due.shuffle(&mut order);
        shown.extend(due.iter().cloned());
        round(bench, &due, &shown, &mut order).await?;
        let late = bench.grades.failed(rules::IN_TIME) || bench.grades.failed(rules::MANY);
        if Instant::now() > end || late {
            break;
        }
    }
    bench.grades.pass(rules::MANY);
    if count > 1 {
        bench.grades.pass(rules::NO_MIX_UP);
    } else {
        let why = "its profile takes one match at a time";
        bench.grades.skip(rules::NO_MIX_UP, why);
    }
    Ok(Done::Tested)
}

/// All turns that are due, sent together; all answers, handed on in another order.
async fn round(
    bench: &mut Bench,
    due: &[Turn],
    shown: &[Turn],
    order: &mut ChaCha8Rng,
) -> Result<(), Broken> {
    for turn in due {
        bench.show(turn);
    }
    let mut replies = Vec::new();
    for turn in due {
        replies.push((turn, bench.reply(turn).await?));
    }
    replies.shuffle(order);
    for (_, reply) in &replies {
        bench.hand(reply);
    }
    for (turn, reply) in &replies {
        let (why, line) = match bench.verdict(turn).await? {
            Some(Verdict::Accepted) => continue,
            Some(Verdict::Refused(why, line)) => (why, Some(line)),
            None => match bench.ended(turn.match_id) {
                Some(outcome) if outcome.termination() == Termination::IllegalMoves => {
                    (outcome.message.clone(), None)
                }
                _ => continue,
            },
        };
        bench.blame = of_another(bench, turn, reply, shown).then_some(rules::NO_MIX_UP);
        bench.refused(turn, reply, &why, line);
    }
    bench.blame = None;
    Ok(())
}

/// Whether a refused move is one of another match: of another variant, or legal there, now or before.
fn of_another(bench: &Bench, turn: &Turn, reply: &Reply, shown: &[Turn]) -> bool {
    let Replied::Answer(answer) = &reply.replied else {
        return false;
    };
    let Some(played) = &answer.r#move else {
        return false;
    };
    moves::variant_of(played) != bench.variant_of(turn.match_id)
        || shown
            .iter()
            .any(|other| other.match_id != turn.match_id && moves::lists(other, played))
}
