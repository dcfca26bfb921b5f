//! `GatewayService`: bots dial in.

use broadside_proto::v1::{self, gateway_service_server::GatewayService};
use tonic::{Request, Response, Status, Streaming};

use crate::auth::Caller;
use crate::gateway::{Gateway, Outbox, converse};

/// Serves `GatewayService`.
#[derive(Clone)]
pub struct GatewayEndpoint(pub Gateway);

#[tonic::async_trait]
impl GatewayService for GatewayEndpoint {
    type ConnectStream = Outbox;

    async fn connect(
        &self,
        request: Request<Streaming<v1::ConnectRequest>>,
    ) -> Result<Response<Self::ConnectStream>, Status> {
        let caller = Caller::of(&request)?;
        let outbox = converse(self.0.clone(), caller, request.into_inner());
        let oldest_stamp = outbox.oldest_stamp().cloned();
        let mut response = Response::new(outbox);
        if let Some(oldest_stamp) = oldest_stamp {
            response.extensions_mut().insert(oldest_stamp);
        }
        Ok(response)
    }
}
