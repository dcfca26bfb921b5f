//! Agents that dial in while all others are there, and how soon they play.

use std::{
    fmt,
    net::SocketAddr,
    time::{Duration, Instant},
};

use anyhow::{Context, ensure};
use broadside_proto::v1::{
    self, Termination, connect_request, match_service_client::MatchServiceClient, player,
};
use serde::Serialize;
use tokio::{runtime::Builder, sync::mpsc};
use tonic::{
    Streaming,
    transport::{Channel, Endpoint},
};

use crate::{
    args::Played,
    bots::{self, Heard, Said},
    report::percentile,
};

/// How long it took, in milliseconds.
#[derive(Debug, Serialize)]
pub(super) struct Newcomers {
    /// Pairs, one after another.
    pairs: usize,
    /// From the call that creates their match until both have their first turn.
    created: Latency,
    /// From dialling in.
    dialled_in: Latency,
}

#[derive(Debug, Serialize)]
struct Latency {
    p50_ms: Option<f64>,
    p99_ms: Option<f64>,
    max_ms: Option<f64>,
}

/// Has so many pairs of agents come, get a match, and go.
pub(super) fn measure(arena: SocketAddr, pairs: usize) -> anyhow::Result<Newcomers> {
    let runtime = Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(come(arena, pairs))
}

async fn come(arena: SocketAddr, pairs: usize) -> anyhow::Result<Newcomers> {
    let endpoint = Endpoint::from_shared(format!("http://{arena}"))?.tcp_nodelay(true);
    let mut matches = MatchServiceClient::new(endpoint.connect().await?);
    let mut created = Vec::new();
    let mut dialled_in = Vec::new();
    for pair in 0..pairs {
        let names = ["one", "two"].map(|side| format!("newcomer-{pair}-{side}"));
        let dials = Instant::now();
        let [one, two] = &names;
        let (mut one, mut two) = tokio::try_join!(
            Newcomer::dial_in(&endpoint, one),
            Newcomer::dial_in(&endpoint, two),
        )?;
        let creates = Instant::now();
        let request = v1::CreateMatchRequest {
            options: Some(bots::options(Played::Classic)),
            players: names.map(player).into(),
            ..Default::default()
        };
        let creation = async { anyhow::Ok(matches.create_match(request).await?) };
        let (_, match_id, _) = tokio::try_join!(creation, one.turn(), two.turn())?;
        created.push(creates.elapsed());
        dialled_in.push(dials.elapsed());

        one.resign(match_id).await?;
        tokio::try_join!(one.end(), two.end())?;
    }
    Ok(Newcomers {
        pairs,
        created: Latency::of(created),
        dialled_in: Latency::of(dialled_in),
    })
}

fn player(name: String) -> v1::Player {
    v1::Player {
        agent: Some(player::Agent::Name(name)),
    }
}

struct Newcomer {
    outgoing: mpsc::Sender<v1::ConnectRequest>,
    incoming: Streaming<(Heard, usize)>,
}

impl Newcomer {
    async fn dial_in(endpoint: &Endpoint, name: &str) -> anyhow::Result<Self> {
        let channel: Channel = endpoint.connect().await?;
        let variant = Played::Classic.variant();
        let (outgoing, incoming) = bots::greet(channel, name.to_owned(), variant, 1).await?;
        Ok(Self { outgoing, incoming })
    }

    async fn next(&mut self) -> anyhow::Result<Option<Said>> {
        let next = self.incoming.message().await?;
        let (heard, _) = next.context("the stream ended")?;
        Ok(heard.said)
    }

    /// Waits for a turn. Returns its match.
    async fn turn(&mut self) -> anyhow::Result<u64> {
        loop {
            if let Some(Said::Turn(turn)) = self.next().await? {
                return Ok(turn.match_id);
            }
        }
    }

    async fn resign(&self, match_id: u64) -> anyhow::Result<()> {
        let resignation = v1::Resignation {
            match_id,
            ..Default::default()
        };
        let request = v1::ConnectRequest {
            message: Some(connect_request::Message::Resignation(resignation)),
        };
        Ok(self.outgoing.send(request).await?)
    }

    /// Waits for the end of its match.
    async fn end(&mut self) -> anyhow::Result<()> {
        loop {
            if let Some(Said::MatchEnd(end)) = self.next().await? {
                let outcome = end.outcome.unwrap_or_default();
                ensure!(
                    outcome.termination() == Termination::Resigned,
                    "a newcomer's match ended otherwise than by its resignation: {}",
                    outcome.message
                );
                return Ok(());
            }
        }
    }
}

impl Latency {
    fn of(mut all: Vec<Duration>) -> Self {
        all.sort_unstable();
        let ns: Vec<u64> = all
            .iter()
            .map(|took| u64::try_from(took.as_nanos()).unwrap_or(u64::MAX))
            .collect();
        let ms = |part| percentile(&ns, part).map(|us| us / 1e3);
        Self {
            p50_ms: ms(0.5),
            p99_ms: ms(0.99),
            max_ms: ms(1.0),
        }
    }
}

impl fmt::Display for Newcomers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "a newcomer's first turn, of {} pairs: {} after its match was asked for, {} after it dialled in",
            self.pairs, self.created, self.dialled_in
        )
    }
}

impl fmt::Display for Latency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.p50_ms, self.p99_ms, self.max_ms) {
            (Some(p50), Some(p99), Some(max)) => {
                write!(f, "p50 {p50:.1} ms, p99 {p99:.1} ms, max {max:.1} ms")
            }
            _ => f.write_str("-"),
        }
    }
}
