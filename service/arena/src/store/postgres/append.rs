//! Appends of many matches in one transaction, each judged by itself.

use std::{collections::HashMap, sync::Arc};

use broadside_proto::v1;
use futures_util::future::{try_join, try_join4};
use prost::Message;
use tokio_postgres::{Client, Error, Statement};

use super::{fault, server::Server, signed};
use crate::store::{Append, StoreError};

/// What came of one append.
pub(super) type Kept = Result<(), StoreError>;

/// Holds the matches' rows, so that nobody claims them before the transaction ends. All in the same order, lest two arenas wait for each
/// other.
const HOLD: &str = "SELECT match_id, epoch FROM match WHERE match_id = ANY($1) ORDER BY match_id FOR NO KEY UPDATE";

/// How far the logs go. A statement of its own: it must see what was kept while the rows were waited for.
const LENGTHS: &str = "SELECT asked.match_id,
    (SELECT event.seq + 1 FROM match_event event WHERE event.match_id = asked.match_id ORDER BY event.seq DESC LIMIT 1)
FROM unnest($1::bigint[]) asked(match_id)";

const INSERT: &str = "INSERT INTO match_event (match_id, seq, epoch, moves, body, link)
SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bytea[], $6::bytea[])";

const CHANGE: &str = "UPDATE match SET state = new.state, summary = new.summary, signature = new.signature
FROM unnest($1::bigint[], $2::int[], $3::bytea[], $4::bytea[]) new(match_id, state, summary, signature)
WHERE match.match_id = new.match_id";

const CHANGE_AGENTS: &str = "UPDATE match_agent SET state = new.state
FROM unnest($1::bigint[], $2::int[]) new(match_id, state) JOIN match USING (match_id)
WHERE match_agent.place = match.place AND match_agent.state <> new.state";

const KEPT: &str = "SELECT body, link FROM match_event WHERE match_id = $1 AND seq >= $2 AND seq < $3 ORDER BY seq";

/// A connection that appends.
pub(super) struct Appender {
    client: Client,
    hold: Statement,
    lengths: Statement,
    insert: Statement,
    change: Statement,
    change_agents: Statement,
    kept: Statement,
}

impl Appender {
    /// Connects.
    pub(super) async fn connect(server: &Server) -> Result<Self, StoreError> {
        Self::new(server.connect().await?)
            .await
            .map_err(|error| fault::store_error(&error))
    }

    /// Appends on this connection.
    pub(super) async fn new(client: Client) -> Result<Self, Error> {
        let (hold, lengths, kept) = (
            client.prepare(HOLD).await?,
            client.prepare(LENGTHS).await?,
            client.prepare(KEPT).await?,
        );
        Ok(Self {
            hold,
            lengths,
            insert: client.prepare(INSERT).await?,
            change: client.prepare(CHANGE).await?,
            change_agents: client.prepare(CHANGE_AGENTS).await?,
            kept,
            client,
        })
    }

    /// Whether it is lost.
    pub(super) fn is_closed(&self) -> bool {
        self.client.is_closed()
    }

    /// Appends of different matches: those that can be kept are, once this returns. An error is that of the connection: of nothing
    /// it is known whether it was kept.
    pub(super) async fn keep(&mut self, appends: &[Arc<Append>]) -> Result<Vec<Kept>, Error> {
        match self.keep_together(appends).await {
            Ok(kept) => return Ok(kept),
            Err(error) if fault::passes(&error) => return Err(error),
            Err(_) => self.client.batch_execute("ROLLBACK").await?,
        }
        // The database does not take one of them: each by itself.
        let mut all = Vec::with_capacity(appends.len());
        for append in appends {
            match self.keep_together(std::slice::from_ref(append)).await {
                Ok(kept) => all.extend(kept),
                Err(error) if fault::passes(&error) => return Err(error),
                Err(error) => {
                    self.client.batch_execute("ROLLBACK").await?;
                    all.push(Err(fault::store_error(&error)));
                }
            }
        }
        Ok(all)
    }

