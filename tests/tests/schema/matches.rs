//! Whole matches of every variant between ends of two contracts.

use std::{net::SocketAddr, sync::Arc};

use anyhow::ensure;
use broadside_agents::{Agent, Config, DialIn, Hunter, Random, Seed, profile, serve};
use broadside_proto::v1::{self, RejectedReason, Termination, log_entry::Entry};
use broadside_tests::{
    TestArena, VARIANTS, dialled, named,
    newer::{Newer, NewerEnd},
    request,
};
use parking_lot::Mutex;
use tokio::net::TcpListener;
use tokio_util::sync::{CancellationToken, DropGuard};

/// A reference agent, which knows this contract and no other, and what it is told besides turns.
struct Watched {
    hunter: Hunter,
    rejected: Mutex<Vec<i32>>,
    ends: Mutex<Vec<v1::MatchEnd>>,
}

impl Watched {
    fn new() -> Arc<Self> {
        Arc::new(Self {
            hunter: Hunter::new(Seed(3)),
            rejected: Mutex::default(),
            ends: Mutex::default(),
        })
    }
}

impl Agent for Watched {
    fn choose(&self, turn: &v1::Turn) -> Option<v1::Move> {
        self.hunter.choose(turn)
    }

    fn rejected(&self, rejected: &v1::Rejected) {
        self.rejected.lock().push(rejected.reason);
    }

    fn match_ended(&self, end: &v1::MatchEnd) {
        self.ends.lock().push(end.clone());
    }
}

/// A match of every variant against an agent that dials in, each to an end by play, without a refusal.
async fn plays_every_variant(arena: &TestArena, player: v1::Player) -> anyhow::Result<()> {
    let profile = profile::every_variant("opponent", 8).with_legal_moves();
    let opponent = DialIn::spawn(
        Config::new(arena.url(), profile),
        Arc::new(Random::new(Seed(5))),
    );
    for (variant, name) in VARIANTS {
        let between = request(variant, player.clone(), named("opponent"));
        let match_id = arena.create(between).await?;
        let outcome = arena.outcome(match_id).await?;
        ensure!(
            matches!(
                outcome.termination(),
                Termination::WonByPlay | Termination::DrawByRule
            ),
            "{name}: {}",
            outcome.message
        );
        let record = arena.record(match_id).await?;
        let mut entries = record.entries.iter();
        ensure!(
            !entries.any(|it| matches!(it.entry, Some(Entry::Refused(_)))),
            "{name}: a move was refused"
        );
    }
    opponent.leave().await?;
    Ok(())
}

/// The agent, connected to the arena through a proxy.
fn dials_in(proxy: &NewerEnd, agent: Arc<dyn Agent>) -> DialIn {
    let profile = profile::every_variant("hunter", 8);
    DialIn::spawn(Config::new(proxy.url(), profile), agent)
}

/// The agent, serving.
async fn serves(agent: Arc<dyn Agent>) -> anyhow::Result<(SocketAddr, DropGuard)> {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
    let address = listener.local_addr()?;
    let stop = CancellationToken::new();
    let profile = profile::every_variant("hunter", 8);
    tokio::spawn(serve(listener, profile, agent, stop.clone()));
    Ok((address, stop.drop_guard()))
}

#[tokio::test]
async fn a_bot_of_a_newer_contract_dials_in_and_plays_every_variant() -> anyhow::Result<()> {
    let arena = TestArena::start().await?;
    let proxy = NewerEnd::start(arena.address(), Newer::Caller).await?;
    let agent = Watched::new();
    let bot = dials_in(&proxy, agent.clone());
    plays_every_variant(&arena, named("hunter")).await?;
    bot.leave().await?;
    assert!(proxy.enriched() > 7 * 10, "{}", proxy.enriched());
    // The one message of a kind that the arena does not know; nothing else that it was sent was out of place.
    let empty = i32::from(RejectedReason::EmptyMessage);
    assert_eq!(*agent.rejected.lock(), [empty]);
    arena.stop().await
}

#[tokio::test]
async fn a_bot_of_a_newer_contract_is_dialled_and_plays_every_variant() -> anyhow::Result<()> {
    let arena = TestArena::start().await?;
    let (address, _serving) = serves(Watched::new()).await?;
    let proxy = NewerEnd::start(address, Newer::Called).await?;
    plays_every_variant(&arena, dialled(proxy.address())).await?;
    assert!(proxy.enriched() > 7 * 10, "{}", proxy.enriched());
    arena.stop().await
}

#[tokio::test]
async fn a_bot_of_this_contract_dials_in_to_a_newer_arena_and_plays_every_variant()
-> anyhow::Result<()> {
    let arena = TestArena::start().await?;
    let proxy = NewerEnd::start(arena.address(), Newer::Called).await?;
    let agent = Watched::new();
    let bot = dials_in(&proxy, agent.clone());
    plays_every_variant(&arena, named("hunter")).await?;
    bot.leave().await?;
    assert!(proxy.enriched() > 7 * 10, "{}", proxy.enriched());
    assert!(agent.rejected.lock().is_empty());
    told_of_newer_ends(&agent);
    arena.stop().await
}

#[tokio::test]
async fn a_bot_of_this_contract_is_dialled_by_a_newer_arena_and_plays_every_variant()
-> anyhow::Result<()> {
    let arena = TestArena::start().await?;
    let agent = Watched::new();
    let (address, _serving) = serves(agent.clone()).await?;
    let proxy = NewerEnd::start(address, Newer::Caller).await?;
    plays_every_variant(&arena, dialled(proxy.address())).await?;
    assert!(proxy.enriched() > 7 * 10, "{}", proxy.enriched());
    told_of_newer_ends(&agent);
    arena.stop().await
}

/// Each match ended for a reason that this contract does not know, and who won is said as ever.
fn told_of_newer_ends(agent: &Watched) {
    let ends = agent.ends.lock();
    assert_eq!(ends.len(), VARIANTS.len());
    for end in ends.iter() {
        let outcome = end.outcome.as_ref().unwrap();
        assert!(Termination::try_from(outcome.termination).is_err());
        assert_ne!(outcome.result(), v1::MatchResult::Unspecified);
    }
}
