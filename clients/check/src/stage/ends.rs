//! Promises that are kept over time, and how a bot leaves.

use std::time::Duration;

use broadside_proto::{
    PROTOCOL_VERSION,
    v1::{
        self, AgentProfile, ConnectRequest, Hello, Seat, Termination,
        connect_request::Message as Said,
    },
};
use tokio::sync::mpsc;

use super::{Done, any_variant, wanted};
use crate::{
    bench::{Bench, Broken, How},
    moves, rules,
    rules::Way,
    summary,
};

/// A promise that is longer than this is not waited for.
const WORTH_WAITING: Duration = Duration::from_secs(3);
/// How long a bot is watched that was taken over.
const QUIET: Duration = Duration::from_secs(3);
/// How long a match may take for which the arena dials the bot.
const DIALLED: Duration = Duration::from_secs(30);

pub(super) async fn heartbeat(bench: &mut Bench) -> Result<Done, Broken> {
    let Some(promised) = bench.bot.as_ref().and_then(|bot| bot.heartbeat) else {
        return Ok(Done::Skipped("its hello promises none".to_owned()));
    };
    let waits = promised <= WORTH_WAITING && bench.is_connected();
    if waits {
        bench.transcript.note(format!(
            "says nothing for three of the intervals of {} ms that the bot promises to break",
            promised.as_millis()
        ));
        bench.watch(promised * 3).await?;
        if let Some(silent) = bench.silent_now()
            && silent > bench.silence.longest
        {
            bench.silence.longest = silent;
            bench.silence.line = bench.transcript.note("the bot has still said nothing");
        }
    }
    // A late packet is no broken promise; a whole interval is.
    let longest = bench.silence.longest;
    if longest > promised * 2 {
        let message = format!(
            "it promises to say something every {} ms, and was silent for {} ms",
            promised.as_millis(),
            longest.as_millis()
        );
        return Err(Broken::new(
            How::Otherwise,
            message,
            vec![bench.silence.line],
        ));
    }
    if waits {
        return Ok(Done::Tested);
    }
    Ok(Done::Skipped(format!(
        "it promises one every {} ms, which is longer than this check waits",
        promised.as_millis()
    )))
}

/// A match for which the arena dials the bot itself.
pub(super) async fn dialled(bench: &mut Bench) -> Result<Done, Broken> {
    let variant = any_variant(bench);
    let agents = [
        v1::player::Agent::Address(bench.address.clone()),
        v1::player::Agent::Name(bench.arena.opponent.clone()),
    ];
    let request = v1::CreateMatchRequest {
        options: Some(moves::options(variant, 0)),
        players: agents.map(|agent| v1::Player { agent: Some(agent) }).into(),
        seating: Some(v1::Seating::Fixed.into()),
        ..v1::CreateMatchRequest::default()
    };
    let created = bench.arena.create(request).await;
    let match_id = created.map_err(|status| {
        let text = summary::status(&status);
        Broken::new(
            How::Otherwise,
            format!("the arena takes no such match: {text}"),
            Vec::new(),
        )
    })?;
    let line = bench.transcript.note(format!(
        "the arena dials {} for match {match_id}, {}",
        bench.address,
        summary::variant(variant)
    ));
    let interrupt = bench.interrupt.clone();
    let played = tokio::select! {
        played = tokio::time::timeout(DIALLED, bench.arena.outcome(match_id)) => played,
        () = interrupt.cancelled() => return Err(Broken::interrupted()),
    };
    let outcome = match played {
        Ok(Ok(outcome)) => outcome,
        Ok(Err(status)) => return Err(Broken::checker(summary::status(&status))),
        Err(_) => {
            let moves = bench
                .arena
                .match_state(match_id)
                .await
                .map_or(0, |it| it.moves);
            let _ = bench.arena.cancel(match_id).await;
            // A bot that thinks for long has shown that it is there.
            if moves > 0 {
                bench.transcript.note(format!("{moves} moves are enough"));
                return Ok(Done::Tested);
            }
            return Err(Broken::silent("no move", DIALLED, vec![line]));
        }
    };
    let end = bench
        .transcript
        .note(format!("match {match_id}: {}", outcome.message));
    let lines = vec![line, end];
    if outcome.at_fault() == Seat::One {
        // What it does wrong anyway is no fault of how it is reached.
        let known = [rules::legal_moves(variant), rules::DECIDES];
        let known = known.into_iter().find(|rule| bench.grades.failed(rule));
        if let (Some(rule), Termination::IllegalMoves) = (known, outcome.termination()) {
            bench.grades.fail(rule, outcome.message, lines);
            return Ok(Done::Tested);
        }
        return Err(Broken::new(How::Otherwise, outcome.message, lines));
    }
    Ok(Done::Tested)
}

