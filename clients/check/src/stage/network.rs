//! Connections that break, and arenas that stop.

use std::time::{Duration, Instant};

use broadside_proto::v1::Turn;
use tonic::Status;

use super::{Done, wanted};
use crate::{
    bench::{Bench, Broken, How},
    rules::{self, Way},
};

/// Turns of so many matches are pending when the connection is cut.
const PENDING: usize = 3;
/// Within this a bot must be there again.
const BACK: Duration = Duration::from_secs(20);
/// So many times a bot is turned away before it is let in again.
const TURNED_AWAY: usize = 4;
/// More than so many dials in a second are hammering.
const HAMMERING: usize = 10;
const SECOND: Duration = Duration::from_secs(1);
/// How long the first dials after a stop are waited for.
const STOPPED: Duration = Duration::from_secs(20);

pub(super) async fn cut(bench: &mut Bench) -> Result<Done, Broken> {
    bench.blame = Some(rules::PENDING);
    let pending = answered(bench).await?;
    let token = bench.token.clone();
    let cut = bench.cut();
    let begun = Instant::now();
    let back = match bench.way {
        Way::DialsIn => dials_again(bench, cut).await?,
        Way::Dialled => is_reached_again(bench, cut).await?,
    };
    // Whatever else it said before was lost as well.
    for turn in &pending {
        bench.take_replies(turn.match_id);
    }
    let took = begun.elapsed();
    let Some(line) = back else {
        for id in [rules::RECONNECTS_SOON, rules::RESUME_TOKEN, rules::PENDING] {
            bench.grades.skip(id, "it was not there again");
        }
        return Ok(Done::Tested);
    };
    bench.grades.pass(rules::RECONNECTS);
    if took > bench.reconnects_soon {
        let message = format!("it was there again after {} ms", took.as_millis());
        bench
            .grades
            .fail(rules::RECONNECTS_SOON, message, vec![cut, line]);
    }
    bench.grades.pass(rules::RECONNECTS_SOON);
    if bench.way == Way::DialsIn {
        resumes(bench, &token);
    }
    for turn in &pending {
        again(bench, turn).await?;
    }
    for turn in &pending {
        bench.play(turn.match_id, 2).await?;
    }
    bench.grades.pass(rules::PENDING);
    Ok(Done::Tested)
}

/// Within this a bot must be there again: never before it should.
fn back_within(bench: &Bench) -> Duration {
    BACK.max(bench.reconnects_soon)
}

fn not_back(bench: &Bench) -> String {
    let within = back_within(bench).as_secs();
    format!("it was not there again within {within} s")
}

/// Turns of some matches, each of which the bot has seen, since it has answered: and those answers are lost.
async fn answered(bench: &mut Bench) -> Result<Vec<Turn>, Broken> {
    let (variants, most) = bench
        .bot
        .as_ref()
        .map(|bot| (bot.variants.clone(), bot.max_matches))
        .unwrap_or_default();
    // A bot that cannot play several is not graded for that again.
    let one = bench.grades.failed(rules::MANY) || bench.grades.failed(rules::NO_MIX_UP);
    let count = if one { 1 } else { PENDING.min(most) };
    let mut answered = Vec::new();
    for variant in variants.iter().cycle().take(count) {
        let match_id = bench.create(wanted(*variant)).await?;
        bench.play(match_id, 1).await?;
        if let Some(turn) = bench.turn(match_id).await? {
            bench.show(&turn);
            bench.reply(&turn).await?;
            answered.push(turn);
        }
    }
    Ok(answered)
}

/// Waits for a bot that dials in. None if it does not: that is noted.
async fn dials_again(bench: &mut Bench, cut: usize) -> Result<Option<usize>, Broken> {
    let back = bench
        .until(back_within(bench), |bench| {
            if bench.is_connected() {
                return Some(Ok(bench.hello.as_ref().map_or(cut, |hello| hello.line)));
            }
            bench.exited().map(Err)
        })
        .await?;
    let message = match back {
        Some(Ok(line)) => return Ok(Some(line)),
        Some(Err(exited)) => format!("its program ended ({})", exited.text),
        None => not_back(bench),
    };
    let line = bench.transcript.note(&message);
    bench
        .grades
        .fail(rules::RECONNECTS, message, vec![cut, line]);
    Ok(None)
}

/// Waits for a dialled bot that takes a new connection. None if it does not: that is noted.
async fn is_reached_again(bench: &mut Bench, cut: usize) -> Result<Option<usize>, Broken> {
    let answered = bench.call_until_answered(back_within(bench)).await?;
    // What the cut itself brought about is over.
    bench.watch(Duration::from_millis(50)).await?;
    bench.loss = None;
    match answered {
        Ok((_, line)) => Ok(Some(line)),
        Err(why) => {
            let line = bench.transcript.note(&why);
            bench.grades.fail(rules::RECONNECTS, why, vec![cut, line]);
            Ok(None)
        }
    }
}

