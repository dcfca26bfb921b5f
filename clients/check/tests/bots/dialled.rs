//! Bots that are dialled.

use std::{
    convert::Infallible,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};

use broadside_agents::{Agent, Hunter, Profile, Random, Seed, profile, serve};
use broadside_check::{report::Report, transcript::Transcript};
use broadside_proto::v1::{
    self, ChooseMoveRequest, ChooseMoveResponse, GetProfileResponse, Resignation, Turn,
    choose_move_response::Decision,
};
use bytes::Bytes;
use prost::Message;
use tokio::sync::{Mutex, Notify};
use tokio_stream::wrappers::TcpListenerStream;
use tokio_util::sync::CancellationToken;
use tonic::{Request, Response, Status, body::Body, server::NamedService, transport::Server};

use crate::{
    harness::{self, Case, each_fails_its_rule_alone, graded, launch, listener, passes, port},
    mind::{Does, Fault, Mind},
    raw::Raw,
};

const CASES: &[Case] = &[
    (Fault::None, &[], &[]),
    (Fault::ShootsOffTheGrid, &["legal-moves-classic"], &[]),
    (Fault::IsSlow, &["within-time"], &[]),
    (Fault::MixesMatchesUp, &["no-mix-up"], &[]),
    (Fault::DiesOfUnknownFields, &["unknown-fields"], &[]),
    (
        Fault::PlaysTheSameAfterARefusal,
        &[],
        &["another-move-after-refusal"],
    ),
    (Fault::IgnoresRefusals, &["after-refusal"], &[]),
    (
        Fault::DiesOfARedeliveredTurn,
        &["redelivered-turn", "pending-turn"],
        &[],
    ),
    (Fault::ForgetsThePendingTurn, &["pending-turn"], &[]),
    (Fault::PlaysOneMatchAtATime, &["many-matches"], &[]),
    (Fault::TakesNoMatches, &["profile"], &[]),
    (Fault::NeverLeaves, &["leaves"], &[]),
    (Fault::LeavesWithAnError, &[], &["leaves-in-order"]),
    (Fault::NeedsItsMemory, &["needs-no-memory"], &[]),
    (Fault::PlaysOneSeat, &["both-seats"], &[]),
    (Fault::Resigns, &["plays-to-the-end"], &[]),
    (Fault::DisputesRefusals, &[], &[]),
    (Fault::FailsToDecide, &["decides"], &[]),
    (Fault::FailsAtTheEnd, &[], &["takes-information"]),
];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_bad_bot_that_is_dialled_fails_its_rule_and_no_other() {
    each_fails_its_rule_alone(CASES, grade).await;
}

async fn grade(fault: Fault) -> (Report, Transcript) {
    let (address, port) = port();
    let bot = launch(move |_, leave, _| serves(listener(&port), fault, leave));
    harness::of(harness::dialled(address), bot).await
}

