//! The outgoing half of a bot's stream: where hand-overs are stamped.

use std::{
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};

use broadside_proto::v1;
use tokio::sync::mpsc;
use tokio_stream::Stream;
use tonic::Status;

use super::{
    Ending,
    session::{Outgoing, Wire},
};
use crate::{meters::OldestStamp, time::Micros};

/// What the transport takes messages from: a turn taken from here is handed over. The transport takes what is ready, up to
/// 32 KiB, before it asks whether the peer has room, so that a bot's clock also runs while its own window is full.
pub struct Outbox {
    queue: mpsc::Receiver<Outgoing>,
    wire: Arc<Wire>,
    ended: bool,
    oldest_stamp: Option<OldestStamp>,
}

impl Outbox {
    pub(super) fn new(
        queue: mpsc::Receiver<Outgoing>,
        wire: Arc<Wire>,
        oldest_stamp: Option<OldestStamp>,
    ) -> Self {
        Self {
            queue,
            wire,
            ended: false,
            oldest_stamp,
        }
    }

    /// Where the stamps of turns are put down, if what becomes of them is measured.
    pub(crate) fn oldest_stamp(&self) -> Option<&OldestStamp> {
        self.oldest_stamp.as_ref()
    }
}

impl Stream for Outbox {
    type Item = Result<v1::ConnectResponse, Status>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        if self.ended {
            return Poll::Ready(None);
        }
        if self.wire.cut.is_cancelled() {
            self.ended = true;
            return Poll::Ready(Some(Err(Ending::TooSlow.status())));
        }
        self.queue.poll_recv(context).map(|next| match next {
            Some(Outgoing::Message(message, handover)) => {
                let now = Micros::now();
                self.wire.sending(now);
                if let Some(handover) = handover {
                    handover.stamp(now);
                    if let Some(oldest) = &self.oldest_stamp {
                        oldest.stamped(now);
                    }
                }
                Some(Ok(message))
            }
            Some(Outgoing::End(status)) => {
                self.ended = true;
                Some(Err(status))
            }
            None => {
                self.ended = true;
                None
            }
        })
    }
}
