//! A match from its creation to its record, as those who run and watch matches see it.

use std::collections::HashSet;

use anyhow::Context;
use broadside_arena::replay::Replay;
use broadside_proto::v1::{
    self, MatchResult, MatchState, Termination, watch_match_response::Update,
};
use broadside_record::chain::Chain;
use broadside_tests::{Bot, PATIENCE, TestArena, VARIANTS, named, request};
use tonic::Code;

async fn bots(arena: &TestArena) -> anyhow::Result<(Bot, Bot)> {
    Ok((
        Bot::connect(arena.channel(), Bot::profile("one")).await?,
        Bot::connect(arena.channel(), Bot::profile("two")).await?,
    ))
}

fn between(variant: v1::Variant) -> v1::CreateMatchRequest {
    request(variant, named("one"), named("two"))
}

#[tokio::test]
async fn a_request_made_twice_makes_one_match() -> anyhow::Result<()> {
    let arena = TestArena::start().await?;
    let request = v1::CreateMatchRequest {
        request_id: "round-7".to_owned(),
        ..between(v1::Variant::Salvo)
    };
    let first = arena.create(request.clone()).await?;
    assert_eq!(arena.create(request.clone()).await?, first);
    let other = v1::CreateMatchRequest {
        strikes: Some(1),
        ..request
    };
    let status = arena.create(other).await.expect_err("another request");
    assert_eq!(status.code(), Code::AlreadyExists);
    assert!(status.message().contains(&first.to_string()), "{status:?}");
    // Without a request id every call makes a match.
    let one = arena.create(between(v1::Variant::Salvo)).await?;
    let two = arena.create(between(v1::Variant::Salvo)).await?;
    assert_ne!(one, two);
    arena.stop().await
}

#[tokio::test]
async fn a_request_made_again_gets_its_match_even_when_there_is_no_room_for_another()
-> anyhow::Result<()> {
    let arena = TestArena::start_with(|settings| settings.max_matches = 1).await?;
    let request = v1::CreateMatchRequest {
        request_id: "lost answer".to_owned(),
        ..between(v1::Variant::Classic)
    };
    let first = arena.create(request.clone()).await?;
    assert_eq!(arena.create(request).await?, first);
    let status = arena
        .create(between(v1::Variant::Classic))
        .await
        .expect_err("no room");
    assert_eq!(status.code(), Code::ResourceExhausted);
    arena.stop().await
}

#[tokio::test]
async fn what_is_not_there_is_not_found() -> anyhow::Result<()> {
    let arena = TestArena::start().await?;
    let mut matches = arena.matches();
    let match_id = 99;
    let statuses = [
        matches
            .get_match(v1::GetMatchRequest { match_id })
            .await
            .expect_err("get"),
        matches
            .cancel_match(v1::CancelMatchRequest {
                match_id,
                reason: String::new(),
            })
            .await
            .expect_err("cancel"),
        matches
            .watch_match(v1::WatchMatchRequest { match_id })
            .await
            .expect_err("watch"),
        matches
            .get_match_record(v1::GetMatchRecordRequest { match_id })
            .await
            .expect_err("record"),
    ];
    for status in statuses {
        assert_eq!(status.code(), Code::NotFound, "{status:?}");
        assert!(status.message().contains("99"), "{status:?}");
    }
    arena.stop().await
}

