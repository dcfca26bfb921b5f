//! The arena as a service: its health, what it says of itself, and how it stops.

use std::{collections::HashSet, time::Duration};

use anyhow::Context;
use broadside_proto::v1::{
    self, MatchResult, SessionEndReason, Termination, connect_response::Message,
};
use broadside_tests::{Bot, PATIENCE, TestArena, VARIANTS, named, request};
use tonic::Code;
use tonic_health::pb::{
    HealthCheckRequest, health_check_response::ServingStatus, health_client::HealthClient,
};
use tonic_reflection::pb::v1::{
    ServerReflectionRequest, server_reflection_client::ServerReflectionClient,
    server_reflection_request::MessageRequest, server_reflection_response::MessageResponse,
};

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
async fn it_is_healthy_and_lists_its_services_by_reflection() -> anyhow::Result<()> {
    let arena = TestArena::start().await?;
    let mut health = HealthClient::new(arena.channel());
    for service in [
        "",
        "broadside.v1.MatchService",
        "broadside.v1.GatewayService",
        "broadside.v1.CatalogService",
    ] {
        let request = HealthCheckRequest {
            service: service.to_owned(),
        };
        let status = health.check(request).await?.into_inner().status();
        assert_eq!(status, ServingStatus::Serving, "{service}");
    }
    let request = ServerReflectionRequest {
        host: String::new(),
        message_request: Some(MessageRequest::ListServices(String::new())),
    };
    let mut answers = ServerReflectionClient::new(arena.channel())
        .server_reflection_info(tokio_stream::once(request))
        .await?
        .into_inner();
    let answer = answers
        .message()
        .await?
        .and_then(|answer| answer.message_response);
    let Some(MessageResponse::ListServicesResponse(listed)) = answer else {
        anyhow::bail!("no services but {answer:?}");
    };
    let names: HashSet<_> = listed
        .service
        .into_iter()
        .map(|service| service.name)
        .collect();
    for service in [
        "broadside.v1.MatchService",
        "broadside.v1.GatewayService",
        "broadside.v1.CatalogService",
        "grpc.health.v1.Health",
    ] {
        assert!(names.contains(service), "{service} in {names:?}");
    }
    arena.stop().await
}

#[tokio::test]
async fn told_to_stop_it_lets_matches_finish_and_takes_no_more() -> anyhow::Result<()> {
    let arena = TestArena::start_with(|settings| settings.drain_timeout = PATIENCE).await?;
    let (mut one, mut two) = bots(&arena).await?;
    let running = arena.create(between(v1::Variant::Classic)).await?;
    let turn = one.turn().await?;
    let waiting = arena
        .create(request(v1::Variant::Classic, named("one"), named("nobody")))
        .await?;
    let (mut matches, channel) = (arena.matches(), arena.channel());
    let stopped = tokio::spawn(arena.stop());

    let mut health = HealthClient::new(channel);
    let request = || HealthCheckRequest {
        service: "broadside.v1.MatchService".to_owned(),
    };
    let draining = async {
        while health.check(request()).await?.into_inner().status() == ServingStatus::Serving {
            tokio::task::yield_now().await;
        }
        anyhow::Ok(())
    };
    tokio::time::timeout(PATIENCE, draining).await??;
    let status = matches
        .create_match(between(v1::Variant::Classic))
        .await
        .expect_err("draining");
    assert_eq!(status.code(), Code::Unavailable);
    let get = v1::GetMatchRequest { match_id: waiting };
    let given_up = async {
        loop {
            let found = matches.get_match(get).await?.into_inner();
            if let Some(outcome) = found.r#match.and_then(|found| found.outcome) {
                return anyhow::Ok(outcome);
            }
            tokio::task::yield_now().await;
        }
    };
    let outcome = tokio::time::timeout(PATIENCE, given_up).await??;
    assert_eq!(outcome.termination(), Termination::PlatformFault);

    one.answer(&turn, Bot::first_legal(&turn)?).await?;
    let (ends, _) = tokio::join!(one.play_first_legal(), two.play_first_legal());
    let end = ends?;
    assert_eq!(end.match_id, running);
    assert_eq!(
        end.outcome.context("no outcome")?.termination(),
        Termination::WonByPlay
    );
    let Message::SessionEnd(told) = one.next().await? else {
        anyhow::bail!("not told why");
    };
    assert_eq!(told.reason(), SessionEndReason::ArenaStops);
    assert_eq!(one.ended().await?.code(), Code::Unavailable);
    drop((one, two));
    stopped.await?
}

#[tokio::test]
async fn matches_that_do_not_finish_before_a_stop_are_the_arenas_fault() -> anyhow::Result<()> {
    let arena =
        TestArena::start_with(|settings| settings.drain_timeout = Duration::from_millis(20))
            .await?;
    let (mut one, mut two) = bots(&arena).await?;
    arena.create(between(v1::Variant::Classic)).await?;
    one.turn().await?;
    let stopped = tokio::spawn(arena.stop());
    for bot in [&mut one, &mut two] {
        let outcome = bot.match_end().await?.outcome.context("no outcome")?;
        assert_eq!(outcome.termination(), Termination::PlatformFault);
        assert_eq!(outcome.result(), MatchResult::Void);
        assert_eq!(outcome.at_fault(), v1::Seat::Unspecified);
    }
    drop((one, two));
    stopped.await?
}

#[tokio::test]
async fn the_catalogue_lists_variants_with_their_options_and_agents_with_theirs()
-> anyhow::Result<()> {
    let arena = TestArena::start().await?;
    let listed = arena
        .catalog()
        .list_variants(v1::ListVariantsRequest {})
        .await?
        .into_inner();
    let slugs: Vec<_> = listed
        .variants
        .iter()
        .map(|variant| variant.slug.as_str())
        .collect();
    assert_eq!(slugs, VARIANTS.map(|(_, name)| name));
    for variant in &listed.variants {
        let cells: u32 = variant
            .fleets
            .iter()
            .flat_map(|fleet| &fleet.ships)
            .map(|ship| ship.length * ship.count)
            .sum();
        let expected = match variant.slug.as_str() {
            "classic" | "salvo" | "advanced-salvo" => 34,
            "amiral" | "amiral-advanced" => 17,
            "naumachia" => 20,
            _ => 0,
        };
        assert_eq!(cells, expected, "{}", variant.slug);
    }
    let mut names = Vec::new();
    let mut bots = Vec::new();
    for name in ["c", "a", "b"] {
        bots.push(Bot::connect(arena.channel(), Bot::profile(name)).await?);
    }
    let mut page_token = String::new();
    loop {
        let request = v1::ListAgentsRequest {
            page_size: 2,
            page_token,
        };
        let page = arena.catalog().list_agents(request).await?.into_inner();
        for agent in page.agents {
            assert!(
                agent.connected
                    && !agent.dialled
                    && agent.max_matches == 256
                    && agent.variants.len() == 7
            );
            names.push(agent.name);
        }
        page_token = page.next_page_token;
        if page_token.is_empty() {
            break;
        }
    }
    assert_eq!(names, ["a", "b", "c"]);
    arena.stop().await
}
