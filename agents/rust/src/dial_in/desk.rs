use std::{collections::HashSet, future::pending, panic::resume_unwind, sync::Arc};

use broadside_proto::v1::{
    ConnectRequest, MatchEnd, MatchStart, Move, Rejected, Resignation, Turn, TurnAnswer,
    connect_request::Message,
};
use tokio::task::JoinSet;

use crate::{Agent, Pace};

/// A turn, as its answer names it: match and turn.
type TurnKey = (u64, u32);

/// Where turns lie until they are decided. It outlives the streams: what was being thought about when one broke is
/// answered on the next.
pub(super) struct Desk {
    agent: Arc<dyn Agent>,
    /// Turns that a slow agent is thinking about, or has decided since.
    thinking: JoinSet<(TurnKey, ConnectRequest)>,
    /// The turns of `thinking` that still want an answer.
    awaited: HashSet<TurnKey>,
}

impl Desk {
    pub(super) fn new(agent: Arc<dyn Agent>) -> Self {
        Self {
            agent,
            thinking: JoinSet::new(),
            awaited: HashSet::new(),
        }
    }

    /// Takes a turn, and returns its answer if the agent is quick. A copy of a turn that is being thought about is
    /// dropped.
    pub(super) fn turn(&mut self, turn: Turn) -> Option<ConnectRequest> {
        match self.agent.pace() {
            Pace::Quick => Some(answer(&turn, self.agent.choose(&turn))),
            Pace::Slow => {
                let key = (turn.match_id, turn.turn_id);
                if self.awaited.insert(key) {
                    let agent = Arc::clone(&self.agent);
                    self.thinking
                        .spawn_blocking(move || (key, answer(&turn, agent.choose(&turn))));
                }
                None
            }
        }
    }

    /// Waits until a slow agent has decided something. None if the match has ended meanwhile.
    pub(super) async fn decided(&mut self) -> Option<ConnectRequest> {
        match self.thinking.join_next().await {
            None => pending().await,
            Some(Ok((key, answer))) => self.awaited.remove(&key).then_some(answer),
            Some(Err(error)) => match error.try_into_panic() {
                Ok(panic) => resume_unwind(panic),
                // Nothing is aborted before the desk is dropped.
                Err(_) => None,
            },
        }
    }

    pub(super) fn match_started(&self, start: &MatchStart) {
        self.agent.match_started(start);
    }

    pub(super) fn match_ended(&mut self, end: &MatchEnd) {
        self.awaited
            .retain(|&(match_id, _)| match_id != end.match_id);
        self.agent.match_ended(end);
    }

    pub(super) fn rejected(&self, rejected: &Rejected) {
        self.agent.rejected(rejected);
    }
}

fn answer(turn: &Turn, decision: Option<Move>) -> ConnectRequest {
    let message = match decision {
        Some(chosen) => Message::Answer(TurnAnswer {
            match_id: turn.match_id,
            turn_id: turn.turn_id,
            r#move: Some(chosen),
        }),
        None => Message::Resignation(Resignation {
            match_id: turn.match_id,
            seat: turn.seat,
        }),
    };
    ConnectRequest {
        message: Some(message),
    }
}
