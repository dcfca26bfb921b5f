//! How an agent that dials in behaves on its stream, and when the stream breaks.
#![allow(
    clippy::panic,
    clippy::unwrap_used,
    reason = "helpers of tests may stop the test"
)]

mod gateway;

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
        mpsc,
    },
    time::Duration,
};

use broadside_agents::{Agent, Config, DialIn, DialInError, Pace, Retry, profile};
use broadside_proto::v1::{
    AbaloneMove, MatchEnd, MatchStart, Move, SessionEnd, SessionEndReason, Turn,
    connect_request::Message, connect_response::Message as Response, r#move,
};
use tonic::{Code, Status};

use gateway::Gateway;

/// A heartbeat so rare that its absence is not noticed.
const RARE: u32 = 60_000;

fn dial(gateway: &Gateway, agent: impl Agent) -> DialIn {
    let mut config = Config::new(&*gateway.address, profile::every_variant("bot", 4));
    config.retry = Retry {
        first: Duration::from_millis(5),
        longest: Duration::from_millis(20),
        attempts: Some(20),
    };
    DialIn::spawn(config, Arc::new(agent))
}

#[expect(clippy::unnecessary_wraps, reason = "it is an agent's answer")]
fn a_move(_: &Turn) -> Option<Move> {
    Some(Move {
        variant: Some(r#move::Variant::Abalone(AbaloneMove::default())),
    })
}

fn answered(message: Option<Message>) -> (u64, u32) {
    match message {
        Some(Message::Answer(answer)) => (answer.match_id, answer.turn_id),
        other => panic!("no answer but {other:?}"),
    }
}

#[tokio::test]
async fn the_hello_comes_first_and_turns_of_all_matches_are_answered_on_one_stream() {
    let mut gateway = Gateway::start().await;
    let mut bot = dial(&gateway, a_move);
    let (mut stream, hello) = gateway.welcome(RARE).await;
    assert_eq!((hello.protocol_version, &*hello.resume_token), (1, ""));
    assert_eq!(hello.profile.unwrap().name, "bot");
    assert_eq!(bot.welcomed().await.unwrap().resume_token, "token");

    stream.turn(1, 1).await;
    stream.turn(2, 1).await;
    assert_eq!(answered(stream.heard().await), (1, 1));
    assert_eq!(answered(stream.heard().await), (2, 1));
}

#[tokio::test]
async fn an_agent_without_a_move_resigns() {
    let mut gateway = Gateway::start().await;
    let _bot = dial(&gateway, |_: &Turn| None);
    let (mut stream, _) = gateway.welcome(RARE).await;
    stream.turn(7, 3).await;
    match stream.heard().await {
        Some(Message::Resignation(resignation)) => assert_eq!(resignation.match_id, 7),
        other => panic!("no resignation but {other:?}"),
    }
}

#[tokio::test]
async fn messages_of_a_kind_that_it_does_not_know_are_ignored() {
    let mut gateway = Gateway::start().await;
    let _bot = dial(&gateway, a_move);
    let (mut stream, _) = gateway.welcome(RARE).await;
    stream.say_raw(None).await;
    stream.turn(1, 1).await;
    assert_eq!(answered(stream.heard().await), (1, 1));
}

#[tokio::test]
async fn a_broken_stream_is_taken_up_again_with_its_token() {
    let mut gateway = Gateway::start().await;
    let mut bot = dial(&gateway, a_move);
    let (stream, _) = gateway.welcome(RARE).await;
    bot.welcomed().await.unwrap();
    stream.fail(Status::unavailable("restarts")).await;
    let (mut stream, hello) = gateway.welcome(RARE).await;
    assert_eq!(hello.resume_token, "token");
    stream.turn(1, 2).await;
    assert_eq!(answered(stream.heard().await), (1, 2));
    assert!(bot.welcomed().await.unwrap().resumed);
}

#[tokio::test]
async fn a_stream_on_which_heartbeats_no_longer_come_is_given_up() {
    let mut gateway = Gateway::start().await;
    let _bot = dial(&gateway, a_move);
    let (_silent, _) = gateway.welcome(20).await;
    let (_, hello) = gateway.welcome(RARE).await;
    assert_eq!(hello.resume_token, "token");
}

#[tokio::test]
async fn a_heartbeat_is_promised_and_kept_while_there_is_nothing_else_to_say() {
    let mut gateway = Gateway::start().await;
    let mut config = Config::new(&*gateway.address, profile::every_variant("bot", 4));
    assert_eq!(config.heartbeat_interval, Duration::from_secs(10));
    config.heartbeat_interval = Duration::from_millis(20);
    let _bot = DialIn::spawn(config, Arc::new(a_move));
    let (mut stream, hello) = gateway.welcome(RARE).await;
    assert_eq!(hello.heartbeat_interval_ms, Some(20));
    for _ in 0..5 {
        let heard = stream.heard().await;
        assert!(matches!(heard, Some(Message::Heartbeat(_))), "{heard:?}");
    }
}

#[tokio::test]
async fn who_promises_no_heartbeat_sends_none() {
    let mut gateway = Gateway::start().await;
    let mut config = Config::new(&*gateway.address, profile::every_variant("bot", 4));
    config.heartbeat_interval = Duration::ZERO;
    let _bot = DialIn::spawn(config, Arc::new(a_move));
    let (mut stream, hello) = gateway.welcome(RARE).await;
    assert_eq!(hello.heartbeat_interval_ms, None);
    stream.turn(1, 1).await;
    assert_eq!(answered(stream.heard().await), (1, 1));
}

#[tokio::test]
async fn whose_session_is_taken_over_does_not_come_again() {
    let mut gateway = Gateway::start().await;
    let bot = dial(&gateway, a_move);
    let (mut stream, _) = gateway.welcome(RARE).await;
    let end = SessionEnd {
        reason: SessionEndReason::TakenOver.into(),
        message: "by another".into(),
    };
    stream.say(Response::SessionEnd(end)).await;
    let ended = bot.task.await.unwrap();
    assert!(
        matches!(&ended, Err(DialInError::TakenOver { message }) if message == "by another"),
        "{ended:?}"
    );
    assert!(gateway.stays_alone().await);
}

#[tokio::test]
async fn who_is_refused_does_not_come_again() {
    for code in [
        Code::Aborted,
        Code::InvalidArgument,
        Code::FailedPrecondition,
    ] {
        let mut gateway = Gateway::start().await;
        let bot = dial(&gateway, a_move);
        let (stream, _) = gateway.hello().await;
        stream.fail(Status::new(code, "go away")).await;
        match bot.task.await.unwrap() {
            Err(DialInError::Refused(status)) => assert_eq!(status.code(), code),
            other => panic!("{code:?}: {other:?}"),
        }
        assert!(gateway.stays_alone().await, "{code:?}");
    }
}

#[tokio::test]
async fn an_arena_that_stops_is_tried_again() {
    let mut gateway = Gateway::start().await;
    let _bot = dial(&gateway, a_move);
    let (mut stream, _) = gateway.welcome(RARE).await;
    let end = SessionEnd {
        reason: SessionEndReason::ArenaStops.into(),
        message: "for today".into(),
    };
    stream.say(Response::SessionEnd(end)).await;
    stream.fail(Status::unavailable("for today")).await;
    gateway.welcome(RARE).await;
}

#[tokio::test]
async fn of_a_reason_that_it_does_not_know_it_goes_by_the_status() {
    let end = SessionEnd {
        reason: 99,
        message: "a newer reason".into(),
    };
    let mut gateway = Gateway::start().await;
    let bot = dial(&gateway, a_move);
    let (mut stream, _) = gateway.welcome(RARE).await;
    stream.say(Response::SessionEnd(end.clone())).await;
    stream.fail(Status::unavailable("for now")).await;
    let (mut stream, _) = gateway.welcome(RARE).await;
    stream.say(Response::SessionEnd(end)).await;
    stream.fail(Status::permission_denied("for good")).await;
    let ended = bot.task.await.unwrap();
    assert!(
        matches!(&ended, Err(DialInError::Refused(status)) if status.code() == Code::PermissionDenied),
        "{ended:?}"
    );
    assert!(gateway.stays_alone().await);
}

#[tokio::test]
async fn an_arena_that_is_not_there_is_given_up_after_so_many_attempts() {
    let mut config = Config::new("http://127.0.0.1:9", profile::every_variant("bot", 1));
    config.retry = Retry {
        first: Duration::from_millis(1),
        longest: Duration::from_millis(2),
        attempts: Some(3),
    };
    let mut session = config.session();
    let bot = DialIn::spawn(config, Arc::new(a_move));
    assert_eq!(session.welcomed().await, None);
    let ended = bot.task.await.unwrap();
    assert!(
        matches!(ended, Err(DialInError::Unreachable { .. })),
        "{ended:?}"
    );
}

#[tokio::test]
async fn leaving_closes_the_stream() {
    let mut gateway = Gateway::start().await;
    let mut bot = dial(&gateway, a_move);
    let (mut stream, _) = gateway.welcome(RARE).await;
    bot.welcomed().await.unwrap();
    let left = tokio::spawn(bot.leave());
    assert_eq!(stream.heard().await, None);
    drop(stream);
    left.await.unwrap().unwrap();
    assert!(gateway.stays_alone().await);
}

/// A slow agent that decides one turn for each permit, and counts what it hears.
struct OnPermit {
    permits: Mutex<mpsc::Receiver<()>>,
    heard: Arc<Heard>,
}

#[derive(Default)]
struct Heard {
    turns: AtomicUsize,
    starts: AtomicUsize,
}

impl Agent for OnPermit {
    fn choose(&self, turn: &Turn) -> Option<Move> {
        self.heard.turns.fetch_add(1, Ordering::SeqCst);
        let _ = self.permits.lock().unwrap().recv();
        a_move(turn)
    }

    fn pace(&self) -> Pace {
        Pace::Slow
    }

    fn match_started(&self, _start: &MatchStart) {
        self.heard.starts.fetch_add(1, Ordering::SeqCst);
    }
}

fn on_permit() -> (OnPermit, mpsc::Sender<()>, Arc<Heard>) {
    let (sender, permits) = mpsc::channel();
    let heard = Arc::<Heard>::default();
    let agent = OnPermit {
        permits: Mutex::new(permits),
        heard: Arc::clone(&heard),
    };
    (agent, sender, heard)
}

async fn reaches(counter: &AtomicUsize, count: usize) {
    while counter.load(Ordering::SeqCst) < count {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
}

#[tokio::test]
async fn a_turn_that_is_being_thought_about_is_not_thought_about_twice() {
    let mut gateway = Gateway::start().await;
    let (agent, permits, heard) = on_permit();
    let _bot = dial(&gateway, agent);
    let (mut stream, _) = gateway.welcome(RARE).await;
    stream.turn(1, 5).await;
    reaches(&heard.turns, 1).await;
    // The agent thinks on while the stream breaks.
    stream.fail(Status::unavailable("breaks")).await;
    let (mut stream, _) = gateway.welcome(RARE).await;
    stream.turn(1, 5).await;
    stream.turn(1, 5).await;
    // What comes after them is heard, and so they have been.
    stream
        .say(Response::MatchStart(MatchStart::default()))
        .await;
    reaches(&heard.starts, 1).await;
    permits.send(()).unwrap();
    assert_eq!(answered(stream.heard().await), (1, 5));
    // The next answer is of the next turn, and it was asked about once more only.
    stream.turn(1, 6).await;
    permits.send(()).unwrap();
    assert_eq!(answered(stream.heard().await), (1, 6));
    assert_eq!(heard.turns.load(Ordering::SeqCst), 2);
}

#[tokio::test]
async fn what_was_thought_of_a_match_that_is_over_is_kept_to_oneself() {
    let mut gateway = Gateway::start().await;
    let (agent, permits, _) = on_permit();
    let _bot = dial(&gateway, agent);
    let (mut stream, _) = gateway.welcome(RARE).await;
    stream.turn(1, 5).await;
    let end = MatchEnd {
        match_id: 1,
        ..MatchEnd::default()
    };
    stream.say(Response::MatchEnd(end)).await;
    stream.turn(2, 1).await;
    permits.send(()).unwrap();
    permits.send(()).unwrap();
    assert_eq!(answered(stream.heard().await), (2, 1));
}
