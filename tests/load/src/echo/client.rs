//! The client of the echo: so many games, each with one round trip at a time.

use std::sync::{Arc, atomic::Ordering::Relaxed};

use futures_util::{StreamExt, TryStreamExt, stream};
use tokio::{runtime::Builder, sync::mpsc};
use tokio_stream::wrappers::ReceiverStream;
use tonic::{
    Request, Streaming,
    client::Grpc,
    transport::{Channel, Endpoint},
};

use super::{Parcel, STREAM, UNARY, codec};
use crate::{
    args::{EchoClientRole, Shape},
    process::in_a_thread,
    tally::{Tally, tell},
};

/// Most streams on a connection, as the bots have it.
const STREAMS: usize = 128;
/// Most calls at once on a connection, as the arena has it when it dials.
const CALLS: usize = 32;

pub(crate) fn run(role: &EchoClientRole) -> anyhow::Result<()> {
    let tally = Arc::new(Tally::default());
    // As the bots have it, whose place it takes; the arena has as many threads as there are cores.
    let runtime = match role.shape {
        Shape::Multiplexed | Shape::Streams => Builder::new_current_thread(),
        Shape::Unary => Builder::new_multi_thread(),
    };
    in_a_thread(runtime, play(role.clone(), tally.clone()));
    tally.answer(|_| {})
}

async fn play(role: EchoClientRole, tally: Arc<Tally>) -> anyhow::Result<()> {
    let parcel = Parcel::new(role.request, role.reply)?;
    let endpoint = Endpoint::from_shared(role.server.clone())?.tcp_nodelay(true);
    let on_one = match role.shape {
        _ if role.idle => 1,
        Shape::Multiplexed => role.games,
        Shape::Streams => STREAMS,
        Shape::Unary => CALLS,
    };
    let channels: Vec<Channel> = stream::iter(0..role.games.div_ceil(on_one))
        .map(|_| endpoint.connect())
        .buffered(64)
        .try_collect()
        .await?;
    let mut streams = Vec::new();
    match role.shape {
        Shape::Multiplexed => {
            let channel = channels[0].clone();
            tokio::spawn(ping(channel, parcel, role.games, tally.clone()));
        }
        Shape::Streams if role.idle => {
            for channel in channels {
                streams.push(open(channel, parcel.clone()).await?);
            }
        }
        Shape::Streams => {
            for game in 0..role.games {
                let channel = channels[game / on_one].clone();
                tokio::spawn(ping(channel, parcel.clone(), 1, tally.clone()));
            }
        }
        Shape::Unary => {
            for game in 0..role.games {
                let channel = channels[game / on_one].clone();
                tokio::spawn(call(channel, parcel.clone(), tally.clone()));
            }
        }
    }
    tell(&"ready")?;
    // Streams that wait stay open.
    std::future::pending::<()>().await;
    drop(streams);
    Ok(())
}

type Sender = mpsc::Sender<Parcel>;

async fn stream(channel: Channel, games: usize) -> anyhow::Result<(Sender, Streaming<Parcel>)> {
    let (sender, queue) = mpsc::channel(games);
    let mut grpc = Grpc::new(channel);
    grpc.ready().await?;
    let request = Request::new(ReceiverStream::new(queue));
    let response = grpc
        .streaming(request, STREAM.parse()?, codec())
        .await?
        .into_inner();
    Ok((sender, response))
}

async fn open(channel: Channel, parcel: Parcel) -> anyhow::Result<(Sender, Streaming<Parcel>)> {
    let (sender, mut replies) = stream(channel, 1).await?;
    sender.send(parcel).await?;
    replies.message().await?;
    Ok((sender, replies))
}

/// So many games on one stream.
async fn ping(
    channel: Channel,
    parcel: Parcel,
    games: usize,
    tally: Arc<Tally>,
) -> anyhow::Result<()> {
    let (sender, mut replies) = stream(channel, games).await?;
    for _ in 0..games {
        sender.send(parcel.clone()).await?;
    }
    while replies.message().await?.is_some() {
        tally.turns.fetch_add(1, Relaxed);
        sender.send(parcel.clone()).await?;
    }
    Ok(())
}

/// One game, call after call.
async fn call(channel: Channel, parcel: Parcel, tally: Arc<Tally>) -> anyhow::Result<()> {
    let mut grpc = Grpc::new(channel);
    loop {
        grpc.ready().await?;
        let request = Request::new(parcel.clone());
        let _: tonic::Response<Parcel> = grpc.unary(request, UNARY.parse()?, codec()).await?;
        tally.turns.fetch_add(1, Relaxed);
    }
}
