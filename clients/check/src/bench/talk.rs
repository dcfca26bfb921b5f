//! What the script can have said and done.

use std::time::{Duration, Instant};

use broadside_proto::v1::{
    self, Move, Outcome, Seat, Termination, TimeControl, Turn, TurnAnswer,
    connect_request::Message as Said, connect_response::Message as Told,
};
use bytes::Bytes;
use tokio::sync::oneshot;
use tonic::Status;

use super::{
    Bench, Broken, How, Out, Replied, Reply, Verdict, Wanted,
    table::{Asked, Table},
};
use crate::{
    arena::OWN,
    moves,
    rules::{self, Way},
    summary,
    transcript::Speaker,
    wire,
};

/// How one turn of the script went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Went {
    /// The arena accepted the answer.
    On,
    /// The arena refused it; the failing is noted.
    Refused,
    /// The match is over.
    Over,
}

impl Bench {
    /// Creates a match of the bot.
    pub(crate) async fn create(&mut self, wanted: Wanted) -> Result<u64, Broken> {
        let name = self.bot.as_ref().map_or("", |bot| &bot.name);
        let agent = |name: &str| v1::Player {
            agent: Some(v1::player::Agent::Name(name.to_owned())),
        };
        let other = match wanted.alone {
            true => name,
            false => &self.arena.opponent,
        };
        let (bot, other) = (agent(name), agent(other));
        let players = match wanted.first {
            true => vec![bot, other],
            false => vec![other, bot],
        };
        let variant = moves::variant(Some(&wanted.options));
        // The arena's own clock is not what grades the bot: turns wait here, which must cost it nothing.
        let long = u64::try_from((self.cap * 10 + Duration::from_secs(300)).as_millis());
        let long = long.unwrap_or(u64::from(u32::MAX));
        self.created += 1;
        let request = v1::CreateMatchRequest {
            options: Some(wanted.options),
            players,
            seating: Some(v1::Seating::Fixed.into()),
            time_control: Some(TimeControl {
                turn_cap_ms: Some(long),
                deployment_ms: Some(long),
                ..TimeControl::default()
            }),
            strikes: (variant != v1::Variant::Naumachia).then_some(20),
            seed: Some(self.created),
            ..v1::CreateMatchRequest::default()
        };
        let match_id = self.arena.create(request).await.map_err(|status| {
            Broken::checker(format!("no match can be had: {}", summary::status(&status)))
        })?;
        self.tables.insert(
            match_id,
            Table {
                variant,
                hidden: wanted.hidden,
                closed: false,
                turns: Default::default(),
                replies: Default::default(),
                ended: None,
                astray: None,
            },
        );
        Ok(match_id)
    }

    /// The next turn of a match, which is not shown to the bot yet. None if the match is over.
    pub(crate) async fn turn(&mut self, match_id: u64) -> Result<Option<Turn>, Broken> {
        // The opponent is quick, and the arena is here: only a bot that is gone keeps a turn away.
        let found = self
            .until(OWN, |bench| {
                if let Some(turn) = bench.take_turn(match_id) {
                    return Some(Ok(Some(turn)));
                }
                if bench.ended(match_id).is_some() {
                    return Some(Ok(None));
                }
                (!bench.is_connected()).then(|| Err(bench.gone()))
            })
            .await?;
        found.unwrap_or_else(|| {
            Err(Broken::checker(format!(
                "the arena sends no turn of match {match_id}"
            )))
        })
    }