#[tokio::test]
async fn lists_page_through_every_match_once_newest_first_and_filter() -> anyhow::Result<()> {
    let arena = TestArena::start().await?;
    let mut created = Vec::new();
    for index in 0..23 {
        let (variant, _) = VARIANTS[index % 7];
        created.push(
            arena
                .create(request(
                    variant,
                    named("ada"),
                    named(if index < 5 { "bob" } else { "eve" }),
                ))
                .await?,
        );
    }
    let cancel = v1::CancelMatchRequest {
        match_id: created[3],
        reason: "weather".to_owned(),
    };
    arena.matches().cancel_match(cancel).await?;

    let mut listed = Vec::new();
    let mut page_token = String::new();
    loop {
        let request = v1::ListMatchesRequest {
            page_size: 5,
            page_token,
            ..Default::default()
        };
        let page = arena.matches().list_matches(request).await?.into_inner();
        assert!(page.matches.len() <= 5);
        listed.extend(page.matches.iter().map(|listed| listed.match_id));
        page_token = page.next_page_token;
        if page_token.is_empty() {
            break;
        }
    }
    created.reverse();
    assert_eq!(listed, created);

    let count = async |request| {
        anyhow::Ok(
            arena
                .matches()
                .list_matches(request)
                .await?
                .into_inner()
                .matches
                .len(),
        )
    };
    let all = v1::ListMatchesRequest::default;
    assert_eq!(
        count(v1::ListMatchesRequest {
            agent: "bob".to_owned(),
            ..all()
        })
        .await?,
        5
    );
    assert_eq!(
        count(v1::ListMatchesRequest {
            states: vec![MatchState::Over.into()],
            ..all()
        })
        .await?,
        1
    );
    assert_eq!(
        count(v1::ListMatchesRequest {
            variants: vec![v1::Variant::Classic.into()],
            ..all()
        })
        .await?,
        4
    );

    for (request, tells) in [
        (
            v1::ListMatchesRequest {
                page_size: 1_001,
                ..all()
            },
            "1 to 1000",
        ),
        (
            v1::ListMatchesRequest {
                page_token: "x".to_owned(),
                ..all()
            },
            "page_token",
        ),
        (
            v1::ListMatchesRequest {
                states: vec![0],
                ..all()
            },
            "states[0]",
        ),
        (
            v1::ListMatchesRequest {
                variants: vec![1, 99],
                ..all()
            },
            "variants[1]",
        ),
    ] {
        let status = arena
            .matches()
            .list_matches(request)
            .await
            .expect_err(tells);
        assert_eq!(status.code(), Code::InvalidArgument);
        assert!(status.message().contains(tells), "{status:?}");
    }
    arena.stop().await
}

#[tokio::test]
async fn a_cancelled_match_is_nobodys_loss() -> anyhow::Result<()> {
    let arena = TestArena::start().await?;
    let (mut one, mut two) = bots(&arena).await?;
    let match_id = arena.create(between(v1::Variant::Classic)).await?;
    one.turn().await?;
    let cancel = |reason: &str| v1::CancelMatchRequest {
        match_id,
        reason: reason.to_owned(),
    };
    let status = arena
        .matches()
        .cancel_match(cancel("bell\u{7}"))
        .await
        .expect_err("a control character");
    assert_eq!(status.code(), Code::InvalidArgument);
    let cancelled = arena
        .matches()
        .cancel_match(cancel("rain"))
        .await?
        .into_inner()
        .r#match
        .context("no match")?;
    let outcome = cancelled.outcome.context("no outcome")?;
    assert_eq!(outcome.termination(), Termination::Cancelled);
    assert_eq!(outcome.result(), MatchResult::Void);
    assert!(outcome.message.contains("rain"));
    assert_eq!(one.match_end().await?.outcome.as_ref(), Some(&outcome));
    assert_eq!(two.match_end().await?.outcome.as_ref(), Some(&outcome));
    let status = arena
        .matches()
        .cancel_match(cancel("again"))
        .await
        .expect_err("over");
    assert_eq!(status.code(), Code::FailedPrecondition);
    assert!(status.message().contains("rain"), "{status:?}");
    arena.stop().await
}

#[tokio::test]
async fn a_record_is_withheld_until_the_end_and_then_replays_to_the_same_states()
-> anyhow::Result<()> {
    let arena = TestArena::start().await?;
    let (mut one, mut two) = bots(&arena).await?;
    for (variant, name) in VARIANTS {
        let match_id = arena.create(between(variant)).await?;
        let mut updates = arena
            .matches()
            .watch_match(v1::WatchMatchRequest { match_id })
            .await?
            .into_inner();
        let status = arena.record(match_id).await.expect_err("a match in play");
        assert_eq!(status.code(), Code::FailedPrecondition);
        let (ends, _) = tokio::join!(one.play_first_legal(), two.play_first_legal());
        ends?;

        let mut seen = Vec::new();
        let mut ended = None;
        while let Some(update) = updates.message().await? {
            match update.update.context("an empty update")? {
                Update::Event(event) => seen.push(event),
                Update::Ended(end) => ended = Some(end),
                Update::Snapshot(_) => {}
            }
        }
        let ended = ended.context("the watch ended before the match")?;
        let record = arena.record(match_id).await?;
        assert_eq!((record.format_version, record.match_id), (1, match_id));
        let mut replay = Replay::new(match_id, record.create_time_ms);
        let mut chain = Chain::new(match_id, record.create_time_ms);
        let mut replayed = Vec::new();
        for entry in &record.entries {
            replayed.extend(replay.read(&chain.push(entry))?);
        }
        assert!(
            seen == replayed,
            "{name}: what was seen is not what is recorded"
        );
        assert_eq!(replay.snapshot(), ended, "{name}");
        let numbers: Vec<_> = replayed.iter().map(|event| event.number).collect();
        assert!(numbers.iter().copied().eq(1..=numbers.len() as u32));

        // Times never go back, and each answer was read after its turn was handed over.
        let mut last = 0;
        for entry in &record.entries {
            assert!(entry.at_us >= last, "{name}: {entry:?}");
            last = entry.at_us;
            if let Some(v1::log_entry::Entry::Accepted(accepted)) = &entry.entry {
                let timing = accepted.timing.context("no stamps")?;
                assert!(
                    timing.asked_us <= timing.handed_us && timing.handed_us <= timing.answered_us,
                    "{timing:?}"
                );
            }
        }
        // A record that is not this referee's does not replay.
        let mut forged = record.entries.clone();
        let accepted = forged
            .iter_mut()
            .filter_map(|entry| match &mut entry.entry {
                Some(v1::log_entry::Entry::Accepted(accepted)) => Some(accepted),
                _ => None,
            });
        for accepted in accepted {
            accepted.seat = 3 - accepted.seat;
            // In the deployment the two seats only change fleets.
        }
        let mut replay = Replay::new(match_id, record.create_time_ms);
        let mut chain = Chain::new(match_id, record.create_time_ms);
        assert!(
            forged
                .iter()
                .any(|entry| replay.read(&chain.push(entry)).is_err()),
            "{name}"
        );
    }
    arena.stop().await
}

