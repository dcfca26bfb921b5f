//! The connection to an arena.

use std::{error::Error as _, future::Future, time::Duration};

use broadside_access::{Access, AccessError};
use broadside_proto::v1::{
    GetMatchRecordRequest, catalog_service_client::CatalogServiceClient,
    gateway_service_client::GatewayServiceClient, match_service_client::MatchServiceClient,
};
use http::uri::PathAndQuery;
use tonic::{
    Code, Request, Response, Status, client::Grpc, service::interceptor::InterceptedService,
    transport::Channel,
};
use tonic_prost::ProstCodec;

use crate::{error::Error, text::escape};

const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// How long a call that is no stream may take.
const CALL_TIMEOUT: Duration = Duration::from_secs(30);
const KEEPALIVE: Duration = Duration::from_secs(20);
/// A record holds a whole match: more than tonic's 4 MiB.
const LARGEST_MESSAGE: usize = 256 << 20;

/// Each call shows who makes it.
pub(crate) type Line = InterceptedService<Channel, Access>;

/// An arena that was reached.
#[derive(Clone)]
pub(crate) struct Arena {
    address: String,
    line: Line,
}

/// `GetMatchRecordResponse`, with its record unread.
#[derive(Clone, PartialEq, prost::Message)]
struct UnreadRecord {
    #[prost(bytes = "vec", tag = "1")]
    record: Vec<u8>,
}

impl Arena {
    /// Connects.
    ///
    /// # Errors
    /// If the address is none, or nobody listens there.
    pub(crate) async fn connect(address: &str, access: Access) -> Result<Self, Error> {
        let endpoint = access
            .endpoint(address)
            .map_err(|error| match error {
                AccessError::Address(_) => Error::Usage(format!(
                    "--arena: \"{}\" is no address of an arena: write http://HOST:PORT or https://HOST:PORT.",
                    escape(address)
                )),
                error => Error::Usage(format!("{}.", escape(&error.to_string()))),
            })?
            .connect_timeout(CONNECT_TIMEOUT)
            .tcp_nodelay(true)
            .http2_keep_alive_interval(KEEPALIVE)
            .keep_alive_timeout(KEEPALIVE)
            .keep_alive_while_idle(true);
        match endpoint.connect().await {
            Ok(channel) => Ok(Self {
                address: address.to_owned(),
                line: InterceptedService::new(channel, access),
            }),
            Err(error) => Err(Error::Unreachable {
                address: escape(address),
                cause: escape(&root_cause(&error)),
            }),
        }
    }

    pub(crate) fn catalog(&self) -> CatalogServiceClient<Line> {
        CatalogServiceClient::new(self.line.clone())
    }

    pub(crate) fn matches(&self) -> MatchServiceClient<Line> {
        MatchServiceClient::new(self.line.clone()).max_decoding_message_size(LARGEST_MESSAGE)
    }

    pub(crate) fn gateway(&self) -> GatewayServiceClient<Line> {
        GatewayServiceClient::new(self.line.clone()).max_decoding_message_size(LARGEST_MESSAGE)
    }

    /// The record of a match in the very bytes that the arena sends, since those are signed.
    ///
    /// # Errors
    /// As [`call`](Self::call).
    pub(crate) async fn record(&self, doing: &str, match_id: u64) -> Result<Vec<u8>, Error> {
        let mut grpc = Grpc::new(self.line.clone()).max_decoding_message_size(LARGEST_MESSAGE);
        let fetched = async {
            grpc.ready()
                .await
                .map_err(|error| Status::from_error(Box::new(error)))?;
            let path = PathAndQuery::from_static("/broadside.v1.MatchService/GetMatchRecord");
            let asked = Request::new(GetMatchRecordRequest { match_id });
            grpc.unary(asked, path, ProstCodec::<_, UnreadRecord>::default())
                .await
        };
        Ok(self.call(doing, fetched).await?.record)
    }

    /// Waits for a call, at most as long as a call may take.
    ///
    /// # Errors
    /// If the arena refuses, goes away or does not answer; `doing` says what was wanted, as in "cannot …".
    pub(crate) async fn call<T>(
        &self,
        doing: impl Into<String>,
        call: impl Future<Output = Result<Response<T>, Status>>,
    ) -> Result<T, Error> {
        let doing = doing.into();
        match tokio::time::timeout(CALL_TIMEOUT, call).await {
            Ok(Ok(response)) => Ok(response.into_inner()),
            Ok(Err(status)) => Err(self.failed(doing, status)),
            Err(_) => Err(self.lost(doing, "did not answer within 30 seconds")),
        }
    }

    /// The error for a call that ended with a status.
    pub(crate) fn failed(&self, doing: impl Into<String>, status: Status) -> Error {
        // A status with a source was made at this end, out of a broken connection.
        match status.source() {
            Some(source)
                if matches!(
                    status.code(),
                    Code::Unavailable | Code::Unknown | Code::Internal | Code::Cancelled
                ) =>
            {
                let cause = escape(&root_cause(source));
                self.lost(doing, format!("went away ({cause})"))
            }
            _ => Error::Refused {
                doing: doing.into(),
                status: Box::new(status),
            },
        }
    }

    /// The error for an arena that went away.
    pub(crate) fn lost(&self, doing: impl Into<String>, what: impl Into<String>) -> Error {
        Error::Lost {
            doing: doing.into(),
            address: escape(&self.address),
            what: what.into(),
        }
    }
}

fn root_cause(error: &(dyn std::error::Error + 'static)) -> String {
    let mut deepest = error;
    while let Some(source) = deepest.source() {
        deepest = source;
    }
    deepest.to_string()
}