    /// Shows a turn to the bot.
    pub(crate) fn show(&mut self, turn: &Turn) -> usize {
        let mut shown = turn.clone();
        let cap_us = u64::try_from(self.cap.as_micros()).unwrap_or(u64::MAX);
        shown.time_left_us = shown.time_left_us.min(cap_us);
        if !self.bot.as_ref().is_some_and(|bot| bot.wants_legal_moves) {
            shown.legal_moves = None;
        }
        if let Some(table) = self.tables.get_mut(&turn.match_id) {
            table.hidden = false;
        }
        let key = (turn.match_id, turn.turn_id);
        let message = Told::Turn(shown);
        let line = match (self.way, &mut self.caller) {
            (Way::Dialled, Some(caller)) => {
                let call = caller.ask((key, turn.seat), &message, self.spice);
                self.calls.entry(key).or_default().push(call);
                self.transcript.add(Speaker::Arena, summary::told(&message))
            }
            _ => {
                let current = self.current.unwrap_or_default();
                self.relay(current, message)
            }
        };
        let asked = self.asked.entry(key).or_insert(Asked {
            sent: 0,
            answered: 0,
            at: Instant::now(),
            line,
        });
        asked.sent += 1;
        asked.at = Instant::now();
        asked.line = line;
        line
    }

    /// Says something to the bot, if it is there.
    pub(super) fn relay(&mut self, connection: u64, message: Told) -> usize {
        let line = self.transcript.add(Speaker::Arena, summary::told(&message));
        match (self.way, &mut self.caller) {
            (Way::Dialled, Some(caller)) => caller.inform(&message, self.spice),
            _ => {
                let bytes = wire::response(message, self.spice);
                self.send(connection, Ok(bytes), None);
            }
        }
        line
    }

    fn send(
        &self,
        connection: u64,
        item: Result<Bytes, Status>,
        taken: Option<oneshot::Sender<()>>,
    ) {
        let known = self.connections.get(&connection);
        if let Some(speaker) = known.and_then(|known| known.speaker.as_ref()) {
            // A stream that is gone is noticed by what comes of it.
            let _ = speaker.send(Out { item, taken });
        }
    }

    /// Sends bytes that need not be a message of the contract. Resolves when the transport takes them.
    pub(crate) fn send_raw(&self, bytes: Bytes) -> oneshot::Receiver<()> {
        let (taken, told) = oneshot::channel();
        self.send(self.current.unwrap_or_default(), Ok(bytes), Some(taken));
        told
    }

    /// Ends the bot's stream as an arena does that stops.
    pub(crate) fn stop_session(&mut self) -> usize {
        let Some(current) = self.current else {
            return self.transcript.note("the bot is not connected");
        };
        let end = v1::SessionEnd {
            reason: v1::SessionEndReason::ArenaStops.into(),
            message: "the arena stops".to_owned(),
        };
        self.relay(current, Told::SessionEnd(end));
        let status = Status::unavailable("the arena stops");
        let text = format!("ends the stream: {}", summary::status(&status));
        let line = self.transcript.add(Speaker::Arena, text);
        self.send(current, Err(status), None);
        self.drop_connections();
        line
    }

    /// The bot's answer to a turn that it was shown. It may dispute a refusal, once: the turn comes again then.
    pub(crate) async fn reply(&mut self, turn: &Turn) -> Result<Reply, Broken> {
        let reply = self.said_to(turn).await?;
        if turn.refusal.is_none() || !matches!(reply.replied, Replied::Disputes) {
            return self.decision(reply);
        }
        let key = (turn.match_id, turn.turn_id);
        self.disputed = Some(key);
        self.hand(&reply);
        let again = self
            .until(OWN, |bench| {
                if let Some(again) = bench.take_turn_again(key) {
                    return Some(Ok(again));
                }
                (!bench.is_connected()).then(|| Err(bench.gone()))
            })
            .await?;
        self.disputed = None;
        let again = again.unwrap_or_else(|| {
            Err(Broken::checker(format!(
                "the arena does not send turn {} of match {} again, whose refusal was disputed",
                key.1, key.0
            )))
        })?;
        self.show(&again);
        let reply = self.said_to(&again).await?;
        self.decision(reply)
    }