    async fn keep_together(&self, appends: &[Arc<Append>]) -> Result<Vec<Kept>, Error> {
        let ids: Vec<i64> = appends
            .iter()
            .map(|append| signed(append.match_id))
            .collect();
        // One round trip: the statements are under way before the first is answered, in this order.
        let (_, (held, lengths)) = try_join(
            self.client.batch_execute("BEGIN"),
            try_join(
                self.client.query(&self.hold, &[&ids]),
                self.client.query(&self.lengths, &[&ids]),
            ),
        )
        .await?;
        let epochs: HashMap<i64, i64> = pairs(&held)?;
        let lengths: HashMap<i64, Option<i64>> = pairs(&lengths)?;
        let mut results = Vec::with_capacity(appends.len());
        let mut fresh = Vec::with_capacity(appends.len());
        for append in appends {
            let id = signed(append.match_id);
            let length = lengths.get(&id).copied().flatten().unwrap_or(0);
            let result = match epochs.get(&id) {
                None => Err(StoreError::UnknownMatch(append.match_id)),
                Some(epoch) if *epoch != signed(append.epoch) => {
                    Err(StoreError::Fenced(append.match_id))
                }
                Some(_) if length == place(append.first) => {
                    fresh.push(&**append);
                    Ok(())
                }
                Some(_) if self.is_kept(append).await? => Ok(()),
                Some(_) => Err(StoreError::Failed(format!(
                    "match {} has {length} log entries, and more are to go after entry {}",
                    append.match_id, append.first
                ))),
            };
            results.push(result);
        }
        self.insert(&fresh).await?;
        Ok(results)
    }

    /// Whether the same append was kept before.
    async fn is_kept(&self, append: &Append) -> Result<bool, Error> {
        let first = place(append.first);
        let end = first.saturating_add(place(append.entries.len()));
        let rows = self
            .client
            .query(&self.kept, &[&signed(append.match_id), &first, &end])
            .await?;
        if rows.len() != append.entries.len() {
            return Ok(false);
        }
        for (row, entry) in rows.iter().zip(&append.entries) {
            let (body, link): (&[u8], &[u8]) = (row.try_get(0)?, row.try_get(1)?);
            if body != entry.body || link != entry.link {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Inserts the entries, changes the summaries, and commits: one round trip.
    async fn insert(&self, appends: &[&Append]) -> Result<(), Error> {
        let entries = || {
            appends.iter().flat_map(|append| {
                let entries = append.entries.iter().enumerate();
                entries.map(move |(index, entry)| (*append, index, entry))
            })
        };
        let ids: Vec<i64> = entries()
            .map(|(append, ..)| signed(append.match_id))
            .collect();
        let seqs: Vec<i64> = entries()
            .map(|(append, index, _)| place(append.first + index))
            .collect();
        let epochs: Vec<i64> = entries().map(|(append, ..)| signed(append.epoch)).collect();
        let moves: Vec<i64> = entries()
            .map(|(append, ..)| i64::from(append.moves))
            .collect();
        let bodies: Vec<&[u8]> = entries().map(|(.., entry)| entry.body.as_slice()).collect();
        let links: Vec<&[u8]> = entries().map(|(.., entry)| entry.link.as_slice()).collect();

        let changed = || {
            appends.iter().filter_map(|append| {
                let summary = append.summary.as_deref()?;
                Some((signed(append.match_id), summary, append.signature.as_ref()))
            })
        };
        let changed_ids: Vec<i64> = changed().map(|(id, ..)| id).collect();
        let states: Vec<i32> = changed().map(|(_, summary, _)| summary.state).collect();
        let summaries: Vec<Vec<u8>> = changed()
            .map(|(_, summary, _)| v1::Match::encode_to_vec(summary))
            .collect();
        let signatures: Vec<Option<&[u8]>> = changed()
            .map(|(.., signature)| signature.map(<[u8; 64]>::as_slice))
            .collect();

        let insert = async {
            if ids.is_empty() {
                return Ok(0);
            }
            self.client
                .execute(
                    &self.insert,
                    &[&ids, &seqs, &epochs, &moves, &bodies, &links],
                )
                .await
        };
        let change = async {
            if changed_ids.is_empty() {
                return Ok(0);
            }
            self.client
                .execute(
                    &self.change,
                    &[&changed_ids, &states, &summaries, &signatures],
                )
                .await
        };
        let change_agents = async {
            if changed_ids.is_empty() {
                return Ok(0);
            }
            self.client
                .execute(&self.change_agents, &[&changed_ids, &states])
                .await
        };
        // If one before it failed the commit is a rollback, and the error is that one's.
        let commit = self.client.batch_execute("COMMIT");
        try_join4(insert, change, change_agents, commit)
            .await
            .map(drop)
    }
}

fn pairs<V: for<'a> tokio_postgres::types::FromSql<'a>>(
    rows: &[tokio_postgres::Row],
) -> Result<HashMap<i64, V>, Error> {
    rows.iter()
        .map(|row| Ok((row.try_get(0)?, row.try_get(1)?)))
        .collect()
}

/// A place in a log as it is kept. No log is that long.
fn place(index: usize) -> i64 {
    i64::try_from(index).unwrap_or(i64::MAX)
}
