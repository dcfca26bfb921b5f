//! The showcase: an arena, two agents that it reaches over gRPC on loopback, and a match of every variant between them, with
//! the final boards and how each ended.

use std::{sync::Arc, time::Duration};

use anyhow::Context;
use broadside_agents::{Config, DialIn, Hunter, Random, Seed, profile, serve};
use broadside_arena::{Arena, Settings, dial::Allowed, store::StorePlace};
use broadside_cli::{board, names};
use broadside_proto::v1::{
    self, match_service_client::MatchServiceClient, watch_match_response::Update,
};
use broadside_tests::{VARIANTS, dialled, named, request};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;
use tonic::transport::{Channel, Endpoint};

/// How long all seven matches may take.
const PATIENCE: Duration = Duration::from_secs(120);

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    // The showcase disturbs nothing that runs already, and leaves nothing behind.
    let settings = Settings {
        listen: ([127, 0, 0, 1], 0).into(),
        store: StorePlace::Memory,
        // Where its agent is dialled.
        dial_allow: vec![Allowed::Loopback],
        ..Settings::default()
    };
    let arena = Arena::bind(settings).await?;
    let url = format!("http://{}", arena.address());
    let stop = CancellationToken::new();
    let running = tokio::spawn(arena.run(stop.clone().cancelled_owned()));

    // One agent dials in and the other is dialled: a match cannot tell which is which.
    let hunter = DialIn::spawn(
        Config::new(&url, profile::every_variant("hunter", 16)),
        Arc::new(Hunter::new(Seed(2026))),
    );
    let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
    let random_address = listener.local_addr()?;
    let random = tokio::spawn(serve(
        listener,
        profile::every_variant("random", 16).with_legal_moves(),
        Arc::new(Random::new(Seed(2026))),
        stop.clone(),
    ));

    let out = &mut anstream::stdout();
    use std::io::Write;
    writeln!(out, "The arena is at {url}.")?;
    writeln!(
        out,
        "hunter dials in; random serves at http://{random_address} and is dialled.\n"
    )?;
    let channel = Endpoint::from_shared(url)?
        .tcp_nodelay(true)
        .connect()
        .await?;
    let mut matches = MatchServiceClient::new(channel);
    let mut created = Vec::new();
    for (variant, name) in VARIANTS {
        let request = request(variant, named("hunter"), dialled(random_address));
        let response = matches.create_match(request).await?.into_inner();
        let match_id = response.r#match.context("no match was created")?.match_id;
        created.push((name, match_id));
    }
    for (name, match_id) in created {
        let ended = tokio::time::timeout(PATIENCE, end_of(&mut matches, match_id))
            .await
            .with_context(|| format!("the match of {name} did not end"))??;
        let played = ended.r#match.context("no match")?;
        let options = played.options.clone().context("no options")?;
        let position = ended.position.context("no position")?;
        let title = format!(
            "{name}: {} against {}, match {match_id}",
            names::seat(names::variant(&options), v1::Seat::One),
            names::seat(names::variant(&options), v1::Seat::Two),
        );
        writeln!(out, "{title}\n{}", "=".repeat(title.chars().count()))?;
        write!(out, "{}", board::position(&options, &position))?;
        writeln!(
            out,
            "{} ({} moves).\n",
            board::outcome_line(&played),
            played.moves
        )?;
    }

    hunter.leave().await?;
    stop.cancel();
    random.await??;
    running.await?
}

/// Watches a match to its end.
async fn end_of(
    matches: &mut MatchServiceClient<Channel>,
    match_id: u64,
) -> anyhow::Result<v1::GetMatchResponse> {
    let request = v1::WatchMatchRequest { match_id };
    let mut updates = matches.watch_match(request).await?.into_inner();
    while let Some(update) = updates.message().await? {
        if let Some(Update::Ended(ended)) = update.update {
            return Ok(ended);
        }
    }
    anyhow::bail!("the watch of match {match_id} ended before the match")
}
