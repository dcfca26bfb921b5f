//! Bots that dial in.

use std::sync::Arc;

use anyhow::{Context, bail};
use broadside_proto::v1::{
    self, connect_request, connect_response::Message, gateway_service_client::GatewayServiceClient,
};
use futures_util::{StreamExt, TryStreamExt, stream};
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;
use tonic::{
    Streaming,
    transport::{Channel, Endpoint},
};

use super::{Desk, STREAMS, rematch::numbered};
use crate::args::{BotsRole, Route};

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
type Incoming = Streaming<v1::ConnectResponse>;

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
    let mut incoming = GatewayServiceClient::new(channel)
        .connect(ReceiverStream::new(queue))
        .await?
        .into_inner();
    let welcome = incoming.message().await?.context("the stream ended")?;
    match welcome.message {
        Some(Message::Welcome(_)) => Ok((outgoing, incoming)),
        other => bail!("no welcome but {other:?}"),
    }
}

async fn play(agent: usize, desk: Arc<Desk>, outgoing: Outgoing, mut incoming: Incoming) {
    // Without a message any more, the arena has been stopped.
    while let Ok(Some(message)) = incoming.message().await {
        match message.message {
            Some(Message::Turn(turn)) => {
                desk.opens().await;
                let received = desk.received(turn.match_id);
                let answer = v1::TurnAnswer {
                    match_id: turn.match_id,
                    turn_id: turn.turn_id,
                    r#move: desk.decide(&turn),
                };
                let timed = received.map(|at| (at, answer.clone()));
                let request = v1::ConnectRequest {
                    message: Some(connect_request::Message::Answer(answer)),
                };
                if outgoing.send(request).await.is_err() {
                    return;
                }
                if let Some((received_ns, answer)) = timed {
                    desk.answered(turn, answer, received_ns);
                }
            }
            Some(Message::MatchEnd(end)) => desk.ended(agent, &end),
            _ => {}
        }
    }
}
