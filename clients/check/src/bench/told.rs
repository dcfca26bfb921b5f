//! What the arena tells the bot, on its way through the bench.

use broadside_proto::v1::{
    self, ConnectResponse, RejectedReason, connect_response::Message as Told,
};
use tonic::Status;

use super::{Bench, Loss, Out, Verdict};
use crate::{
    rules::{self, Way},
    summary,
    transcript::Speaker,
};

impl Bench {
    pub(super) fn told(&mut self, connection: u64, told: Result<Option<ConnectResponse>, Status>) {
        match told {
            Ok(Some(ConnectResponse {
                message: Some(message),
            })) => self.tell(connection, message),
            Ok(Some(ConnectResponse { message: None })) => {}
            Ok(None) => self.hang_up(connection, None),
            Err(status) => self.hang_up(connection, Some(status)),
        }
    }

    /// The arena has ended a stream of the bot.
    fn hang_up(&mut self, connection: u64, status: Option<Status>) {
        let Some(known) = self.connections.remove(&connection) else {
            return;
        };
        let text = status.as_ref().map_or_else(
            || "ends the stream".to_owned(),
            |status| format!("ends the stream: {}", summary::status(status)),
        );
        let line = self.transcript.add(Speaker::Arena, &text);
        if let Some(status) = status {
            if self.current != Some(connection) {
                self.refused = Some((status.clone(), line));
            }
            if let Some(speaker) = known.speaker {
                let _ = speaker.send(Out {
                    item: Err(status),
                    taken: None,
                });
            }
        }
        if self.current == Some(connection) {
            self.current = None;
            if self.way == Way::DialsIn {
                self.loss = Some(Loss {
                    message: format!("the arena {text}"),
                    line,
                    in_order: true,
                });
            }
        }
    }

    fn tell(&mut self, connection: u64, message: Told) {
        match message {
            Told::Welcome(welcome) => {
                if !self.is_welcome(connection) {
                    return;
                }
                self.current = Some(connection);
                self.loss = None;
                self.token.clone_from(&welcome.resume_token);
                self.relay(connection, Told::Welcome(welcome));
            }
            Told::MatchStart(mut start) => {
                let cap_ms = u64::try_from(self.cap.as_millis()).unwrap_or(u64::MAX);
                if let Some(time) = &mut start.time_control {
                    time.turn_cap_ms = Some(cap_ms);
                    time.deployment_ms = Some(cap_ms);
                }
                if !self.is_hidden(start.match_id) {
                    self.relay(connection, Told::MatchStart(start));
                }
            }
            Told::Turn(turn) => self.due(turn),
            Told::Accepted(accepted) => {
                let key = (accepted.match_id, accepted.turn_id);
                self.verdicts
                    .entry(key)
                    .or_default()
                    .push(Verdict::Accepted);
                let wanted = self.bot.as_ref().is_some_and(|bot| bot.wants_accepted);
                if wanted && !self.is_hidden(accepted.match_id) && self.asked.contains_key(&key) {
                    self.relay(connection, Told::Accepted(accepted));
                }
            }
            Told::Rejected(rejected) => {
                let line = self.relay(connection, Told::Rejected(rejected.clone()));
                if matches!(
                    rejected.reason(),
                    RejectedReason::EmptyMessage | RejectedReason::SecondHello
                ) {
                    self.grades
                        .fail(rules::WELL_FORMED, rejected.message, vec![line]);
                }
            }
            Told::MatchEnd(end) => {
                let match_id = end.match_id;
                if let Some(table) = self.tables.get_mut(&match_id) {
                    table.ended = Some(end.outcome.clone().unwrap_or_default());
                }
                // The arena gives up the calls of a match that is over.
                self.abort_calls(|id| id == match_id);
                if !self.is_hidden(match_id) {
                    self.relay(connection, Told::MatchEnd(end));
                }
            }
            message @ (Told::Heartbeat(_) | Told::SessionEnd(_)) => {
                self.relay(connection, message);
            }
        }
    }

    /// The arena asks for a decision.
    fn due(&mut self, turn: v1::Turn) {
        let key = (turn.match_id, turn.turn_id);
        if turn.refusal.is_some() && self.disputed == Some(key) {
            self.transcript.note(format!(
                "the refusal of the answer to turn {} of match {} stands",
                turn.turn_id, turn.match_id
            ));
        } else if let Some(refusal) = &turn.refusal {
            // The same turn comes again when a connection is taken up.
            let again = self.tables.get(&turn.match_id).is_some_and(|table| {
                table
                    .turns
                    .iter()
                    .any(|known| known.turn_id == turn.turn_id)
            });
            if !again {
                let line = self.transcript.note(format!(
                    "the arena refuses the answer to turn {} of match {}: {} ({})",
                    turn.turn_id,
                    turn.match_id,
                    refusal.message,
                    refusal.reason().as_str_name()
                ));
                self.verdicts
                    .entry(key)
                    .or_default()
                    .push(Verdict::Refused(refusal.message.clone(), line));
            }
        }
        if let Some(table) = self.tables.get_mut(&turn.match_id) {
            table.turns.retain(|known| known.turn_id != turn.turn_id);
            if !table.closed {
                table.turns.push_back(turn);
            }
        }
    }

    fn is_hidden(&self, match_id: u64) -> bool {
        self.tables.get(&match_id).is_some_and(|table| table.hidden)
    }
}
