//! Who may do what: with an agent's token, an operator's, another's, and none.

use std::{sync::Arc, time::Duration};

use anyhow::Context;
use broadside_arena::{
    auth::mint,
    store::{Holder, MemoryStore, Store, TokenId},
    time::unix_ms,
};
use broadside_proto::v1::{
    self, catalog_service_client::CatalogServiceClient, connect_request, connect_response::Message,
    gateway_service_client::GatewayServiceClient, match_service_client::MatchServiceClient,
};
use broadside_tests::{Bot, PATIENCE, TestArena, named, request};
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;
use tonic::{
    Code, Request, Status, Streaming, metadata::MetadataValue, service::Interceptor,
    service::interceptor::InterceptedService, transport::Channel,
};

/// Sends a token with every call, or none.
#[derive(Clone)]
struct Bearer(Option<String>);

impl Interceptor for Bearer {
    fn call(&mut self, mut request: Request<()>) -> Result<Request<()>, Status> {
        if let Some(token) = &self.0 {
            let value = format!("Bearer {token}");
            let value = MetadataValue::try_from(value)
                .map_err(|error| Status::internal(error.to_string()))?;
            request.metadata_mut().insert("authorization", value);
        }
        Ok(request)
    }
}

type Authorized = InterceptedService<Channel, Bearer>;

struct Club {
    arena: TestArena,
    store: Arc<MemoryStore>,
}

impl Club {
    async fn open(require_tokens: bool) -> anyhow::Result<Self> {
        let store = Arc::new(MemoryStore::new(100));
        let arena = TestArena::start_on(store.clone(), |settings| {
            settings.require_tokens = require_tokens;
        })
        .await?;
        Ok(Self { arena, store })
    }

    async fn token(&self, holder: Holder) -> anyhow::Result<(TokenId, String)> {
        self.token_until(holder, None).await
    }

    async fn token_until(
        &self,
        holder: Holder,
        expire_time_ms: Option<u64>,
    ) -> anyhow::Result<(TokenId, String)> {
        use secrecy::ExposeSecret;
        let minted = mint(holder, unix_ms(), expire_time_ms)?;
        let id = minted.kept.id.clone();
        self.store.add_token(minted.kept).await?;
        Ok((id, minted.text.expose_secret().to_owned()))
    }

    async fn of_agent(&self, name: &str) -> anyhow::Result<String> {
        Ok(self.token(Holder::Agent(name.to_owned())).await?.1)
    }

    async fn of_operator(&self) -> anyhow::Result<String> {
        Ok(self.token(Holder::Operator).await?.1)
    }

    fn matches(&self, token: Option<&str>) -> MatchServiceClient<Authorized> {
        let bearer = Bearer(token.map(str::to_owned));
        MatchServiceClient::with_interceptor(self.arena.channel(), bearer)
    }

    fn catalog(&self, token: Option<&str>) -> CatalogServiceClient<Authorized> {
        let bearer = Bearer(token.map(str::to_owned));
        CatalogServiceClient::with_interceptor(self.arena.channel(), bearer)
    }

    /// A stream with a hello; what the arena answers first.
    async fn connect(
        &self,
        name: &str,
        token: Option<&str>,
    ) -> Result<
        (
            mpsc::Sender<v1::ConnectRequest>,
            Streaming<v1::ConnectResponse>,
        ),
        Status,
    > {
        let bearer = Bearer(token.map(str::to_owned));
        let mut gateway = GatewayServiceClient::with_interceptor(self.arena.channel(), bearer);
        let (sender, queue) = mpsc::channel(16);
        let hello = connect_request::Message::Hello(v1::Hello {
            protocol_version: 1,
            profile: Some(Bot::profile(name)),
            ..v1::Hello::default()
        });
        let hello = v1::ConnectRequest {
            message: Some(hello),
        };
        let _ = sender.send(hello).await;
        let mut incoming = gateway
            .connect(ReceiverStream::new(queue))
            .await?
            .into_inner();
        match incoming.message().await?.and_then(|first| first.message) {
            Some(Message::Welcome(_)) => Ok((sender, incoming)),
            other => Err(Status::internal(format!("no welcome but {other:?}"))),
        }
    }
}

fn between(one: &str, two: &str) -> v1::CreateMatchRequest {
    request(v1::Variant::Classic, named(one), named(two))
}