#[tokio::test]
async fn the_same_seed_deals_the_same_fleets_and_seats() -> anyhow::Result<()> {
    let arena = TestArena::start().await?;
    let (mut one, mut two) = bots(&arena).await?;
    let mut dealt = HashSet::new();
    for seed in [7, 7, 8] {
        let request = v1::CreateMatchRequest {
            seed: Some(seed),
            ..between(v1::Variant::Naumachia)
        };
        let match_id = arena.create(request).await?;
        let fleets = [
            Bot::first_legal(&one.turn().await?)?,
            Bot::first_legal(&two.turn().await?)?,
        ];
        assert_ne!(fleets[0], fleets[1]);
        dealt.insert(format!("{fleets:?}"));
        arena
            .matches()
            .cancel_match(v1::CancelMatchRequest {
                match_id,
                reason: String::new(),
            })
            .await?;
        let record = arena.record(match_id).await?;
        let Some(v1::log_entry::Entry::Created(created)) = &record.entries[0].entry else {
            anyhow::bail!("the first entry is {:?}", record.entries[0]);
        };
        assert_eq!(created.seed, seed);
    }
    assert_eq!(dealt.len(), 2);
    arena.stop().await
}

#[tokio::test]
async fn a_limit_that_is_hit_says_which_and_how_much() -> anyhow::Result<()> {
    let arena = TestArena::start_with(|settings| settings.max_matches = 2).await?;
    let first = arena.create(between(v1::Variant::Classic)).await?;
    arena.create(between(v1::Variant::Classic)).await?;
    let status = arena
        .create(between(v1::Variant::Classic))
        .await
        .expect_err("one too many");
    assert_eq!(status.code(), Code::ResourceExhausted);
    assert!(
        status.message().contains("at most 2") && status.message().contains("max_matches"),
        "{status:?}"
    );
    arena
        .matches()
        .cancel_match(v1::CancelMatchRequest {
            match_id: first,
            reason: String::new(),
        })
        .await?;
    // Its task lets go of it right after its end is known.
    let created = async {
        loop {
            if let Ok(match_id) = arena.create(between(v1::Variant::Classic)).await {
                return match_id;
            }
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(PATIENCE, created).await?;
    arena.stop().await
}

#[tokio::test]
async fn the_oldest_matches_that_are_over_are_forgotten_beyond_the_limit() -> anyhow::Result<()> {
    let arena = TestArena::start_with(|settings| settings.keep_matches = 3).await?;
    let mut ended = Vec::new();
    for _ in 0..5 {
        let match_id = arena.create(between(v1::Variant::Classic)).await?;
        arena
            .matches()
            .cancel_match(v1::CancelMatchRequest {
                match_id,
                reason: String::new(),
            })
            .await?;
        ended.push(match_id);
    }
    let listed = arena
        .matches()
        .list_matches(v1::ListMatchesRequest::default())
        .await?
        .into_inner()
        .matches;
    let listed: Vec<_> = listed.iter().map(|listed| listed.match_id).collect();
    assert_eq!(listed, [ended[4], ended[3], ended[2]]);
    arena.stop().await
}
