//! Faults of a process that is short of descriptors, and of strangers who fill its log.

use std::net::SocketAddr;

use anyhow::Context;
use broadside_proto::v1::{self, catalog_service_client::CatalogServiceClient};
use broadside_tests::{PATIENCE, hostile::Peer, programs::ArenaProgram};
use tonic::transport::{Channel, Endpoint};
use tonic_health::pb::{
    HealthCheckRequest, health_check_response::ServingStatus, health_client::HealthClient,
};

/// Opens a connection and makes a call on it.
async fn caller(address: SocketAddr) -> anyhow::Result<Channel> {
    let channel = Endpoint::from_shared(format!("http://{address}"))?
        .connect()
        .await?;
    let mut catalog = CatalogServiceClient::new(channel.clone());
    catalog.list_variants(v1::ListVariantsRequest {}).await?;
    Ok(channel)
}

/// Follows the health of the whole arena until it is as wanted.
async fn becomes(channel: &Channel, wanted: ServingStatus) -> anyhow::Result<()> {
    let followed = async {
        let mut health = HealthClient::new(channel.clone());
        let mut news = health
            .watch(HealthCheckRequest::default())
            .await?
            .into_inner();
        while let Some(news) = news.message().await? {
            if news.status() == wanted {
                return anyhow::Ok(());
            }
        }
        anyhow::bail!("the watch ended")
    };
    tokio::time::timeout(PATIENCE, followed)
        .await
        .with_context(|| format!("the arena's health does not become {wanted:?}"))?
}

#[tokio::test]
async fn fault_09_an_arena_without_descriptors_says_so_and_recovers() -> anyhow::Result<()> {
    // More connections are let in than there are descriptors.
    let arena = ArenaProgram::start_after("ulimit -n 40", &["--max-connections", "1000"]).await?;
    let early = caller(arena.address).await?;
    let mut crowd = Vec::new();
    for _ in 0..60 {
        crowd.push(Peer::begin(arena.address).await?);
    }
    becomes(&early, ServingStatus::NotServing).await?;
    // Whoever is in plays on.
    CatalogServiceClient::new(early.clone())
        .list_variants(v1::ListVariantsRequest {})
        .await?;
    drop(crowd);
    becomes(&early, ServingStatus::Serving).await?;
    caller(arena.address).await?;
    drop(early);
    let said = arena.stop().await?;
    // However often it tried: one line at once, and then one in a long while.
    assert!(said.contains("cannot accept connections"), "{said}");
    assert!(
        said.matches("cannot accept connections").count() < 5,
        "{said}"
    );
    Ok(())
}

#[tokio::test]
async fn fault_09_an_arena_keeps_descriptors_for_itself() -> anyhow::Result<()> {
    let arena = ArenaProgram::start_after("ulimit -n 200", &[]).await?;
    let mut crowd = Vec::new();
    for _ in 0..160 {
        crowd.push(Peer::begin(arena.address).await?);
    }
    // 80 % of 200 are 160: the next is closed.
    Peer::connect(arena.address).await?.closed().await?;
    drop(crowd);
    let again = async {
        while caller(arena.address).await.is_err() {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(PATIENCE, again)
        .await
        .context("it does not recover")?;
    let said = arena.stop().await?;
    assert!(said.contains("max_connections"), "{said}");
    assert!(!said.contains("cannot accept"), "{said}");
    Ok(())
}

#[tokio::test]
async fn fault_14_strangers_fill_no_log() -> anyhow::Result<()> {
    let arena = ArenaProgram::start(&[]).await?;
    for _ in 0..200 {
        let mut peer = Peer::connect(arena.address).await?;
        peer.write(b"GET / HTTP/1.1\r\n\r\n").await?;
        peer.closed().await?;
    }
    caller(arena.address).await?;
    let said = arena.stop().await?;
    let lines = said.matches("it began with HTTP/1").count();
    assert!((1..5).contains(&lines), "{lines} lines: {said}");
    Ok(())
}

#[tokio::test]
async fn fault_63_a_program_that_would_be_open_to_others_does_not_start() -> anyhow::Result<()> {
    let refused = ArenaProgram::start(&["--listen", "0.0.0.0:0"]).await;
    let why = format!("{:#}", refused.err().context("it started")?);
    assert!(
        why.contains("allow_public_without_tls") && why.contains("require_tokens"),
        "{why}"
    );
    Ok(())
}