/// Asks the bot's program to end.
pub(crate) async fn leave(bench: &mut Bench) -> Result<Done, Broken> {
    if bench.running.is_none() {
        let why = "the checker did not start it: give its command after --";
        return Ok(Done::Skipped(why.to_owned()));
    }
    settle(bench).await?;
    let Some(running) = &bench.running else {
        return Ok(Done::Skipped("it does not run any more".to_owned()));
    };
    let asked = bench
        .transcript
        .note("asks the bot's program to end (SIGTERM)");
    running.leave.cancel();
    bench.loss = None;
    let exited = bench.until(bench.leaves, |bench| bench.exited()).await?;
    // What it said at last is on its way.
    bench.watch(Duration::from_millis(100)).await?;
    let Some(exited) = exited else {
        let within = bench.leaves.as_millis();
        let message = format!("it still runs {within} ms after SIGTERM");
        let line = bench.transcript.note(&message);
        bench.grades.fail(rules::LEAVES, message, vec![asked, line]);
        bench
            .grades
            .skip(rules::LEAVES_IN_ORDER, "it did not leave");
        bench.kill().await;
        return Ok(Done::Tested);
    };
    let line = bench
        .transcript
        .note(format!("its program ended: {}", exited.text));
    bench.grades.pass(rules::LEAVES);
    bench.grades.pass(rules::LEAVES_IN_ORDER);
    if exited.code != Some(0) {
        let message = format!("its program ended with {}", exited.text);
        let lines = vec![asked, line];
        bench.grades.fail(rules::LEAVES_IN_ORDER, message, lines);
    }
    if bench.way == Way::DialsIn
        && let Some(loss) = bench.loss.clone()
        && !loss.in_order
    {
        let lines = vec![asked, loss.line];
        bench
            .grades
            .fail(rules::LEAVES_IN_ORDER, loss.message, lines);
    }
    Ok(Done::Tested)
}

/// Sees that the bot is not just about to connect. How it plays is graded elsewhere.
async fn settle(bench: &mut Bench) -> Result<(), Broken> {
    let played = async {
        let match_id = bench.create(wanted(any_variant(bench))).await?;
        bench.play(match_id, 1).await?;
        bench.cancel(match_id).await
    };
    match played.await {
        Err(broken) if matches!(broken.how, How::Interrupted | How::Checker) => Err(broken),
        _ => Ok(()),
    }
}

/// Has another bot of the same name take the session over.
pub(crate) async fn taken_over(bench: &mut Bench) -> Result<Done, Broken> {
    let Some(bot) = bench.bot.clone() else {
        return Ok(Done::Skipped("there is no bot".to_owned()));
    };
    let (to_arena, said) = mpsc::unbounded_channel();
    let hello = Hello {
        protocol_version: PROTOCOL_VERSION,
        profile: Some(AgentProfile {
            name: bot.name.clone(),
            variants: bot.variants.iter().map(|it| i32::from(*it)).collect(),
            max_matches: 1,
            ..AgentProfile::default()
        }),
        ..Hello::default()
    };
    let line = bench.transcript.note(format!(
        "another bot connects as {} and takes the session over",
        bot.name
    ));
    // It cannot be closed: both ends are here.
    let _ = to_arena.send(ConnectRequest {
        message: Some(Said::Hello(hello)),
    });
    let other = bench.arena.converse(said, |_| true);
    let before = bench.dials.len();
    let over = bench
        .until(crate::arena::OWN, |bench| {
            (!bench.is_connected()).then_some(())
        })
        .await?;
    if over.is_none() {
        return Err(Broken::checker(
            "the arena does not let another bot take over",
        ));
    }
    // Whose dial it is, its hello says.
    bench.watch(QUIET).await?;
    other.cancel();
    drop(to_arena);
    match bench.dials_since(before).first() {
        Some(dial) => {
            let message = "it dials again, and takes the session back";
            Err(Broken::new(How::Otherwise, message, vec![line, dial.line]))
        }
        None => Ok(Done::Tested),
    }
}
