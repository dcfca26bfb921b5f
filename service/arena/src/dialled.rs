//! Bots that the arena dials: each serves `AgentService` at its address.

use std::{future::Future, sync::Arc, time::Duration};

use broadside_proto::v1::{
    self, agent_service_client::AgentServiceClient, choose_move_response::Decision,
};
use broadside_rules::{Seat, Seats, Variant};
use parking_lot::Mutex;
use tokio::sync::mpsc;
use tokio_util::task::TaskTracker;
use tonic::{
    Code, Request, Status,
    transport::{Channel, Endpoint},
};

use crate::{
    busy_poll::BusyPoll,
    dial::{Answers, Dialer},
    field::plain,
    gateway::profile_from,
    play::{AgentId, Inbox, Input},
    roster::{MatchHandle, Profile, Roster, SeatLink},
    time::{Handover, Micros},
};

/// How many commands may wait for a seat: a match has at most start, turn and end on their way to it.
const COMMANDS: usize = 8;

/// How the arena dials.
#[derive(Clone, Debug)]
pub struct Dialling {
    /// Connects.
    pub dialer: Dialer,
    /// Seats for each connection to an agent. A server may allow as few as 100 calls at once on one, and a call beyond
    /// that would wait on our side with the bot's clock running.
    pub seats_per_connection: usize,
    /// How long a connection, and each call that is no decision, may take.
    pub timeout: Duration,
    /// First wait before another attempt; doubled each time.
    pub retry_min: Duration,
    /// Longest wait before another attempt.
    pub retry_max: Duration,
    /// Most matches at once for one agent.
    pub max_matches: usize,
    /// Largest message from a bot, in bytes.
    pub max_message_bytes: usize,
    /// Is told of answers.
    pub busy_poll: BusyPoll,
}

impl Dialling {
    fn waits(&self) -> impl Iterator<Item = Duration> + use<> {
        let (first, longest) = (self.retry_min, self.retry_max);
        std::iter::successors(Some(first), move |wait| Some((*wait * 2).min(longest)))
    }
}

type Client = AgentServiceClient<Answers<Channel>>;

/// An agent that has been reached.
#[derive(Debug)]
pub struct DialledAgent {
    endpoint: Endpoint,
    /// Each is held by the seats that use it.
    connections: Mutex<Vec<Arc<Client>>>,
    profile: Arc<Profile>,
    dialling: Dialling,
    /// What the arena waits for when it stops.
    running: TaskTracker,
}

/// Tries to reach an agent for as long as a match waits for it.
pub async fn reach(roster: Arc<Roster>, id: AgentId, dialling: Dialling, running: TaskTracker) {
    let mut waits = dialling.waits();
    loop {
        match dial(id.as_str(), &dialling, running.clone()).await {
            Ok(agent) => {
                tracing::info!(agent = %id, "agent reached");
                let agent = Arc::new(agent);
                for (match_id, MatchHandle { inbox, seats }) in roster.reached(&id, agent.clone()) {
                    for seat in seats.iter() {
                        let link = agent.take_seat(match_id, seat, inbox.clone());
                        let connected = Input::Connected {
                            seats: Seats::only(seat),
                            epoch: 0,
                            link: Some(SeatLink::Dialled(link)),
                            new: false,
                        };
                        // A match that is over meanwhile wants nothing more.
                        let _ = inbox.send(connected).await;
                    }
                }
                return;
            }
            Err(why) => {
                tracing::info!(agent = %id, %why, "agent not reached");
                if !roster.not_reached(&id, why) {
                    return;
                }
            }
        }
        if let Some(wait) = waits.next() {
            tokio::time::sleep(wait).await;
        }
    }
}

