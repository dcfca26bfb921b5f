//! What stands between the arena and the bot: it hears both, and says what the script of the check wants said.
//!
//! To the arena it is always a bot that dials in, so that both ways are graded by the same rules. Turns of the arena and answers of the
//! bot wait here until the script takes them; everything else goes through at once.

mod broken;
mod caller;
mod gateway;
mod hear;
mod meet;
mod stray;
mod table;
mod talk;
mod told;

use std::{
    collections::{HashMap, HashSet},
    time::{Duration, Instant},
};

use broadside_proto::v1::{
    ChooseMoveResponse, ConnectRequest, ConnectResponse, Options, Outcome, Turn, Variant,
    connect_request::Message as Said,
};
use tokio::{sync::mpsc, task::AbortHandle};
use tokio_util::sync::CancellationToken;
use tonic::Status;

pub(crate) use self::broken::{Broken, How};
pub(crate) use self::meet::Met;
pub(crate) use self::table::{Replied, Reply, Verdict};
pub(crate) use self::talk::Went;
use self::{
    caller::Caller,
    gateway::{Gateway, Out},
    table::{Asked, Table},
};
use crate::{
    CheckError, Config, Source,
    arena::Embedded,
    grades::Grades,
    launch::{Launch, Running},
    rules::Way,
    transcript::Transcript,
    wire::Spice,
};

/// What comes from outside.
enum Event {
    /// A bot dials.
    Dial {
        connection: u64,
        speaker: mpsc::UnboundedSender<Out>,
        at: Instant,
    },
    /// A bot that dialled says something; nothing more, if it closes its half.
    Said {
        connection: u64,
        said: Result<Option<ConnectRequest>, Status>,
        at: Instant,
    },
    /// The arena says something to a bot.
    Told {
        connection: u64,
        told: Box<Result<Option<ConnectResponse>, Status>>,
    },
    /// A dialled bot has decided.
    Decided {
        turn: (u64, u32),
        answer: Result<ChooseMoveResponse, Status>,
        asked: Instant,
        at: Instant,
    },
    /// A dialled bot has been told something.
    Informed {
        method: &'static str,
        answer: Result<(), Status>,
    },
}

/// Who the bot is.
#[derive(Clone, Debug)]
pub(crate) struct Profile {
    pub(crate) name: String,
    pub(crate) variants: Vec<Variant>,
    pub(crate) max_matches: usize,
    pub(crate) wants_legal_moves: bool,
    pub(crate) wants_accepted: bool,
    /// What its hello promises.
    pub(crate) heartbeat: Option<Duration>,
}

/// A stream of the bot, and the one to the arena that belongs to it.
struct Connection {
    speaker: Option<mpsc::UnboundedSender<Out>>,
    to_arena: Option<mpsc::UnboundedSender<ConnectRequest>>,
    arena: Option<CancellationToken>,
    last_said: Instant,
    /// Who said hello on it, and that hello.
    greeted: Option<(Profile, Seen)>,
}

/// When a bot dialled, or said hello.
#[derive(Clone, Debug)]
pub(crate) struct Seen {
    connection: u64,
    pub(crate) at: Instant,
    pub(crate) line: usize,
    /// The resume token of a hello.
    pub(crate) token: String,
}

/// How a stream of the bot ended.
#[derive(Clone, Debug)]
pub(crate) struct Loss {
    pub(crate) message: String,
    pub(crate) line: usize,
    /// Whether the bot closed its half first.
    pub(crate) in_order: bool,
}

/// The longest silence of a bot that was seen.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Silence {
    pub(crate) longest: Duration,
    pub(crate) line: usize,
}