    /// What the bot says to a turn that it was shown.
    async fn said_to(&mut self, turn: &Turn) -> Result<Reply, Broken> {
        let patience = self.patience();
        let match_id = turn.match_id;
        let key = (match_id, turn.turn_id);
        let found = self
            .until(patience, |bench| {
                if let Some(reply) = bench.take_reply(key) {
                    return Some(Ok(reply));
                }
                (!bench.is_connected()).then(|| Err(bench.gone()))
            })
            .await?;
        match found {
            Some(said) => said,
            None => {
                let mut lines = self.asked_line(turn);
                let astray = self.tables.get(&match_id).and_then(|table| table.astray);
                let how = if astray.is_some() {
                    How::Otherwise
                } else {
                    How::Silent
                };
                lines.extend(astray);
                let what = format!("no answer to turn {} of match {match_id}", turn.turn_id);
                Err(Broken {
                    how,
                    ..Broken::silent(&what, patience, lines)
                })
            }
        }
    }

    /// A reply, if it is a move.
    pub(crate) fn decision(&mut self, reply: Reply) -> Result<Reply, Broken> {
        let (how, message) = match &reply.replied {
            Replied::Answer(_) => return Ok(reply),
            Replied::Resigns(_) => (How::Resigned, "it resigns".to_owned()),
            Replied::Disputes => (How::Otherwise, "it disputes instead of playing".to_owned()),
            Replied::Failed(status) if std::error::Error::source(status).is_some() => {
                return Err(self.gone());
            }
            Replied::Failed(status) => (
                How::Failed,
                format!("it answers with an error: {}", summary::status(status)),
            ),
        };
        let lines = vec![reply.line];
        self.hand(&reply);
        Err(Broken::new(how, message, lines))
    }

    /// Hands an answer of the bot to the arena.
    pub(crate) fn hand(&mut self, reply: &Reply) {
        let (match_id, turn_id) = reply.turn;
        let message = match &reply.replied {
            Replied::Answer(answer) => Said::Answer(answer.clone()),
            Replied::Resigns(seat) => Said::Resignation(v1::Resignation {
                match_id,
                seat: *seat,
            }),
            Replied::Disputes => Said::Dispute(v1::Dispute { match_id, turn_id }),
            Replied::Failed(_) => Said::Answer(TurnAnswer {
                match_id,
                turn_id,
                r#move: None,
            }),
        };
        self.say_to_arena(message);
    }

    /// Answers a turn in the bot's place.
    pub(crate) fn answer_for_it(&mut self, turn: &Turn, played: Move) {
        self.say_to_arena(Said::Answer(TurnAnswer {
            match_id: turn.match_id,
            turn_id: turn.turn_id,
            r#move: Some(played),
        }));
    }

    /// What the arena says to an answer. None if the match ended with it or without it.
    pub(crate) async fn verdict(&mut self, turn: &Turn) -> Result<Option<Verdict>, Broken> {
        let key = (turn.match_id, turn.turn_id);
        let found = self
            .until(OWN, |bench| {
                if let Some(verdict) = bench.take_verdict(key) {
                    return Some(Ok(Some(verdict)));
                }
                if bench.ended(key.0).is_some() {
                    return Some(Ok(None));
                }
                (!bench.is_connected()).then(|| Err(bench.gone()))
            })
            .await?;
        found.unwrap_or_else(|| {
            let message = format!(
                "the arena says nothing to turn {} of match {}",
                key.1, key.0
            );
            Err(Broken::checker(message))
        })
    }

    /// One turn: shown, answered, judged.
    pub(crate) async fn ask(&mut self, match_id: u64) -> Result<Went, Broken> {
        let Some(turn) = self.turn(match_id).await? else {
            return Ok(Went::Over);
        };
        self.show(&turn);
        let reply = self.reply(&turn).await?;
        self.hand(&reply);
        self.judge(&turn, &reply).await
    }