async fn dial(
    address: &str,
    dialling: &Dialling,
    running: TaskTracker,
) -> Result<DialledAgent, String> {
    let endpoint = dialling
        .dialer
        .endpoint(address)
        .map_err(|why| format!("its address {why}"))?;
    let channel = dialling
        .dialer
        .connect(&endpoint)
        .await
        .map_err(|error| deepest(&error))?;
    let mut client = client(channel, dialling);
    let mut request = Request::new(v1::GetProfileRequest {});
    request.set_timeout(dialling.timeout);
    let asked = within(dialling.timeout, client.get_profile(request)).await;
    let profile = match asked {
        Ok(response) => {
            let v1::GetProfileResponse { profile } = response.into_inner();
            let profile = profile.ok_or("GetProfile answered without a profile")?;
            profile_from(profile, dialling.max_matches, false)
                .map_err(|violations| format!("its profile is not acceptable: {violations}"))?
                .1
        }
        // A bot of ChooseMove alone, which may know no rules: it gets the legal moves of every variant.
        Err(status) if status.code() == Code::Unimplemented => Profile {
            variants: Variant::ALL.to_vec(),
            max_matches: dialling.max_matches,
            wants_legal_moves: true,
            wants_accepted: false,
        },
        Err(status) => return Err(format!("GetProfile failed: {}", plain(status.message()))),
    };
    Ok(DialledAgent {
        endpoint,
        connections: Mutex::new(vec![Arc::new(client)]),
        profile: Arc::new(profile),
        dialling: dialling.clone(),
        running,
    })
}

fn client(channel: Answers<Channel>, dialling: &Dialling) -> Client {
    AgentServiceClient::new(channel).max_decoding_message_size(dialling.max_message_bytes)
}

impl DialledAgent {
    /// What it plays and wants.
    pub fn profile(&self) -> &Arc<Profile> {
        &self.profile
    }

    /// A connection with room for one more seat. A new one connects with the first call of its first seat, which is
    /// StartMatch: no clock runs then.
    fn connection(&self) -> Arc<Client> {
        let mut connections = self.connections.lock();
        let most = self.dialling.seats_per_connection;
        let has_room = |connection: &&Arc<_>| Arc::strong_count(connection) <= most;
        if let Some(connection) = connections.iter().find(has_room) {
            return connection.clone();
        }
        let connection = Arc::new(client(
            self.dialling.dialer.connect_lazy(&self.endpoint),
            &self.dialling,
        ));
        connections.push(connection.clone());
        connection
    }

    /// A seat of a match for it, with a task that makes the calls.
    pub fn take_seat(&self, match_id: u64, seat: Seat, inbox: Inbox) -> DialledSeat {
        let (commands, queue) = mpsc::channel(COMMANDS);
        let connection = self.connection();
        let caller = Caller {
            match_id,
            seat,
            client: Client::clone(&connection),
            _connection: connection,
            inbox,
            queue,
            dialling: self.dialling.clone(),
            lost: false,
            disputed: None,
            wait: self.dialling.retry_min,
        };
        self.running.spawn(caller.run());
        DialledSeat {
            commands,
            wants_legal_moves: self.profile.wants_legal_moves,
        }
    }
}

enum Command {
    Start(v1::MatchStart),
    Turn(Box<v1::Turn>, Handover),
    End(v1::MatchEnd),
}

/// A seat of a match whose bot is dialled.
#[derive(Clone, Debug)]
pub struct DialledSeat {
    commands: mpsc::Sender<Command>,
    wants_legal_moves: bool,
}

impl DialledSeat {
    /// Whether turns shall hold the legal moves.
    pub fn wants_legal_moves(&self) -> bool {
        self.wants_legal_moves
    }

    /// The match begins.
    pub fn start(&self, start: v1::MatchStart) {
        self.command(Command::Start(start));
    }

    /// A decision is due.
    pub fn turn(&self, turn: v1::Turn, handover: Handover) {
        self.command(Command::Turn(Box::new(turn), handover));
    }

    /// The match is over.
    pub fn end(&self, end: v1::MatchEnd) {
        self.command(Command::End(end));
    }

    fn command(&self, command: Command) {
        if self.commands.try_send(command).is_err() {
            tracing::error!("a dialled seat does not take its commands");
        }
    }
}

