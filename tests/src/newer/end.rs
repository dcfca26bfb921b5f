//! A proxy that makes one of its two ends one of a newer contract: what that end says has more in it at every level, and messages are
//! among it that the other end does not know.

use std::{
    convert::Infallible,
    future::Future,
    net::SocketAddr,
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    task::{Context, Poll},
};

use bytes::{Buf, BufMut};
use prost::Message;
use prost_reflect::{DynamicMessage, MessageDescriptor, MethodDescriptor, ReflectMessage, Value};
use tokio::net::TcpListener;
use tokio_stream::{Stream, StreamExt};
use tokio_util::sync::{CancellationToken, DropGuard};
use tonic::{
    Request, Response, Status, Streaming,
    body::Body,
    codec::{Codec, DecodeBuf, Decoder, EncodeBuf, Encoder},
    transport::{Channel, Endpoint, Server, server::TcpIncoming},
};

use super::schema::{self, NEWER_VALUE};

/// Which end is the newer one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Newer {
    /// The one that makes the calls.
    Caller,
    /// The one that is called.
    Called,
}

/// A proxy in front of a server of any of the contract's services.
pub struct NewerEnd {
    address: SocketAddr,
    relay: Relay,
    _stop: DropGuard,
}

impl NewerEnd {
    /// Relays to the server at `behind`.
    ///
    /// # Errors
    /// If there is no port.
    pub async fn start(behind: SocketAddr, newer: Newer) -> anyhow::Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
        let address = listener.local_addr()?;
        let stop = CancellationToken::new();
        let endpoint = Endpoint::from_shared(format!("http://{behind}"))?.tcp_nodelay(true);
        let relay = Relay {
            behind: endpoint.connect_lazy(),
            newer,
            enriched: Arc::default(),
        };
        tokio::spawn(Server::builder().serve_with_incoming_shutdown(
            relay.clone(),
            TcpIncoming::from(listener).with_nodelay(Some(true)),
            stop.clone().cancelled_owned(),
        ));
        Ok(Self {
            address,
            relay,
            _stop: stop.drop_guard(),
        })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Where it listens, as clients want to have it.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// How many messages it has made newer.
    pub fn enriched(&self) -> usize {
        self.relay.enriched.load(Ordering::Relaxed)
    }
}

#[derive(Clone)]
struct Relay {
    behind: Channel,
    newer: Newer,
    enriched: Arc<AtomicUsize>,
}

impl tower::Service<http::Request<Body>> for Relay {
    type Response = http::Response<Body>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Infallible>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: http::Request<Body>) -> Self::Future {
        let relay = self.clone();
        let path = request.uri().path_and_query().unwrap().clone();
        // A call that is no stream is on the wire a stream of one message.
        let service = tower::service_fn(move |request: Request<Streaming<Vec<u8>>>| {
            relay.clone().relay(path.clone(), request)
        });
        Box::pin(async move {
            Ok(tonic::server::Grpc::new(Bytes)
                .streaming(service, request)
                .await)
        })
    }
}

type Messages = Pin<Box<dyn Stream<Item = Result<Vec<u8>, Status>> + Send>>;

impl Relay {
    async fn relay(
        self,
        path: http::uri::PathAndQuery,
        request: Request<Streaming<Vec<u8>>>,
    ) -> Result<Response<Messages>, Status> {
        let method = method(path.path())
            .ok_or_else(|| Status::unimplemented(format!("there is no {path}")))?;
        // A caller's stream that breaks is for the other end one that ends.
        let said = request.into_inner().map_while(Result::ok);
        let said: Pin<Box<dyn Stream<Item = Vec<u8>> + Send>> = match self.newer {
            Newer::Caller => {
                let (relay, of) = (self.clone(), method.input());
                let mut first = true;
                Box::pin(flatten(said.map(move |bytes| {
                    relay.said_by_caller(&of, &bytes, std::mem::take(&mut first))
                })))
            }
            Newer::Called => Box::pin(said),
        };
        let mut client = tonic::client::Grpc::new(self.behind.clone());
        client
            .ready()
            .await
            .map_err(|error| Status::unavailable(error.to_string()))?;
        let heard = client
            .streaming(Request::new(said), path, Bytes)
            .await?
            .into_inner();
        Ok(Response::new(match self.newer {
            Newer::Caller => Box::pin(heard),
            Newer::Called => {
                let of = method.output();
                Box::pin(flatten(heard.map(move |heard| {
                    match heard {
                        Ok(bytes) => self
                            .said_by_called(&of, &bytes)
                            .into_iter()
                            .map(Ok)
                            .collect(),
                        Err(status) => vec![Err(status)],
                    }
                })))
            }
        }))
    }

