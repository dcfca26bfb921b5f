//! What becomes of each thing that is heard; of what the arena says: `told.rs`.

use std::time::{Duration, Instant};

use broadside_proto::v1::{
    self, ConnectRequest, Hello, RejectedReason, Variant, connect_request::Message as Said,
    connect_response::Message as Told,
};
use tokio::sync::mpsc;
use tonic::{Code, Status};

use super::{Bench, Connection, Event, Loss, Out, Profile, Replied, Reply, Seen, table::Asked};
use crate::{
    rules::{self, Way},
    summary,
    transcript::Speaker,
    wire,
};

/// Of no turn's time: as much as the arena takes off for the network where a match does not say.
const LAG: Duration = Duration::from_millis(50);

impl Bench {
    pub(super) fn hear(&mut self, event: Event) {
        match event {
            Event::Dial {
                connection,
                speaker,
                at,
            } => self.dialled(connection, speaker, at),
            Event::Said {
                connection,
                said,
                at,
            } => self.said(connection, said, at),
            Event::Told { connection, told } => self.told(connection, *told),
            Event::Decided {
                turn,
                answer,
                asked,
                at,
            } => {
                if let Some(known) = self.asked.get_mut(&turn) {
                    known.at = asked;
                }
                self.decided(turn, answer, at);
            }
            Event::Informed { method, answer } => self.informed(method, answer),
        }
    }

    fn dialled(&mut self, connection: u64, speaker: mpsc::UnboundedSender<Out>, at: Instant) {
        let mut text = format!("dials (connection {connection})");
        let away = self.away.clone();
        if let Some(status) = &away {
            text.push_str(&format!("; turned away: {}", summary::status(status)));
        }
        let line = self.transcript.note(format!("the bot {text}"));
        self.dials.push(Seen {
            connection,
            at,
            line,
            token: String::new(),
        });
        if let Some(status) = away {
            let _ = speaker.send(Out {
                item: Err(status),
                taken: None,
            });
            return;
        }
        self.connections.insert(
            connection,
            Connection {
                speaker: Some(speaker),
                to_arena: None,
                arena: None,
                last_said: at,
                greeted: None,
            },
        );
    }

    fn said(&mut self, connection: u64, said: Result<Option<ConnectRequest>, Status>, at: Instant) {
        if let Ok(Some(ConnectRequest {
            message: Some(Said::Hello(hello)),
        })) = &said
            && self.is_stray(connection, hello)
        {
            return;
        }
        // Of one that was turned away, or cut.
        let Some(known) = self.connections.get_mut(&connection) else {
            return;
        };
        let silent = at.saturating_duration_since(known.last_said);
        known.last_said = at;
        let greeted = known.to_arena.is_some();
        let message = match said {
            Ok(Some(request)) => request.message,
            Ok(None) => return self.lost(connection, "the bot closed its stream".to_owned(), true),
            Err(status) => {
                let why = format!("the bot's stream broke: {}", summary::status(&status));
                if is_malformed(&status) {
                    let line = self
                        .transcript
                        .note("what it sent is not within the contract");
                    self.grades.fail(rules::WELL_FORMED, &why, vec![line]);
                    self.turn_away(connection, status, line);
                }
                return self.lost(connection, why, false);
            }
        };
        let line = self
            .transcript
            .add(Speaker::Bot, summary::said(message.as_ref()));
        if greeted && silent > self.silence.longest {
            self.silence.longest = silent;
            self.silence.line = line;
        }
        match message {
            Some(Said::Hello(hello)) if !greeted => self.greeted(connection, hello, line, at),
            _ if !greeted => {
                // The arena says what is wrong with that.
                self.open(connection, ConnectRequest { message });
            }
            Some(Said::Answer(answer)) => {
                let turn = (answer.match_id, answer.turn_id);
                self.replied(
                    Reply {
                        turn,
                        line,
                        replied: Replied::Answer(answer),
                    },
                    at,
                );
            }
            Some(Said::Resignation(it)) => self.put_by(Reply {
                turn: (it.match_id, 0),
                line,
                replied: Replied::Resigns(it.seat),
            }),
            Some(Said::Dispute(it)) => self.put_by(Reply {
                turn: (it.match_id, it.turn_id),
                line,
                replied: Replied::Disputes,
            }),
            message => {
                let forward = self.connections.get(&connection);
                if let Some(to_arena) = forward.and_then(|known| known.to_arena.as_ref()) {
                    let _ = to_arena.send(ConnectRequest { message });
                }
            }
        }
    }

