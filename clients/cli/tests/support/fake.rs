//! An arena that only pretends: it answers as it was told to, and keeps what it was asked.

use std::{
    pin::Pin,
    sync::{Arc, Mutex},
};

use broadside_proto::v1::{
    catalog_service_server::{CatalogService, CatalogServiceServer},
    gateway_service_server::{GatewayService, GatewayServiceServer},
    match_service_server::{MatchService, MatchServiceServer},
    *,
};
use tokio::{net::TcpListener, sync::mpsc};
use tokio_stream::{
    Stream,
    wrappers::{ReceiverStream, TcpListenerStream},
};
use tonic::{Code, Request, Response, Status, Streaming, transport::Server};
use tonic_types::{ErrorDetails, FieldViolation, StatusExt};

use super::{records, samples};

/// The id of the one match there is.
pub const MATCH: u64 = 9_007_199_254_740_991;

/// What the arena was told to say, and what it was asked.
#[derive(Default)]
pub struct Script {
    /// The match that everybody plays and watches.
    pub played: Match,
    /// Where it stands.
    pub position: Position,
    /// What watching it brings.
    pub news: Vec<WatchMatchResponse>,
    /// The turns that a player is asked, one after another.
    pub turns: Vec<Turn>,
    /// After so many answers the stream breaks, once.
    pub break_at: Option<usize>,
    /// What the last message tells of the moves before it.
    pub last_events: Vec<Event>,
    /// How the match ends once the turns are used up.
    pub outcome: Outcome,
    /// What was asked.
    pub created: Vec<CreateMatchRequest>,
    pub cancelled: Vec<CancelMatchRequest>,
    pub listed: Vec<ListMatchesRequest>,
    pub hellos: Vec<Hello>,
    pub answers: Vec<Move>,
    pub resigned: usize,
}

/// A running arena.
#[derive(Clone)]
pub struct Fake {
    pub address: String,
    pub script: Arc<Mutex<Script>>,
}

impl Fake {
    /// Starts one on a port of its own.
    pub async fn start(script: Script) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let fake = Self {
            address,
            script: Arc::new(Mutex::new(script)),
        };
        let server = Server::builder()
            .add_service(CatalogServiceServer::new(fake.clone()))
            .add_service(MatchServiceServer::new(fake.clone()))
            .add_service(GatewayServiceServer::new(fake.clone()))
            .serve_with_incoming(TcpListenerStream::new(listener));
        tokio::spawn(server);
        fake
    }

    /// Runs `broadside` against it.
    pub async fn run(&self, arguments: &[&str], input: &str) -> super::Ran {
        let arguments: Vec<&str> = ["--arena", &self.address]
            .into_iter()
            .chain(arguments.iter().copied())
            .collect();
        super::broadside(&arguments, input).await
    }

    fn known(&self, match_id: u64) -> Result<std::sync::MutexGuard<'_, Script>, Status> {
        if match_id == MATCH {
            Ok(self.script.lock().unwrap())
        } else {
            Err(Status::not_found(format!("there is no match {match_id}")))
        }
    }
}

type Boxed<T> = Pin<Box<dyn Stream<Item = Result<T, Status>> + Send>>;

fn fleets(variant: Variant) -> Vec<FleetInfo> {
    if variant == Variant::Abalone {
        return Vec::new();
    }
    let mut ships: Vec<FleetShip> = Vec::new();
    for ship in samples::fleet(variant).ships {
        match ships.iter_mut().find(|it| it.ship_class == ship.ship_class) {
            Some(known) => known.count += 1,
            None => ships.push(FleetShip {
                ship_class: ship.ship_class,
                length: broadside_cli::board::fleet::length(
                    &samples::options(variant),
                    ship.ship_class(),
                ),
                count: 1,
            }),
        }
    }
    let edition = match variant {
        Variant::Classic | Variant::Salvo | Variant::AdvancedSalvo => Edition::Edition2002,
        _ => Edition::Unspecified,
    };
    vec![FleetInfo {
        edition: edition.into(),
        ships,
    }]
}

#[tonic::async_trait]
impl CatalogService for Fake {
    async fn list_variants(
        &self,
        _: Request<ListVariantsRequest>,
    ) -> Result<Response<ListVariantsResponse>, Status> {
        let variants = broadside_cli::names::VARIANTS.map(|variant| VariantInfo {
            variant: variant.into(),
            slug: broadside_cli::names::slug(variant).to_owned(),
            summary: format!("How {variant:?} is played"),
            options: if variant == Variant::Classic {
                vec![OptionInfo {
                    name: "edition".to_owned(),
                    description: "Whose fleet is played".to_owned(),
                    default_value: "2002".to_owned(),
                    allowed: "1967, 2002".to_owned(),
                }]
            } else {
                Vec::new()
            },
            default_options: Some(samples::options(variant)),
            fleets: fleets(variant),
            default_strikes: 3,
            notation: Notation::LetterNumber.into(),
        });
        Ok(Response::new(ListVariantsResponse {
            variants: variants.to_vec(),
            default_time_control: Some(TimeControl {
                budget_ms: Some(300_000),
                increment_ms: Some(2000),
                ..TimeControl::default()
            }),
        }))
    }

