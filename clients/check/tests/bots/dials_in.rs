//! Bots that dial in.

use std::{sync::Arc, time::Duration};

use broadside_agents::{
    Agent, Config, DialInError, Hunter, Profile, Random, Seed, dial_in, profile,
};
use broadside_check::{
    Check,
    launch::Launch,
    report::{Report, Verdict},
    rules::Level,
    transcript::Transcript,
};
use broadside_proto::v1::{
    self, ConnectRequest, ConnectResponse, Phase, Resignation, SessionEndReason, Termination, Turn,
    TurnAnswer, connect_request::Message as Said, connect_response::Message as Told,
};
use bytes::Bytes;
use http::uri::PathAndQuery;
use prost::Message;
use tokio::sync::mpsc;
use tokio_stream::wrappers::UnboundedReceiverStream;
use tokio_util::sync::CancellationToken;
use tonic::{Code, Request, Status, transport::Endpoint};

use crate::{
    harness::{self, Case, each_fails_its_rule_alone, graded, launch, passes},
    mind::{CAP, Does, Fault, Mind, is_abalone},
    raw::Raw,
};

const CASES: &[Case] = &[
    (Fault::None, &[], &[]),
    (Fault::ShootsOffTheGrid, &["legal-moves-classic"], &[]),
    (Fault::IsSlow, &["within-time"], &[]),
    (Fault::AnswersTwice, &["answers-once"], &[]),
    (
        Fault::AnswersTurnsItWasNotAsked,
        &["answers-what-was-asked"],
        &[],
    ),
    (
        Fault::AnswersOtherMatchesToo,
        &["answers-what-was-asked"],
        &[],
    ),
    (Fault::MixesMatchesUp, &["no-mix-up"], &[]),
    (Fault::DiesOfUnknownFields, &["unknown-fields"], &[]),
    (Fault::DiesOfUnknownMessages, &["unknown-messages"], &[]),
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
    (Fault::FightsATakeover, &["taken-over"], &[]),
    (Fault::NeverReconnects, &["reconnects"], &["comes-back"]),
    (Fault::ReconnectsWithoutAPause, &["no-hammering"], &[]),
    (Fault::ReconnectsAtAFixedPace, &[], &["waits-grow"]),
    (Fault::ForgetsItsToken, &["resume-token"], &[]),
    (Fault::ForgetsThePendingTurn, &["pending-turn"], &[]),
    (Fault::PlaysOneMatchAtATime, &["many-matches"], &[]),
    (Fault::ThinksOfOneMatchAtATime, &["many-matches"], &[]),
    (Fault::CrashesOnACancelledMatch, &["cancelled-match"], &[]),
    (Fault::HasABadName, &["profile"], &[]),
    (Fault::SaysGarbage, &["profile", "well-formed"], &[]),
    (Fault::SaysNoHelloFirst, &["profile"], &[]),
    (Fault::TakesNoMatches, &["profile"], &[]),
    (Fault::NeverLeaves, &["leaves"], &[]),
    (Fault::LeavesWithAnError, &[], &["leaves-in-order"]),
    (Fault::NeedsItsMemory, &["needs-no-memory"], &[]),
    (Fault::PlaysOneSeat, &["both-seats"], &[]),
    (Fault::ReadsSlowly, &["reads-without-delay"], &[]),
    (Fault::SaysHelloTwice, &["well-formed"], &[]),
    (Fault::Resigns, &["plays-to-the-end"], &[]),
    (Fault::HangsUp, &["plays-to-the-end"], &[]),
    (Fault::DisputesRefusals, &[], &[]),
    (
        Fault::SendsALongMessage,
        &["plays-to-the-end", "well-formed"],
        &[],
    ),
    (Fault::SendsTooMuch, &["plays-to-the-end"], &[]),
    (Fault::PromisesAHeartbeat, &["heartbeat"], &[]),
];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_bad_bot_that_dials_in_fails_its_rule_and_no_other() {
    each_fails_its_rule_alone(CASES, grade).await;
}

pub(crate) async fn grade(fault: Fault) -> (Report, Transcript) {
    harness::of(harness::dial_in(), bot(fault)).await
}

pub(crate) fn bot(fault: Fault) -> Launch {
    launch(move |address, leave, _| dials(address, fault, leave))
}

