//! Bots whose moves follow from the turn alone, so that a match goes the same way however often it is interrupted.

use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use anyhow::Context;
use broadside_proto::v1::{self, connect_response::Message};
use broadside_tests::Bot;
use prost::Message as _;
use tokio_util::sync::CancellationToken;
use tonic::transport::Endpoint;

/// How soon a bot tries again when the arena is not there.
const RETRY: Duration = Duration::from_millis(10);

/// What the bots of a season have seen.
#[derive(Default)]
pub(crate) struct Seen {
    /// Turns answered.
    pub(crate) answers: AtomicUsize,
    /// Moves that were accepted, by match and turn, as the bot was told.
    pub(crate) accepted: Mutex<HashMap<(u64, u32), v1::Event>>,
    /// Turns by match and id, without their clocks, as they came first.
    turns: Mutex<HashMap<(u64, u32), v1::Turn>>,
    /// What must not have been seen.
    pub(crate) wrong: Mutex<Vec<String>>,
    /// How often a session was taken up with its resume token.
    pub(crate) resumed: AtomicUsize,
}

impl Seen {
    fn complain(&self, what: String) {
        if let Ok(mut wrong) = self.wrong.lock() {
            wrong.push(what);
        }
    }

    /// The same turn is the same turn, before and after a crash.
    fn compare(&self, turn: &v1::Turn) {
        let mut bare = turn.clone();
        bare.time_left_us = 0;
        bare.budget_left_us = None;
        bare.opponent_budget_left_us = None;
        bare.last_answer_us = None;
        let Ok(mut turns) = self.turns.lock() else {
            return;
        };
        let key = (turn.match_id, turn.turn_id);
        if let Some(first) = turns.get(&key) {
            if *first != bare {
                self.complain(format!(
                    "turn {key:?} came again as {bare:?}, and was {first:?}"
                ));
            }
        } else {
            turns.insert(key, bare);
        }
    }
}

/// Plays as this agent until it is told to stop, coming back whenever the arena does.
pub(crate) async fn run(
    url: String,
    name: &'static str,
    seen: Arc<Seen>,
    stop: CancellationToken,
) -> anyhow::Result<()> {
    let mut token = String::new();
    while !stop.is_cancelled() {
        // Whatever ends a session, the next one goes on.
        let session = session(&url, name, &mut token, &seen);
        if let Some(Ok(())) = stop.run_until_cancelled(session).await {
            continue;
        }
        let _ = stop.run_until_cancelled(tokio::time::sleep(RETRY)).await;
    }
    Ok(())
}

async fn session(url: &str, name: &str, token: &mut String, seen: &Seen) -> anyhow::Result<()> {
    let channel = Endpoint::from_shared(url.to_owned())?
        .tcp_nodelay(true)
        .connect()
        .await?;
    let mut profile = Bot::profile(name);
    profile.wants_accepted = true;
    let (mut bot, welcome) = Bot::resume(channel, profile, token).await?;
    if welcome.resumed {
        seen.resumed.fetch_add(1, Ordering::Relaxed);
    }
    *token = welcome.resume_token;
    loop {
        match bot.next().await? {
            Message::Turn(turn) => {
                seen.compare(&turn);
                bot.answer(&turn, choose(&turn)?).await?;
                seen.answers.fetch_add(1, Ordering::Relaxed);
            }
            Message::Accepted(accepted) => {
                let event = accepted.event.context("accepted what?")?;
                let key = (accepted.match_id, accepted.turn_id);
                let before = seen
                    .accepted
                    .lock()
                    .ok()
                    .and_then(|mut accepted| accepted.insert(key, event));
                if before.is_some() {
                    seen.complain(format!("the answer to {key:?} was accepted twice"));
                }
            }
            Message::Rejected(rejected) => seen.complain(format!("rejected: {rejected:?}")),
            Message::Heartbeat(_) | Message::Welcome(_) | Message::MatchStart(_) => {}
            Message::MatchEnd(_) | Message::SessionEnd(_) => {}
        }
    }
}

/// One of the legal moves, by a hash of what the bot sees: the match's id is another each time, and is left out.
fn choose(turn: &v1::Turn) -> anyhow::Result<v1::Move> {
    let legal = turn.legal_moves.as_ref().context("no legal moves")?;
    if legal.salvo.is_some() {
        return Bot::first_legal(turn);
    }
    let seen = turn.view.as_ref().map(v1::View::encode_to_vec);
    let hash = seen
        .unwrap_or_default()
        .iter()
        .fold(u64::from(turn.turn_id), |hash, byte| {
            (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
        });
    let moves = &legal.moves;
    let index = hash as usize % moves.len().max(1);
    moves.get(index).cloned().context("no legal move")
}