pub(crate) struct Bench {
    pub(crate) way: Way,
    pub(crate) cap: Duration,
    pub(crate) transcript: Transcript,
    pub(crate) grades: Grades,
    pub(crate) arena: Embedded,
    wait: Duration,
    pub(crate) reconnects_soon: Duration,
    pub(crate) leaves: Duration,
    pub(crate) interrupt: CancellationToken,
    launch: Option<Launch>,
    pub(crate) running: Option<Running>,
    /// What the bot is started with: where it finds the arena, or where it is to be found.
    pub(crate) address: String,
    events: mpsc::UnboundedReceiver<Event>,
    sender: mpsc::UnboundedSender<Event>,
    gateway: Option<Gateway>,
    caller: Option<Caller>,
    connections: HashMap<u64, Connection>,
    /// The stream on which the bot was welcomed last.
    current: Option<u64>,
    pub(crate) bot: Option<Profile>,
    /// The name of the bot that was welcomed first: it is the one that is checked.
    checked: Option<String>,
    /// Every time that a bot dialled.
    pub(crate) dials: Vec<Seen>,
    /// The connections of other bots that dialled.
    strays: HashSet<u64>,
    pub(crate) hello: Option<Seen>,
    /// How the arena refused the last hello.
    refused: Option<(Status, usize)>,
    /// The resume token of the last welcome.
    pub(crate) token: String,
    /// How the bot's stream ended last, if it was not the checker that ended it.
    pub(crate) loss: Option<Loss>,
    /// How the next bots that dial are turned away.
    pub(crate) away: Option<Status>,
    pub(crate) spice: Spice,
    pub(crate) silence: Silence,
    tables: HashMap<u64, Table>,
    asked: HashMap<(u64, u32), Asked>,
    verdicts: HashMap<(u64, u32), Vec<Verdict>>,
    /// The turn whose refusal the arena judges again.
    disputed: Option<(u64, u32)>,
    calls: HashMap<(u64, u32), Vec<AbortHandle>>,
    /// The rule that a refused move breaks; the variant's own, if there is none.
    pub(crate) blame: Option<&'static str>,
    /// The rule that an answer too many breaks.
    pub(crate) surplus: &'static str,
    /// The rule that an answer after its time breaks.
    pub(crate) late: &'static str,
    created: u64,
}

impl Bench {
    pub(crate) async fn set_up(config: Config) -> Result<Self, CheckError> {
        let arena = Embedded::start(&config.dial_files).await?;
        let (sender, events) = mpsc::unbounded_channel();
        let (way, gateway, caller, address) = match &config.source {
            Source::DialIn { listen } => {
                let gateway = Gateway::listen(*listen, sender.clone())
                    .await
                    .map_err(|source| CheckError::Listen {
                        address: *listen,
                        source,
                    })?;
                let address = gateway.address.to_string();
                (Way::DialsIn, Some(gateway), None, address)
            }
            Source::Dialled { address, access } => {
                let caller = Caller::new(address, access, sender.clone())?;
                (Way::Dialled, None, Some(caller), address.clone())
            }
        };
        Ok(Self {
            way,
            cap: config.cap,
            transcript: config.transcript,
            grades: Grades::default(),
            arena,
            wait: config.wait,
            reconnects_soon: config.reconnects_soon,
            leaves: config.leaves,
            interrupt: config.interrupt,
            launch: config.launch,
            running: None,
            address,
            events,
            sender,
            gateway,
            caller,
            connections: HashMap::new(),
            current: None,
            bot: None,
            checked: None,
            dials: Vec::new(),
            strays: HashSet::new(),
            hello: None,
            refused: None,
            token: String::new(),
            loss: None,
            away: None,
            spice: Spice::Plain,
            silence: Silence::default(),
            tables: HashMap::new(),
            asked: HashMap::new(),
            verdicts: HashMap::new(),
            disputed: None,
            calls: HashMap::new(),
            blame: None,
            surplus: crate::rules::ONCE,
            late: crate::rules::IN_TIME,
            created: 0,
        })
    }

    /// How long a bot is waited for that does not answer: longer than its time, so that one that is slow is told from one
    /// that hangs.
    pub(crate) fn patience(&self) -> Duration {
        self.cap * 2 + Duration::from_secs(1)
    }