    /// Ends a stream because of what was said on it, as the arena does.
    fn turn_away(&mut self, connection: u64, status: Status, line: usize) {
        if self.current != Some(connection) {
            self.refused = Some((status.clone(), line));
        }
        let known = self.connections.get(&connection);
        if let Some(speaker) = known.and_then(|known| known.speaker.as_ref()) {
            let _ = speaker.send(Out {
                item: Err(status),
                taken: None,
            });
        }
    }

    /// A bot says hello: the arena hears it, with what the checker itself wants to be told.
    fn greeted(&mut self, connection: u64, hello: Hello, line: usize, at: Instant) {
        let seen = Seen {
            connection,
            at,
            line,
            token: hello.resume_token.clone(),
        };
        self.hello = Some(seen.clone());
        let mut hello = hello;
        if let Some(profile) = &mut hello.profile {
            let bot = Profile {
                name: profile.name.clone(),
                variants: known_variants(profile),
                max_matches: profile.max_matches as usize,
                wants_legal_moves: profile.wants_legal_moves,
                wants_accepted: profile.wants_accepted,
                heartbeat: hello
                    .heartbeat_interval_ms
                    .filter(|ms| *ms > 0)
                    .map(|ms| Duration::from_millis(ms.into())),
            };
            if let Some(known) = self.connections.get_mut(&connection) {
                known.greeted = Some((bot.clone(), seen));
            }
            self.bot = Some(bot);
            profile.wants_legal_moves = true;
            profile.wants_accepted = true;
        }
        // Whether it keeps that promise, the checker sees for itself; to the arena, the checker would have to keep it.
        hello.heartbeat_interval_ms = None;
        let message = Some(Said::Hello(hello));
        self.open(connection, ConnectRequest { message });
    }

    /// Opens a stream to the arena for a stream of the bot.
    pub(super) fn open(&mut self, connection: u64, first: ConnectRequest) {
        let (to_arena, said) = mpsc::unbounded_channel();
        let _ = to_arena.send(first);
        let events = self.sender.clone();
        let arena = self.arena.converse(said, move |told| {
            let told = Box::new(told);
            events.send(Event::Told { connection, told }).is_ok()
        });
        if let Some(known) = self.connections.get_mut(&connection) {
            known.to_arena = Some(to_arena);
            known.arena = Some(arena);
        }
    }

    /// Opens the stream to the arena that stands for a dialled bot.
    pub(super) fn open_for_dialled(&mut self, hello: Hello) {
        self.connections.insert(
            0,
            Connection {
                speaker: None,
                to_arena: None,
                arena: None,
                last_said: Instant::now(),
                greeted: None,
            },
        );
        self.open(
            0,
            ConnectRequest {
                message: Some(Said::Hello(hello)),
            },
        );
    }

    fn lost(&mut self, connection: u64, why: String, in_order: bool) {
        let line = self.transcript.note(&why);
        if let Some(known) = self.connections.remove(&connection)
            && let Some(arena) = known.arena
        {
            arena.cancel();
        }
        if self.current == Some(connection) {
            self.current = None;
            self.loss = Some(Loss {
                message: why,
                line,
                in_order,
            });
        }
    }

    /// A resignation or a dispute waits for the script.
    fn put_by(&mut self, reply: Reply) {
        let (match_id, turn_id) = reply.turn;
        let Some(table) = self.tables.get_mut(&match_id) else {
            let message = format!("it names match {match_id}, which it was never told of");
            self.grades.fail(rules::ASKED, message, vec![reply.line]);
            return;
        };
        if turn_id != 0 && !self.asked.contains_key(&reply.turn) {
            let message =
                format!("it disputes turn {turn_id} of match {match_id}, which it was never sent");
            self.grades.fail(rules::ASKED, message, vec![reply.line]);
            table.astray = Some(reply.line);
            return;
        }
        if !table.closed {
            table.replies.push_back(reply);
        }
    }