    /// Waits for what the arena says to an answer, and notes a refusal.
    pub(crate) async fn judge(&mut self, turn: &Turn, reply: &Reply) -> Result<Went, Broken> {
        match self.verdict(turn).await? {
            Some(Verdict::Accepted) => Ok(Went::On),
            Some(Verdict::Refused(why, line)) => {
                self.refused(turn, reply, &why, Some(line));
                Ok(Went::Refused)
            }
            None => {
                let outcome = self.ended(turn.match_id).cloned().unwrap_or_default();
                // The match that forgives nothing.
                if outcome.termination() == Termination::IllegalMoves {
                    self.refused(turn, reply, &outcome.message, None);
                }
                Ok(Went::Over)
            }
        }
    }

    /// Notes that the arena refused a move of the bot.
    pub(crate) fn refused(&mut self, turn: &Turn, reply: &Reply, why: &str, line: Option<usize>) {
        let legal = rules::legal_moves(self.variant_of(turn.match_id));
        let rule = match self.blame {
            // A bot that plays illegal moves anyway is not to be graded for that again and again.
            Some(rule) if !self.grades.failed(legal) => rule,
            _ => legal,
        };
        let mut lines = self.asked_line(turn);
        lines.push(reply.line);
        lines.extend(line);
        let message = format!(
            "its answer to turn {} of match {} was refused: {why}",
            turn.turn_id, turn.match_id
        );
        self.grades.fail(rule, message, lines);
    }

    /// So many turns of a match, or fewer if it ends. Returns how many were played or refused.
    pub(crate) async fn play(&mut self, match_id: u64, turns: usize) -> Result<usize, Broken> {
        let mut played = 0;
        // Refusals are noted where they happen: here they must just not go on for ever.
        for asked in 0..turns * 3 {
            match self.ask(match_id).await? {
                Went::On => played += 1,
                Went::Refused => {}
                Went::Over => return Ok(asked),
            }
            if played == turns {
                return Ok(asked + 1);
            }
        }
        Ok(turns * 3)
    }

    /// Cancels a match, and waits until the bot has been told.
    pub(crate) async fn cancel(&mut self, match_id: u64) -> Result<(), Broken> {
        self.transcript.note(format!("cancels match {match_id}"));
        // One that is over needs no cancelling.
        let _ = self.arena.cancel(match_id).await;
        self.until(OWN, |bench| {
            (bench.ended(match_id).is_some() || !bench.is_connected()).then_some(())
        })
        .await?;
        Ok(())
    }

    /// Ends what a part of the check has left behind.
    pub(crate) async fn clear(&mut self) -> Result<(), Broken> {
        self.blame = None;
        self.surplus = rules::ONCE;
        self.late = rules::IN_TIME;
        self.spice = wire::Spice::Plain;
        self.away = None;
        let open: Vec<u64> = self
            .tables
            .iter()
            .filter(|(_, table)| !table.closed)
            .map(|(id, _)| *id)
            .collect();
        for match_id in &open {
            if let Some(table) = self.tables.get_mut(match_id) {
                table.closed = true;
                table.turns.clear();
                table.replies.clear();
            }
        }
        for match_id in &open {
            if self.ended(*match_id).is_none() {
                // One that is over needs no cancelling.
                let _ = self.arena.cancel(*match_id).await;
            }
        }
        self.abort_calls(|id| open.contains(&id));
        self.until(OWN, |bench| {
            let over = open.iter().all(|id| bench.ended(*id).is_some());
            (over || !bench.is_connected()).then_some(())
        })
        .await?;
        Ok(())
    }

    /// Whether the bot lost a match otherwise than by play, as a failing of the rule that matches are played to their end.
    pub(crate) fn left_off(&self, outcome: &Outcome, seat: Seat) -> Option<String> {
        let by_it = outcome.at_fault() == seat;
        match outcome.termination() {
            Termination::Resigned | Termination::Disconnected | Termination::NeverConnected
                if by_it =>
            {
                Some(outcome.message.clone())
            }
            _ => None,
        }
    }
}
