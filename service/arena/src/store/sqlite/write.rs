//! What is written, within a transaction of the writer's.

use std::collections::HashMap;

use broadside_proto::v1;
use broadside_record::chain::Entry;
use prost::Message;
use rusqlite::{Connection, OptionalExtension, params};

use super::{
    fault::{self, Fault, Why},
    files::Files,
    read::{self, array},
    space,
};
use crate::{
    convert,
    store::{Append, Claimed, Creation, Holder, KeptToken, NewMatch, StoreError, TokenId, agents},
};

/// Where the log of a match ends, and who may append to it.
#[derive(Clone, Copy, Debug)]
struct Head {
    epoch: u64,
    next: usize,
}

/// The heads of matches that are appended to, as of the last commit: nobody else writes them.
#[derive(Debug, Default)]
pub(super) struct Heads(HashMap<u64, Head>);

impl Heads {
    /// Nothing is known any more.
    pub(super) fn forget(&mut self) {
        self.0.clear();
    }
}

/// The tables in a transaction.
pub(super) struct Tables<'a> {
    pub(super) connection: &'a Connection,
    pub(super) heads: &'a mut Heads,
    pub(super) files: &'a Files,
    /// No match is created with less room than this.
    pub(super) reserve: u64,
}

impl Tables<'_> {
    /// Runs something that either happens as a whole or not at all.
    pub(super) fn whole<T>(
        &mut self,
        run: impl FnOnce(&mut Self) -> Result<T, Fault>,
    ) -> Result<T, Fault> {
        self.statement("SAVEPOINT request")?;
        match run(self) {
            Ok(done) => {
                self.statement("RELEASE request")?;
                Ok(done)
            }
            // The whole transaction is taken back.
            Err(Fault::Database(error)) if fault::why(&error) != Why::Request => Err(error.into()),
            Err(error) => {
                self.statement("ROLLBACK TO request")?;
                self.statement("RELEASE request")?;
                Err(error)
            }
        }
    }

    fn statement(&self, sql: &str) -> rusqlite::Result<usize> {
        self.connection.prepare_cached(sql)?.execute([])
    }

    /// Creates a match.
    pub(super) fn create(&mut self, new: &NewMatch) -> Result<Creation, Fault> {
        let NewMatch {
            summary,
            request_id,
            fingerprint,
            created,
        } = new;
        if !request_id.is_empty()
            && let Some((known, match_id)) = read::request(self.connection, request_id)?
        {
            return Ok(if known == *fingerprint {
                Creation::Existing(match_id)
            } else {
                Creation::Conflict(match_id)
            });
        }
        let match_id = summary.match_id.cast_signed();
        let taken = self
            .connection
            .prepare_cached("SELECT 1 FROM match WHERE match_id = ?1")?
            .exists([match_id])?;
        if taken {
            return Ok(Creation::IdTaken);
        }
        self.has_room()?;
        let variant = summary.options.as_ref().and_then(convert::variant_of);
        let variant = variant.unwrap_or_default() as i32;
        let place: i64 = self
            .connection
            .prepare_cached(
                "INSERT INTO match (match_id, variant, state, private, epoch, create_time_ms, request_id, fingerprint, summary) \
                 VALUES (?1, ?2, ?3, ?4, 1, ?5, ?6, ?7, ?8) RETURNING place",
            )?
            .query_row(
                params![
                    match_id,
                    variant,
                    summary.state,
                    summary.private,
                    summary.create_time_ms.cast_signed(),
                    (!request_id.is_empty()).then_some(request_id),
                    fingerprint.cast_signed(),
                    summary.encode_to_vec(),
                ],
                |row| row.get(0),
            )?;
        for agent in agents(summary) {
            self.connection
                .prepare_cached(
                    "INSERT INTO match_agent (agent, place, state, variant, private) VALUES (?1, ?2, ?3, ?4, ?5) \
                     ON CONFLICT DO NOTHING",
                )?
                .execute(params![agent, place, summary.state, variant, summary.private])?;
        }
        self.insert(summary.match_id, 1, 0, summary.moves, created)?;
        Ok(Creation::Created)
    }

    fn has_room(&self) -> Result<(), StoreError> {
        let name = self.files.database.display();
        let room = space::room(self.files)
            .map_err(|error| StoreError::Unavailable(format!("{name}: {error}")))?;
        if room < self.reserve {
            return Err(StoreError::Unavailable(format!(
                "{name}: there is room for {room} bytes, and no match is taken with less than {} (setting store_reserve)",
                self.reserve
            )));
        }
        Ok(())
    }

    /// Appends to the log of a match.
    pub(super) fn append(&mut self, append: &Append) -> Result<(), Fault> {
        let Append {
            match_id,
            epoch,
            first,
            entries,
            moves: _,
            summary,
            signature,
        } = append;
        let head = self.head(*match_id)?;
        if head.epoch != *epoch {
            return Err(StoreError::Fenced(*match_id).into());
        }
        if head.next != *first {
            return self.appended_before(append, head);
        }
        if entries.len() > 1 || summary.is_some() || signature.is_some() {
            self.whole(|tables| {
                tables.insert_all(append)?;
                tables.update(*match_id, summary.as_ref(), signature.as_ref())
            })?;
        } else {
            self.insert_all(append)?;
        }
        let over = summary
            .as_ref()
            .is_some_and(|summary| summary.state() == v1::MatchState::Over);
        if over {
            self.heads.0.remove(match_id);
        } else {
            let next = first + entries.len();
            let epoch = head.epoch;
            self.heads.0.insert(*match_id, Head { epoch, next });
        }
        Ok(())
    }

    fn insert_all(&self, append: &Append) -> rusqlite::Result<()> {
        for (place, entry) in append.entries.iter().enumerate() {
            let seq = append.first + place;
            self.insert(append.match_id, append.epoch, seq, append.moves, entry)?;
        }
        Ok(())
    }

    fn insert(
        &self,
        match_id: u64,
        epoch: u64,
        seq: usize,
        moves: u32,
        entry: &Entry,
    ) -> rusqlite::Result<()> {
        self.connection
            .prepare_cached(
                "INSERT INTO match_event (match_id, seq, epoch, moves, body, link) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            )?
            .execute(params![
                match_id.cast_signed(),
                seq as i64,
                epoch.cast_signed(),
                moves,
                entry.body,
                entry.link,
            ])
            .map(drop)
    }

    fn update(
        &self,
        match_id: u64,
        summary: Option<&v1::Match>,
        signature: Option<&[u8; 64]>,
    ) -> Result<(), Fault> {
        let match_id = match_id.cast_signed();
        if let Some(summary) = summary {
            let place: i64 = self
                .connection
                .prepare_cached(
                    "UPDATE match SET state = ?2, summary = ?3 WHERE match_id = ?1 RETURNING place",
                )?
                .query_row(
                    params![match_id, summary.state, summary.encode_to_vec()],
                    |row| row.get(0),
                )?;
            self.connection
                .prepare_cached(
                    "UPDATE match_agent SET state = ?2 WHERE place = ?1 AND state <> ?2",
                )?
                .execute(params![place, summary.state])?;
        }
        if let Some(signature) = signature {
            self.connection
                .prepare_cached("UPDATE match SET signature = ?2 WHERE match_id = ?1")?
                .execute(params![match_id, signature])?;
        }
        Ok(())
    }

    /// An append that is not for the end of the log: whether it was made before.
    fn appended_before(&self, append: &Append, head: Head) -> Result<(), Fault> {
        let Append {
            match_id,
            first,
            entries,
            ..
        } = append;
        let mut statement = self.connection.prepare_cached(
            "SELECT link FROM match_event WHERE match_id = ?1 AND seq >= ?2 AND seq < ?3 ORDER BY seq",
        )?;
        let end = first.saturating_add(entries.len());
        let kept = statement
            .query_map(
                params![match_id.cast_signed(), *first as i64, end as i64],
                |row| row.get::<_, Vec<u8>>(0),
            )?
            .collect::<rusqlite::Result<Vec<_>>>()?;
        // Each value of the chain stands for its entry and all before it.
        let same = kept.len() == entries.len()
            && kept
                .iter()
                .zip(entries)
                .all(|(kept, entry)| *kept == entry.link);
        if same {
            return Ok(());
        }
        Err(StoreError::Failed(format!(
            "match {match_id} has {} log entries, and more are to go after entry {first}",
            head.next
        ))
        .into())
    }

    fn head(&mut self, match_id: u64) -> Result<Head, Fault> {
        if let Some(head) = self.heads.0.get(&match_id) {
            return Ok(*head);
        }
        let found = self
            .connection
            .prepare_cached(
                "SELECT epoch, (SELECT max(seq) FROM match_event WHERE match_event.match_id = match.match_id) \
                 FROM match WHERE match_id = ?1",
            )?
            .query_row([match_id.cast_signed()], |row| {
                Ok((row.get::<_, i64>(0)?, row.get::<_, Option<i64>>(1)?))
            })
            .optional()?;
        let (epoch, last) = found.ok_or(StoreError::UnknownMatch(match_id))?;
        let head = Head {
            epoch: epoch.cast_unsigned(),
            next: last.map_or(0, |last| usize::try_from(last).unwrap_or(0) + 1),
        };
        self.heads.0.insert(match_id, head);
        Ok(head)
    }

    /// Claims all matches that are not over.
    pub(super) fn claim(&mut self) -> Result<Vec<Claimed>, Fault> {
        self.heads.forget();
        let mut statement = self.connection.prepare_cached(
            "UPDATE match SET epoch = epoch + 1 WHERE state <> ?1 RETURNING place, match_id, epoch",
        )?;
        let mut claimed = statement
            .query_map([v1::MatchState::Over as i32], |row| {
                let claimed = Claimed {
                    match_id: row.get::<_, i64>(1)?.cast_unsigned(),
                    epoch: row.get::<_, i64>(2)?.cast_unsigned(),
                };
                Ok((row.get::<_, i64>(0)?, claimed))
            })?
            .collect::<rusqlite::Result<Vec<_>>>()?;
        claimed.sort_unstable_by_key(|(place, _)| *place);
        Ok(claimed.into_iter().map(|(_, claimed)| claimed).collect())
    }

    /// The secret of this name.
    pub(super) fn secret(&mut self, name: &str, fresh: [u8; 32]) -> Result<[u8; 32], Fault> {
        self.connection
            .prepare_cached(
                "INSERT INTO secret (name, value) VALUES (?1, ?2) ON CONFLICT DO NOTHING",
            )?
            .execute(params![name, fresh])?;
        let kept: Vec<u8> = self
            .connection
            .prepare_cached("SELECT value FROM secret WHERE name = ?1")?
            .query_row([name], |row| row.get(0))?;
        array(kept).map_err(|length| {
            StoreError::Failed(format!(
                "{}: the secret {name:?} has {length} bytes, and not 32: restore it from a backup",
                self.files.database.display()
            ))
            .into()
        })
    }

    /// Keeps a token.
    pub(super) fn add_token(&mut self, token: &KeptToken) -> Result<(), Fault> {
        let agent = match &token.holder {
            Holder::Operator => None,
            Holder::Agent(agent) => Some(agent),
        };
        self.connection
            .prepare_cached(
                "INSERT INTO token (token_id, agent, hash, create_time_ms, expire_time_ms, revoke_time_ms) \
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            )?
            .execute(params![
                token.id,
                agent,
                token.hash,
                token.create_time_ms.cast_signed(),
                token.expire_time_ms.map(u64::cast_signed),
                token.revoke_time_ms.map(u64::cast_signed),
            ])?;
        Ok(())
    }

    /// Revokes a token.
    pub(super) fn revoke_token(&mut self, id: &TokenId, at_ms: u64) -> Result<bool, Fault> {
        let revoked = self
            .connection
            .prepare_cached(
                "UPDATE token SET revoke_time_ms = ?2 WHERE token_id = ?1 AND revoke_time_ms IS NULL",
            )?
            .execute(params![id, at_ms.cast_signed()])?;
        Ok(revoked > 0)
    }
}
