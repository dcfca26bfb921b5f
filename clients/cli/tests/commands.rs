//! Each command against an arena that only pretends.
#![allow(
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test that fails panics"
)]

mod support;

use broadside_proto::v1::{watch_match_response::Update, *};
use prost::Message;
use support::{
    broadside,
    fake::{Fake, MATCH, Script},
    golden, records, samples,
};

const ID: &str = "9007199254740991";

/// A match of a variant in mid-game, and the news of its last moves.
fn script(variant: Variant) -> Script {
    let mut end = records::over(variant);
    end.moves = 14;
    let event = |number, played: &str, hit| MatchEvent {
        number,
        event: Some(Event {
            seat: Seat::One.into(),
            r#move: Some(
                broadside_cli::notation::parse_move(variant, Phase::Battle, played).unwrap(),
            ),
            answer: Some(Answer {
                variant: Some(answer::Variant::Classic(ClassicAnswer {
                    hit,
                    ship_class: None,
                    sunk: None,
                })),
            }),
        }),
        position: Some(samples::position(variant, false)),
    };
    let news = if variant == Variant::Classic {
        vec![
            Update::Snapshot(GetMatchResponse {
                r#match: Some(records::running(variant)),
                position: Some(samples::position(variant, false)),
            }),
            Update::Event(event(13, "B10", false)),
            Update::Event(event(14, "D4", true)),
            Update::Ended(GetMatchResponse {
                r#match: Some(end),
                position: Some(samples::position(variant, true)),
            }),
        ]
    } else {
        Vec::new()
    };
    Script {
        played: records::running(variant),
        position: samples::position(variant, false),
        news: news
            .into_iter()
            .map(|update| WatchMatchResponse {
                update: Some(update),
            })
            .collect(),
        ..Script::default()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn variants_and_agents_are_listed() {
    let fake = Fake::start(script(Variant::Classic)).await;
    let ran = fake.run(&["variants"], "").await;
    assert_eq!(ran.code, 0, "{}", ran.err);
    golden("variants.txt", &ran.out);

    let ran = fake.run(&["agents"], "").await;
    assert_eq!(ran.code, 0, "{}", ran.err);
    golden("agents.txt", &ran.out);

    let ran = fake.run(&["agents", "--json"], "").await;
    let agents: ListAgentsResponse = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(agents.agents.len(), 2);
    let ran = fake.run(&["--json", "variants"], "").await;
    let variants: ListVariantsResponse = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(variants.variants.len(), 7);
}

#[tokio::test(flavor = "multi_thread")]
async fn limits_are_listed_with_what_they_limit() {
    let fake = Fake::start(script(Variant::Classic)).await;
    let ran = fake.run(&["limits"], "").await;
    assert_eq!(ran.code, 0, "{}", ran.err);
    for part in ["max_matches", "7", "Matches that are not over."] {
        assert!(ran.out.contains(part), "{part} in {}", ran.out);
    }
    let ran = fake.run(&["limits", "--json"], "").await;
    let limits: GetLimitsResponse = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(limits.limits[0].value, 7);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_match_is_created_as_it_is_asked_for() {
    let fake = Fake::start(script(Variant::Classic)).await;
    let arguments = [
        "match",
        "create",
        "classic",
        "hunter",
        "http://127.0.0.1:5000",
        "--option",
        "edition=1967",
        "--option",
        "name_ship_on_hit=false",
        "--budget",
        "5m",
        "--increment",
        "2s",
        "--cap",
        "10s",
        "--deployment",
        "1m",
        "--lag",
        "50ms",
        "--strikes",
        "2",
        "--seed",
        "18446744073709551615",
        "--seating",
        "drawn",
        "--request-id",
        "once",
    ];
    let ran = fake.run(&arguments, "").await;
    assert_eq!(ran.code, 0, "{}", ran.err);
    golden("match.create.txt", &ran.out);
    let created = fake.script.lock().unwrap().created.clone();
    let expected = CreateMatchRequest {
        request_id: "once".to_owned(),
        options: Some(Options {
            variant: Some(options::Variant::Classic(ClassicOptions {
                edition: Some(Edition::Edition1967.into()),
                name_ship_on_hit: Some(false),
            })),
        }),
        players: vec![
            records::named("hunter"),
            Player {
                agent: Some(player::Agent::Address("http://127.0.0.1:5000".to_owned())),
            },
        ],
        seating: Some(Seating::Drawn.into()),
        time_control: records::running(Variant::Classic).time_control,
        strikes: Some(2),
        seed: Some(u64::MAX),
        ..CreateMatchRequest::default()
    };
    assert_eq!(created, [expected]);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_not_said_is_left_to_the_arena() {
    let fake = Fake::start(script(Variant::Abalone)).await;
    let ran = fake
        .run(&["match", "create", "abalone", "a", "b", "--json"], "")
        .await;
    assert_eq!(ran.code, 0, "{}", ran.err);
    let answered: CreateMatchResponse = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(answered.r#match.unwrap().match_id, MATCH);
    let created = fake.script.lock().unwrap().created.clone();
    let expected = CreateMatchRequest {
        options: Some(Options {
            variant: Some(options::Variant::Abalone(AbaloneOptions::default())),
        }),
        players: vec![records::named("a"), records::named("b")],
        ..CreateMatchRequest::default()
    };
    assert_eq!(created, [expected]);
}

#[tokio::test(flavor = "multi_thread")]
async fn fields_that_are_wrong_are_told_one_by_one() {
    let fake = Fake::start(script(Variant::Classic)).await;
    let ran = fake
        .run(
            &["match", "create", "classic", "a", "b", "--strikes", "101"],
            "",
        )
        .await;
    assert_eq!(ran.code, 1);
    assert_eq!(
        ran.err,
        "error: cannot create the match: the request is wrong (InvalidArgument)\n  strikes: must be 0-100\n"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_match_is_shown() {
    for variant in [Variant::Classic, Variant::Abalone] {
        let fake = Fake::start(script(variant)).await;
        let ran = fake.run(&["match", "show", ID], "").await;
        assert_eq!(ran.code, 0, "{}", ran.err);
        let name = broadside_cli::names::slug(variant);
        golden(&format!("match.show.{name}.txt"), &ran.out);
        let ran = fake.run(&["match", "show", ID, "--json"], "").await;
        let shown: GetMatchResponse = serde_json::from_str(&ran.out).unwrap();
        assert_eq!(shown.position, Some(samples::position(variant, false)));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn colours_are_used_when_they_are_asked_for() {
    let fake = Fake::start(script(Variant::Classic)).await;
    let plain = fake.run(&["match", "show", ID], "").await;
    assert!(!plain.out.contains('\u{1b}'));
    let styled = fake
        .run(&["match", "show", ID, "--color", "always"], "")
        .await;
    assert!(styled.out.contains("\u{1b}[1m\u{1b}[91mX"));
    assert_eq!(broadside_cli::board::plain(&styled.out), plain.out);
}

#[tokio::test(flavor = "multi_thread")]
async fn matches_are_listed_page_by_page_up_to_the_limit() {
    let fake = Fake::start(script(Variant::Classic)).await;
    let arguments = [
        "match",
        "list",
        "--state",
        "running,over",
        "--variant",
        "classic",
        "--agent",
        "hunter",
    ];
    let ran = fake.run(&arguments, "").await;
    assert_eq!(ran.code, 0, "{}", ran.err);
    golden("match.list.txt", &ran.out);
    let listed = std::mem::take(&mut fake.script.lock().unwrap().listed);
    let page = |page_token: &str, page_size| ListMatchesRequest {
        page_size,
        page_token: page_token.to_owned(),
        states: vec![MatchState::Running.into(), MatchState::Over.into()],
        variants: vec![Variant::Classic.into()],
        agent: "hunter".to_owned(),
    };
    assert_eq!(listed, [page("", 50), page("more", 49)]);

    let ran = fake
        .run(&["match", "list", "--limit", "1", "--json"], "")
        .await;
    let matches: ListMatchesResponse = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(matches.matches.len(), 1);
    assert_eq!(fake.script.lock().unwrap().listed.len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_match_is_watched_to_its_end() {
    let fake = Fake::start(script(Variant::Classic)).await;
    let ran = fake.run(&["match", "watch", ID], "").await;
    assert_eq!(ran.code, 0, "{}", ran.err);
    golden("match.watch.txt", &ran.out);

    let created = fake
        .run(&["match", "create", "classic", "a", "b", "--watch"], "")
        .await;
    assert_eq!(created.out, ran.out);

    let boards = fake.run(&["match", "watch", ID, "--boards"], "").await;
    assert_eq!(boards.out.matches("Seat 1's waters").count(), 4);

    let json = fake.run(&["match", "watch", ID, "--json"], "").await;
    let news: Vec<WatchMatchResponse> = json
        .out
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(news, fake.script.lock().unwrap().news);
}

#[tokio::test(flavor = "multi_thread")]
async fn watching_a_void_match_has_its_own_exit_code() {
    let mut script = script(Variant::Classic);
    if let Some(Update::Ended(ended)) = script.news.last_mut().and_then(|it| it.update.as_mut()) {
        ended.r#match.as_mut().unwrap().outcome = Some(records::cancelled());
    }
    let fake = Fake::start(script).await;
    let ran = fake.run(&["match", "watch", ID], "").await;
    assert_eq!(ran.code, 5, "{}", ran.err);
    assert!(
        ran.out.ends_with("No result: The match was cancelled.\n"),
        "{}",
        ran.out
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stream_that_ends_too_early_is_a_lost_arena() {
    let mut script = script(Variant::Classic);
    script.news.pop();
    let fake = Fake::start(script).await;
    let ran = fake.run(&["match", "watch", ID], "").await;
    assert_eq!(ran.code, 3);
    assert!(ran.err.contains("before the match was over"), "{}", ran.err);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_match_is_cancelled_once() {
    let fake = Fake::start(script(Variant::Classic)).await;
    let arguments = ["match", "cancel", ID, "--reason", "a test"];
    let ran = fake.run(&arguments, "").await;
    assert_eq!(
        (ran.code, ran.out.as_str()),
        (0, "No result: The match was cancelled.\n")
    );
    assert_eq!(fake.script.lock().unwrap().cancelled[0].reason, "a test");
    let ran = fake.run(&arguments, "").await;
    assert_eq!(ran.code, 1);
    assert_eq!(
        ran.err,
        format!("error: cannot cancel match {ID}: the match is over (FailedPrecondition)\n")
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_record_is_fetched_in_both_forms() {
    let mut script = script(Variant::Classic);
    script.played = records::over(Variant::Classic);
    let fake = Fake::start(script).await;
    let folder = tempfile::tempdir().unwrap();
    for (name, json) in [("match.binpb", false), ("match.json", true)] {
        let path = folder.path().join(name);
        let ran = fake
            .run(&["match", "record", ID, "-o", path.to_str().unwrap()], "")
            .await;
        assert_eq!(ran.code, 0, "{}", ran.err);
        let bytes = std::fs::read(&path).unwrap();
        let read = if json {
            serde_json::from_slice(&bytes).unwrap()
        } else {
            MatchRecord::decode(bytes.as_slice()).unwrap()
        };
        assert_eq!(read, records::classic());
    }
    let piped = fake.run(&["match", "record", ID], "").await;
    assert_eq!(
        MatchRecord::decode(piped.bytes.as_slice()).unwrap(),
        records::classic()
    );
    let json = fake.run(&["match", "record", ID, "--json"], "").await;
    let read: MatchRecord = serde_json::from_str(&json.out).unwrap();
    assert_eq!(read, records::classic());

    let ran = fake
        .run(&["match", "record", ID, "-o", "/nowhere/match.json"], "")
        .await;
    assert_eq!(ran.code, 1);
    assert!(ran.err.contains("/nowhere/match.json"), "{}", ran.err);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_not_there_has_its_own_exit_code() {
    let fake = Fake::start(script(Variant::Classic)).await;
    for command in ["show", "watch", "cancel", "record"] {
        let ran = fake.run(&["match", command, "7"], "").await;
        assert_eq!(ran.code, 4, "{command}: {}", ran.err);
        assert!(
            ran.err.contains("there is no match 7 (NotFound)"),
            "{}",
            ran.err
        );
    }
}

#[tokio::test]
async fn an_arena_that_is_not_there_is_named() {
    // Nobody listens on a port that was just given back.
    let port = {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        listener.local_addr().unwrap().port()
    };
    let address = format!("http://127.0.0.1:{port}");
    let ran = broadside(&["--arena", &address, "agents"], "").await;
    assert_eq!(ran.code, 3);
    assert!(
        ran.err
            .contains(&format!("cannot reach an arena at {address}:")),
        "{}",
        ran.err
    );
    assert!(
        ran.err.contains("cargo run --bin broadside-arena"),
        "{}",
        ran.err
    );
}

#[tokio::test]
async fn a_wrong_command_line_says_what_would_be_right() {
    let refused: [(&[&str], &str); 9] = [
        (
            &["match", "create", "chess", "a", "b"],
            "possible values: classic",
        ),
        (&["match", "create", "classic", "a"], "<PLAYER>"),
        (
            &["match", "create", "classic", "a", "b", "--cap", "10"],
            "time unit needed",
        ),
        (
            &["match", "create", "classic", "a", "127.0.0.1:1"],
            "http://HOST:PORT",
        ),
        (
            &["match", "create", "amiral", "a", "b", "--option", "x=1"],
            "it has none",
        ),
        (&["match", "show", "0"], "0 is not in"),
        (&["match", "show", "9007199254740992"], "is not in"),
        (
            &["--arena", "127.0.0.1:4600", "agents"],
            "write http://HOST:PORT",
        ),
        (
            &["play", "classic", "--against", "a", "--json"],
            "play is for a person",
        ),
    ];
    for (arguments, right) in refused {
        let ran = broadside(arguments, "").await;
        assert_eq!(ran.code, 2, "{arguments:?}: {}", ran.err);
        assert!(ran.err.contains(right), "{arguments:?}: {}", ran.err);
    }
}

#[tokio::test]
async fn help_tells_the_exit_codes() {
    let ran = broadside(&["--help"], "").await;
    assert_eq!(ran.code, 0);
    assert!(ran.out.contains("3  the arena is not there"), "{}", ran.out);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_fetched_record_that_cannot_be_believed_is_written_and_told_of() {
    let mut script = script(Variant::Classic);
    script.played = records::over(Variant::Classic);
    let fake = Fake::start(script).await;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("match.binpb");
    let path = path.to_str().unwrap();
    let ran = fake
        .run(&["match", "record", ID, "-o", path, "--verify"], "")
        .await;
    assert_eq!(ran.code, 1);
    let told = "cannot be believed: entry 0: chain: it has no value in the chain";
    assert!(ran.err.contains(told), "{}", ran.err);
    assert!(std::fs::exists(path).unwrap());
}
