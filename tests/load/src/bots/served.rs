//! A bot that the arena dials.

use std::sync::Arc;

use broadside_proto::v1::{
    self,
    agent_service_server::{AgentService, AgentServiceServer},
    choose_move_response::Decision,
    view,
};
use prost::Message;
use tokio::net::TcpListener;
use tonic::{
    Request, Response, Status,
    transport::{Server, server::TcpIncoming},
};

use super::{Desk, trivial::Asked};

/// Serves so many matches at once, in a task of its own.
pub(super) fn serve(listener: TcpListener, desk: Arc<Desk>, matches: usize) -> anyhow::Result<()> {
    let max_matches = u32::try_from(matches)?;
    let incoming = TcpIncoming::from(listener).with_nodelay(Some(true));
    let serving = Server::builder()
        .add_service(AgentServiceServer::new(Served { desk, max_matches }))
        .serve_with_incoming(incoming);
    tokio::spawn(async move {
        if let Err(error) = serving.await {
            eprintln!("the bot does not serve any more: {error}");
        }
    });
    Ok(())
}

struct Served {
    desk: Arc<Desk>,
    max_matches: u32,
}

#[tonic::async_trait]
impl AgentService for Served {
    async fn get_profile(
        &self,
        _: Request<v1::GetProfileRequest>,
    ) -> Result<Response<v1::GetProfileResponse>, Status> {
        let variants = [
            v1::Variant::Classic,
            v1::Variant::Salvo,
            v1::Variant::Abalone,
        ];
        Ok(Response::new(v1::GetProfileResponse {
            profile: Some(v1::AgentProfile {
                name: "load".to_owned(),
                variants: variants.map(Into::into).into(),
                max_matches: self.max_matches,
                ..Default::default()
            }),
        }))
    }

    async fn start_match(
        &self,
        _: Request<v1::StartMatchRequest>,
    ) -> Result<Response<v1::StartMatchResponse>, Status> {
        Ok(Response::new(Default::default()))
    }

    async fn choose_move(
        &self,
        request: Request<v1::ChooseMoveRequest>,
    ) -> Result<Response<v1::ChooseMoveResponse>, Status> {
        let turn = request.into_inner().turn;
        let turn = turn.ok_or_else(|| Status::invalid_argument("no turn is set"))?;
        self.desk.opens().await;
        let received = self.desk.received(turn.match_id);
        let answer = self.desk.decide(asked(&turn));
        if let Some(received_ns) = received {
            let id = (turn.match_id, turn.turn_id);
            let (turn_bytes, answer_bytes) = (turn.encoded_len(), answer.encoded_len());
            self.desk
                .answered(id, received_ns, turn_bytes, answer_bytes);
        }
        Ok(Response::new(v1::ChooseMoveResponse {
            decision: Some(Decision::Move(answer)),
        }))
    }

    async fn end_match(
        &self,
        request: Request<v1::EndMatchRequest>,
    ) -> Result<Response<v1::EndMatchResponse>, Status> {
        if let Some(end) = request.into_inner().match_end {
            self.desk.ended(0, &end);
        }
        Ok(Response::new(Default::default()))
    }
}

fn asked(turn: &v1::Turn) -> Asked {
    let view = turn.view.as_ref().and_then(|view| view.variant.as_ref());
    let (salvo_size, fired) = match view {
        Some(view::Variant::Salvo(view)) => {
            let grid = view.targets.as_ref().and_then(|told| told.grid.as_ref());
            let fired = grid.map_or(0, |grid| grid.misses.len() + grid.hits.len());
            (view.salvo_size, u32::try_from(fired).unwrap_or(0))
        }
        _ => (0, 0),
    };
    Asked {
        turn_id: turn.turn_id,
        seat: turn.seat(),
        phase: turn.phase(),
        salvo_size,
        fired,
    }
}
