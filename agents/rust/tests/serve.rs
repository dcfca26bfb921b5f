//! How an agent that is dialled answers.
#![allow(clippy::unwrap_used, reason = "helpers of tests may stop the test")]

use std::sync::Arc;

use broadside_agents::{Random, Seed, Slow, profile, serve};
use broadside_proto::v1::{
    AbaloneMove, ChooseMoveRequest, EndMatchRequest, GetProfileRequest, LegalMoves, Move,
    StartMatchRequest, Turn, agent_service_client::AgentServiceClient,
    choose_move_response::Decision, r#move,
};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;
use tonic::{
    Code,
    transport::{Channel, Endpoint},
};

async fn served(
    agent: Arc<dyn broadside_agents::Agent>,
) -> (AgentServiceClient<Channel>, CancellationToken) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let shutdown = CancellationToken::new();
    let profile = profile::every_variant("served", 2).with_legal_moves();
    tokio::spawn(serve(listener, profile, agent, shutdown.clone()));
    let channel = Endpoint::from_shared(address)
        .unwrap()
        .connect()
        .await
        .unwrap();
    (AgentServiceClient::new(channel), shutdown)
}

fn turn(moves: Vec<Move>) -> ChooseMoveRequest {
    ChooseMoveRequest {
        turn: Some(Turn {
            match_id: 9,
            turn_id: 4,
            legal_moves: Some(LegalMoves { moves, salvo: None }),
            ..Turn::default()
        }),
    }
}

#[tokio::test]
async fn it_says_who_it_is_and_chooses_moves() {
    let only = Move {
        variant: Some(r#move::Variant::Abalone(AbaloneMove::default())),
    };
    let random = Random::new(Seed(1));
    for agent in [
        Arc::new(random) as Arc<dyn broadside_agents::Agent>,
        Arc::new(Slow(random)),
    ] {
        let (mut client, _shutdown) = served(agent).await;
        let profile = client.get_profile(GetProfileRequest {}).await.unwrap();
        let profile = profile.into_inner().profile.unwrap();
        assert_eq!((&*profile.name, profile.variants.len()), ("served", 7));
        assert!(profile.wants_legal_moves);

        client
            .start_match(StartMatchRequest::default())
            .await
            .unwrap();
        let chosen = client.choose_move(turn(vec![only.clone()])).await.unwrap();
        assert_eq!(
            chosen.into_inner().decision,
            Some(Decision::Move(only.clone()))
        );
        match client
            .choose_move(turn(Vec::new()))
            .await
            .unwrap()
            .into_inner()
            .decision
        {
            Some(Decision::Resignation(resignation)) => assert_eq!(resignation.match_id, 9),
            other => panic!("no resignation but {other:?}"),
        }
        client.end_match(EndMatchRequest::default()).await.unwrap();
    }
}

#[tokio::test]
async fn a_request_without_a_turn_is_refused() {
    let (mut client, _shutdown) = served(Arc::new(Random::new(Seed(1)))).await;
    let refused = client.choose_move(ChooseMoveRequest::default()).await;
    assert_eq!(refused.unwrap_err().code(), Code::InvalidArgument);
}

#[tokio::test]
async fn it_ends_although_connections_are_still_open() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let shutdown = CancellationToken::new();
    let profile = profile::every_variant("served", 2);
    let agent = Arc::new(Random::new(Seed(1)));
    let server = tokio::spawn(serve(listener, profile, agent, shutdown.clone()));
    let _open = Endpoint::from_shared(address)
        .unwrap()
        .connect()
        .await
        .unwrap();
    shutdown.cancel();
    server.await.unwrap().unwrap();
}
