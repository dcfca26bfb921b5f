//! Calls between clients and arenas of two contracts.

use broadside_proto::v1::{
    self, catalog_service_client::CatalogServiceClient, match_service_client::MatchServiceClient,
    watch_match_response::Update,
};
use broadside_tests::{
    Bot, TestArena, named,
    newer::{Newer, NewerEnd},
    request,
};
use tonic::transport::{Channel, Endpoint};

async fn channel(proxy: &NewerEnd) -> anyhow::Result<Channel> {
    Ok(Endpoint::from_shared(proxy.url())?.connect().await?)
}

/// Creates a match, watches it to its end, and reads and lists what there is, through the proxy and without: it is the same.
async fn every_call_does_the_same(newer: Newer) -> anyhow::Result<()> {
    let arena = TestArena::start().await?;
    let proxy = NewerEnd::start(arena.address(), newer).await?;
    let mut through = MatchServiceClient::new(channel(&proxy).await?);
    let mut catalog = CatalogServiceClient::new(channel(&proxy).await?);
    for name in ["one", "two"] {
        let mut bot = Bot::connect(arena.channel(), Bot::profile(name)).await?;
        tokio::spawn(async move { bot.play_first_legal().await });
    }

    let between = v1::CreateMatchRequest {
        request_id: "once".to_owned(),
        strikes: Some(2),
        ..request(v1::Variant::Classic, named("one"), named("two"))
    };
    let created = through.create_match(between.clone()).await?.into_inner();
    let created = created.r#match.unwrap_or_default();
    assert_eq!(created.strikes, 2);
    // The same request, with what this contract does not know or without.
    assert_eq!(arena.create(between).await?, created.match_id);

    let match_id = created.match_id;
    let watched = through
        .watch_match(v1::WatchMatchRequest { match_id })
        .await?;
    let mut watched = watched.into_inner();
    let mut last = None;
    while let Some(update) = watched.message().await? {
        last = update.update;
    }
    let Some(Update::Ended(ended)) = last else {
        anyhow::bail!("the watch ended with {last:?}");
    };
    let direct = arena.ended(match_id).await?;
    assert_eq!(ended.position, direct.position);

    let asked = v1::GetMatchRequest { match_id };
    let read = through.get_match(asked).await?.into_inner();
    assert_eq!(read.position, direct.position);
    let listed = through
        .list_matches(v1::ListMatchesRequest::default())
        .await?;
    let ids: Vec<_> = listed
        .into_inner()
        .matches
        .iter()
        .map(|it| it.match_id)
        .collect();
    assert_eq!(ids, [match_id]);
    let cancel = v1::CancelMatchRequest {
        match_id,
        reason: "too late".to_owned(),
    };
    let refused = through.cancel_match(cancel).await.unwrap_err();
    assert_eq!(refused.code(), tonic::Code::FailedPrecondition);
    assert!(refused.message().contains("is over"), "{refused}");
    let asked = v1::GetMatchRecordRequest { match_id };
    let record = through.get_match_record(asked).await?.into_inner().record;
    let moves = |record: &v1::MatchRecord| record.entries.len();
    assert_eq!(
        moves(&record.unwrap_or_default()),
        moves(&arena.record(match_id).await?)
    );

    let variants = v1::ListVariantsRequest {};
    assert_eq!(
        catalog.list_variants(variants).await?.into_inner(),
        arena.catalog().list_variants(variants).await?.into_inner()
    );
    let names = |limits: v1::GetLimitsResponse| -> Vec<_> {
        limits
            .limits
            .into_iter()
            .map(|limit| (limit.name, limit.value))
            .collect()
    };
    let limits = v1::GetLimitsRequest {};
    assert_eq!(
        names(catalog.get_limits(limits).await?.into_inner()),
        names(arena.catalog().get_limits(limits).await?.into_inner())
    );
    let agents = catalog
        .list_agents(v1::ListAgentsRequest::default())
        .await?;
    assert_eq!(agents.into_inner().next_page_token, "");
    assert!(proxy.enriched() > 8, "{}", proxy.enriched());
    arena.stop().await
}

#[tokio::test]
async fn a_client_of_a_newer_contract_creates_watches_and_reads() -> anyhow::Result<()> {
    every_call_does_the_same(Newer::Caller).await
}

#[tokio::test]
async fn a_client_of_this_contract_is_served_by_a_newer_arena() -> anyhow::Result<()> {
    every_call_does_the_same(Newer::Called).await
}
