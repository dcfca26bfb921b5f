//! The service, as bare as tonic allows: no task and no queue of its own.

use std::{
    convert::Infallible,
    future::{Ready, ready},
    sync::Arc,
    task::{Context, Poll},
};

use bytes::Bytes;
use futures_util::{StreamExt, future::BoxFuture, stream::BoxStream};
use tokio::{net::TcpListener, runtime::Builder};
use tonic::{
    Request, Response, Status, Streaming,
    body::Body,
    server::{Grpc, NamedService, StreamingService, UnaryService},
    transport::{Server, server::TcpIncoming},
};
use tower::Service;

use super::{OVERHEAD, Parcel, STREAM, UNARY, codec};
use crate::{
    process::in_a_thread,
    tally::{Tally, tell},
};

/// Largest body that comes back.
const MOST: usize = 64 * 1024;

pub(crate) fn run() -> anyhow::Result<()> {
    in_a_thread(Builder::new_multi_thread(), async {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
        tell(&listener.local_addr()?)?;
        let incoming = TcpIncoming::from(listener).with_nodelay(Some(true));
        Server::builder()
            .add_service(Echo(Bytes::from(vec![7; MOST])))
            .serve_with_incoming(incoming)
            .await?;
        Ok(())
    });
    Arc::new(Tally::default()).answer(|_| {})
}

/// The service, with what bodies are cut from.
#[derive(Clone)]
struct Echo(Bytes);

impl NamedService for Echo {
    const NAME: &'static str = "broadside.load.Echo";
}

impl Echo {
    fn reply(&self, to: &Parcel) -> Parcel {
        let size = (to.reply as usize).saturating_sub(OVERHEAD).min(MOST);
        Parcel {
            reply: 0,
            body: self.0.slice(..size),
        }
    }
}

impl Service<http::Request<Body>> for Echo {
    type Response = http::Response<Body>;
    type Error = Infallible;
    type Future = BoxFuture<'static, Result<Self::Response, Infallible>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: http::Request<Body>) -> Self::Future {
        let echo = self.clone();
        Box::pin(async move {
            let mut grpc = Grpc::new(codec());
            Ok(match request.uri().path() {
                STREAM => grpc.streaming(echo, request).await,
                UNARY => grpc.unary(echo, request).await,
                path => Status::unimplemented(path).into_http(),
            })
        })
    }
}

impl StreamingService<Parcel> for Echo {
    type Response = Parcel;
    type ResponseStream = BoxStream<'static, Result<Parcel, Status>>;
    type Future = Ready<Result<Response<Self::ResponseStream>, Status>>;

    fn call(&mut self, request: Request<Streaming<Parcel>>) -> Self::Future {
        let echo = self.clone();
        let replies = request.into_inner().map(move |to| Ok(echo.reply(&to?)));
        ready(Ok(Response::new(replies.boxed())))
    }
}

impl UnaryService<Parcel> for Echo {
    type Response = Parcel;
    type Future = Ready<Result<Response<Parcel>, Status>>;

    fn call(&mut self, request: Request<Parcel>) -> Self::Future {
        ready(Ok(Response::new(self.reply(request.get_ref()))))
    }
}