async fn reference(agent: Arc<dyn Agent>, profile: Profile) -> Report {
    let (address, port) = port();
    let bot = launch(move |_, leave, _| {
        let served = serve(listener(&port), profile.clone(), agent.clone(), leave);
        async move { i32::from(served.await.is_err()) }
    });
    let graded = graded(harness::dialled(address), bot, Duration::from_secs(10));
    graded.await.unwrap().0
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_random_agent_is_dialled_and_passes_with_forty_matches_at_once() {
    let profile = profile::every_variant("random", 64).with_legal_moves();
    let report = reference(Arc::new(Random::new(Seed(1))), profile.into()).await;
    passes(&report);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_hunter_is_dialled_and_passes_with_forty_matches_at_once() {
    let profile = profile::every_variant("hunter", 64);
    let report = reference(Arc::new(Hunter::new(Seed(1))), profile.into()).await;
    passes(&report);
}

/// A bot that is dialled, and is bad in one way.
async fn serves(listener: tokio::net::TcpListener, fault: Fault, leave: CancellationToken) -> i32 {
    let front = Front {
        fault,
        mind: Arc::new(Mutex::new(Mind::new(fault))),
        free: Arc::default(),
    };
    let served = Server::builder()
        .add_service(front)
        .serve_with_incoming(TcpListenerStream::new(listener));
    tokio::select! {
        _ = served => 1,
        () = leave.cancelled(), if fault != Fault::NeverLeaves => {
            i32::from(fault == Fault::LeavesWithAnError)
        }
    }
}

#[derive(Clone)]
struct Front {
    fault: Fault,
    mind: Arc<Mutex<Mind>>,
    /// Told when the match is over that is the only one.
    free: Arc<Notify>,
}

impl NamedService for Front {
    const NAME: &'static str = "broadside.v1.AgentService";
}

type Answering<T, E> = Pin<Box<dyn Future<Output = Result<T, E>> + Send>>;

impl tower::Service<http::Request<Body>> for Front {
    type Response = http::Response<Body>;
    type Error = Infallible;
    type Future = Answering<Self::Response, Infallible>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: http::Request<Body>) -> Self::Future {
        let front = self.clone();
        Box::pin(async move {
            let path = request.uri().path().to_owned();
            let method = Method(front, path);
            Ok(tonic::server::Grpc::new(Raw).unary(method, request).await)
        })
    }
}

struct Method(Front, String);

impl tower::Service<Request<Bytes>> for Method {
    type Response = Response<Bytes>;
    type Error = Status;
    type Future = Answering<Self::Response, Status>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Status>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<Bytes>) -> Self::Future {
        let (front, path) = (self.0.clone(), self.1.clone());
        Box::pin(async move {
            let bytes = request.into_inner();
            let answer = match path.rsplit('/').next() {
                Some("GetProfile") => GetProfileResponse {
                    profile: Some(front.mind.lock().await.profile()),
                }
                .encode_to_vec(),
                Some("StartMatch") => {
                    let request = v1::StartMatchRequest::decode(bytes).unwrap();
                    front
                        .mind
                        .lock()
                        .await
                        .started(&request.match_start.unwrap());
                    Vec::new()
                }
                Some("EndMatch") => {
                    let request = v1::EndMatchRequest::decode(bytes).unwrap();
                    front
                        .mind
                        .lock()
                        .await
                        .ended(request.match_end.unwrap().match_id);
                    front.free.notify_waiters();
                    if front.fault == Fault::FailsAtTheEnd {
                        return Err(Status::internal("it cannot stand the end"));
                    }
                    Vec::new()
                }
                _ => front.choose(bytes).await?.encode_to_vec(),
            };
            Ok(Response::new(answer.into()))
        })
    }
}

impl Front {
    async fn choose(&self, bytes: Bytes) -> Result<ChooseMoveResponse, Status> {
        let request = ChooseMoveRequest::decode(bytes.clone()).unwrap();
        if self.fault == Fault::DiesOfUnknownFields && request.encoded_len() != bytes.len() {
            return Err(Status::invalid_argument("a field that it does not know"));
        }
        let turn = request.turn.unwrap();
        let decision = self.decide(&turn).await?;
        Ok(ChooseMoveResponse {
            decision: Some(decision),
        })
    }

    async fn decide(&self, turn: &Turn) -> Result<Decision, Status> {
        loop {
            // Before it is asked: what is over in between must not be missed.
            let free = self.free.notified();
            let does = self.mind.lock().await.decide(turn);
            match does {
                Does::Plays(chosen, after) => {
                    tokio::time::sleep(after).await;
                    return Ok(Decision::Move(chosen));
                }
                Does::Resigns => return Ok(Decision::Resignation(Resignation::default())),
                Does::Disputes => return Ok(Decision::Dispute(v1::Dispute::default())),
                Does::Nothing => std::future::pending().await,
                Does::Hangs => free.await,
                Does::Fails => return Err(Status::internal("it cannot decide")),
                Does::Dies => return Err(Status::unknown("it is out of its mind")),
            }
        }
    }
}
