//! A bot that the arena dials.

use std::sync::Arc;

use broadside_proto::v1::{
    self,
    agent_service_server::{AgentService, AgentServiceServer},
    choose_move_response::Decision,
};
use tokio::net::TcpListener;
use tonic::{
    Request, Response, Status,
    transport::{Server, server::TcpIncoming},
};

use super::Desk;

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
        let every = broadside_agents::profile::every_variant("load", self.max_matches);
        Ok(Response::new(v1::GetProfileResponse {
            profile: Some(every.into()),
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
        let decided = self.desk.decide(&turn);
        if let Some(received_ns) = received {
            let answer = v1::TurnAnswer {
                match_id: turn.match_id,
                turn_id: turn.turn_id,
                r#move: decided.clone(),
            };
            self.desk.answered(turn, answer, received_ns);
        }
        Ok(Response::new(v1::ChooseMoveResponse {
            decision: decided.map(Decision::Move),
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