/// The grades of a bot that somebody else starts, once.
async fn of_another(fault: Fault) -> Report {
    let mut config = broadside_check::Config::new(harness::dial_in());
    config.cap = CAP;
    config.wait = Duration::from_millis(500);
    let check = Check::set_up(config).await.unwrap();
    let leave = CancellationToken::new();
    tokio::spawn(dials(check.address().to_owned(), fault, leave));
    check.run().await.unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_bot_that_leaves_and_stays_away_fails_and_is_not_waited_for_again() {
    let report = of_another(Fault::LeavesAfterAMatch).await;
    assert_eq!(
        report.ids(Level::Must, Verdict::Failed),
        ["plays-to-the-end"]
    );
    assert!(report.ids(Level::Should, Verdict::Failed).is_empty());
    assert!(!report.passed);
    // Whether it was missed before the next match or in it, it is so once.
    let end = harness::rule(&report, "plays-to-the-end");
    assert_eq!(end.failings, 1);
    assert!(!end.findings[0].lines.is_empty(), "{end:?}");
    let message = "the bot is not there any more: no bot came within 500 ms";
    for skipped in ["legal-moves-abalone", "many-matches", "taken-over"] {
        let why = harness::rule(&report, skipped).why.as_deref();
        assert_eq!(why, Some(message), "{skipped}");
    }
}

async fn reference(agent: Arc<dyn Agent>, profile: Profile) -> Report {
    let bot = launch(move |address, leave, _| {
        let mut config = Config::new(format!("http://{address}"), profile.clone());
        config.shutdown = leave;
        config.heartbeat_interval = Duration::from_secs(1);
        let agent = agent.clone();
        async move {
            match dial_in(config, agent).await {
                Ok(()) => 0,
                Err(DialInError::TakenOver { .. }) => 3,
                Err(_) => 1,
            }
        }
    });
    let graded = graded(harness::dial_in(), bot, Duration::from_secs(10));
    graded.await.unwrap().0
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_random_agent_dials_in_and_passes_with_forty_matches_at_once() {
    let profile = profile::every_variant("random", 64).with_legal_moves();
    let report = reference(Arc::new(Random::new(Seed(1))), profile.into()).await;
    passes(&report);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_hunter_dials_in_and_passes_with_forty_matches_at_once() {
    let profile = profile::every_variant("hunter", 64);
    let report = reference(Arc::new(Hunter::new(Seed(1))), profile.into()).await;
    passes(&report);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn another_bot_that_dials_is_turned_away_and_not_graded() {
    let mut config = broadside_check::Config::new(harness::dial_in());
    config.cap = CAP;
    config.launch = Some(launch(move |address, leave, transcript| async move {
        // It comes when the one that is checked is there, and comes again and again.
        let stray = async {
            harness::wait_for(&transcript, "welcome").await;
            let profile = profile::every_variant("stray", 1).with_legal_moves();
            let config = Config::new(format!("http://{address}"), profile);
            dial_in(config, Arc::new(Random::new(Seed(1)))).await
        };
        tokio::select! {
            code = dials(address.clone(), Fault::None, leave) => code,
            _ = stray => 1,
        }
    }));
    let report = harness::interrupted_at(config, "-- redelivered-turn").await;
    assert_eq!(report.bot, "bad-on-purpose");
    assert!(report.passed, "{report:?}");
    let fields = harness::rule(&report, "unknown-fields");
    assert_eq!(fields.verdict, Verdict::Passed);
}

/// A bot that dials in, and is bad in one way.
async fn dials(address: String, fault: Fault, leave: CancellationToken) -> i32 {
    let mut mind = Mind::new(fault);
    let mut token = String::new();
    let first = Duration::from_millis(100);
    let mut wait = first;
    let left = leave.clone();
    loop {
        let end = tokio::select! {
            end = session(&address, &mut mind, &mut token, &mut wait) => end,
            () = left.cancelled(), if fault != Fault::NeverLeaves => {
                return i32::from(fault == Fault::LeavesWithAnError);
            }
        };
        match end {
            End::Dies => return 70,
            End::Refused => return 1,
            End::TakenOver if fault != Fault::FightsATakeover => return 3,
            End::Lost if fault == Fault::NeverReconnects => return 1,
            _ => {}
        }
        match fault {
            // Hardly any: the checker is to survive it as well.
            Fault::ReconnectsWithoutAPause => wait = Duration::from_millis(1),
            Fault::ReconnectsAtAFixedPace => wait = Duration::from_millis(700),
            Fault::ForgetsItsToken => token.clear(),
            _ => {}
        }
        tokio::select! {
            () = tokio::time::sleep(wait) => wait *= 2,
            () = left.cancelled(), if fault != Fault::NeverLeaves => return 0,
        }
    }
}

enum End {
    Lost,
    TakenOver,
    Refused,
    Dies,
}

impl From<Status> for End {
    fn from(status: Status) -> Self {
        match status.code() {
            Code::Aborted => Self::TakenOver,
            Code::InvalidArgument | Code::FailedPrecondition => Self::Refused,
            _ => Self::Lost,
        }
    }
}

async fn session(address: &str, mind: &mut Mind, token: &mut String, wait: &mut Duration) -> End {
    match talk(address, mind, token, wait).await {
        Ok(end) => end,
        Err(status) => status.into(),
    }
}

async fn talk(
    address: &str,
    mind: &mut Mind,
    token: &mut String,
    wait: &mut Duration,
) -> Result<End, Status> {
    let endpoint = Endpoint::from_shared(format!("http://{address}")).unwrap();
    let channel = endpoint
        .tcp_nodelay(true)
        .connect()
        .await
        .map_err(|error| Status::unavailable(error.to_string()))?;
    let (say, said) = mpsc::unbounded_channel();
    let hello = Said::Hello(v1::Hello {
        protocol_version: 1,
        profile: Some(mind.profile()),
        resume_token: token.clone(),
        heartbeat_interval_ms: (mind.fault == Fault::PromisesAHeartbeat).then_some(1_000),
    });
    if mind.fault == Fault::SaysHelloTwice {
        send(&say, hello.clone());
    }
    match mind.fault {
        Fault::SaysNothing => {}
        Fault::SaysGarbage => drop(say.send(Bytes::from_static(b"GET / HTTP/1.1"))),
        Fault::SaysNoHelloFirst => send(&say, Said::Heartbeat(v1::Heartbeat { beat: 1 })),
        _ => send(&say, hello),
    }
    let mut grpc = tonic::client::Grpc::new(channel);
    grpc.ready()
        .await
        .map_err(|error| Status::unavailable(error.to_string()))?;
    let path = PathAndQuery::from_static("/broadside.v1.GatewayService/Connect");
    let outgoing = Request::new(UnboundedReceiverStream::new(said));
    let mut incoming = grpc.streaming(outgoing, path, Raw).await?.into_inner();
    while let Some(bytes) = incoming.message().await? {
        let message = ConnectResponse::decode(bytes.clone()).unwrap().message;
        let size = ConnectResponse {
            message: message.clone(),
        }
        .encoded_len();
        let Some(message) = message else {
            match mind.fault {
                Fault::DiesOfUnknownMessages => return Ok(End::Dies),
                Fault::ReadsSlowly => tokio::time::sleep(Duration::from_millis(100)).await,
                _ => {}
            }
            continue;
        };
        if mind.fault == Fault::DiesOfUnknownFields && size != bytes.len() {
            return Ok(End::Dies);
        }
        match message {
            Told::Welcome(welcome) => {
                *token = welcome.resume_token;
                *wait = Duration::from_millis(100);
            }
            Told::MatchStart(start) => mind.started(&start),
            Told::Turn(turn) => {
                let deploys = turn.phase() == Phase::Deployment;
                if mind.fault == Fault::ThinksOfOneMatchAtATime && deploys {
                    tokio::time::sleep(CAP / 8).await;
                }
                if let Some(end) = answer(mind, &turn, &say) {
                    return Ok(end);
                }
            }
            Told::MatchEnd(end) => {
                let cancelled = end
                    .outcome
                    .is_some_and(|it| it.termination() == Termination::Cancelled);
                if mind.fault == Fault::LeavesAfterAMatch {
                    return Ok(End::Dies);
                }
                if mind.fault == Fault::CrashesOnACancelledMatch && cancelled && mind.is_thinking()
                {
                    return Ok(End::Dies);
                }
                for turn in mind.ended(end.match_id) {
                    answer(mind, &turn, &say);
                }
            }
            Told::SessionEnd(end) if end.reason() == SessionEndReason::TakenOver => {
                return Ok(End::TakenOver);
            }
            _ => {}
        }
    }
    Ok(End::Lost)
}

fn answer(mind: &mut Mind, turn: &Turn, say: &mpsc::UnboundedSender<Bytes>) -> Option<End> {
    let (match_id, turn_id) = (turn.match_id, turn.turn_id);
    let answer = |turn_id, chosen| {
        Said::Answer(TurnAnswer {
            match_id,
            turn_id,
            r#move: Some(chosen),
        })
    };
    match mind.decide(turn) {
        Does::Plays(chosen, after) => {
            if is_abalone(turn) && turn_id == 61 {
                match mind.fault {
                    Fault::SendsALongMessage => drop(say.send(vec![0; 70 * 1024].into())),
                    Fault::SendsTooMuch => {
                        for beat in 0..10_000 {
                            send(say, Said::Heartbeat(v1::Heartbeat { beat }));
                        }
                        return None;
                    }
                    _ => {}
                }
            }
            match mind.fault {
                Fault::AnswersTwice => send(say, answer(turn_id, chosen.clone())),
                Fault::AnswersTurnsItWasNotAsked => {
                    send(say, answer(turn_id + 1_000, chosen.clone()));
                }
                Fault::AnswersOtherMatchesToo => send(
                    say,
                    Said::Answer(TurnAnswer {
                        match_id: 1,
                        turn_id,
                        r#move: Some(chosen.clone()),
                    }),
                ),
                _ => {}
            }
            let message = answer(turn_id, chosen);
            if after.is_zero() {
                send(say, message);
            } else {
                let say = say.clone();
                mind.thinks_until = Some(tokio::time::Instant::now() + after);
                tokio::spawn(async move {
                    tokio::time::sleep(after).await;
                    send(&say, message);
                });
            }
        }
        Does::Resigns => send(
            say,
            Said::Resignation(Resignation {
                match_id,
                seat: turn.seat,
            }),
        ),
        Does::Disputes => send(say, Said::Dispute(v1::Dispute { match_id, turn_id })),
        Does::Nothing | Does::Hangs | Does::Fails => {}
        Does::Dies => return Some(End::Dies),
    }
    None
}

fn send(say: &mpsc::UnboundedSender<Bytes>, message: Said) {
    let request = ConnectRequest {
        message: Some(message),
    };
    // A stream that is gone is noticed where it is read.
    let _ = say.send(request.encode_to_vec().into());
}