fn resumes(bench: &mut Bench, token: &str) {
    let Some(hello) = bench.hello.clone() else {
        return;
    };
    if hello.token != token {
        let message = match hello.token.as_str() {
            "" => "its hello has no resume token".to_owned(),
            other => format!("its hello has the resume token {other}, and its welcome had {token}"),
        };
        bench
            .grades
            .fail(rules::RESUME_TOKEN, message, vec![hello.line]);
    }
    bench.grades.pass(rules::RESUME_TOKEN);
}

async fn again(bench: &mut Bench, turn: &Turn) -> Result<(), Broken> {
    let again = match bench.way {
        // The arena sends it again.
        Way::DialsIn => bench.turn(turn.match_id).await?,
        Way::Dialled => Some(turn.clone()),
    };
    let again = again.filter(|again| again.turn_id == turn.turn_id);
    let again = again.ok_or_else(|| Broken::checker("the arena does not send the turn again"))?;
    bench.show(&again);
    let reply = bench.reply(&again).await?;
    bench.hand(&reply);
    bench.judge(&again, &reply).await?;
    Ok(())
}

pub(super) async fn arena_stops(bench: &mut Bench) -> Result<Done, Broken> {
    let before = bench.dials.len();
    bench.away = Some(Status::unavailable("the arena is not there yet"));
    let line = bench.stop_session();
    let stopped = Instant::now();
    let dialled = |bench: &Bench| bench.dials_since(before).len();
    bench
        .until(STOPPED, |bench| {
            (dialled(bench) >= TURNED_AWAY || bench.exited().is_some()).then_some(())
        })
        .await?;
    // Whoever was that quick is watched for a whole second.
    let rest = (stopped + SECOND).saturating_duration_since(Instant::now());
    bench
        .until(rest, |bench| (dialled(bench) > 2 * HAMMERING).then_some(()))
        .await?;
    let dials = bench.dials_since(before);
    if let Some(exited) = bench.exited() {
        let message = format!("its program ended ({})", exited.text);
        let ended = bench.transcript.note(&message);
        bench
            .grades
            .fail(rules::COMES_BACK, message, vec![line, ended]);
        for id in [rules::NO_HAMMERING, rules::WAITS_GROW] {
            bench.grades.skip(id, "it did not dial again");
        }
        return Ok(Done::Tested);
    }
    let burst = dials
        .windows(HAMMERING + 1)
        .find(|burst| burst[HAMMERING].at.duration_since(burst[0].at) < SECOND);
    if let Some(burst) = burst {
        let message = format!(
            "it dials {} times within {} ms",
            burst.len(),
            burst[HAMMERING].at.duration_since(burst[0].at).as_millis()
        );
        let lines = burst.iter().map(|dial| dial.line).collect();
        bench.grades.fail(rules::NO_HAMMERING, message, lines);
    }
    bench.grades.pass(rules::NO_HAMMERING);
    match dials.get(..TURNED_AWAY) {
        _ if bench.grades.failed(rules::NO_HAMMERING) => {
            let why = "it does not wait at all";
            bench.grades.skip(rules::WAITS_GROW, why);
        }
        Some([first, second, third, fourth]) => {
            // One wait may be longer than it was meant to be, on a machine that is busy.
            let early = (first.at - stopped).min(second.at - first.at);
            let late = (third.at - second.at).max(fourth.at - third.at);
            if late < early.mul_f64(1.5) {
                let message = format!(
                    "its waits do not grow: one of the first two was {} ms, and neither of the next two longer than {} ms",
                    early.as_millis(),
                    late.as_millis()
                );
                let lines = vec![line, first.line, second.line, third.line, fourth.line];
                bench.grades.fail(rules::WAITS_GROW, message, lines);
            }
            bench.grades.pass(rules::WAITS_GROW);
        }
        _ => bench.grades.skip(
            rules::WAITS_GROW,
            format!(
                "it dialled {} times in {} s: too few to tell",
                dials.len(),
                STOPPED.as_secs()
            ),
        ),
    }
    bench.away = None;
    bench.transcript.note("lets the bot in again");
    let back = bench
        .until(back_within(bench), |bench| {
            bench.is_connected().then_some(())
        })
        .await?;
    match back {
        Some(()) => bench.grades.pass(rules::COMES_BACK),
        None => {
            let message = not_back(bench);
            return Err(Broken::new(How::Gone, message, vec![line]));
        }
    }
    Ok(Done::Tested)
}
