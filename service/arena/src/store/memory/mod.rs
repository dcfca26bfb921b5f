//! A store in memory: as durable as the process.

mod entries;

use std::{
    collections::{BTreeMap, HashMap, VecDeque},
    sync::Arc,
};

use broadside_proto::v1;
use dashmap::DashMap;
use parking_lot::{Mutex, RwLock};
use rustc_hash::FxBuildHasher;

use self::entries::Entries;
use super::{
    Append, Appending, Claimed, Creation, KeptToken, ListPage, ListQuery, Log, NewMatch, Reading,
    Store, StoreError, TokenId, plays,
};
use crate::convert;

/// Matches that a list looks at in one go.
const LIST_CHUNK: usize = 256;

/// One match.
#[derive(Debug)]
struct Kept {
    order: u64,
    request_id: String,
    inner: Mutex<Inner>,
}

#[derive(Debug)]
struct Inner {
    epoch: u64,
    summary: v1::Match,
    log: Entries,
    signature: Option<[u8; 64]>,
}

impl Inner {
    fn is_over(&self) -> bool {
        self.summary.state() == v1::MatchState::Over
    }
}

/// Matches by their ids, which are the arena's own random numbers: no hash need defend itself against them.
type Matches = DashMap<u64, Arc<Kept>, FxBuildHasher>;

#[derive(Debug, Default)]
struct Index {
    /// Matches by the order of their creation.
    order: BTreeMap<u64, u64>,
    next_order: u64,
    /// Request ids with the fingerprint of their request and the match that it created.
    requests: HashMap<String, (u64, u64)>,
    /// Matches over, oldest end first.
    over: VecDeque<u64>,
}

/// Keeps matches in memory; of those that are over, the last so many.
#[derive(Debug)]
pub struct MemoryStore {
    /// Apart from the index, since every turn is looked up here.
    matches: Matches,
    index: RwLock<Index>,
    keep_over: usize,
    secrets: Mutex<HashMap<String, [u8; 32]>>,
    tokens: Mutex<Vec<KeptToken>>,
}

impl MemoryStore {
    /// A store that keeps `keep_over` matches after their end; older ones are forgotten.
    pub fn new(keep_over: usize) -> Self {
        Self {
            matches: Matches::default(),
            index: RwLock::default(),
            keep_over,
            secrets: Mutex::default(),
            tokens: Mutex::default(),
        }
    }

    fn find(&self, match_id: u64) -> Option<Arc<Kept>> {
        self.matches.get(&match_id).map(|kept| kept.clone())
    }

    fn create_now(&self, new: NewMatch) -> Creation {
        let NewMatch {
            summary,
            request_id,
            fingerprint,
            created,
        } = new;
        let match_id = summary.match_id;
        let mut index = self.index.write();
        if let Some(&(known, existing)) = index.requests.get(&request_id) {
            return if known == fingerprint {
                Creation::Existing(existing)
            } else {
                Creation::Conflict(existing)
            };
        }
        if self.matches.contains_key(&match_id) {
            return Creation::IdTaken;
        }
        let order = index.next_order;
        index.next_order += 1;
        index.order.insert(order, match_id);
        if !request_id.is_empty() {
            index
                .requests
                .insert(request_id.clone(), (fingerprint, match_id));
        }
        let mut log = Entries::default();
        log.push(&created);
        let inner = Inner {
            epoch: 1,
            summary,
            log,
            signature: None,
        };
        self.matches.insert(
            match_id,
            Arc::new(Kept {
                order,
                request_id,
                inner: Mutex::new(inner),
            }),
        );
        Creation::Created
    }

    fn append_now(&self, append: &Append) -> Result<(), StoreError> {
        let Append {
            match_id,
            epoch,
            first,
            entries,
            moves,
            summary,
            signature,
        } = append;
        let (match_id, epoch, first) = (*match_id, *epoch, *first);
        let over = {
            let kept = self
                .matches
                .get(&match_id)
                .ok_or(StoreError::UnknownMatch(match_id))?;
            let mut inner = kept.inner.lock();
            if inner.epoch != epoch {
                return Err(StoreError::Fenced(match_id));
            }
            if inner.log.len() != first {
                let again = inner.log.from(first).take(entries.len());
                return if again.eq(entries.iter().cloned()) {
                    Ok(())
                } else {
                    Err(StoreError::Failed(format!(
                        "match {match_id} has {} log entries, and more are to go after entry {first}",
                        inner.log.len()
                    )))
                };
            }
            for entry in entries {
                inner.log.push(entry);
            }
            if let Some(summary) = summary {
                inner.summary.clone_from(&**summary);
            }
            inner.summary.moves = *moves;
            inner.signature = *signature;
            if inner.is_over() {
                inner.log.shrink_to_fit();
            }
            inner.is_over()
        };
        if over {
            self.forget_oldest(match_id);
        }
        Ok(())
    }

