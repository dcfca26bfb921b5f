//! `MatchService`: create, read, watch, cancel.

use std::{pin::Pin, sync::Arc};

use broadside_proto::v1::{self, match_service_server::MatchService};
use broadside_record::chain::Chain;
use tokio::sync::OwnedSemaphorePermit;
use tokio_stream::Stream;
use tokio_util::sync::CancellationToken;
use tonic::{Request, Response, Status};

use super::{page, watch};
use crate::{
    auth::Caller,
    convert,
    field::Violations,
    play::{Input, MatchSpec, Surroundings, cancelled},
    replay::Replay,
    request::{self, RequestError},
    runner::Runner,
    settings::Settings,
    store::{Creation, ListQuery, Reader, StoreError},
};

/// Longest reason of a cancellation, in characters.
pub(crate) const MAX_REASON: usize = 200;

/// Serves `MatchService`.
#[derive(Clone)]
pub struct Matches {
    /// What matches need of the arena.
    pub around: Arc<Surroundings>,
    /// What runs them.
    pub runner: Runner,
    /// The arena's settings.
    pub settings: Arc<Settings>,
    /// Is cancelled when the arena stops.
    pub stopping: CancellationToken,
}

impl From<StoreError> for Status {
    fn from(error: StoreError) -> Self {
        match &error {
            StoreError::UnknownMatch(_) => Self::not_found(error.to_string()),
            StoreError::Unavailable(_) | StoreError::Fenced(_) => {
                Self::unavailable(error.to_string())
            }
            StoreError::Corrupt { .. } => Self::data_loss(error.to_string()),
            StoreError::Failed(_) => Self::internal(error.to_string()),
        }
    }
}

impl From<RequestError> for Status {
    fn from(error: RequestError) -> Self {
        match error {
            RequestError::Fields(violations) => violations.into(),
            RequestError::NoRandomness(_) => Self::internal(error.to_string()),
        }
    }
}

impl Matches {
    /// Creates the match, or finds the one that the same request created.
    ///
    /// Runs as a task of its own, so that a call that is dropped half-way leaves no match without its task.
    async fn create(
        self,
        mut spec: MatchSpec,
        fingerprint: u64,
        place: OwnedSemaphorePermit,
    ) -> Result<u64, Status> {
        let mut place = Some(place);
        loop {
            let creation = self
                .runner
                .create(spec.clone(), fingerprint, &mut place)
                .await?;
            match creation {
                Creation::Created => return Ok(spec.match_id),
                Creation::Existing(match_id) => return Ok(match_id),
                Creation::Conflict(match_id) => return Err(conflict(&spec.request_id, match_id)),
                Creation::IdTaken => {
                    spec.match_id =
                        request::fresh_match_id().map_err(RequestError::NoRandomness)?;
                }
            }
        }
    }

    /// A match, for somebody who may read it: to others there is none.
    async fn summary(&self, match_id: u64, reader: &Reader) -> Result<v1::Match, Status> {
        let found = self.around.store.get(match_id).await?;
        let found = found.filter(|summary| reader.may_read(summary));
        Ok(found.ok_or(StoreError::UnknownMatch(match_id))?)
    }
}

/// A match as far as its log goes now, for somebody who may read it: to others there is none.
pub(super) async fn replay(
    around: &Surroundings,
    match_id: u64,
    reader: &Reader,
) -> Result<Replay, Status> {
    let log = around.store.log(match_id, 0).await?;
    let mut replay = Replay::new(match_id, log.create_time_ms);
    for entry in &log.entries {
        replay
            .read(entry)
            .map_err(|error| Status::data_loss(format!("match {match_id}: {error}")))?;
        if !replay
            .summary()
            .is_none_or(|summary| reader.may_read(summary))
        {
            return Err(StoreError::UnknownMatch(match_id).into());
        }
    }
    Ok(replay)
}

#[tonic::async_trait]
impl MatchService for Matches {
    async fn create_match(
        &self,
        request: Request<v1::CreateMatchRequest>,
    ) -> Result<Response<v1::CreateMatchResponse>, Status> {
        let caller = Caller::of(&request)?;
        let request = request.into_inner();
        let fingerprint = request::fingerprint(&request);
        let seeded = request.seed.is_some();
        let spec = request::match_from(request, &self.settings)?;
        caller.may_create(&spec, seeded)?;
        // A call made again gets its match whatever stands in the way of a new one.
        let found = self.around.store.find_request(&spec.request_id).await?;
        if let Some((known, match_id)) = found {
            if known != fingerprint {
                return Err(conflict(&spec.request_id, match_id));
            }
            return Ok(Response::new(v1::CreateMatchResponse {
                r#match: Some(self.summary(match_id, &Reader::Operator).await?),
            }));
        }
        if self.around.draining.is_cancelled() {
            return Err(Status::unavailable(
                "the arena is stopping and takes no more matches",
            ));
        }
        for agent in &spec.agents {
            if let Some(why) = self.around.roster.mismatch(agent, spec.options.variant()) {
                return Err(Status::failed_precondition(format!("agent {why}")));
            }
        }
        let place = self.runner.places.clone().try_acquire_owned().map_err(|_| {
            Status::resource_exhausted(format!(
                "{most} matches are not over, and at most {most} may be: wait until some are (setting max_matches)",
                most = self.settings.max_matches
            ))
        })?;
        let match_id = tokio::spawn(self.clone().create(spec, fingerprint, place))
            .await
            .map_err(|error| Status::internal(error.to_string()))??;
        Ok(Response::new(v1::CreateMatchResponse {
            r#match: Some(self.summary(match_id, &Reader::Operator).await?),
        }))
    }