/// Makes the calls of one seat, one after another.
struct Caller {
    match_id: u64,
    seat: Seat,
    client: Client,
    /// Counts the seats of the connection.
    _connection: Arc<Client>,
    inbox: Inbox,
    queue: mpsc::Receiver<Command>,
    dialling: Dialling,
    /// Whether the match has been told that the connection is lost.
    lost: bool,
    /// The attempt whose refusal the bot disputed last.
    disputed: Option<Attempt>,
    /// How long to wait before the next attempt; longer each time until the bot answers.
    wait: Duration,
}

/// A turn, and how many refusals were left: it is asked once for each refusal that it has had.
type Attempt = (u32, u32);

fn attempt(turn: &v1::Turn) -> Option<Attempt> {
    Some((turn.turn_id, turn.refusals_left))
}

impl Caller {
    async fn run(mut self) {
        // A turn is asked once for each refusal that it has had.
        let mut answered = None;
        let mut next = self.queue.recv().await;
        while let Some(command) = next {
            next = match command {
                Command::Start(start) => {
                    let request = v1::StartMatchRequest {
                        match_start: Some(start),
                    };
                    // For information: a bot that cannot take it plays on.
                    let told =
                        within(self.dialling.timeout, self.client.start_match(request)).await;
                    self.note("StartMatch", told.err());
                    self.queue.recv().await
                }
                // Sent again because the connection was lost, while its answer was on the way.
                Command::Turn(turn, _) if answered == attempt(&turn) => self.queue.recv().await,
                Command::Turn(turn, handover) => {
                    let asked = attempt(&turn);
                    let (decided, next) = self.decide(*turn, handover).await;
                    if decided {
                        answered = asked;
                    }
                    next
                }
                Command::End(end) => {
                    let request = v1::EndMatchRequest {
                        match_end: Some(end),
                    };
                    let told = within(self.dialling.timeout, self.client.end_match(request)).await;
                    self.note("EndMatch", told.err());
                    return;
                }
            };
        }
    }

    /// Asks for one decision until there is one, or another command. Returns whether there was one, and the next command.
    async fn decide(&mut self, mut turn: v1::Turn, handover: Handover) -> (bool, Option<Command>) {
        let turn_id = turn.turn_id;
        let (begun, time_left_us) = (Micros::now(), turn.time_left_us);
        loop {
            // Its clock has run on while it could not be reached.
            turn.time_left_us = time_left_us.saturating_sub(Micros::now().since(begun));
            let request = Request::new(v1::ChooseMoveRequest {
                turn: Some(turn.clone()),
            });
            let mut client = self.client.clone();
            let call = async {
                handover.stamp(Micros::now());
                client.choose_move(request).await
            };
            let answer = tokio::select! {
                biased;
                answer = call => answer,
                command = self.queue.recv() => return (false, command),
            };
            let received = Micros::now();
            let status = match answer {
                Ok(response) => {
                    self.dialling.busy_poll.heard(1, received);
                    let v1::ChooseMoveResponse { decision } = response.into_inner();
                    self.answered().await;
                    let disputes = matches!(decision, Some(Decision::Dispute(_)));
                    if disputes && (turn.refusal.is_none() || self.disputed == attempt(&turn)) {
                        let message = "it disputes a refusal where there is none that it has not disputed before";
                        self.failed(turn_id, message.to_owned(), received).await;
                        return (true, self.queue.recv().await);
                    }
                    if disputes {
                        self.disputed = attempt(&turn);
                    }
                    self.report(turn_id, decision, received).await;
                    // A turn whose refusal is disputed is asked again.
                    return (!disputes, self.queue.recv().await);
                }
                Err(status) => status,
            };
            if !is_broken(&status) {
                self.answered().await;
                let message = format!("{:?}: {}", status.code(), plain(status.message()));
                self.failed(turn_id, message, received).await;
                return (true, self.queue.recv().await);
            }
            if !self.lost {
                self.lost = true;
                let disconnected = Input::Disconnected {
                    seats: Seats::only(self.seat),
                    epoch: 0,
                    message: format!("ChooseMove failed: {}", plain(&deepest(&status))),
                };
                let _ = self.inbox.send(disconnected).await;
            }
            let next = tokio::select! {
                () = reachable(&self.client, &self.dialling, &mut self.wait, is_cut(&status)) => None,
                command = self.queue.recv() => Some(command),
            };
            if let Some(command) = next {
                return (false, command);
            }
            if is_cut(&status) {
                self.found_again().await;
                // The match sends the turn again, with the time that is left.
                return (false, self.queue.recv().await);
            }
        }
    }

