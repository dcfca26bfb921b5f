//! Following a match. A spectator reads the log at its own pace: it can lag, and never slows the match.

use std::{collections::VecDeque, sync::Arc};

use broadside_proto::v1::{self, watch_match_response::Update};
use futures_util::stream;
use tokio_stream::Stream;
use tokio_util::sync::CancellationToken;
use tonic::Status;

use super::matches::replay;
use crate::{
    auth::Caller,
    play::{self, Surroundings},
    replay::Replay,
};

struct Follower {
    around: Arc<Surroundings>,
    match_id: u64,
    replay: Replay,
    /// How far the log goes; `None` for a match that was over from the start.
    kept: Option<play::Follower>,
    ready: VecDeque<Update>,
    caller: Caller,
    stopping: CancellationToken,
}

/// What there is to see of a match: where it stands, each event, and its end.
///
/// # Errors
/// `NOT_FOUND` if there is no such match.
pub(super) async fn follow(
    around: Arc<Surroundings>,
    match_id: u64,
    caller: Caller,
    stopping: CancellationToken,
) -> Result<impl Stream<Item = Result<v1::WatchMatchResponse, Status>>, Status> {
    // Before the log is read, so that nothing falls between.
    let kept = around.roster.find(match_id).map(|(_, follower)| follower);
    let replay = replay(&around, match_id, &caller.reader()).await?;
    let first = if replay.is_over() {
        Update::Ended(replay.snapshot())
    } else {
        Update::Snapshot(replay.snapshot())
    };
    let follower = Follower {
        around,
        match_id,
        replay,
        kept,
        ready: VecDeque::from([first]),
        caller,
        stopping,
    };
    Ok(stream::unfold(Some(follower), |follower| async {
        let mut follower = follower?;
        match follower.next().await {
            Ok(Some(update)) => {
                let response = v1::WatchMatchResponse {
                    update: Some(update),
                };
                Some((Ok(response), Some(follower)))
            }
            Ok(None) => None,
            Err(status) => Some((Err(status), None)),
        }
    }))
}

impl Follower {
    async fn next(&mut self) -> Result<Option<Update>, Status> {
        loop {
            if let Some(update) = self.ready.pop_front() {
                return Ok(Some(update));
            }
            if self.replay.is_over() {
                return Ok(None);
            }
            if let Some(kept) = &self.kept {
                let gone = tokio::select! {
                    more = kept.beyond(self.replay.entries()) => !more,
                    () = self.caller.revoked() => {
                        return Err(Status::unauthenticated("the token of this call was revoked, or has expired"));
                    }
                    () = self.stopping.cancelled() => {
                        return Err(Status::unavailable("the arena stops: watch again later"));
                    }
                };
                if gone {
                    // The match's task is gone: whatever it wrote is in the log.
                    self.kept = None;
                }
                self.read().await?;
            } else {
                self.read().await?;
                if self.ready.is_empty() && !self.replay.is_over() {
                    return Err(Status::unavailable(format!(
                        "match {} is not being run here",
                        self.match_id
                    )));
                }
            }
        }
    }

    async fn read(&mut self) -> Result<(), Status> {
        let from = self.replay.entries();
        let log = self.around.store.log(self.match_id, from).await?;
        for entry in &log.entries {
            let started_before = self.replay.is_started();
            let event = self
                .replay
                .read(entry)
                .map_err(|error| Status::data_loss(format!("match {}: {error}", self.match_id)))?;
            if let Some(event) = event {
                self.ready.push_back(Update::Event(event));
            }
            if self.replay.is_over() {
                self.ready.push_back(Update::Ended(self.replay.snapshot()));
            } else if self.replay.is_started() && !started_before {
                self.ready
                    .push_back(Update::Snapshot(self.replay.snapshot()));
            }
        }
        Ok(())
    }
}
