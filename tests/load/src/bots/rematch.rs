//! Creates matches: the first ones, and another for each that is over.

use broadside_proto::v1::{
    self, match_service_client::MatchServiceClient, options::Variant as Of, player,
};
use futures_util::{StreamExt, TryStreamExt, stream};
use tonic::{
    Code, Status,
    transport::{Channel, Endpoint},
};

use crate::args::{BotsRole, Played, Route};

/// Creates matches between the agents of this process and their opponents.
pub(super) struct Rematch {
    matches: MatchServiceClient<Channel>,
    name: String,
    opponent: String,
    route: Route,
    options: v1::Options,
}

impl Rematch {
    /// For a process that creates matches; `None` for another. `own` names its agents, or is their address.
    pub(super) async fn connect(role: &BotsRole, own: String) -> anyhow::Result<Option<Self>> {
        let Some(opponent) = role.opponent.clone() else {
            return Ok(None);
        };
        let channel = Endpoint::from_shared(role.arena.clone())?
            .tcp_nodelay(true)
            .connect()
            .await?;
        Ok(Some(Self {
            matches: MatchServiceClient::new(channel),
            name: own,
            opponent,
            route: role.route,
            options: options(role.variant),
        }))
    }

    /// The first match of every agent, or so many of the only one.
    pub(super) async fn all(&self, matches: usize, at_once: usize) -> Result<(), Status> {
        stream::iter(0..matches)
            .map(|agent| self.try_create(agent))
            .buffer_unordered(at_once)
            .try_collect()
            .await
    }

    /// Another match of the agent with this number.
    pub(super) async fn create(&self, agent: usize) {
        match self.try_create(agent).await {
            Ok(()) => {}
            // The arena was stopped.
            Err(status) if matches!(status.code(), Code::Unavailable | Code::Unknown) => {}
            Err(status) => eprintln!("no match is created: {status}"),
        }
    }

    async fn try_create(&self, agent: usize) -> Result<(), Status> {
        let request = v1::CreateMatchRequest {
            options: Some(self.options.clone()),
            players: [&self.name, &self.opponent]
                .map(|name| self.player(name, agent))
                .into(),
            ..Default::default()
        };
        self.matches.clone().create_match(request).await.map(drop)
    }

    fn player(&self, name: &str, agent: usize) -> v1::Player {
        let agent = match self.route {
            Route::Stream => player::Agent::Name(name.to_owned()),
            Route::Streams => player::Agent::Name(numbered(name, agent)),
            Route::Dialled => player::Agent::Address(name.to_owned()),
        };
        v1::Player { agent: Some(agent) }
    }
}

/// The name of one of many agents.
pub(super) fn numbered(name: &str, agent: usize) -> String {
    format!("{name}-{agent}")
}

/// What a match is created with.
pub(crate) fn options(played: Played) -> v1::Options {
    let variant = match played {
        Played::Classic => Of::Classic(v1::ClassicOptions::default()),
        Played::Salvo => Of::Salvo(v1::SalvoOptions::default()),
        // The bots go to and fro: for as long as a match of classic is.
        Played::Abalone => Of::Abalone(v1::AbaloneOptions {
            max_plies: Some(184),
            repetition_limit: Some(0),
            ..Default::default()
        }),
    };
    v1::Options {
        variant: Some(variant),
    }
}
