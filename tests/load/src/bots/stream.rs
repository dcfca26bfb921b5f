//! Bots that dial in.

use std::sync::Arc;

use anyhow::{Context, bail};
use broadside_proto::v1::{self, connect_request};
use futures_util::{StreamExt, TryStreamExt, stream};
use prost::Message;
use rustc_hash::FxHashMap;
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;
use tonic::{
    Request, Streaming,
    client::Grpc,
    transport::{Channel, Endpoint},
};

use super::{
    Desk, STREAMS,
    reader::{BotCodec, Heard, Said},
    rematch::numbered,
    trivial::Asked,
};
use crate::args::{BotsRole, Route};

/// The streaming call.
const CONNECT: &str = "/broadside.v1.GatewayService/Connect";

/// Connects all agents of the role, and has each play in a task of its own. Returns once all are welcome.
pub(super) async fn dial_in(role: &BotsRole, desk: &Arc<Desk>) -> anyhow::Result<()> {
    let (agents, at_once) = match role.route {
        Route::Streams => (role.matches, 1),
        Route::Stream | Route::Dialled => (1, role.matches),
    };
    let on_one = if role.apart { 1 } else { STREAMS };
    let endpoint = Endpoint::from_shared(role.arena.clone())?.tcp_nodelay(true);
    let channels: Vec<Channel> = stream::iter(0..agents.div_ceil(on_one))
        .map(|_| endpoint.connect())
        .buffered(64)
        .try_collect()
        .await?;
    let variant = role.variant.variant();
    let agents = stream::iter(0..agents).map(|agent| {
        let name = match role.route {
            Route::Streams => numbered(&role.name, agent),
            Route::Stream | Route::Dialled => role.name.clone(),
        };
        let channel = channels[agent / on_one].clone();
        async move {
            let (outgoing, incoming) = greet(channel, name, variant, at_once).await?;
            tokio::spawn(play(agent, desk.clone(), outgoing, incoming));
            anyhow::Ok(())
        }
    });
    agents.buffer_unordered(64).try_collect().await
}

type Outgoing = mpsc::Sender<v1::ConnectRequest>;
type Incoming = Streaming<(Heard, usize)>;

/// Opens the stream of an agent, and waits until it is welcome.
pub(crate) async fn greet(
    channel: Channel,
    name: String,
    variant: v1::Variant,
    at_once: usize,
) -> anyhow::Result<(Outgoing, Incoming)> {
    // One answer a match at most waits to be sent.
    let (outgoing, queue) = mpsc::channel(at_once + 1);
    let hello = v1::Hello {
        protocol_version: broadside_proto::PROTOCOL_VERSION,
        profile: Some(v1::AgentProfile {
            name,
            variants: vec![variant.into()],
            max_matches: u32::try_from(at_once)?,
            ..Default::default()
        }),
        ..Default::default()
    };
    outgoing
        .send(v1::ConnectRequest {
            message: Some(connect_request::Message::Hello(hello)),
        })
        .await?;
    let mut grpc = Grpc::new(channel);
    grpc.ready().await?;
    let request = Request::new(ReceiverStream::new(queue));
    let mut incoming = grpc
        .streaming(request, CONNECT.parse()?, BotCodec::default())
        .await?
        .into_inner();
    let (welcome, _) = incoming.message().await?.context("the stream ended")?;
    match welcome.said {
        Some(Said::Welcome(_)) => Ok((outgoing, incoming)),
        other => bail!("no welcome but {other:?}"),
    }
}

async fn play(agent: usize, desk: Arc<Desk>, outgoing: Outgoing, mut incoming: Incoming) {
    // Shots fired in each match of salvo.
    let mut fired: FxHashMap<u64, u32> = FxHashMap::default();
    // Without a message any more, the arena has been stopped.
    while let Ok(Some((heard, turn_bytes))) = incoming.message().await {
        match heard.said {
            Some(Said::Turn(turn)) => {
                desk.opens().await;
                let received = desk.received(turn.match_id);
                let salvo_size = turn.view.as_ref().and_then(|view| view.salvo.as_ref());
                let salvo_size = salvo_size.map_or(0, |view| view.salvo_size);
                let before = match salvo_size {
                    0 => 0,
                    size => {
                        let fired = fired.entry(turn.match_id).or_default();
                        *fired += size;
                        *fired - size
                    }
                };
                let answer = desk.decide(Asked {
                    turn_id: turn.turn_id,
                    seat: turn.seat(),
                    phase: turn.phase(),
                    salvo_size,
                    fired: before,
                });
                let id = (turn.match_id, turn.turn_id);
                let request = v1::ConnectRequest {
                    message: Some(connect_request::Message::Answer(v1::TurnAnswer {
                        match_id: turn.match_id,
                        turn_id: turn.turn_id,
                        r#move: Some(answer),
                    })),
                };
                let timed = received.map(|at| (at, request.encoded_len()));
                if outgoing.send(request).await.is_err() {
                    return;
                }
                if let Some((received_ns, answer_bytes)) = timed {
                    desk.answered(id, received_ns, turn_bytes, answer_bytes);
                }
            }
            Some(Said::MatchEnd(end)) => {
                fired.remove(&end.match_id);
                desk.ended(agent, &end);
            }
            _ => {}
        }
    }
}
