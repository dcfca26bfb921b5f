//! Agents that are connected and play nothing, beside bare tonic with as many connections and one open stream on each.

use std::{fmt, net::SocketAddr};

use serde::Serialize;

use super::at_rest;
use crate::{
    args::{Kept, Played, Route, Shape},
    memory::Memory,
    process::Process,
    report::Spread,
};

/// Most connections that one process of clients holds, which a system with few descriptors for each still allows.
const IN_ONE: usize = 5_000;

/// Bytes of what an agent and the arena say to each other before it waits: about those of a hello and a welcome.
const GREETING: [usize; 2] = [64, 128];

/// What each of them takes, in bytes.
#[derive(Debug, Serialize)]
pub(super) struct Idle {
    agents: usize,
    arena: Figures,
    bare: Figures,
    /// The arena's share to that of bare tonic, round by round.
    ratio: Figures,
}

/// Of all rounds.
#[derive(Debug, Serialize)]
struct Figures {
    resident: Option<Spread>,
    live: Option<Spread>,
}

/// Measures the arena and bare tonic in turn.
pub(super) fn measure(agents: usize, rounds: u32) -> anyhow::Result<Idle> {
    let mut arena = Vec::new();
    let mut bare = Vec::new();
    for _ in 0..rounds {
        arena.push(each(
            "arena",
            &[format!("--store={}", Kept::Memory)],
            agents,
            dial_in,
        )?);
        bare.push(each("echo-server", &[], agents, open_streams)?);
    }
    let ratio = |of: fn(&Memory) -> Option<f64>| {
        let both = arena.iter().zip(&bare);
        Spread::of(both.filter_map(|(arena, bare)| Some(of(arena)? / of(bare)?)))
    };
    Ok(Idle {
        agents,
        ratio: Figures {
            resident: ratio(|memory| Some(memory.resident)),
            live: ratio(|memory| memory.live),
        },
        arena: Figures::of(&arena),
        bare: Figures::of(&bare),
    })
}

/// What each of so many clients adds to a server that has none yet.
fn each(
    server: &str,
    flags: &[String],
    clients: usize,
    connect: fn(SocketAddr, usize) -> anyhow::Result<Vec<Process>>,
) -> anyhow::Result<Memory> {
    let mut server = Process::start(server, flags)?;
    let address: SocketAddr = server.hear()?;
    let before = at_rest(&mut server)?;
    let _connected = connect(address, clients)?;
    Ok(at_rest(&mut server)?.each(before, clients))
}

/// Has so many agents dial in, each on a connection of its own, and wait. They are gone with the processes.
pub(super) fn dial_in(arena: SocketAddr, agents: usize) -> anyhow::Result<Vec<Process>> {
    let start = |(part, agents): (usize, usize)| {
        let flags = [
            format!("--arena=http://{arena}"),
            format!("--name=idle-{part}"),
            format!("--route={}", Route::Streams),
            format!("--variant={}", Played::Classic),
            format!("--matches={agents}"),
            "--apart".to_owned(),
        ];
        let mut bots = Process::start("bots", &flags)?;
        let _: Option<String> = bots.hear()?;
        Ok(bots)
    };
    parts(agents).enumerate().map(start).collect()
}

/// Opens so many streams to bare tonic likewise.
fn open_streams(server: SocketAddr, streams: usize) -> anyhow::Result<Vec<Process>> {
    let [request, reply] = GREETING;
    let start = |streams: usize| {
        let flags = [
            format!("--server=http://{server}"),
            format!("--shape={}", Shape::Streams),
            format!("--games={streams}"),
            format!("--request={request}"),
            format!("--reply={reply}"),
            "--idle".to_owned(),
        ];
        let mut client = Process::start("echo-client", &flags)?;
        let _: String = client.hear()?;
        Ok(client)
    };
    parts(streams).map(start).collect()
}

/// So many, in parts that one process takes.
fn parts(all: usize) -> impl Iterator<Item = usize> {
    (0..all)
        .step_by(IN_ONE)
        .map(move |first| IN_ONE.min(all - first))
}

impl Figures {
    fn of(rounds: &[Memory]) -> Self {
        Self {
            resident: Spread::of(rounds.iter().map(|memory| memory.resident)),
            live: Spread::of(rounds.iter().filter_map(|memory| memory.live)),
        }
    }

    fn median(&self) -> Option<Memory> {
        Some(Memory {
            resident: self.resident?.median,
            live: self.live.map(|live| live.median),
        })
    }
}

impl fmt::Display for Idle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let (Some(arena), Some(bare)) = (self.arena.median(), self.bare.median()) {
            writeln!(f, "an idle agent, of {}: {arena}", self.agents)?;
            writeln!(f, "  a stream of bare tonic: {bare}")?;
        }
        if let Some(ratio) = self.ratio.resident {
            write!(
                f,
                "  ratio: {:.2} ({:.2}-{:.2}) resident",
                ratio.median, ratio.min, ratio.max
            )?;
            if let Some(live) = self.ratio.live {
                write!(
                    f,
                    ", {:.2} ({:.2}-{:.2}) live",
                    live.median, live.min, live.max
                )?;
            }
            writeln!(f)?;
        }
        Ok(())
    }
}