fn code<T>(result: Result<T, Status>) -> Code {
    result.map_or_else(|status| status.code(), |_| Code::Ok)
}

async fn created(
    mut client: MatchServiceClient<Authorized>,
    request: v1::CreateMatchRequest,
) -> Result<u64, Status> {
    let response = client.create_match(request).await?.into_inner();
    Ok(response.r#match.unwrap_or_default().match_id)
}

#[tokio::test]
async fn fault_47_a_call_without_a_valid_token_learns_nothing_not_even_what_is_wrong_with_it()
-> anyhow::Result<()> {
    let club = Club::open(true).await?;
    let (revoked, of_revoked) = club.token(Holder::Operator).await?;
    assert!(club.store.revoke_token(&revoked, unix_ms()).await?);
    let (_, expired) = club.token_until(Holder::Operator, Some(unix_ms())).await?;
    let good = club.of_operator().await?;
    let (kind_and_id, _) = good.rsplit_once('_').context("a token")?;
    let forged = format!("{kind_and_id}_{}", "0".repeat(64));
    let unknown = format!("bso_{}_{}", "0".repeat(16), "0".repeat(64));
    let mut said = Vec::new();
    for token in [
        None,
        Some(""),
        Some("let me in"),
        Some(of_revoked.as_str()),
        Some(expired.as_str()),
        Some(forged.as_str()),
        Some(unknown.as_str()),
    ] {
        let refused = [
            club.matches(token)
                .list_matches(v1::ListMatchesRequest::default())
                .await
                .err(),
            club.catalog(token)
                .get_limits(v1::GetLimitsRequest {})
                .await
                .err(),
            created(club.matches(token), between("ada", "bob"))
                .await
                .err(),
            club.connect("ada", token).await.err(),
        ];
        for status in refused {
            let status = status.context("a call was let in")?;
            assert!(
                !status.message().contains(token.unwrap_or("nothing at all")) || token == Some("")
            );
            said.push((status.code(), status.message().to_owned()));
        }
    }
    said.dedup();
    assert_eq!(said.len(), 1, "{said:?}");
    assert_eq!(said[0].0, Code::Unauthenticated);
    // Whether it lives everybody may ask.
    tonic_health::pb::health_client::HealthClient::new(club.arena.channel())
        .check(tonic_health::pb::HealthCheckRequest::default())
        .await?;
    club.matches(Some(&good))
        .list_matches(v1::ListMatchesRequest::default())
        .await?;
    club.arena.stop().await
}

#[tokio::test]
async fn an_agents_token_makes_that_agent_and_no_other() -> anyhow::Result<()> {
    let club = Club::open(true).await?;
    let ada = club.of_agent("ada").await?;
    let operator = club.of_operator().await?;
    club.connect("ada", Some(&ada)).await?;
    let as_bob = club.connect("bob", Some(&ada)).await.err();
    let as_bob = as_bob.context("ada became bob")?;
    assert_eq!(as_bob.code(), Code::PermissionDenied);
    assert!(as_bob.message().contains("agent ada"), "{as_bob}");
    let by_operator = club.connect("ada", Some(&operator)).await;
    assert_eq!(code(by_operator), Code::PermissionDenied);
    club.arena.stop().await
}

#[tokio::test]
async fn an_agent_makes_its_own_matches_only_and_an_operator_any_and_ends_them()
-> anyhow::Result<()> {
    let club = Club::open(true).await?;
    let ada = club.of_agent("ada").await?;
    let operator = club.of_operator().await?;
    let own = created(club.matches(Some(&ada)), between("ada", "bob")).await?;
    let others = created(club.matches(Some(&ada)), between("bob", "cem")).await;
    assert_eq!(code(others), Code::PermissionDenied);
    created(club.matches(Some(&operator)), between("bob", "cem")).await?;
    let cancel = || v1::CancelMatchRequest {
        match_id: own,
        reason: String::new(),
    };
    let by_agent = club.matches(Some(&ada)).cancel_match(cancel()).await;
    assert_eq!(code(by_agent), Code::PermissionDenied);
    club.matches(Some(&operator)).cancel_match(cancel()).await?;
    club.arena.stop().await
}

#[tokio::test]
async fn a_private_match_is_none_to_all_but_its_players_and_operators() -> anyhow::Result<()> {
    for require_tokens in [true, false] {
        let club = Club::open(require_tokens).await?;
        let ada = club.of_agent("ada").await?;
        let bob = club.of_agent("bob").await?;
        let eve = club.of_agent("eve").await?;
        let operator = club.of_operator().await?;
        let private = v1::CreateMatchRequest {
            private: true,
            ..between("ada", "bob")
        };
        let match_id = created(club.matches(Some(&ada)), private).await?;
        let public = created(club.matches(Some(&operator)), between("ada", "bob")).await?;
        let mut outsiders = vec![Some(eve.as_str())];
        if !require_tokens {
            outsiders.push(None);
        }
        for token in outsiders {
            let mut client = club.matches(token);
            let unknown = 1;
            let mut said = Vec::new();
            for match_id in [match_id, unknown] {
                let get = client.get_match(v1::GetMatchRequest { match_id }).await;
                let watch = client.watch_match(v1::WatchMatchRequest { match_id }).await;
                let record = client
                    .get_match_record(v1::GetMatchRecordRequest { match_id })
                    .await;
                let reason = String::new();
                let cancel = client
                    .cancel_match(v1::CancelMatchRequest { match_id, reason })
                    .await;
                let refused = [get.err(), watch.err(), record.err(), cancel.err()];
                let refused: Option<Vec<_>> = refused.into_iter().collect();
                let refused = refused.context("a private match was read")?;
                let words = refused.into_iter().map(|status| {
                    let message = status.message().replace(&match_id.to_string(), "ID");
                    (status.code(), message)
                });
                said.push(words.collect::<Vec<_>>());
            }
            assert_eq!(said[0], said[1], "it is told apart from none");
            assert!(said[0].iter().all(|(code, _)| *code == Code::NotFound));
            let listed = client
                .list_matches(v1::ListMatchesRequest::default())
                .await?
                .into_inner();
            let ids: Vec<_> = listed.matches.iter().map(|one| one.match_id).collect();
            assert_eq!(ids, [public]);
        }
        for token in [&ada, &bob, &operator] {
            let mut client = club.matches(Some(token));
            let got = client.get_match(v1::GetMatchRequest { match_id }).await?;
            assert!(got.into_inner().r#match.is_some_and(|one| one.private));
            let listed = client
                .list_matches(v1::ListMatchesRequest::default())
                .await?
                .into_inner();
            assert_eq!(listed.matches.len(), 2);
        }
        club.arena.stop().await?;
    }
    Ok(())
}

#[tokio::test]
async fn where_no_token_is_needed_a_name_with_a_token_still_needs_it_and_so_does_a_private_match()
-> anyhow::Result<()> {
    let club = Club::open(false).await?;
    club.connect("anybody", None).await?;
    let ada = club.of_agent("ada").await?;
    // A wrong token is wrong here too, and makes the arena look for new ones.
    let wrong = created(club.matches(Some("bsa_wrong")), between("ada", "bob")).await;
    assert_eq!(code(wrong), Code::Unauthenticated);
    club.connect("ada", Some(&ada)).await?;
    let without = club.connect("ada", None).await;
    assert_eq!(code(without), Code::Unauthenticated);
    let private = v1::CreateMatchRequest {
        private: true,
        ..between("ada", "bob")
    };
    let private = created(club.matches(None), private).await;
    assert_eq!(code(private), Code::PermissionDenied);
    club.arena.stop().await
}

#[tokio::test]
async fn fault_45_a_revoked_token_ends_its_stream_and_its_watch_and_opens_no_other()
-> anyhow::Result<()> {
    let club = Club::open(true).await?;
    let (id, ada) = club.token(Holder::Agent("ada".to_owned())).await?;
    let (_open, mut stream) = club.connect("ada", Some(&ada)).await?;
    let match_id = created(club.matches(Some(&ada)), between("ada", "bob")).await?;
    let mut watch = club
        .matches(Some(&ada))
        .watch_match(v1::WatchMatchRequest { match_id })
        .await?
        .into_inner();
    assert!(club.store.revoke_token(&id, unix_ms()).await?);
    let ended = async {
        let mut reason = None;
        let status = loop {
            match stream.message().await {
                Ok(Some(v1::ConnectResponse {
                    message: Some(Message::SessionEnd(end)),
                })) => reason = Some(end.reason()),
                Ok(Some(_)) => {}
                Ok(None) => anyhow::bail!("the stream ended well"),
                Err(status) => break status,
            }
        };
        let watched = loop {
            match watch.message().await {
                Ok(Some(_)) => {}
                Ok(None) => anyhow::bail!("the watch ended well"),
                Err(status) => break status,
            }
        };
        Ok((reason, status, watched))
    };
    let (reason, status, watched) = tokio::time::timeout(PATIENCE, ended).await??;
    assert_eq!(reason, Some(v1::SessionEndReason::TokenRevoked));
    assert_eq!(status.code(), Code::Unauthenticated);
    assert_eq!(watched.code(), Code::Unauthenticated);
    assert_eq!(
        code(club.connect("ada", Some(&ada)).await),
        Code::Unauthenticated
    );
    club.arena.stop().await
}

#[tokio::test]
async fn a_token_that_expires_ends_its_stream() -> anyhow::Result<()> {
    let club = Club::open(true).await?;
    let soon = unix_ms() + Duration::from_secs(2).as_millis() as u64;
    let (_, ada) = club
        .token_until(Holder::Agent("ada".to_owned()), Some(soon))
        .await?;
    let (_open, mut stream) = club.connect("ada", Some(&ada)).await?;
    let ended = async {
        while let Ok(message) = stream.message().await {
            anyhow::ensure!(message.is_some(), "the stream ended well");
        }
        Ok(())
    };
    tokio::time::timeout(PATIENCE, ended).await??;
    assert_eq!(
        code(club.connect("ada", Some(&ada)).await),
        Code::Unauthenticated
    );
    club.arena.stop().await
}

#[tokio::test]
async fn fault_48_wrong_tokens_are_slowed_down_and_the_right_one_still_opens() -> anyhow::Result<()>
{
    let club = Club::open(true).await?;
    let good = club.of_operator().await?;
    let mut codes = Vec::new();
    for _ in 0..200 {
        let guess = club
            .matches(Some("bso_0000000000000000_guess"))
            .list_matches(v1::ListMatchesRequest::default())
            .await;
        codes.push(code(guess));
    }
    assert!(codes.contains(&Code::Unauthenticated));
    assert!(codes.contains(&Code::ResourceExhausted), "{codes:?}");
    club.matches(Some(&good))
        .list_matches(v1::ListMatchesRequest::default())
        .await?;
    club.arena.stop().await
}

#[tokio::test]
async fn a_bot_that_sends_more_than_it_may_is_told_so_and_is_out() -> anyhow::Result<()> {
    let arena = TestArena::start_with(|settings| settings.max_messages_per_second = 10).await?;
    let mut bot = Bot::connect(arena.channel(), Bot::profile("one")).await?;
    for beat in 0..1_000 {
        let heartbeat = connect_request::Message::Heartbeat(v1::Heartbeat { beat });
        if bot.send(heartbeat).await.is_err() {
            break;
        }
    }
    let mut last = None;
    while let Ok(message) = bot.next().await {
        last = Some(message);
    }
    let Some(Message::SessionEnd(end)) = last else {
        anyhow::bail!("no last word but {last:?}");
    };
    assert_eq!(end.reason(), v1::SessionEndReason::TooFast);
    assert!(end.message.contains("max_messages_per_second"));
    arena.stop().await
}

#[tokio::test]
async fn every_limit_can_be_read_with_its_value_and_its_unit() -> anyhow::Result<()> {
    let arena = TestArena::start_with(|settings| {
        settings.max_message_bytes = 12_345;
        settings.grace = Duration::from_millis(678);
    })
    .await?;
    let limits = arena
        .catalog()
        .get_limits(v1::GetLimitsRequest {})
        .await?
        .into_inner()
        .limits;
    let find = |name: &str| {
        let limit = limits.iter().find(|limit| limit.name == name)?;
        Some((limit.value, limit.unit()))
    };
    assert_eq!(
        find("max_message_bytes"),
        Some((12_345, v1::LimitUnit::Bytes))
    );
    assert_eq!(find("grace"), Some((678, v1::LimitUnit::Milliseconds)));
    for limit in &limits {
        assert_ne!(limit.unit(), v1::LimitUnit::Unspecified, "{limit:?}");
        assert!(
            limit.value > 0 && limit.description.ends_with('.'),
            "{limit:?}"
        );
    }
    arena.stop().await
}
