//! grpcurl, which makes calls by reflection.

use std::{path::PathBuf, process::Output, sync::Arc};

use anyhow::{Context, ensure};
use broadside_agents::{Config, DialIn, Random, Seed, profile, serve};
use broadside_tests::{Authority, PATIENCE, TestArena};
use serde_json::Value;
use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, BufReader},
    net::TcpListener,
    process::Command,
};
use tokio_util::sync::CancellationToken;

use crate::tools::GRPCURL;

/// grpcurl, and how it is to reach the arena.
struct Grpcurl {
    program: PathBuf,
    arguments: Vec<String>,
}

impl Grpcurl {
    async fn to(arena: &TestArena) -> anyhow::Result<Option<Self>> {
        let program = GRPCURL.program().await?;
        Ok(program.map(|program| Self {
            program,
            arguments: vec!["-plaintext".to_owned(), arena.address().to_string()],
        }))
    }

    fn command(&self, flags: &[&str], what: &[&str]) -> Command {
        let mut command = Command::new(&self.program);
        command.args(flags).args(&self.arguments).args(what);
        command.kill_on_drop(true);
        command
    }

    async fn run(&self, flags: &[&str], what: &[&str]) -> anyhow::Result<Output> {
        let run = self.command(flags, what).output();
        Ok(tokio::time::timeout(PATIENCE, run).await??)
    }

    /// What a call that goes well prints.
    async fn well(&self, flags: &[&str], what: &[&str]) -> anyhow::Result<String> {
        let output = self.run(flags, what).await?;
        let said = String::from_utf8_lossy(&output.stderr);
        ensure!(output.status.success(), "{what:?}: {said}");
        Ok(String::from_utf8(output.stdout)?)
    }

    /// What a call that does not go well says of that.
    async fn badly(&self, data: &str, call: &str) -> anyhow::Result<String> {
        let output = self.run(&["-d", data], &[call]).await?;
        ensure!(!output.status.success(), "{call} went well");
        Ok(String::from_utf8(output.stderr)?)
    }
}

const CREATE: &str = "broadside.v1.MatchService/CreateMatch";
const CLASSIC: &str =
    r#"{"options": {"classic": {}}, "players": [{"name": "one"}, {"name": "two"}]}"#;

fn agent(arena: &TestArena, name: &str) -> DialIn {
    let profile = profile::every_variant(name, 8).with_legal_moves();
    let config = Config::new(arena.url(), profile);
    DialIn::spawn(config, Arc::new(Random::new(Seed(4))))
}

#[tokio::test]
async fn it_lists_and_describes_what_is_served_and_nothing_else() -> anyhow::Result<()> {
    let arena = TestArena::start().await?;
    let Some(grpcurl) = Grpcurl::to(&arena).await? else {
        return Ok(());
    };
    let listed = grpcurl.well(&[], &["list"]).await?;
    let listed: Vec<_> = listed.lines().collect();
    assert_eq!(
        listed,
        [
            "broadside.v1.CatalogService",
            "broadside.v1.GatewayService",
            "broadside.v1.MatchService",
            "grpc.health.v1.Health",
            "grpc.reflection.v1.ServerReflection",
        ]
    );
    for service in listed {
        // Each with its calls, and each call with its messages.
        let calls = grpcurl.well(&[], &["list", service]).await?;
        for call in calls.lines() {
            let described = grpcurl.well(&[], &["describe", call]).await?;
            assert!(described.contains("is a method"), "{described}");
        }
    }
    let turn = grpcurl
        .well(&[], &["describe", "broadside.v1.Turn"])
        .await?;
    assert!(
        turn.contains(".broadside.v1.LegalMoves legal_moves = 13;"),
        "{turn}"
    );
    // What bots serve can be looked up too.
    let served = grpcurl
        .well(&[], &["describe", "broadside.v1.AgentService"])
        .await?;
    assert!(served.contains("rpc ChooseMove"), "{served}");
    let health = grpcurl.well(&[], &["grpc.health.v1.Health/Check"]).await?;
    assert!(health.contains("\"SERVING\""), "{health}");
    arena.stop().await
}

#[tokio::test]
async fn it_creates_a_match_and_watches_it_from_before_its_start_to_its_end() -> anyhow::Result<()>
{
    let arena = TestArena::start().await?;
    let Some(grpcurl) = Grpcurl::to(&arena).await? else {
        return Ok(());
    };
    let created: Value = serde_json::from_str(&grpcurl.well(&["-d", CLASSIC], &[CREATE]).await?)?;
    assert_eq!(created["match"]["state"], "MATCH_STATE_WAITING");
    let id = created["match"]["matchId"].as_str().context("no id")?;
    let which = format!("{{\"match_id\": \"{id}\"}}");

    let mut watch = grpcurl
        .command(&["-d", &which], &["broadside.v1.MatchService/WatchMatch"])
        .stdout(std::process::Stdio::piped())
        .spawn()?;
    let mut printed = BufReader::new(watch.stdout.take().context("no output")?);
    let mut said = String::new();
    while !said.contains("\"snapshot\"") {
        let read = tokio::time::timeout(PATIENCE, printed.read_line(&mut said)).await??;
        ensure!(read > 0, "the watch ended: {said}");
    }
    // It watches: now the match may start.
    let agents = ["one", "two"].map(|name| agent(&arena, name));
    tokio::time::timeout(PATIENCE, printed.read_to_string(&mut said)).await??;
    ensure!(watch.wait().await?.success());
    let updates = serde_json::Deserializer::from_str(&said).into_iter::<Value>();
    let updates: Vec<_> = updates.collect::<Result<_, _>>()?;
    let kinds = updates.iter().map(|update| {
        let kinds = ["snapshot", "event", "ended"];
        kinds.into_iter().find(|kind| update[kind].is_object())
    });
    let kinds: Vec<_> = kinds
        .collect::<Option<_>>()
        .context("an update of no kind")?;
    let moves = kinds.iter().filter(|kind| **kind == "event").count();
    assert_eq!(kinds[..2], ["snapshot"; 2], "waiting, then running");
    assert_eq!(kinds[2..], [vec!["event"; moves], vec!["ended"]].concat());
    let over = &updates[updates.len() - 1]["ended"]["match"];
    assert_eq!(over["state"], "MATCH_STATE_OVER");
    assert_eq!(over["outcome"]["termination"], "TERMINATION_WON_BY_PLAY");
    assert_eq!(over["moves"], moves);
    let record = grpcurl
        .well(
            &["-d", &which],
            &["broadside.v1.MatchService/GetMatchRecord"],
        )
        .await?;
    let record: Value = serde_json::from_str(&record)?;
    let record: broadside_proto::v1::MatchRecord =
        serde_json::from_value(record["record"].clone())?;
    // As another implementation of protobuf writes it for people.
    broadside_record::verify(&record, None)?;
    drop(agents);
    arena.stop().await
}

