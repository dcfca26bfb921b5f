//! How dialled bots are called: `AgentService`.

use std::{
    collections::HashMap,
    sync::Arc,
    time::{Duration, Instant},
};

use broadside_access::{Access, AccessError};
use broadside_proto::v1::{
    ChooseMoveResponse, GetProfileResponse, connect_response::Message as Told,
};
use bytes::Bytes;
use http::uri::PathAndQuery;
use hyper_util::rt::TokioIo;
use prost::Message;
use tokio::{
    net::TcpStream,
    sync::{mpsc, watch},
    task::AbortHandle,
};
use tonic::{
    Request, Status,
    transport::{Channel, Endpoint, Uri},
};

use super::Event;
use crate::{
    CheckError,
    cut::Shears,
    raw::Raw,
    wire::{self, Spice},
};

/// How long a call that is no decision may take, as in the arena.
pub(super) const CALL: Duration = Duration::from_secs(5);

pub(super) struct Caller {
    channel: Channel,
    pub(super) shears: Shears,
    events: mpsc::UnboundedSender<Event>,
    /// The calls of StartMatch, by match and seat: each is closed when the bot has answered. As in the arena, no turn comes before that.
    starting: HashMap<(u64, i32), watch::Receiver<()>>,
}

impl Caller {
    pub(super) fn new(
        address: &str,
        access: &Access,
        events: mpsc::UnboundedSender<Event>,
    ) -> Result<Self, CheckError> {
        let endpoint = access
            .endpoint(address)
            .map_err(|error| match error {
                AccessError::Address(_) => CheckError::Address(format!(
                    "\"{address}\" is no address of a bot: write http://HOST:PORT or https://HOST:PORT"
                )),
                error => CheckError::Address(error.to_string()),
            })?
            .connect_timeout(CALL)
            .http2_keep_alive_interval(Duration::from_secs(20))
            .keep_alive_while_idle(true);
        let shears = Shears::default();
        Ok(Self {
            channel: lazily(&endpoint, shears.clone()),
            shears,
            events,
            starting: HashMap::new(),
        })
    }

    pub(super) async fn profile(&self) -> Result<GetProfileResponse, Status> {
        let call = unary(self.channel.clone(), "GetProfile", Bytes::new());
        let bytes = within(CALL, call).await?;
        GetProfileResponse::decode(bytes).map_err(|error| unreadable(&error))
    }

    /// Tells the bot something; how it takes that comes as an event.
    pub(super) fn inform(&mut self, message: &Told, spice: Spice) {
        let (told, done) = watch::channel(());
        let method = match message {
            Told::MatchStart(start) => {
                self.starting.insert((start.match_id, start.seat), done);
                "StartMatch"
            }
            Told::MatchEnd(end) => {
                self.starting.remove(&(end.match_id, end.seat));
                "EndMatch"
            }
            _ => return,
        };
        let call = unary(self.channel.clone(), method, wire::request(message, spice));
        let events = self.events.clone();
        tokio::spawn(async move {
            let answer = within(CALL, call).await.map(|_| ());
            drop(told);
            // After the check nobody wants to know.
            let _ = events.send(Event::Informed { method, answer });
        });
    }

    /// Asks for a decision, which comes as an event.
    pub(super) fn ask(
        &self,
        (turn, seat): ((u64, u32), i32),
        message: &Told,
        spice: Spice,
    ) -> AbortHandle {
        let starting = self.starting.get(&(turn.0, seat)).cloned();
        let call = unary(
            self.channel.clone(),
            "ChooseMove",
            wire::request(message, spice),
        );
        let events = self.events.clone();
        let task = tokio::spawn(async move {
            if let Some(mut starting) = starting {
                // It never changes: this resolves when it is closed.
                let _ = starting.changed().await;
            }
            let asked = Instant::now();
            let answer = call.await.and_then(|bytes| {
                ChooseMoveResponse::decode(bytes).map_err(|error| unreadable(&error))
            });
            let decided = Event::Decided {
                turn,
                answer,
                asked,
                at: Instant::now(),
            };
            let _ = events.send(decided);
        });
        task.abort_handle()
    }
}

fn unreadable(error: &prost::DecodeError) -> Status {
    Status::invalid_argument(format!("the answer cannot be read: {error}"))
}

fn lazily(endpoint: &Endpoint, shears: Shears) -> Channel {
    let shears = Arc::new(shears);
    endpoint.connect_with_connector_lazy(tower::service_fn(move |uri: Uri| {
        let shears = shears.clone();
        async move {
            let host = uri.host().unwrap_or_default();
            let secure = uri.scheme_str() == Some("https");
            let port = uri.port_u16().unwrap_or(if secure { 443 } else { 80 });
            let host = host.trim_start_matches('[').trim_end_matches(']');
            let stream = TcpStream::connect((host, port)).await?;
            stream.set_nodelay(true)?;
            Ok::<_, std::io::Error>(TokioIo::new(shears.under(stream)))
        }
    }))
}

async fn unary(channel: Channel, method: &'static str, message: Bytes) -> Result<Bytes, Status> {
    let mut grpc = tonic::client::Grpc::new(channel);
    grpc.ready()
        .await
        .map_err(|error| Status::from_error(Box::new(error)))?;
    let path = PathAndQuery::try_from(format!("/broadside.v1.AgentService/{method}"))
        .map_err(|error| Status::internal(error.to_string()))?;
    let response = grpc.unary(Request::new(message), path, Raw).await?;
    Ok(response.into_inner())
}

async fn within<T>(
    limit: Duration,
    call: impl Future<Output = Result<T, Status>>,
) -> Result<T, Status> {
    tokio::time::timeout(limit, call).await.unwrap_or_else(|_| {
        Err(Status::deadline_exceeded(format!(
            "no answer within {} ms",
            limit.as_millis()
        )))
    })
}