    async fn get_match(
        &self,
        request: Request<v1::GetMatchRequest>,
    ) -> Result<Response<v1::GetMatchResponse>, Status> {
        let reader = Caller::of(&request)?.reader();
        let v1::GetMatchRequest { match_id } = request.into_inner();
        let replay = replay(&self.around, match_id, &reader).await?;
        Ok(Response::new(replay.snapshot()))
    }

    async fn list_matches(
        &self,
        request: Request<v1::ListMatchesRequest>,
    ) -> Result<Response<v1::ListMatchesResponse>, Status> {
        let reader = Caller::of(&request)?.reader();
        let v1::ListMatchesRequest {
            page_size,
            page_token,
            states,
            variants,
            agent,
        } = request.into_inner();
        let after = match page_token.as_str() {
            "" => None,
            token => Some(token.parse::<u64>().map_err(|_| page::bad_token(token))?),
        };
        let mut violations = Violations::default();
        let states = known(
            states,
            "states",
            |state| *state != v1::MatchState::Unspecified,
            &mut violations,
        );
        let variants = known(
            variants,
            "variants",
            |variant| *variant != v1::Variant::Unspecified,
            &mut violations,
        );
        violations.into_result()?;
        let page = self
            .around
            .store
            .list(ListQuery {
                limit: page::size(page_size)?,
                after,
                states,
                variants,
                agent: (!agent.is_empty()).then_some(agent),
                reader,
            })
            .await?;
        let next_page_token = page.next.map_or_else(String::new, |next| next.to_string());
        Ok(Response::new(v1::ListMatchesResponse {
            matches: page.matches,
            next_page_token,
        }))
    }

    async fn cancel_match(
        &self,
        request: Request<v1::CancelMatchRequest>,
    ) -> Result<Response<v1::CancelMatchResponse>, Status> {
        let caller = Caller::of(&request)?;
        let v1::CancelMatchRequest { match_id, reason } = request.into_inner();
        let mut violations = Violations::default();
        violations.check_text("reason", &reason, MAX_REASON);
        violations.into_result()?;
        let summary = self.summary(match_id, &caller.reader()).await?;
        caller.may_cancel()?;
        let Some((inbox, follower)) = self.around.roster.find(match_id) else {
            let how = summary.outcome.unwrap_or_default().message;
            return Err(Status::failed_precondition(format!(
                "match {match_id} is over: {how}"
            )));
        };
        // If the match is over meanwhile, it ended by itself: the answer says how.
        let _ = inbox.send(Input::Abandon(cancelled(&reason))).await;
        loop {
            let seen = follower.entries();
            let summary = self.summary(match_id, &Reader::Operator).await?;
            if summary.state() == v1::MatchState::Over {
                return Ok(Response::new(v1::CancelMatchResponse {
                    r#match: Some(summary),
                }));
            }
            if !follower.beyond(seen).await {
                let summary = self.summary(match_id, &Reader::Operator).await?;
                return Ok(Response::new(v1::CancelMatchResponse {
                    r#match: Some(summary),
                }));
            }
        }
    }

    type WatchMatchStream =
        Pin<Box<dyn Stream<Item = Result<v1::WatchMatchResponse, Status>> + Send>>;

    async fn watch_match(
        &self,
        request: Request<v1::WatchMatchRequest>,
    ) -> Result<Response<Self::WatchMatchStream>, Status> {
        let caller = Caller::of(&request)?;
        let v1::WatchMatchRequest { match_id } = request.into_inner();
        let stopping = self.stopping.clone();
        let stream = watch::follow(self.around.clone(), match_id, caller, stopping).await?;
        Ok(Response::new(Box::pin(stream)))
    }

    async fn get_match_record(
        &self,
        request: Request<v1::GetMatchRecordRequest>,
    ) -> Result<Response<v1::GetMatchRecordResponse>, Status> {
        let reader = Caller::of(&request)?.reader();
        let v1::GetMatchRecordRequest { match_id } = request.into_inner();
        let summary = self.summary(match_id, &reader).await?;
        if summary.state() != v1::MatchState::Over {
            return Err(Status::failed_precondition(format!(
                "match {match_id} is not over: its record holds what is hidden until then"
            )));
        }
        let log = self.around.store.log(match_id, 0).await?;
        let mut chain = Chain::new(match_id, log.create_time_ms);
        let entries: Result<Vec<_>, _> =
            log.entries.iter().map(|entry| chain.read(entry)).collect();
        let entries = entries.map_err(|broken| StoreError::broken(match_id, &broken))?;
        Ok(Response::new(v1::GetMatchRecordResponse {
            record: Some(v1::MatchRecord {
                format_version: convert::RECORD_FORMAT_VERSION,
                match_id,
                create_time_ms: log.create_time_ms,
                entries,
                chain: log
                    .entries
                    .iter()
                    .map(|entry| entry.link.to_vec())
                    .collect(),
                public_key: self.around.signatory.public_key().to_vec(),
                signature: log.signature.map_or_else(Vec::new, Into::into),
            }),
        }))
    }
}

fn conflict(request_id: &str, match_id: u64) -> Status {
    Status::already_exists(format!(
        "request_id {request_id:?} was used for another request, which created match {match_id}"
    ))
}

/// The values of a filter; what this arena does not know is a mistake, and not an empty filter.
fn known<T: TryFrom<i32>>(
    values: Vec<i32>,
    field: &str,
    usable: impl Fn(&T) -> bool,
    violations: &mut Violations,
) -> Vec<T> {
    let mut known = Vec::with_capacity(values.len());
    for (index, value) in values.into_iter().enumerate() {
        match T::try_from(value) {
            Ok(value) if usable(&value) => known.push(value),
            _ => violations.add(
                format!("{field}[{index}]"),
                format!("is {value}, which this arena does not know"),
            ),
        }
    }
    known
}
