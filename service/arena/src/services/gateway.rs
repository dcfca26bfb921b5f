//! `GatewayService`: bots dial in.

use broadside_proto::v1::{self, gateway_service_server::GatewayService};
use tokio_stream::Empty;
use tonic::{Request, Response, Status, Streaming};

use crate::auth::Caller;
use crate::gateway::{Gateway, converse};

/// Serves `GatewayService`.
#[derive(Clone)]
pub struct GatewayEndpoint(pub Gateway);

#[tonic::async_trait]
impl GatewayService for GatewayEndpoint {
    /// Nothing comes by this one: `gateway::in_place` puts the bot's messages where it was.
    type ConnectStream = Empty<Result<v1::ConnectResponse, Status>>;

    async fn connect(
        &self,
        request: Request<Streaming<v1::ConnectRequest>>,
    ) -> Result<Response<Self::ConnectStream>, Status> {
        let caller = Caller::of(&request)?;
        let outlet = converse(self.0.clone(), caller, request.into_inner());
        let mut response = Response::new(tokio_stream::empty());
        response.extensions_mut().insert(outlet);
        Ok(response)
    }
}
