//! Bots of every language where tokens and TLS are asked for.

use std::{ffi::OsStr, sync::Arc};

use anyhow::{Context, ensure};
use broadside_agents::{Random, Seed, profile};
use broadside_arena::{
    auth::mint,
    store::{Holder, MemoryStore, Store},
    time::unix_ms,
};
use broadside_proto::v1::{self, Termination, match_service_client::MatchServiceClient};
use broadside_tests::{Authority, TestArena, ended, named, tls_channel};
use secrecy::ExposeSecret;
use tonic::{Request, metadata::MetadataValue, transport::Channel};

use crate::{bot::RunningBot, language::languages, matches::patient_request};

async fn token(store: &MemoryStore, holder: Holder) -> anyhow::Result<String> {
    let minted = mint(holder, unix_ms(), None)?;
    store.add_token(minted.kept).await?;
    Ok(minted.text.expose_secret().to_owned())
}

fn with<T>(token: &str, message: T) -> anyhow::Result<Request<T>> {
    let mut request = Request::new(message);
    let value = MetadataValue::try_from(format!("Bearer {token}"))?;
    request.metadata_mut().insert("authorization", value);
    Ok(request)
}

/// Creates a match and waits for how it ends, as an operator.
async fn played(
    channel: Channel,
    operator: &str,
    request: v1::CreateMatchRequest,
) -> anyhow::Result<v1::Outcome> {
    let mut matches = MatchServiceClient::new(channel);
    let created = matches.create_match(with(operator, request)?).await?;
    let match_id = created.into_inner().r#match.context("no match")?.match_id;
    let watch = with(operator, v1::WatchMatchRequest { match_id })?;
    let updates = matches.watch_match(watch).await?.into_inner();
    let ended = ended(updates).await?.r#match;
    ended.and_then(|ended| ended.outcome).context("no outcome")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn with_its_token_and_over_tls_a_bot_dials_in_and_plays() -> anyhow::Result<()> {
    let authority = Authority::new()?;
    let pair = authority.issue("arena")?;
    let store = Arc::new(MemoryStore::new(100));
    let arena = TestArena::start_on(store.clone(), |settings| {
        settings.require_tokens = true;
        settings.tls_cert = Some(pair.cert.clone());
        settings.tls_key = Some(pair.key.clone());
    })
    .await?;
    let operator = token(&store, Holder::Operator).await?;
    let url = format!("https://localhost:{}", arena.address().port());
    for language in languages().await? {
        let its_token = token(&store, Holder::Agent(language.name.to_owned())).await?;
        let ca = [OsStr::new("--ca"), authority.ca.as_os_str()];
        let bot = RunningBot::dials_with_token(language, &url, &ca, &its_token).await?;
        let channel = tls_channel(arena.address(), authority.trust()?).await?;
        // Its own opponent.
        let request = patient_request(v1::Variant::Salvo, named(&bot.name), named(&bot.name));
        let outcome = played(channel, &operator, request).await;
        let outcome = outcome.with_context(|| format!("{} said {}", bot.name, bot.said()))?;
        ensure!(
            outcome.termination() == Termination::WonByPlay,
            "{}: {}: {}",
            bot.name,
            outcome.message,
            bot.said()
        );
    }
    arena.stop().await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_bot_that_serves_with_tls_is_dialled_by_it_and_plays() -> anyhow::Result<()> {
    let authority = Authority::new()?;
    let pair = authority.issue("bot")?;
    let arena = TestArena::start_with(|settings| {
        settings.dial_ca = Some(authority.ca.clone());
    })
    .await?;
    let config = broadside_agents::Config::new(
        arena.url(),
        profile::every_variant("opponent", 100).with_legal_moves(),
    );
    let opponent = broadside_agents::DialIn::spawn(config, Arc::new(Random::new(Seed(2))));
    for language in languages().await? {
        let files = [
            OsStr::new("--tls-cert"),
            pair.cert.as_os_str(),
            OsStr::new("--tls-key"),
            pair.key.as_os_str(),
        ];
        let bot = RunningBot::serves(language, &files).await?;
        let address = bot.address.as_deref().context("it serves")?;
        let port = address.rsplit(':').next().context("no port")?;
        let dialled = v1::Player {
            agent: Some(v1::player::Agent::Address(format!(
                "https://localhost:{port}"
            ))),
        };
        let request = patient_request(v1::Variant::Naumachia, dialled, named("opponent"));
        let match_id = arena.create(request).await?;
        let outcome = arena.outcome(match_id).await?;
        ensure!(
            outcome.termination() == Termination::WonByPlay,
            "{}: {}: {}",
            bot.name,
            outcome.message,
            bot.said()
        );
    }
    opponent.leave().await?;
    arena.stop().await
}