    async fn get_limits(
        &self,
        _: Request<GetLimitsRequest>,
    ) -> Result<Response<GetLimitsResponse>, Status> {
        Ok(Response::new(GetLimitsResponse {
            limits: vec![Limit {
                name: "max_matches".to_owned(),
                value: 7,
                unit: LimitUnit::Count.into(),
                description: "Matches that are not over.".to_owned(),
            }],
        }))
    }

    async fn list_agents(
        &self,
        request: Request<ListAgentsRequest>,
    ) -> Result<Response<ListAgentsResponse>, Status> {
        let agent = |name: &str| AgentInfo {
            name: name.to_owned(),
            dialled: false,
            connected: true,
            variants: vec![Variant::Classic.into(), Variant::Abalone.into()],
            max_matches: 8,
            running_matches: 1,
        };
        // Two pages, so that both must be fetched.
        let (name, next) = match request.into_inner().page_token.as_str() {
            "" => ("first", "more"),
            _ => ("second\u{202e}", ""),
        };
        Ok(Response::new(ListAgentsResponse {
            agents: vec![agent(name)],
            next_page_token: next.to_owned(),
        }))
    }
}

#[tonic::async_trait]
impl MatchService for Fake {
    async fn create_match(
        &self,
        request: Request<CreateMatchRequest>,
    ) -> Result<Response<CreateMatchResponse>, Status> {
        let request = request.into_inner();
        if request.strikes.is_some_and(|strikes| strikes > 100) {
            let violations = vec![FieldViolation::new("strikes", "must be 0-100")];
            return Err(Status::with_error_details(
                Code::InvalidArgument,
                "the request is wrong",
                ErrorDetails::with_bad_request(violations),
            ));
        }
        let mut script = self.script.lock().unwrap();
        script.created.push(request);
        Ok(Response::new(CreateMatchResponse {
            r#match: Some(script.played.clone()),
        }))
    }

    async fn get_match(
        &self,
        request: Request<GetMatchRequest>,
    ) -> Result<Response<GetMatchResponse>, Status> {
        let script = self.known(request.into_inner().match_id)?;
        Ok(Response::new(GetMatchResponse {
            r#match: Some(script.played.clone()),
            position: Some(script.position.clone()),
        }))
    }

    async fn list_matches(
        &self,
        request: Request<ListMatchesRequest>,
    ) -> Result<Response<ListMatchesResponse>, Status> {
        let request = request.into_inner();
        let mut script = self.script.lock().unwrap();
        let next = if request.page_token.is_empty() {
            "more"
        } else {
            ""
        };
        script.listed.push(request);
        Ok(Response::new(ListMatchesResponse {
            matches: vec![script.played.clone()],
            next_page_token: next.to_owned(),
        }))
    }

    async fn cancel_match(
        &self,
        request: Request<CancelMatchRequest>,
    ) -> Result<Response<CancelMatchResponse>, Status> {
        let request = request.into_inner();
        let mut script = self.known(request.match_id)?;
        if script.played.state() == MatchState::Over {
            return Err(Status::failed_precondition("the match is over"));
        }
        script.cancelled.push(request);
        script.played.state = MatchState::Over.into();
        script.played.outcome = Some(records::cancelled());
        Ok(Response::new(CancelMatchResponse {
            r#match: Some(script.played.clone()),
        }))
    }

    type WatchMatchStream = Boxed<WatchMatchResponse>;

    async fn watch_match(
        &self,
        request: Request<WatchMatchRequest>,
    ) -> Result<Response<Self::WatchMatchStream>, Status> {
        let script = self.known(request.into_inner().match_id)?;
        let news: Vec<_> = script.news.iter().cloned().map(Ok).collect();
        Ok(Response::new(Box::pin(tokio_stream::iter(news))))
    }

    async fn get_match_record(
        &self,
        request: Request<GetMatchRecordRequest>,
    ) -> Result<Response<GetMatchRecordResponse>, Status> {
        let script = self.known(request.into_inner().match_id)?;
        if script.played.state() != MatchState::Over {
            return Err(Status::failed_precondition("the match is not over"));
        }
        Ok(Response::new(GetMatchRecordResponse {
            record: Some(records::classic()),
        }))
    }
}

