//! Names and other texts that are meant for something else than to be read.

use anyhow::Context;
use broadside_arena::store::StorePlace;
use broadside_cli::text::escape;
use broadside_proto::v1::{self, connect_request};
use broadside_tests::{Bot, DialledBot, TestArena, dialled, named, request};
use tonic::{Code, Status};

/// Refused as the name of an agent, wherever one is given.
async fn is_no_name(arena: &TestArena, name: &str) -> anyhow::Result<()> {
    let created = arena
        .create(request(v1::Variant::Classic, named(name), named("two")))
        .await;
    let mut bot = Bot::open(arena.channel()).await?;
    let hello = v1::Hello {
        protocol_version: broadside_proto::PROTOCOL_VERSION,
        profile: Some(Bot::profile(name)),
        ..Default::default()
    };
    bot.send(connect_request::Message::Hello(hello)).await?;
    for status in [created.err().context("created")?, bot.ended().await?] {
        assert_eq!(status.code(), Code::InvalidArgument, "{name:?}: {status}");
        // Where a terminal shows it, it does nothing.
        assert_eq!(escape(status.message()), status.message(), "{name:?}");
        assert!(status.message().contains("must be 1-64 characters"));
    }
    Ok(())
}

#[tokio::test]
async fn fault_56_a_name_is_never_a_path() -> anyhow::Result<()> {
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("matches.sqlite");
    let arena =
        TestArena::start_with(|settings| settings.store = StorePlace::File(file.clone())).await?;
    for name in [
        "../two",
        "..",
        "/etc/passwd",
        "a/b",
        "a\\b",
        "-rf",
        ".hidden",
        "a\0b",
        "",
        "~root",
        "a b",
        "$HOME",
    ] {
        is_no_name(&arena, name).await?;
    }
    // Reserved by some systems as files, and names like any other here: nothing is called by them.
    for name in ["CON", "nul", "aux.txt", "a..b"] {
        let mut one = Bot::connect(arena.channel(), Bot::profile(name)).await?;
        let mut two = Bot::connect(arena.channel(), Bot::profile("two")).await?;
        arena
            .create(request(v1::Variant::Salvo, named(name), named("two")))
            .await?;
        let (one, two) = tokio::join!(one.play_first_legal(), two.play_first_legal());
        one?;
        two?;
    }
    arena.stop().await?;
    for entry in folder.path().read_dir()? {
        let name = entry?.file_name();
        let name = name.to_str().context("a name that is no text")?;
        assert!(name.starts_with("matches.sqlite"), "{name}");
    }
    Ok(())
}

#[tokio::test]
async fn fault_57_a_text_that_would_steer_a_terminal_is_refused_and_escaped() -> anyhow::Result<()>
{
    let arena = TestArena::start().await?;
    let combined = format!("a{}", "\u{301}".repeat(1_000));
    let steering = [
        "a\u{1b}[2J",
        "a\u{9b}2J",
        "a\nb",
        "a\rb",
        "a\u{202e}b",
        "a\u{2066}b",
        "a\u{200b}b",
        "\u{feff}a",
        "a\u{ad}b",
        "a\u{e0041}",
        "a\u{2028}b",
        "a\u{7f}",
    ];
    for name in steering
        .into_iter()
        .chain([combined.as_str(), "ada\u{0430}"])
    {
        is_no_name(&arena, name).await?;
    }
    is_no_name(&arena, &"a".repeat(65)).await?;
    let match_id = arena
        .create(request(v1::Variant::Classic, named("one"), named("two")))
        .await?;
    for text in steering {
        let asked = v1::CreateMatchRequest {
            request_id: text.to_owned(),
            ..request(v1::Variant::Classic, named("one"), named("two"))
        };
        let created = arena.create(asked).await.err().context("created")?;
        let reason = text.to_owned();
        let cancel = v1::CancelMatchRequest { match_id, reason };
        let cancelled = arena.matches().cancel_match(cancel).await;
        let cancelled = cancelled.err().context("cancelled")?;
        for (status, field) in [(created, "request_id"), (cancelled, "reason")] {
            assert_eq!(status.code(), Code::InvalidArgument, "{text:?}");
            assert!(status.message().starts_with(field), "{status}");
            assert_eq!(escape(status.message()), status.message());
        }
        // And whatever a client is sent all the same comes out as what it is.
        let escaped = escape(text);
        assert!(escaped.contains("\\u{"), "{escaped}");
        assert!(escaped.chars().all(|character| !character.is_control()));
    }
    let long = v1::CancelMatchRequest {
        match_id,
        reason: combined,
    };
    let long = arena.matches().cancel_match(long).await;
    assert_eq!(
        long.err().context("cancelled")?.code(),
        Code::InvalidArgument
    );
    arena.stop().await
}