    fn forget_oldest(&self, just_over: u64) {
        let mut index = self.index.write();
        index.over.push_back(just_over);
        while index.over.len() > self.keep_over {
            let Some(oldest) = index.over.pop_front() else {
                return;
            };
            if let Some((_, kept)) = self.matches.remove(&oldest) {
                index.order.remove(&kept.order);
                index.requests.remove(&kept.request_id);
            }
        }
    }

    fn list_now(&self, query: &ListQuery) -> ListPage {
        let mut page = ListPage::default();
        let mut before = query.after.unwrap_or(u64::MAX);
        loop {
            // A few at a time, and looked at outside the lock: a list must not hold up the matches that run.
            let chunk: Vec<_> = {
                let index = self.index.read();
                let places = index.order.range(..before).rev().take(LIST_CHUNK);
                places
                    .filter_map(|(_, match_id)| self.find(*match_id))
                    .collect()
            };
            if chunk.is_empty() {
                return page;
            }
            for kept in chunk {
                let last = before;
                before = kept.order;
                let inner = kept.inner.lock();
                if !query.takes(&inner.summary) {
                    continue;
                }
                if page.matches.len() == query.limit {
                    page.next = Some(last);
                    return page;
                }
                page.matches.push(inner.summary.clone());
            }
        }
    }

    fn claim_now(&self) -> Vec<Claimed> {
        let index = self.index.read();
        let open = index.order.values().filter_map(|match_id| {
            let kept = self.find(*match_id)?;
            let mut inner = kept.inner.lock();
            if inner.is_over() {
                return None;
            }
            inner.epoch += 1;
            Some(Claimed {
                match_id: *match_id,
                epoch: inner.epoch,
            })
        });
        open.collect()
    }
}

impl ListQuery {
    fn takes(&self, summary: &v1::Match) -> bool {
        (self.states.is_empty() || self.states.contains(&summary.state()))
            && (self.variants.is_empty()
                || summary
                    .options
                    .as_ref()
                    .and_then(convert::variant_of)
                    .is_some_and(|variant| self.variants.contains(&variant)))
            && self
                .agent
                .as_ref()
                .is_none_or(|agent| plays(summary, agent))
            && self.reader.may_read(summary)
    }
}

impl Store for MemoryStore {
    fn is_durable(&self) -> bool {
        false
    }

    fn create(&self, new: NewMatch) -> Reading<'_, Creation> {
        Box::pin(async move { Ok(self.create_now(new)) })
    }

    fn find_request<'a>(&'a self, request_id: &'a str) -> Reading<'a, Option<(u64, u64)>> {
        let found = self.index.read().requests.get(request_id).copied();
        Box::pin(async move { Ok(found) })
    }

    fn append(&self, append: Arc<Append>) -> Appending {
        Appending::Done(self.append_now(&append))
    }

    fn claim(&self) -> Reading<'_, Vec<Claimed>> {
        Box::pin(async move { Ok(self.claim_now()) })
    }

    fn get(&self, match_id: u64) -> Reading<'_, Option<v1::Match>> {
        Box::pin(async move {
            Ok(self
                .find(match_id)
                .map(|kept| kept.inner.lock().summary.clone()))
        })
    }

    fn log(&self, match_id: u64, from: usize) -> Reading<'_, Log> {
        Box::pin(async move {
            let kept = self
                .find(match_id)
                .ok_or(StoreError::UnknownMatch(match_id))?;
            let inner = kept.inner.lock();
            Ok(Log {
                create_time_ms: inner.summary.create_time_ms,
                entries: inner.log.from(from).collect(),
                signature: inner.signature,
            })
        })
    }

    fn list(&self, query: ListQuery) -> Reading<'_, ListPage> {
        Box::pin(async move { Ok(self.list_now(&query)) })
    }

    fn secret<'a>(&'a self, name: &'a str, fresh: [u8; 32]) -> Reading<'a, [u8; 32]> {
        Box::pin(async move {
            let mut secrets = self.secrets.lock();
            Ok(*secrets.entry(name.to_owned()).or_insert(fresh))
        })
    }

    fn add_token(&self, token: KeptToken) -> Reading<'_, ()> {
        Box::pin(async move {
            self.tokens.lock().push(token);
            Ok(())
        })
    }

    fn tokens(&self) -> Reading<'_, Vec<KeptToken>> {
        Box::pin(async move { Ok(self.tokens.lock().clone()) })
    }

    fn revoke_token<'a>(&'a self, id: &'a TokenId, at_ms: u64) -> Reading<'a, bool> {
        Box::pin(async move {
            let mut tokens = self.tokens.lock();
            let valid = tokens
                .iter_mut()
                .find(|token| token.id == *id && token.revoke_time_ms.is_none());
            Ok(valid.is_some_and(|token| {
                token.revoke_time_ms = Some(at_ms);
                true
            }))
        })
    }
}