#[tonic::async_trait]
impl GatewayService for Fake {
    type ConnectStream = Boxed<ConnectResponse>;

    async fn connect(
        &self,
        request: Request<Streaming<ConnectRequest>>,
    ) -> Result<Response<Self::ConnectStream>, Status> {
        let (sender, receiver) = mpsc::channel(16);
        tokio::spawn(converse(self.clone(), request.into_inner(), sender));
        Ok(Response::new(Box::pin(ReceiverStream::new(receiver))))
    }
}

type Sender = mpsc::Sender<Result<ConnectResponse, Status>>;

async fn say(sender: &Sender, message: connect_response::Message) {
    let message = ConnectResponse {
        message: Some(message),
    };
    let _ = sender.send(Ok(message)).await;
}

/// One stream: a hello, then the scripted turns from the first that is not answered.
async fn converse(fake: Fake, mut requests: Streaming<ConnectRequest>, sender: Sender) {
    let Ok(Some(first)) = requests.message().await else {
        return;
    };
    let Some(connect_request::Message::Hello(hello)) = first.message else {
        return;
    };
    let resumed = !hello.resume_token.is_empty();
    fake.script.lock().unwrap().hellos.push(hello);
    let welcome = Welcome {
        protocol_version: 1,
        resume_token: "resume".to_owned(),
        resumed,
        limits: Some(SessionLimits {
            max_message_bytes: 1 << 20,
            heartbeat_interval_ms: 15_000,
            grace_ms: 10_000,
            max_matches: 1,
        }),
        running_matches: vec![MATCH],
    };
    say(&sender, connect_response::Message::Welcome(welcome)).await;
    // The match begins once it is created.
    while fake.script.lock().unwrap().created.is_empty() {
        tokio::time::sleep(std::time::Duration::from_millis(5)).await;
    }
    let (seat, options) = {
        let script = fake.script.lock().unwrap();
        let seat = script.turns.first().map(Turn::seat).unwrap_or(Seat::One);
        (seat, script.played.options.clone())
    };
    if !resumed {
        let start = MatchStart {
            match_id: MATCH,
            seat: seat.into(),
            options,
            opponent: "hunter".to_owned(),
            ..MatchStart::default()
        };
        say(&sender, connect_response::Message::MatchStart(start)).await;
    }
    loop {
        let turn = {
            let script = fake.script.lock().unwrap();
            script.turns.get(script.answers.len()).cloned()
        };
        let Some(turn) = turn else {
            return end(&fake, &sender, seat, None).await;
        };
        say(&sender, connect_response::Message::Turn(turn.clone())).await;
        let answer = loop {
            let Ok(Some(request)) = requests.message().await else {
                return;
            };
            match request.message {
                Some(connect_request::Message::Answer(answer)) => break answer,
                Some(connect_request::Message::Resignation(_)) => {
                    return end(&fake, &sender, seat, Some(records::resigned(seat))).await;
                }
                _ => {}
            }
        };
        assert_eq!((answer.match_id, answer.turn_id), (MATCH, turn.turn_id));
        let event = {
            let mut script = fake.script.lock().unwrap();
            if script.break_at == Some(script.answers.len()) {
                // The answer is lost with the stream.
                script.break_at = None;
                return;
            }
            let played = answer.r#move.unwrap_or_default();
            script.answers.push(played.clone());
            Event {
                seat: seat.into(),
                r#move: Some(played),
                answer: None,
            }
        };
        let accepted = Accepted {
            match_id: MATCH,
            turn_id: turn.turn_id,
            event: Some(event),
        };
        say(&sender, connect_response::Message::Accepted(accepted)).await;
    }
}

async fn end(fake: &Fake, sender: &Sender, seat: Seat, outcome: Option<Outcome>) {
    let (outcome, events) = {
        let mut script = fake.script.lock().unwrap();
        if outcome.is_some() {
            script.resigned += 1;
        }
        let outcome = outcome.unwrap_or_else(|| script.outcome.clone());
        script.played.state = MatchState::Over.into();
        script.played.outcome = Some(outcome.clone());
        (outcome, script.last_events.clone())
    };
    let end = MatchEnd {
        match_id: MATCH,
        seat: seat.into(),
        outcome: Some(outcome),
        events,
        reveal: None,
    };
    say(sender, connect_response::Message::MatchEnd(end)).await;
    // The stream stays open for other matches.
    tokio::time::sleep(std::time::Duration::from_secs(30)).await;
}
