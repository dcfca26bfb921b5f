//! What is written, within a transaction of the writer's.

use broadside_proto::v1;
use prost::Message;
use rusqlite::{Connection, params};

use super::{
    fault::Fault,
    files::Files,
    journal::{Head, Journal},
    read::{self, array},
    space,
};
use crate::{
    convert,
    store::{Append, Claimed, Creation, Holder, KeptToken, NewMatch, StoreError, TokenId, agents},
};

/// The tables in a transaction.
///
/// A request that is refused ([`Fault::Request`]) has changed nothing; after any other fault the transaction is taken back.
pub(super) struct Tables<'a> {
    pub(super) connection: &'a Connection,
    pub(super) journal: &'a mut Journal,
    pub(super) files: &'a Files,
    /// No match is created with less room than this.
    pub(super) reserve: u64,
}

impl Tables<'_> {
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
        let entries = std::slice::from_ref(created);
        let head = Head {
            epoch: 1,
            next: 0,
            link: [0; 32],
        };
        self.journal
            .append(summary.match_id, head, summary.moves, entries)?;
        let variant = summary.options.as_ref().and_then(convert::variant_of);
        let variant = variant.unwrap_or_default() as i32;
        let place = self
            .connection
            .prepare_cached(
                "INSERT INTO match (match_id, variant, state, private, epoch, create_time_ms, request_id, fingerprint, summary) \
                 VALUES (?1, ?2, ?3, ?4, 1, ?5, ?6, ?7, ?8)",
            )?
            .insert(params![
                match_id,
                variant,
                summary.state,
                summary.private,
                summary.create_time_ms.cast_signed(),
                (!request_id.is_empty()).then_some(request_id),
                fingerprint.cast_signed(),
                summary.encode_to_vec(),
            ])?;
        for agent in agents(summary) {
            self.connection
                .prepare_cached(
                    "INSERT INTO match_agent (agent, place, state, variant, private) VALUES (?1, ?2, ?3, ?4, ?5) \
                     ON CONFLICT DO NOTHING",
                )?
                .execute(params![agent, place, summary.state, variant, summary.private])?;
        }
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
            moves,
            summary,
            signature,
        } = append;
        let head = self.journal.head(self.connection, *match_id)?;
        if head.epoch != *epoch {
            return Err(StoreError::Fenced(*match_id).into());
        }
        if head.next != *first {
            if self.journal.has(self.connection, append)? {
                return Ok(());
            }
            return Err(StoreError::Failed(format!(
                "match {match_id} has {} log entries, and more are to go after entry {first}",
                head.next
            ))
            .into());
        }
        self.journal.append(*match_id, head, *moves, entries)?;
        if summary.is_some() || signature.is_some() {
            self.update(*match_id, summary.as_deref(), signature.as_ref())?;
        }
        let over = summary
            .as_ref()
            .is_some_and(|summary| summary.state() == v1::MatchState::Over);
        if over {
            self.journal.end(self.connection, *match_id)?;
        }
        Ok(())
    }

    fn update(
        &self,
        match_id: u64,
        summary: Option<&v1::Match>,
        signature: Option<&[u8; 64]>,
    ) -> rusqlite::Result<()> {
        let match_id = match_id.cast_signed();
        let Some(summary) = summary else {
            self.connection
                .prepare_cached("UPDATE match SET signature = ?2 WHERE match_id = ?1")?
                .execute(params![match_id, signature])?;
            return Ok(());
        };
        let place: i64 = self
            .connection
            .prepare_cached(
                "UPDATE match SET state = ?2, summary = ?3, signature = coalesce(?4, signature) WHERE match_id = ?1 \
                 RETURNING place",
            )?
            .query_row(
                params![
                    match_id,
                    summary.state,
                    summary.encode_to_vec(),
                    signature
                ],
                |row| row.get(0),
            )?;
        self.connection
            .prepare_cached("UPDATE match_agent SET state = ?2 WHERE place = ?1 AND state <> ?2")?
            .execute(params![place, summary.state])?;
        Ok(())
    }

    /// Claims all matches that are not over.
    pub(super) fn claim(&mut self) -> Result<Vec<Claimed>, Fault> {
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
        let claimed = claimed.into_iter().map(|(_, claimed)| claimed);
        Ok(claimed
            .inspect(|claimed| self.journal.claimed(claimed.match_id, claimed.epoch))
            .collect())
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
