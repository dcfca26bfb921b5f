//! How long it takes from a turn's hand-over stamp until its bytes are written: time for which a bot's clock runs though the turn is
//! still with the arena.
//!
//! The bytes of a frame are given to the transport in an owner that it lets go of when it has written them, or, if they are few, has
//! copied them into what it writes next, without anything in between. Frames of a connection that breaks are let go of as well, and
//! count as if they had been written then.

use std::{
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    task::{Context, Poll, ready},
};

use bytes::Bytes;
use http::Response;
use http_body::{Body as HttpBody, Frame, SizeHint};
use tonic::{Status, body::Body};

use super::Meters;
use crate::time::Micros;

/// The stamp of the oldest turn of a stream that is not in a frame yet.
#[derive(Clone)]
pub(crate) struct OldestStamp {
    at: Arc<AtomicU64>,
    meters: Arc<Meters>,
}

impl OldestStamp {
    /// For a stream of an arena that measures; `None` for another.
    pub(crate) fn new(meters: &Arc<Meters>) -> Option<Self> {
        meters.on().then(|| Self {
            at: Arc::default(),
            meters: meters.clone(),
        })
    }

    /// A turn was stamped.
    pub(crate) fn stamped(&self, now: Micros) {
        let _ = self
            .at
            .compare_exchange(0, now.0, Ordering::AcqRel, Ordering::Acquire);
    }

    fn take(&self) -> Option<Micros> {
        match self.at.swap(0, Ordering::AcqRel) {
            0 => None,
            at => Some(Micros(at)),
        }
    }
}

/// Has the frames of an answer watched, if its service asks for that by an [`OldestStamp`] among its extensions.
pub(crate) fn watched(response: Response<Body>) -> Response<Body> {
    let (mut parts, body) = response.into_parts();
    let body = match parts.extensions.remove::<OldestStamp>() {
        Some(oldest) => Body::new(Watched { body, oldest }),
        None => body,
    };
    Response::from_parts(parts, body)
}

/// A body whose frames are watched.
struct Watched {
    body: Body,
    oldest: OldestStamp,
}

impl HttpBody for Watched {
    type Data = Bytes;
    type Error = Status;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Status>>> {
        let frame = ready!(Pin::new(&mut self.body).poll_frame(context));
        let oldest = &self.oldest;
        Poll::Ready(frame.map(|frame| {
            frame.map(|frame| {
                frame.map_data(|bytes| match oldest.take() {
                    Some(stamp) => Bytes::from_owner(Unwritten {
                        bytes,
                        stamp,
                        meters: oldest.meters.clone(),
                    }),
                    None => bytes,
                })
            })
        }))
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// Bytes that the transport has, until it lets go of them.
struct Unwritten {
    bytes: Bytes,
    stamp: Micros,
    meters: Arc<Meters>,
}

impl AsRef<[u8]> for Unwritten {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

impl Drop for Unwritten {
    fn drop(&mut self) {
        let delay_us = Micros::now().since(self.stamp);
        self.meters.stamp_to_wire.note(delay_us);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_is_timed_from_the_oldest_stamp_in_it_until_it_is_let_go_of() {
        let (meters, page) = Meters::shown().unwrap();
        let meters = Arc::new(meters);
        let oldest = OldestStamp::new(&meters).unwrap();
        let now = Micros::now();
        oldest.stamped(now.minus(5_000_000));
        oldest.stamped(now);
        let bytes = Bytes::from_owner(Unwritten {
            bytes: Bytes::from_static(b"turn"),
            stamp: oldest.take().unwrap(),
            meters: meters.clone(),
        });
        assert!(oldest.take().is_none());
        let part = bytes.slice(1..);
        drop(bytes);
        meters.stamp_to_wire.show(super::super::seconds);
        assert!(
            page.render()
                .contains("broadside_stamp_to_wire_peak_seconds 0\n")
        );
        drop(part);
        meters.stamp_to_wire.show(super::super::seconds);
        let page = page.render();
        let shown = page
            .lines()
            .find_map(|line| line.strip_prefix("broadside_stamp_to_wire_peak_seconds "))
            .unwrap();
        assert!(shown.parse::<f64>().unwrap() >= 5.0, "{page}");
    }

    #[test]
    fn nothing_is_watched_when_meters_are_off() {
        assert!(OldestStamp::new(&Arc::new(Meters::off())).is_none());
    }
}
