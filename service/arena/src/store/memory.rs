//! A store in memory: as durable as the process.

use std::{
    collections::{BTreeMap, HashMap, VecDeque},
    sync::Arc,
};

use broadside_proto::v1;
use parking_lot::{Mutex, RwLock};
use prost::Message;

use super::{Append, Creation, ListPage, ListQuery, NewMatch, Reading, Store, StoreError, Summary};

/// Matches that a list looks at in one go.
const LIST_CHUNK: usize = 256;

/// One match: its log as it is encoded, which is a fifth of what it takes decoded.
#[derive(Debug)]
struct Kept {
    order: u64,
    request_id: String,
    inner: Mutex<Inner>,
}

#[derive(Debug)]
struct Inner {
    summary: Summary,
    log: Vec<u8>,
    /// Where each entry begins.
    starts: Vec<u32>,
}

impl Inner {
    fn push(&mut self, entry: &v1::LogEntry) -> Result<(), StoreError> {
        let failed = |why: &dyn std::fmt::Display| StoreError::Failed(format!("log entry: {why}"));
        let start = u32::try_from(self.log.len()).map_err(|error| failed(&error))?;
        entry
            .encode(&mut self.log)
            .map_err(|error| failed(&error))?;
        self.starts.push(start);
        self.summary.apply(entry);
        Ok(())
    }

    fn decode(&self, from: usize) -> Result<Vec<v1::LogEntry>, StoreError> {
        (from..self.starts.len())
            .map(|index| {
                let start = self.starts[index] as usize;
                let end = self
                    .starts
                    .get(index + 1)
                    .map_or(self.log.len(), |&next| next as usize);
                v1::LogEntry::decode(&self.log[start..end])
                    .map_err(|error| StoreError::Failed(format!("entry {index}: {error}")))
            })
            .collect()
    }
}

#[derive(Debug, Default)]
struct Index {
    matches: HashMap<u64, Arc<Kept>>,
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
    index: RwLock<Index>,
    keep_over: usize,
}

impl MemoryStore {
    /// A store that keeps `keep_over` matches after their end; older ones are forgotten.
    pub fn new(keep_over: usize) -> Self {
        Self {
            index: RwLock::default(),
            keep_over,
        }
    }

    fn find(&self, match_id: u64) -> Option<Arc<Kept>> {
        self.index.read().matches.get(&match_id).cloned()
    }

    fn create_now(&self, new: &NewMatch) -> Result<Creation, StoreError> {
        let mut index = self.index.write();
        let request_id = &new.created.request_id;
        if let Some(&(fingerprint, match_id)) = index.requests.get(request_id) {
            return Ok(if fingerprint == new.fingerprint {
                Creation::Existing(match_id)
            } else {
                Creation::Conflict(match_id)
            });
        }
        if index.matches.contains_key(&new.match_id) {
            return Ok(Creation::IdTaken);
        }
        let mut inner = Inner {
            summary: Summary::new(new.match_id, new.create_time_ms, &new.created),
            log: Vec::new(),
            starts: Vec::new(),
        };
        inner.push(&v1::LogEntry {
            at_us: 0,
            entry: Some(v1::log_entry::Entry::Created(new.created.clone())),
        })?;
        let order = index.next_order;
        index.next_order += 1;
        index.order.insert(order, new.match_id);
        if !request_id.is_empty() {
            index
                .requests
                .insert(request_id.clone(), (new.fingerprint, new.match_id));
        }
        index.matches.insert(
            new.match_id,
            Arc::new(Kept {
                order,
                request_id: request_id.clone(),
                inner: Mutex::new(inner),
            }),
        );
        Ok(Creation::Created)
    }

    fn append_now(&self, match_id: u64, entries: &[v1::LogEntry]) -> Result<usize, StoreError> {
        let kept = self
            .find(match_id)
            .ok_or(StoreError::UnknownMatch(match_id))?;
        let (count, over) = {
            let mut inner = kept.inner.lock();
            for entry in entries {
                inner.push(entry)?;
            }
            if inner.summary.is_over() {
                inner.log.shrink_to_fit();
                inner.starts.shrink_to_fit();
            }
            (inner.starts.len(), inner.summary.is_over())
        };
        if over {
            self.forget_oldest(match_id);
        }
        Ok(count)
    }

    fn forget_oldest(&self, just_over: u64) {
        let mut index = self.index.write();
        index.over.push_back(just_over);
        while index.over.len() > self.keep_over {
            let Some(oldest) = index.over.pop_front() else {
                return;
            };
            if let Some(kept) = index.matches.remove(&oldest) {
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
                    .filter_map(|(_, match_id)| index.matches.get(match_id).cloned())
                    .collect()
            };
            if chunk.is_empty() {
                return page;
            }
            for kept in chunk {
                let last = before;
                before = kept.order;
                let inner = kept.inner.lock();
                if !query.takes(inner.summary.get()) {
                    continue;
                }
                if page.matches.len() == query.limit {
                    page.next = Some(last);
                    return page;
                }
                page.matches.push(inner.summary.get().clone());
            }
        }
    }
}

impl ListQuery {
    fn takes(&self, summary: &v1::Match) -> bool {
        let of_agent = |agent: &String| {
            summary.players.iter().any(|player| match &player.agent {
                Some(v1::player::Agent::Name(text) | v1::player::Agent::Address(text)) => {
                    text == agent
                }
                None => false,
            })
        };
        (self.states.is_empty() || self.states.contains(&summary.state()))
            && (self.variants.is_empty()
                || summary
                    .options
                    .as_ref()
                    .and_then(crate::convert::variant_of)
                    .is_some_and(|variant| self.variants.contains(&variant)))
            && self.agent.as_ref().is_none_or(of_agent)
    }
}

impl Store for MemoryStore {
    fn create(&self, new: NewMatch) -> Reading<'_, Creation> {
        Box::pin(async move { self.create_now(&new) })
    }

    fn find_request(&self, request_id: &str) -> Reading<'_, Option<(u64, u64)>> {
        let found = self.index.read().requests.get(request_id).copied();
        Box::pin(async move { Ok(found) })
    }

    fn append(&self, match_id: u64, entries: &[v1::LogEntry]) -> Append {
        Append::Done(self.append_now(match_id, entries))
    }

    fn get(&self, match_id: u64) -> Reading<'_, Option<v1::Match>> {
        Box::pin(async move {
            Ok(self
                .find(match_id)
                .map(|kept| kept.inner.lock().summary.get().clone()))
        })
    }

    fn log(&self, match_id: u64, from: usize) -> Reading<'_, (u64, Vec<v1::LogEntry>)> {
        Box::pin(async move {
            let kept = self
                .find(match_id)
                .ok_or(StoreError::UnknownMatch(match_id))?;
            let inner = kept.inner.lock();
            Ok((inner.summary.get().create_time_ms, inner.decode(from)?))
        })
    }

    fn list(&self, query: ListQuery) -> Reading<'_, ListPage> {
        Box::pin(async move { Ok(self.list_now(&query)) })
    }
}