    /// An answer to a turn, right or wrong.
    fn replied(&mut self, reply: Reply, at: Instant) {
        let (match_id, turn_id) = reply.turn;
        let Some(asked) = self.asked.get_mut(&reply.turn) else {
            let message =
                format!("it answers turn {turn_id} of match {match_id}, which it was never sent");
            self.grades.fail(rules::ASKED, message, vec![reply.line]);
            if let Some(table) = self.tables.get_mut(&match_id) {
                table.astray = Some(reply.line);
            }
            self.hand(&reply);
            return;
        };
        asked.answered += 1;
        let Asked {
            sent,
            answered,
            line,
            at: asked_at,
        } = *asked;
        let took = at.saturating_duration_since(asked_at);
        if answered > sent && self.way == Way::DialsIn {
            let message = format!(
                "turn {turn_id} of match {match_id} was sent {}, and answered {}",
                times(sent),
                times(answered)
            );
            let rule = if self.grades.failed(rules::ONCE) {
                rules::ONCE
            } else {
                self.surplus
            };
            self.grades.fail(rule, &message, vec![line, reply.line]);
            // The arena may not have seen the first one yet: the checker says itself what the arena would.
            let rejected = v1::Rejected {
                match_id,
                turn_id,
                reason: RejectedReason::AlreadyAnswered.into(),
                message,
            };
            self.relay(self.current.unwrap_or_default(), Told::Rejected(rejected));
            return;
        }
        if took > self.cap + LAG {
            let message = format!(
                "turn {turn_id} of match {match_id} was answered after {} ms: it had {} ms",
                took.as_millis(),
                self.cap.as_millis()
            );
            let lines = vec![line, reply.line];
            let rule = match self.grades.failed(rules::IN_TIME) {
                true => rules::IN_TIME,
                false => self.late,
            };
            self.grades.fail(rule, message, lines);
        }
        match self.tables.get_mut(&match_id) {
            Some(table) if !table.closed => table.replies.push_back(reply),
            _ => self.hand(&reply),
        }
    }

    fn decided(
        &mut self,
        turn: (u64, u32),
        answer: Result<v1::ChooseMoveResponse, Status>,
        at: Instant,
    ) {
        let replied = match answer {
            Ok(response) => {
                let said = wire::decided(turn, response);
                let line = self
                    .transcript
                    .add(Speaker::Bot, summary::said(Some(&said)));
                let replied = match said {
                    Said::Answer(answer) => Replied::Answer(answer),
                    Said::Resignation(it) => Replied::Resigns(it.seat),
                    _ => Replied::Disputes,
                };
                Reply {
                    turn,
                    line,
                    replied,
                }
            }
            Err(status) => {
                let text = format!(
                    "ChooseMove, turn {} of match {}: {}",
                    turn.1,
                    turn.0,
                    summary::status(&status)
                );
                let line = self.transcript.add(Speaker::Bot, &text);
                if std::error::Error::source(&status).is_some() {
                    let message = format!("the connection to the bot broke: {text}");
                    self.loss = Some(Loss {
                        message,
                        line,
                        in_order: false,
                    });
                }
                Reply {
                    turn,
                    line,
                    replied: Replied::Failed(status),
                }
            }
        };
        self.replied(replied, at);
    }

    fn informed(&mut self, method: &'static str, answer: Result<(), Status>) {
        match answer {
            Err(status) if status.code() != Code::Unimplemented => {
                let text = format!("{method}: {}", summary::status(&status));
                let line = self.transcript.add(Speaker::Bot, &text);
                // A connection that broke is told of elsewhere.
                if std::error::Error::source(&status).is_none() && status.code() != Code::Cancelled
                {
                    self.grades.fail(rules::INFORMED, text, vec![line]);
                }
            }
            _ => self.grades.pass(rules::INFORMED),
        }
    }
}

/// Whether a stream broke by what the bot sent: no message, one that is too long, or too many of them.
fn is_malformed(status: &Status) -> bool {
    let codes = [
        Code::InvalidArgument,
        Code::OutOfRange,
        Code::ResourceExhausted,
    ];
    // What has a cause came from the connection.
    codes.contains(&status.code()) && std::error::Error::source(status).is_none()
}

fn known_variants(profile: &v1::AgentProfile) -> Vec<Variant> {
    let mut known: Vec<Variant> = Vec::new();
    for variant in profile.variants() {
        if variant != Variant::Unspecified && !known.contains(&variant) {
            known.push(variant);
        }
    }
    known
}

fn times(count: usize) -> String {
    match count {
        1 => "once".to_owned(),
        2 => "twice".to_owned(),
        _ => format!("{count} times"),
    }
}
