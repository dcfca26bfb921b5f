//! A bot that comes back whenever it is cut off, and whose moves depend on nothing but the turn.

use std::{
    collections::BTreeSet,
    sync::{Arc, Mutex},
    time::Duration,
};

use anyhow::{Context, bail};
use broadside_proto::v1::{self, connect_response::Message};
use broadside_tests::Bot;
use tonic::{Code, Status};

use super::network;

/// How long it waits before it tries again.
const AGAIN: Duration = Duration::from_millis(100);

/// The turns whose acceptance bots were told of, by match: what must never be taken back.
pub(crate) type Told = Arc<Mutex<BTreeSet<(u64, u32)>>>;

/// Plays for ever under this name.
pub(crate) async fn play(name: &'static str, told: Told) -> turmoil::Result {
    let mut token = String::new();
    loop {
        if let Err(error) = session(name, &mut token, &told).await {
            // Its token is of a session that the arena does not know: it takes over without one.
            let unknown = error.downcast_ref::<Status>();
            if unknown.is_some_and(|status| status.code() == Code::FailedPrecondition) {
                token.clear();
            }
        }
        tokio::time::sleep(AGAIN).await;
    }
}

async fn session(name: &str, token: &mut String, told: &Told) -> anyhow::Result<()> {
    let channel = network::connect().await?;
    let profile = v1::AgentProfile {
        wants_accepted: true,
        ..Bot::profile(name)
    };
    let (mut bot, welcome) = Bot::resume(channel, profile, token).await?;
    *token = welcome.resume_token;
    loop {
        match bot.next().await? {
            Message::Turn(turn) => bot.answer(&turn, choice(&turn)?).await?,
            Message::Accepted(accepted) => {
                let turn = (accepted.match_id, accepted.turn_id);
                told.lock()
                    .map_err(|_| anyhow::anyhow!("another bot panicked"))?
                    .insert(turn);
            }
            Message::SessionEnd(end) => bail!("the session ended: {}", end.message),
            _ => {}
        }
    }
}

/// One of the legal moves, by the turn's id and seat.
fn choice(turn: &v1::Turn) -> anyhow::Result<v1::Move> {
    let mut turned = turn.clone();
    let legal = turned.legal_moves.as_mut().context("no legal moves")?;
    let by = turn.turn_id.wrapping_mul(2_654_435_761) as usize >> 8;
    if let Some(salvo) = &mut legal.salvo {
        let by = by % salvo.cells.len().max(1);
        salvo.cells.rotate_left(by);
    }
    let by = by % legal.moves.len().max(1);
    legal.moves.rotate_left(by);
    Bot::first_legal(&turned)
}
