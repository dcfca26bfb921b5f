//! The tokens that are valid: the store has them, and they are looked at again every few seconds.

use std::{
    collections::{HashMap, HashSet},
    net::IpAddr,
    num::NonZeroU32,
    sync::Arc,
    time::Duration,
};

use governor::{DefaultKeyedRateLimiter, Quota};
use http::{HeaderMap, header::AUTHORIZATION};
use tokio::{
    sync::{Mutex, watch},
    time::Instant,
};
use tokio_util::sync::CancellationToken;
use tonic::{Code, Status};

use super::{caller::Caller, token::Presented};
use crate::{
    meters::Meters,
    store::{Holder, KeptToken, Store, StoreError, TokenId},
    time::WallClock,
};

/// How often the store is looked at for tokens that were made or revoked meanwhile: a revoked one is cut off after at most so long.
const REFRESH: Duration = Duration::from_secs(2);

/// How soon after a look another one is made because a token is not known, so that wrong tokens are no load on the store.
const SOONEST: Duration = Duration::from_millis(100);

/// Wrong tokens that an address may send at once, and then each second.
pub(crate) const WRONG_TOKENS: NonZeroU32 = match NonZeroU32::new(50) {
    Some(number) => number,
    None => NonZeroU32::MIN,
};

/// Tokens by their id.
#[derive(Clone, Debug, Default)]
pub(super) struct Valid {
    tokens: Arc<HashMap<TokenId, KeptToken>>,
    agents: Arc<HashSet<String>>,
}

impl Valid {
    fn at(tokens: Vec<KeptToken>, now_ms: u64) -> Self {
        let agents = tokens.iter().filter_map(|token| match &token.holder {
            Holder::Agent(name) => Some(name.clone()),
            Holder::Operator => None,
        });
        let agents = agents.collect();
        let valid = tokens.into_iter().filter(|token| {
            token.revoke_time_ms.is_none() && token.expire_time_ms.is_none_or(|at| now_ms < at)
        });
        Self {
            tokens: Arc::new(valid.map(|token| (token.id.clone(), token)).collect()),
            agents: Arc::new(agents),
        }
    }

    pub(super) fn contains(&self, id: &TokenId) -> bool {
        self.tokens.contains_key(id)
    }

    /// Whether tokens were made for this name, valid ones or not: once it had an owner it is not anybody's.
    pub(super) fn protects(&self, agent: &str) -> bool {
        self.agents.contains(agent)
    }
}

/// The tokens that are valid.
pub struct Tokens {
    meters: Arc<Meters>,
    store: Arc<dyn Store>,
    required: bool,
    wall: WallClock,
    valid: watch::Sender<Valid>,
    last_look: Mutex<Instant>,
    wrong: DefaultKeyedRateLimiter<IpAddr>,
}

impl Tokens {
    /// The tokens in this store. If tokens are `required`, there is no call without one.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub async fn load(
        store: Arc<dyn Store>,
        required: bool,
        wall: WallClock,
        meters: Arc<Meters>,
    ) -> Result<Arc<Self>, StoreError> {
        let valid = Valid::at(store.tokens().await?, wall.unix_ms());
        Ok(Arc::new(Self {
            meters,
            store,
            required,
            wall,
            valid: watch::Sender::new(valid),
            last_look: Mutex::new(Instant::now()),
            wrong: DefaultKeyedRateLimiter::keyed(Quota::per_second(WRONG_TOKENS)),
        }))
    }

    /// Whether there is a valid operator's token.
    pub fn has_operator(&self) -> bool {
        let valid = self.valid.borrow();
        valid
            .tokens
            .values()
            .any(|token| token.holder == Holder::Operator)
    }

    /// Looks at the store every few seconds, until it is told to stop.
    pub async fn refresh(&self, stop: CancellationToken) {
        let mut looks = tokio::time::interval(REFRESH);
        looks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                () = stop.cancelled() => return,
                _ = looks.tick() => {}
            }
            self.look().await;
            self.wrong.retain_recent();
            self.wrong.shrink_to_fit();
        }
    }

    async fn look(&self) {
        match self.store.tokens().await {
            Ok(tokens) => {
                let valid = Valid::at(tokens, self.wall.unix_ms());
                self.valid.send_if_modified(|known| {
                    let changed = *known.tokens != *valid.tokens || known.agents != valid.agents;
                    if changed {
                        *known = valid;
                    }
                    changed
                });
            }
            // Those that are known stay valid: a store that is away must not lock everybody out.
            Err(error) => tracing::warn!(%error, "the tokens could not be read"),
        }
    }

    /// Who sends these headers, from that address.
    ///
    /// # Errors
    /// `UNAUTHENTICATED` if the token is not valid, or there is none and one is needed: the same text in every case.
    /// `RESOURCE_EXHAUSTED` after too many wrong ones.
    pub(super) async fn caller(
        &self,
        headers: &HeaderMap,
        from: Option<IpAddr>,
    ) -> Result<Caller, Status> {
        let token = match headers.get(AUTHORIZATION) {
            None if self.required => return Err(unauthenticated()),
            None => None,
            Some(value) => {
                let presented = value
                    .to_str()
                    .ok()
                    .and_then(|text| text.strip_prefix("Bearer "))
                    .and_then(|text| Presented::read(text).ok());
                match self.find(presented).await {
                    Some(token) => Some((token.id, token.holder)),
                    None => return Err(self.refused(from)),
                }
            }
        };
        Ok(Caller::new(token, !self.required, self.valid.subscribe()))
    }

    async fn find(&self, presented: Option<Presented>) -> Option<KeptToken> {
        let presented = presented?;
        let known = |valid: &Valid| {
            let kept = valid.tokens.get(&presented.id)?;
            Some(presented.is(kept).then(|| kept.clone()))
        };
        if let Some(judged) = known(&self.valid.borrow()) {
            let now_ms = self.wall.unix_ms();
            return judged.filter(|kept| kept.expire_time_ms.is_none_or(|at| now_ms < at));
        }
        // It may have been made since the last look. One look serves all who have asked before it.
        let asked = Instant::now();
        {
            let mut last_look = self.last_look.lock().await;
            if *last_look <= asked {
                tokio::time::sleep_until(*last_look + SOONEST).await;
                *last_look = Instant::now();
                self.look().await;
            }
        }
        known(&self.valid.borrow()).flatten()
    }

    fn refused(&self, from: Option<IpAddr>) -> Status {
        self.meters.wrong_tokens.increment(1);
        if let Some(from) = from
            && self.wrong.check_key(&from).is_err()
        {
            return Status::new(
                Code::ResourceExhausted,
                format!(
                    "more than {WRONG_TOKENS} wrong tokens a second came from this address: try again in a second"
                ),
            );
        }
        unauthenticated()
    }
}

fn unauthenticated() -> Status {
    Status::unauthenticated(
        "this call takes a valid token: send one as metadata, authorization: Bearer TOKEN",
    )
}
