use std::{
    future::Future,
    pin::Pin,
    task::{Context, Poll},
};

use http::{HeaderMap, Request, Response, header::CONTENT_TYPE};
use http_body_util::BodyExt;
use tonic::{Status, body::Body};
use tower::Service;

/// Details of a status. Nobody here reads them, and tonic panics at some that are malformed.
const DETAILS: &str = "grpc-status-details-bin";

/// Lets through only what is gRPC: a web server's "not found" is no bot that leaves a method out.
#[derive(Clone, Debug)]
pub struct Answers<S>(S);

impl<S> Answers<S> {
    /// The answers of a service.
    pub fn new(service: S) -> Self {
        Self(service)
    }
}

impl<S> Service<Request<Body>> for Answers<S>
where
    S: Service<Request<Body>, Response = Response<Body>>,
    S::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
    S::Future: Send + 'static,
{
    type Response = Response<Body>;
    type Error = Box<dyn std::error::Error + Send + Sync>;
    type Future = Pin<Box<dyn Future<Output = Result<Response<Body>, Self::Error>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        self.0.poll_ready(context).map_err(Into::into)
    }

    fn call(&mut self, request: Request<Body>) -> Self::Future {
        let answer = self.0.call(request);
        Box::pin(async move { checked(answer.await.map_err(Into::into)?).map_err(Into::into) })
    }
}

fn checked(response: Response<Body>) -> Result<Response<Body>, Status> {
    let (mut head, body) = response.into_parts();
    if !is_grpc(&head.headers) {
        return Err(Status::unavailable(format!(
            "it is no gRPC server: it answered with HTTP status {} and no gRPC",
            head.status.as_u16()
        )));
    }
    head.headers.remove(DETAILS);
    let body = body.map_frame(|mut frame| {
        if let Some(trailers) = frame.trailers_mut() {
            trailers.remove(DETAILS);
        }
        frame
    });
    Ok(Response::from_parts(head, Body::new(body)))
}

fn is_grpc(headers: &HeaderMap) -> bool {
    headers
        .get(CONTENT_TYPE)
        .is_some_and(|kind| kind.as_bytes().starts_with(b"application/grpc"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_web_servers_answer_is_no_answer() {
        let mut page = Response::new(Body::empty());
        *page.status_mut() = http::StatusCode::NOT_FOUND;
        page.headers_mut()
            .insert(CONTENT_TYPE, http::HeaderValue::from_static("text/html"));
        let status = checked(page).unwrap_err();
        assert_eq!(status.code(), tonic::Code::Unavailable);
        assert!(status.message().contains("404"), "{status}");
    }

    #[test]
    fn details_that_are_malformed_are_not_read() {
        let mut answer = Response::new(Body::empty());
        let headers = answer.headers_mut();
        headers.insert(
            CONTENT_TYPE,
            http::HeaderValue::from_static("application/grpc"),
        );
        headers.insert("grpc-status", http::HeaderValue::from_static("13"));
        headers.insert(DETAILS, http::HeaderValue::from_static("*not base64*"));
        let answer = checked(answer).unwrap();
        let status = Status::from_header_map(answer.headers()).unwrap();
        assert_eq!(status.code(), tonic::Code::Internal);
    }
}