    fn said_by_caller(&self, of: &MessageDescriptor, bytes: &[u8], first: bool) -> Vec<Vec<u8>> {
        let mut sent = vec![self.enrich(of, bytes)];
        if of.name() == "ConnectRequest" && first {
            sent.push(schema::newer_member(of.full_name()).encode_to_vec());
        }
        sent
    }

    fn said_by_called(&self, of: &MessageDescriptor, bytes: &[u8]) -> Vec<Vec<u8>> {
        let mut sent = vec![self.enrich(of, bytes)];
        if ["ConnectResponse", "WatchMatchResponse"].contains(&of.name()) {
            // Before the welcome, and the snapshot, too.
            sent.insert(0, schema::newer_member(of.full_name()).encode_to_vec());
        }
        sent
    }

    fn enrich(&self, of: &MessageDescriptor, bytes: &[u8]) -> Vec<u8> {
        let mut message = schema::read(of.full_name(), bytes);
        schema::grow(&mut message);
        say_newer(&mut message);
        self.enriched.fetch_add(1, Ordering::Relaxed);
        message.encode_to_vec()
    }
}

/// Values that this contract does not know, where a newer one may have them: in what explains and what is listed, at every level.
fn say_newer(message: &mut DynamicMessage) {
    for (_, value) in message.fields_mut() {
        match value {
            Value::Message(inner) => say_newer(inner),
            Value::List(list) => list.iter_mut().for_each(|it| {
                if let Value::Message(inner) = it {
                    say_newer(inner);
                }
            }),
            _ => {}
        }
    }
    let strange: &[&str] = match message.descriptor().name() {
        "Outcome" => &["termination", "ending", "fault"],
        "IllegalMove" | "Rejected" | "SessionEnd" => &["reason"],
        "Limit" => &["unit"],
        _ => &[],
    };
    for field in strange {
        message.set_field_by_name(field, Value::EnumNumber(NEWER_VALUE));
    }
    match message.descriptor().name() {
        "AgentProfile" | "AgentInfo" => {
            push(message, "variants", Value::EnumNumber(NEWER_VALUE));
        }
        // Something happened for which there is no word yet.
        "Turn" | "MatchEnd" => {
            let mut event = schema::read("broadside.v1.Event", &[]);
            for (part, of) in [
                ("move", "broadside.v1.Move"),
                ("answer", "broadside.v1.Answer"),
            ] {
                event.set_field_by_name(part, Value::Message(schema::newer_member(of)));
            }
            push(message, "events", Value::Message(event));
        }
        _ => {}
    }
}

fn push(message: &mut DynamicMessage, field: &str, value: Value) {
    if let Some(Value::List(list)) = message.get_field_by_name_mut(field) {
        list.push(value);
    }
}

fn flatten<T>(batches: impl Stream<Item = Vec<T>>) -> impl Stream<Item = T> {
    futures_util::StreamExt::flat_map(batches, tokio_stream::iter)
}

fn method(path: &str) -> Option<MethodDescriptor> {
    let (service, method) = path.strip_prefix('/')?.split_once('/')?;
    let service = schema::pool().get_service_by_name(service)?;
    service.methods().find(|it| it.name() == method)
}

/// Messages as bytes, unlooked at.
#[derive(Clone, Copy)]
struct Bytes;

impl Encoder for Bytes {
    type Item = Vec<u8>;
    type Error = Status;

    fn encode(&mut self, item: Vec<u8>, into: &mut EncodeBuf<'_>) -> Result<(), Status> {
        into.put_slice(&item);
        Ok(())
    }
}

impl Decoder for Bytes {
    type Item = Vec<u8>;
    type Error = Status;

    fn decode(&mut self, from: &mut DecodeBuf<'_>) -> Result<Option<Vec<u8>>, Status> {
        let mut bytes = vec![0; from.remaining()];
        from.copy_to_slice(&mut bytes);
        Ok(Some(bytes))
    }
}

impl Codec for Bytes {
    type Encode = Vec<u8>;
    type Decode = Vec<u8>;
    type Encoder = Self;
    type Decoder = Self;

    fn encoder(&mut self) -> Self {
        Self
    }

    fn decoder(&mut self) -> Self {
        Self
    }
}
