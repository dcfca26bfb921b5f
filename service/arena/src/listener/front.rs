//! What every call passes before a service: it is gRPC, and its connection counts as used.

use std::{
    future::{Ready, ready},
    task::{Context, Poll},
};

use futures_util::future::Either;
use http::{Request, Response, StatusCode, header::CONTENT_TYPE};
use tonic::body::Body;
use tower::{Layer, Service};

use super::connection::Caller;

/// Puts the check before a service.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FrontLayer;

impl<S> Layer<S> for FrontLayer {
    type Service = Front<S>;

    fn layer(&self, inner: S) -> Front<S> {
        Front(inner)
    }
}

/// A service that sees nothing but gRPC.
#[derive(Clone, Debug)]
pub(crate) struct Front<S>(S);

impl<S> Service<Request<Body>> for Front<S>
where
    S: Service<Request<Body>, Response = Response<Body>>,
{
    type Response = Response<Body>;
    type Error = S::Error;
    type Future = Either<S::Future, Ready<Result<Response<Body>, S::Error>>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.0.poll_ready(context)
    }

    fn call(&mut self, mut request: Request<Body>) -> Self::Future {
        if let Some(caller) = request.extensions_mut().remove::<Caller>() {
            caller.calls();
            // Where `tonic::Request::remote_addr` looks for it.
            request.extensions_mut().insert(caller.ends);
        }
        let is_grpc = request
            .headers()
            .get(CONTENT_TYPE)
            .is_some_and(|kind| kind.as_bytes().starts_with(b"application/grpc"));
        if is_grpc {
            Either::Left(self.0.call(request))
        } else {
            // As the protocol asks: whoever speaks no gRPC understands no status of it.
            let mut refusal = Response::new(Body::empty());
            *refusal.status_mut() = StatusCode::UNSUPPORTED_MEDIA_TYPE;
            Either::Right(ready(Ok(refusal)))
        }
    }
}