    async fn failed(&self, turn_id: u32, message: String, received: Micros) {
        let failed = Input::AnswerFailed {
            seat: self.seat,
            turn_id,
            message,
            received,
        };
        // A match that is over meanwhile wants nothing more.
        let _ = self.inbox.send(failed).await;
    }

    /// The bot has answered, whatever it said.
    async fn answered(&mut self) {
        self.wait = self.dialling.retry_min;
        self.found_again().await;
    }

    async fn found_again(&mut self) {
        if std::mem::take(&mut self.lost) {
            let connected = Input::Connected {
                seats: Seats::only(self.seat),
                epoch: 0,
                link: None,
                new: false,
            };
            let _ = self.inbox.send(connected).await;
        }
    }

    async fn report(&self, turn_id: u32, decision: Option<Decision>, received: Micros) {
        let from = Seats::only(self.seat);
        let answer = |r#move| Input::Answer {
            from,
            answer: v1::TurnAnswer {
                match_id: self.match_id,
                turn_id,
                r#move,
            },
            received,
        };
        let input = match decision {
            Some(Decision::Move(action)) => answer(Some(action)),
            // An answer without a move is refused as such.
            None => answer(None),
            // What it gives up is the match it was asked about, whatever its fields say.
            Some(Decision::Resignation(_)) => Input::Resigned {
                from,
                seat: v1::Seat::Unspecified,
                received,
            },
            Some(Decision::Dispute(_)) => Input::Disputed { from, turn_id },
        };
        // A match that is over meanwhile wants nothing more.
        let _ = self.inbox.send(input).await;
    }

    fn note(&self, call: &str, failed: Option<Status>) {
        if let Some(status) = failed
            && status.code() != Code::Unimplemented
        {
            tracing::debug!(match_id = self.match_id, seat = %self.seat, call, code = ?status.code(), message = plain(status.message()), "call failed");
        }
    }
}

/// Waits before a bot is asked again, each time longer; and if its connection was cut, until it answers anything at all. A bot that can be reached
/// may think for as long as its clock says, and its grace must not run on meanwhile; one that itself says that it is unavailable is as good as
/// gone until it decides.
async fn reachable(client: &Client, dialling: &Dialling, wait: &mut Duration, cut: bool) {
    loop {
        tokio::time::sleep(*wait).await;
        *wait = (*wait * 2).min(dialling.retry_max);
        if !cut {
            return;
        }
        let mut client = client.clone();
        let asked = client.get_profile(v1::GetProfileRequest {});
        match within(dialling.timeout, asked).await {
            Ok(_) => return,
            Err(status) if !is_broken(&status) && status.code() != Code::DeadlineExceeded => return,
            Err(_) => {}
        }
    }
}

async fn within<T>(
    timeout: Duration,
    call: impl Future<Output = Result<T, Status>>,
) -> Result<T, Status> {
    tokio::time::timeout(timeout, call)
        .await
        .unwrap_or_else(|_| {
            Err(Status::deadline_exceeded(format!(
                "no answer within {} ms",
                timeout.as_millis()
            )))
        })
}

/// Whether a call failed on the way, so that the bot may never have seen it.
fn is_broken(status: &Status) -> bool {
    status.code() == Code::Unavailable || is_cut(status)
}

/// Whether a call failed with its connection: statuses that a bot sent have no source.
fn is_cut(status: &Status) -> bool {
    std::error::Error::source(status).is_some()
}

/// The innermost cause of an error, which is the one that tells something.
fn deepest(error: &dyn std::error::Error) -> String {
    let mut cause = error;
    while let Some(next) = cause.source() {
        cause = next;
    }
    cause.to_string()
}