#[tokio::test]
async fn errors_come_out_with_code_message_and_details() -> anyhow::Result<()> {
    let arena = TestArena::start().await?;
    let Some(grpcurl) = Grpcurl::to(&arena).await? else {
        return Ok(());
    };
    let said = grpcurl
        .badly(r#"{"match_id": 5}"#, "broadside.v1.MatchService/GetMatch")
        .await?;
    assert!(said.contains("Code: NotFound"), "{said}");
    assert!(said.contains("Message: no match has the id 5"), "{said}");

    let said = grpcurl
        .badly(
            r#"{"options": {"classic": {}}, "players": [{"name": "one"}]}"#,
            CREATE,
        )
        .await?;
    assert!(said.contains("Code: InvalidArgument"), "{said}");
    assert!(said.contains("must name exactly 2"), "{said}");
    // Readable, and not bytes of a type that nobody knows.
    assert!(said.contains("\"fieldViolations\""), "{said}");
    assert!(said.contains("\"field\": \"players\""), "{said}");

    let said = grpcurl
        .badly("{}", "broadside.v1.AgentService/GetProfile")
        .await?;
    assert!(
        said.contains("Unimplemented") || said.contains("not expose"),
        "{said}"
    );
    arena.stop().await
}

#[tokio::test]
async fn it_is_a_bot_for_as_long_as_its_stream_lasts() -> anyhow::Result<()> {
    let arena = TestArena::start().await?;
    let Some(grpcurl) = Grpcurl::to(&arena).await? else {
        return Ok(());
    };
    let hello = r#"{"hello": {"protocol_version": 1, "profile":
        {"name": "curl", "variants": ["VARIANT_CLASSIC"], "max_matches": 1}}}
        {"heartbeat": {"beat": 7}}"#;
    let call = "broadside.v1.GatewayService/Connect";
    let said = grpcurl.well(&["-d", hello], &[call]).await?;
    let messages = serde_json::Deserializer::from_str(&said).into_iter::<Value>();
    let messages: Vec<_> = messages.collect::<Result<_, _>>()?;
    assert_eq!(messages[0]["welcome"]["protocolVersion"], 1, "{said}");
    assert_eq!(messages[1]["heartbeat"]["beat"], "7", "{said}");
    let said = grpcurl.badly(r#"{"heartbeat": {}}"#, call).await?;
    assert!(said.contains("Code: FailedPrecondition"), "{said}");
    assert!(said.contains("the first message must be a hello"), "{said}");
    arena.stop().await
}

#[tokio::test]
async fn a_bot_is_asked_by_the_contracts_files_as_they_are_vendored() -> anyhow::Result<()> {
    let Some(program) = GRPCURL.program().await? else {
        return Ok(());
    };
    let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
    let address = listener.local_addr()?.to_string();
    let stop = CancellationToken::new();
    let _stopped = stop.clone().drop_guard();
    let profile = profile::every_variant("served", 8);
    tokio::spawn(serve(
        listener,
        profile,
        Arc::new(Random::new(Seed(4))),
        stop,
    ));
    let grpcurl = Grpcurl {
        program,
        arguments: vec!["-plaintext".to_owned(), address],
    };
    let proto = concat!(env!("CARGO_MANIFEST_DIR"), "/../proto");
    let files = ["-import-path", proto, "-proto", "broadside/v1/agent.proto"];
    let said = grpcurl
        .well(&files, &["broadside.v1.AgentService/GetProfile"])
        .await?;
    let said: Value = serde_json::from_str(&said)?;
    assert_eq!(said["profile"]["name"], "served");
    Ok(())
}

#[tokio::test]
async fn it_is_let_in_by_tls() -> anyhow::Result<()> {
    let Some(program) = GRPCURL.program().await? else {
        return Ok(());
    };
    let authority = Authority::new()?;
    let pair = authority.issue("localhost")?;
    let arena = TestArena::start_with(|settings| {
        settings.tls_cert = Some(pair.cert.clone());
        settings.tls_key = Some(pair.key.clone());
    })
    .await?;
    let ca = authority.folder().join("ca.pem").display().to_string();
    let grpcurl = Grpcurl {
        program,
        arguments: vec![arena.address().to_string()],
    };
    let flags = ["-cacert", &ca, "-authority", "localhost"];
    let said = grpcurl
        .well(&flags, &["broadside.v1.CatalogService/ListVariants"])
        .await?;
    let said: Value = serde_json::from_str(&said)?;
    assert_eq!(said["variants"].as_array().map(Vec::len), Some(7));
    arena.stop().await
}
