//! The body of the answer to `Connect`: what the transport takes a bot's messages from.

use std::{
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, ready},
};

use bytes::Bytes;
use http::{HeaderMap, Response};
use http_body::{Body as HttpBody, Frame};
use tonic::{Status, body::Body};

use super::outbox::{Outbox, Taken};

/// The transport's end of an outbox. Handed from the service to [`in_place`] among the extensions of the answer.
#[derive(Clone)]
pub(crate) struct Outlet(Arc<Open>);

/// As long as it is there, what is put in may be taken.
struct Open(Arc<Outbox>);

impl Drop for Open {
    fn drop(&mut self) {
        self.0.shut();
    }
}

impl Outlet {
    /// The only one of this outbox.
    pub(super) fn new(outbox: Arc<Outbox>) -> Self {
        Self(Arc::new(Open(outbox)))
    }
}

/// Puts a bot's messages in the place of an answer's body, if the service asks for that by an [`Outlet`] among its extensions. They are
/// encoded and framed already, which a service of tonic's cannot say.
pub(crate) fn in_place(response: Response<Body>) -> Response<Body> {
    let (mut parts, body) = response.into_parts();
    let body = match parts.extensions.remove::<Outlet>() {
        Some(outlet) => Body::new(Sent {
            outlet: outlet.0,
            ended: false,
        }),
        None => body,
    };
    Response::from_parts(parts, body)
}

struct Sent {
    outlet: Arc<Open>,
    ended: bool,
}

impl HttpBody for Sent {
    type Data = Bytes;
    type Error = Status;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Status>>> {
        if self.ended {
            return Poll::Ready(None);
        }
        let outbox = &self.outlet.0;
        let frame = match ready!(outbox.poll_take(context)) {
            Taken::Messages(bytes, stamped) => Frame::data(match stamped {
                Some(stamped) => outbox.meters.until_written(bytes, stamped),
                None => bytes,
            }),
            Taken::End(status) => {
                self.ended = true;
                let mut trailers = HeaderMap::new();
                if let Err(unfit) = status.add_header(&mut trailers) {
                    return Poll::Ready(Some(Err(unfit)));
                }
                Frame::trailers(trailers)
            }
        };
        Poll::Ready(Some(Ok(frame)))
    }

    fn is_end_stream(&self) -> bool {
        self.ended
    }
}