    /// Whether the bot is started by the checker.
    pub(crate) fn launches(&self) -> bool {
        self.launch.is_some()
    }

    /// Whether the bot is there.
    pub(crate) fn is_connected(&self) -> bool {
        match self.way {
            Way::DialsIn => self.current.is_some(),
            Way::Dialled => self.loss.is_none(),
        }
    }

    /// When the bot dialled, after so many dials of any bot.
    pub(crate) fn dials_since(&self, before: usize) -> Vec<Seen> {
        let since = self.dials.iter().skip(before);
        since
            .filter(|dial| !self.strays.contains(&dial.connection))
            .cloned()
            .collect()
    }

    /// Lets one thing happen, if one does until then.
    async fn step(&mut self, until: Instant) -> Result<(), Broken> {
        tokio::select! {
            biased;
            () = self.interrupt.cancelled() => return Err(Broken::interrupted()),
            // There is always one who could send: the bench itself.
            Some(event) = self.events.recv() => self.hear(event),
            () = tokio::time::sleep_until(until.into()) => {}
        }
        Ok(())
    }

    /// Lets things happen until there is something to be had. None if there was not until then.
    pub(crate) async fn until<T>(
        &mut self,
        patience: Duration,
        mut there: impl FnMut(&mut Self) -> Option<T>,
    ) -> Result<Option<T>, Broken> {
        let end = Instant::now() + patience;
        loop {
            if let Some(found) = there(self) {
                return Ok(Some(found));
            }
            let now = Instant::now();
            if now >= end {
                break;
            }
            // A program that ends tells nobody: it is looked for now and then.
            let soon = end.min(now + Duration::from_millis(100));
            self.step(soon).await?;
        }
        // What has come by now came in time, and was not looked at yet. What comes meanwhile did not.
        for _ in 0..self.events.len() {
            self.step(end).await?;
            if let Some(found) = there(self) {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }

    /// How long the bot has said nothing.
    pub(crate) fn silent_now(&self) -> Option<Duration> {
        let current = self.connections.get(&self.current?)?;
        Some(current.last_said.elapsed())
    }

    /// Lets things happen for a while.
    pub(crate) async fn watch(&mut self, time: Duration) -> Result<(), Broken> {
        self.until(time, |_| None::<()>).await.map(|_| ())
    }

    /// Cuts every connection to the bot, as a network does.
    pub(crate) fn cut(&mut self) -> usize {
        let line = self.transcript.note("cuts the connection");
        self.shear();
        line
    }

    /// Ends every connection to the bot, and what belongs to it.
    fn shear(&mut self) {
        if let Some(gateway) = &self.gateway {
            gateway.shears.cut();
        }
        if let Some(caller) = &self.caller {
            caller.shears.cut();
        }
        self.drop_connections();
        self.abort_calls(|_| true);
    }

    /// Ends what belongs to the bot's streams, without a word.
    fn drop_connections(&mut self) {
        if self.way == Way::Dialled {
            // The arena is talked to on a stream that outlives the bot's connections.
            return;
        }
        for connection in self.connections.values() {
            if let Some(arena) = &connection.arena {
                arena.cancel();
            }
        }
        self.connections.clear();
        self.current = None;
    }

    fn abort_calls(&mut self, which: impl Fn(u64) -> bool) {
        self.calls.retain(|(match_id, _), calls| {
            let aborted = which(*match_id);
            if aborted {
                calls.drain(..).for_each(|call| call.abort());
            }
            !aborted
        });
    }

    pub(crate) fn ended(&self, match_id: u64) -> Option<&Outcome> {
        self.tables.get(&match_id)?.ended.as_ref()
    }

    pub(crate) fn take_turn(&mut self, match_id: u64) -> Option<Turn> {
        self.tables.get_mut(&match_id)?.turns.pop_front()
    }

    /// A turn that was taken, and is there again.
    fn take_turn_again(&mut self, (match_id, turn_id): (u64, u32)) -> Option<Turn> {
        let turns = &mut self.tables.get_mut(&match_id)?.turns;
        let place = turns.iter().position(|turn| turn.turn_id == turn_id)?;
        turns.remove(place)
    }

    /// The answer to a turn; or what the bot said of the match as a whole.
    pub(crate) fn take_reply(&mut self, (match_id, turn_id): (u64, u32)) -> Option<Reply> {
        let replies = &mut self.tables.get_mut(&match_id)?.replies;
        let place = replies
            .iter()
            .position(|reply| reply.turn.1 == turn_id || reply.turn.1 == 0)?;
        replies.remove(place)
    }

    /// Every answer that is left of a match.
    pub(crate) fn take_replies(&mut self, match_id: u64) -> Vec<Reply> {
        let table = self.tables.get_mut(&match_id);
        table.map_or_else(Vec::new, |table| table.replies.drain(..).collect())
    }

    pub(crate) fn take_verdict(&mut self, turn: (u64, u32)) -> Option<Verdict> {
        let verdicts = self.verdicts.get_mut(&turn)?;
        (!verdicts.is_empty()).then(|| verdicts.remove(0))
    }

    pub(crate) fn asked_line(&self, turn: &Turn) -> Vec<usize> {
        let asked = self.asked.get(&(turn.match_id, turn.turn_id));
        asked.map(|asked| asked.line).into_iter().collect()
    }

    /// The loss of the bot's stream, as what ended a part of the check.
    pub(crate) fn gone(&self) -> Broken {
        match &self.loss {
            Some(loss) => Broken::new(How::Gone, loss.message.clone(), vec![loss.line]),
            None => Broken::new(How::Gone, "the bot is not connected", Vec::new()),
        }
    }

    fn say_to_arena(&self, message: Said) {
        let to_arena = self
            .current
            .and_then(|current| self.connections.get(&current))
            .and_then(|connection| connection.to_arena.as_ref());
        if let Some(to_arena) = to_arena {
            // A stream that is gone is noticed by what it says itself.
            let _ = to_arena.send(ConnectRequest {
                message: Some(message),
            });
        }
    }

    pub(crate) fn variant_of(&self, match_id: u64) -> Variant {
        self.tables
            .get(&match_id)
            .map_or(Variant::Unspecified, |table| table.variant)
    }
}

/// A match to be had.
#[derive(Clone, Debug)]
pub(crate) struct Wanted {
    pub(crate) options: Options,
    /// Whether the bot has the first seat.
    pub(crate) first: bool,
    /// Whether the bot has the other seat as well.
    pub(crate) alone: bool,
    /// Whether the bot is told nothing until it is shown a turn.
    pub(crate) hidden: bool,
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that fails panics")]
mod tests {
    use super::*;

    #[tokio::test]
    async fn what_never_stops_coming_keeps_no_one_waiting_for_what_does_not_come() {
        let listen = "127.0.0.1:0".parse().unwrap();
        let config = Config::new(Source::DialIn { listen });
        let mut bench = Bench::set_up(config).await.unwrap();
        let mut looked = 0;
        let found = bench
            .until(Duration::ZERO, |bench| {
                looked += 1;
                assert!(looked < 100, "it is still waiting");
                for _ in 0..2 {
                    let method = "StartMatch";
                    let answer = Ok(());
                    let sent = bench.sender.send(Event::Informed { method, answer });
                    assert!(sent.is_ok());
                }
                None::<()>
            })
            .await
            .unwrap();
        assert_eq!(found, None);
        // What has come in time counts, however late it is looked at.
        let found = bench
            .until(Duration::ZERO, |bench| {
                bench.events.is_empty().then_some(())
            })
            .await
            .unwrap();
        assert_eq!(found, Some(()));
    }
}
