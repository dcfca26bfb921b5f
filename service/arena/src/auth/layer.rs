//! The layer that looks at who makes a call before any service does.

use std::{
    future::Future,
    net::IpAddr,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};

use http::{Request, Response};
use tonic::{body::Body, transport::server::TcpConnectInfo};
use tower::{Layer, Service};

use super::Tokens;

/// What everybody may call: it says nothing of matches or agents.
const OPEN_TO_ALL: [&str; 2] = ["/grpc.health.", "/grpc.reflection."];

/// Puts a [`Caller`](super::Caller) with every call, or refuses it.
#[derive(Clone)]
pub struct AuthLayer {
    tokens: Arc<Tokens>,
}

impl AuthLayer {
    /// With these tokens.
    pub fn new(tokens: Arc<Tokens>) -> Self {
        Self { tokens }
    }
}

impl<S> Layer<S> for AuthLayer {
    type Service = Auth<S>;

    fn layer(&self, inner: S) -> Self::Service {
        Auth {
            inner,
            tokens: self.tokens.clone(),
        }
    }
}

/// The service inside, with the layer around it.
#[derive(Clone)]
pub struct Auth<S> {
    inner: S,
    tokens: Arc<Tokens>,
}

impl<S, B> Service<Request<B>> for Auth<S>
where
    S: Service<Request<B>, Response = Response<Body>> + Clone + Send + 'static,
    S::Future: Send,
    B: Send + 'static,
{
    type Response = Response<Body>;
    type Error = S::Error;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Self::Error>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, mut request: Request<B>) -> Self::Future {
        let path = request.uri().path();
        if OPEN_TO_ALL.iter().any(|prefix| path.starts_with(prefix)) {
            return Box::pin(self.inner.call(request));
        }
        // The one that was polled ready is the one to call.
        let fresh = self.inner.clone();
        let mut inner = std::mem::replace(&mut self.inner, fresh);
        let tokens = self.tokens.clone();
        Box::pin(async move {
            let from = peer(&request);
            match tokens.caller(request.headers(), from).await {
                Ok(caller) => {
                    request.extensions_mut().insert(caller);
                    inner.call(request).await
                }
                Err(status) => Ok(status.into_http()),
            }
        })
    }
}

/// The address that a call comes from, as far as it is known.
fn peer<B>(request: &Request<B>) -> Option<IpAddr> {
    let ends = request.extensions().get::<TcpConnectInfo>()?;
    ends.remote_addr().map(|peer| peer.ip())
}