#[tokio::test]
async fn fault_57_what_a_bots_own_program_says_steers_nothing() -> anyhow::Result<()> {
    let arena = TestArena::start().await?;
    let rude = format!("no\u{1b}[2J\n\u{202e}{}", "x".repeat(1_000));
    let bot = DialledBot::serve(move |_| Err(Status::internal(rude.clone()))).await?;
    let mut two = Bot::connect(arena.channel(), Bot::profile("two")).await?;
    let match_id = arena
        .create(request(
            v1::Variant::Abalone,
            dialled(bot.address),
            named("two"),
        ))
        .await?;
    let told = two.match_end().await?.outcome.context("no outcome")?;
    assert_eq!(told.termination(), v1::Termination::IllegalMoves);
    let record = arena.record(match_id).await?;
    let refused = record
        .entries
        .iter()
        .filter_map(|entry| match &entry.entry {
            Some(v1::log_entry::Entry::Refused(refused)) => refused.illegal_move.as_ref(),
            _ => None,
        });
    let mut texts: Vec<_> = refused.map(|why| why.message.clone()).collect();
    assert!(!texts.is_empty());
    texts.push(told.message);
    for text in texts {
        assert!(text.contains("no\u{fffd}[2J\u{fffd}\u{fffd}xxx"), "{text}");
        assert_eq!(escape(&text), text);
        assert!(text.len() < 1_000, "{} bytes", text.len());
    }
    arena.stop().await
}

#[tokio::test]
async fn fault_58_markup_is_no_name_and_elsewhere_a_text() -> anyhow::Result<()> {
    let arena = TestArena::start().await?;
    for name in [
        "<script>alert(1)</script>",
        "\"><img src=x onerror=alert(1)>",
        "[a](javascript:alert(1))",
        "a&lt;b",
        "=1+1",
        "@cmd",
        "+1",
    ] {
        is_no_name(&arena, name).await?;
    }
    let match_id = arena
        .create(request(v1::Variant::Classic, named("one"), named("two")))
        .await?;
    let reason = "<b>over</b> & out".to_owned();
    let cancel = v1::CancelMatchRequest { match_id, reason };
    arena.matches().cancel_match(cancel).await?;
    // As it was said: whoever makes a page of it escapes it there.
    let outcome = arena.outcome(match_id).await?;
    assert_eq!(outcome.message, "no result: cancelled: <b>over</b> & out");
    arena.stop().await
}

#[tokio::test]
async fn fault_59_what_is_sql_elsewhere_is_a_text_here() -> anyhow::Result<()> {
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("matches.sqlite");
    let arena =
        TestArena::start_with(|settings| settings.store = StorePlace::File(file.clone())).await?;
    let sql = [
        "'; DROP TABLE match; --",
        "one' OR '1'='1",
        "%",
        "o_e",
        "one\\",
        "bs.agent.>",
        "*",
        "\"one\"",
    ];
    // An underscore may be in a name.
    for name in sql.into_iter().filter(|text| *text != "o_e") {
        is_no_name(&arena, name).await?;
    }
    for (number, request_id) in sql.into_iter().enumerate() {
        let asked = || v1::CreateMatchRequest {
            request_id: request_id.to_owned(),
            ..request(v1::Variant::Classic, named("one"), named("two"))
        };
        let created = arena.create(asked()).await?;
        assert_eq!(arena.create(asked()).await?, created, "{request_id}");
        let list = |agent: &str, page_token: &str| v1::ListMatchesRequest {
            agent: agent.to_owned(),
            page_token: page_token.to_owned(),
            ..Default::default()
        };
        let mut matches = arena.matches();
        let found = matches.list_matches(list(request_id, "")).await?;
        assert_eq!(found.into_inner().matches, [], "{request_id}");
        let found = matches.list_matches(list("one", "")).await?;
        assert_eq!(found.into_inner().matches.len(), number + 1);
        let token = matches.list_matches(list("", request_id)).await;
        let token = token.err().context("a page token")?;
        assert_eq!(token.code(), Code::InvalidArgument);
    }
    arena.stop().await
}
