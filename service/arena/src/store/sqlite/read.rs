//! What is read.

use broadside_proto::v1;
use prost::Message;
use rusqlite::{Connection, OptionalExtension, params_from_iter, types::Value};

use super::{
    fault::Fault,
    journal::{Head, Tails},
    log,
};
use crate::store::{Holder, KeptToken, ListPage, ListQuery, Reader, StoreError};

/// A summary as it is kept, with the moves of its log.
const SUMMARY: &str = "SELECT match_id, summary, coalesce(\
    (SELECT moves FROM match_chunk WHERE match_chunk.match_id = match.match_id ORDER BY first DESC LIMIT 1), \
    (SELECT moves FROM match_event WHERE match_event.match_id = match.match_id ORDER BY seq DESC LIMIT 1)), place \
    FROM match";

/// The place in a match's log after the last entry that does not stand in the journal alone.
const END: &str = "SELECT max(\
    coalesce((SELECT first + entries FROM match_chunk WHERE match_id = ?1 ORDER BY first DESC LIMIT 1), 0), \
    coalesce((SELECT max(seq) + 1 FROM match_event WHERE match_id = ?1), 0))";

const STATES: [v1::MatchState; 3] = [
    v1::MatchState::Waiting,
    v1::MatchState::Running,
    v1::MatchState::Over,
];

/// The request with this id.
pub(super) fn request(
    connection: &Connection,
    request_id: &str,
) -> Result<Option<(u64, u64)>, Fault> {
    Ok(connection
        .prepare_cached("SELECT fingerprint, match_id FROM match WHERE request_id = ?1")?
        .query_row([request_id], |row| {
            let fingerprint: i64 = row.get(0)?;
            let match_id: i64 = row.get(1)?;
            Ok((fingerprint.cast_unsigned(), match_id.cast_unsigned()))
        })
        .optional()?)
}

/// The place in a match's log after the last entry that does not stand in the journal alone.
pub(super) fn end(connection: &Connection, match_id: u64) -> rusqlite::Result<usize> {
    connection
        .prepare_cached(END)?
        .query_row([match_id.cast_signed()], |row| log::size(row, 0))
}

/// Where the log of a match that has no tail ends.
pub(super) fn head(connection: &Connection, match_id: u64) -> Result<Head, Fault> {
    let found = connection
        .prepare_cached("SELECT epoch, damage FROM match WHERE match_id = ?1")?
        .query_row([match_id.cast_signed()], |row| {
            Ok((row.get::<_, i64>(0)?, row.get::<_, Option<String>>(1)?))
        })
        .optional()?;
    let (epoch, damage) = found.ok_or(StoreError::UnknownMatch(match_id))?;
    if let Some(why) = damage {
        return Err(corrupt(match_id, why).into());
    }
    let next = end(connection, match_id)?;
    Ok(Head {
        epoch: epoch.cast_unsigned(),
        next,
        link: log::link_before(connection, match_id, next)?,
    })
}

/// A match.
pub(super) fn summary(
    connection: &Connection,
    tails: &Tails,
    match_id: u64,
) -> Result<Option<v1::Match>, Fault> {
    // Before the database: what leaves the tail meanwhile is there then.
    let moves = tails.moves(match_id);
    let kept = one(connection, match_id)?;
    Ok(kept.map(|kept| kept.decode(moves)).transpose()?)
}

/// A match as it is kept.
fn one(connection: &Connection, match_id: u64) -> rusqlite::Result<Option<Kept>> {
    let sql = format!("{SUMMARY} WHERE match_id = ?1");
    connection
        .prepare_cached(&sql)?
        .query_row([match_id.cast_signed()], Kept::read)
        .optional()
}

struct Kept {
    match_id: u64,
    summary: Vec<u8>,
    moves: Option<u32>,
}

impl Kept {
    fn read(row: &rusqlite::Row<'_>) -> rusqlite::Result<Self> {
        Ok(Self {
            match_id: row.get::<_, i64>(0)?.cast_unsigned(),
            summary: row.get(1)?,
            moves: row.get(2)?,
        })
    }

    /// The match, with the moves that a tail of its log is known to bring it to.
    fn decode(self, moves: Option<u32>) -> Result<v1::Match, StoreError> {
        let mut summary = v1::Match::decode(self.summary.as_slice()).map_err(|error| {
            corrupt(
                self.match_id,
                format!("its summary cannot be read: {error}"),
            )
        })?;
        if summary.match_id != self.match_id {
            let why = format!("its summary is that of match {}", summary.match_id);
            return Err(corrupt(self.match_id, why));
        }
        // They never become fewer.
        if let Some(moves) = self.moves.max(moves) {
            summary.moves = moves;
        }
        Ok(summary)
    }
}

pub(super) fn corrupt(match_id: u64, why: String) -> StoreError {
    StoreError::Corrupt { match_id, why }
}

/// Bytes of a length, or how many there are.
pub(super) fn array<const N: usize>(bytes: Vec<u8>) -> Result<[u8; N], usize> {
    bytes.try_into().map_err(|bytes: Vec<u8>| bytes.len())
}

/// A page of matches.
///
/// Each kind of match (state, variant, private or not) stands in one stretch of an index, in the order of creation: a page is the
/// newest of the newest of each, however many matches there are.
pub(super) fn list(
    connection: &Connection,
    tails: &Tails,
    query: &ListQuery,
) -> Result<ListPage, Fault> {
    let transaction = connection.unchecked_transaction()?;
    let before = query
        .after
        .map_or(i64::MAX, |after| i64::try_from(after).unwrap_or(i64::MAX));
    // One more shows whether there are more.
    let wanted = query.limit.saturating_add(1);
    let mut places = Vec::new();
    for arm in arms(query) {
        arm.places(&transaction, before, wanted, &mut places)?;
    }
    places.sort_unstable_by(|one, other| other.cmp(one));
    places.dedup();
    let more = places.len() > query.limit;
    places.truncate(query.limit);
    let next = places
        .last()
        .filter(|_| more)
        .map(|last| last.cast_unsigned());
    let sql = format!("{SUMMARY} WHERE place = ?1");
    let kept = {
        let mut statement = transaction.prepare_cached(&sql)?;
        let kept = places
            .iter()
            .map(|place| statement.query_row([place], Kept::read));
        kept.collect::<rusqlite::Result<Vec<_>>>()?
    };
    // What has left a tail since this view of the database is in a later one.
    transaction.finish()?;
    let mut matches = Vec::with_capacity(kept.len());
    for kept in kept {
        let match_id = kept.match_id;
        let moves = tails.moves(match_id);
        match kept.decode(moves) {
            Ok(mut summary) => {
                if moves.is_none() && summary.state() != v1::MatchState::Over {
                    let later = one(connection, match_id)?.and_then(|kept| kept.moves);
                    summary.moves = summary.moves.max(later.unwrap_or(0));
                }
                matches.push(summary);
            }
            // The others go on.
            Err(error) => tracing::error!(%error, "left out of a list"),
        }
    }
    Ok(ListPage { matches, next })
}

/// Some of the matches that a query asks for: one stretch of an index.
struct Arm<'a> {
    agent: Option<&'a str>,
    /// State, variant and whether private; none: all.
    kind: Option<(i32, i32, bool)>,
    /// Another agent that has to play as well.
    with: Option<&'a str>,
}

fn arms(query: &ListQuery) -> Vec<Arm<'_>> {
    let agent = query.agent.as_deref();
    if agent.is_none()
        && query.states.is_empty()
        && query.variants.is_empty()
        && query.reader == Reader::Operator
    {
        return vec![Arm {
            agent,
            kind: None,
            with: None,
        }];
    }
    let states: &[_] = if query.states.is_empty() {
        &STATES
    } else {
        &query.states
    };
    let variants: Vec<i32> = if query.variants.is_empty() {
        (0..)
            .map_while(|number| v1::Variant::try_from(number).ok())
            .map(i32::from)
            .collect()
    } else {
        query
            .variants
            .iter()
            .map(|variant| *variant as i32)
            .collect()
    };
    let mut arms = Vec::new();
    for state in states {
        for variant in &variants {
            for private in [false, true] {
                let (agent, with) = match (&query.reader, private, agent) {
                    (Reader::Public, true, _) => continue,
                    (Reader::Agent(own), true, None) => (Some(own.as_str()), None),
                    (Reader::Agent(own), true, Some(agent)) => {
                        (Some(agent), (own != agent).then_some(own.as_str()))
                    }
                    _ => (agent, None),
                };
                arms.push(Arm {
                    agent,
                    kind: Some((*state as i32, *variant, private)),
                    with,
                });
            }
        }
    }
    arms
}

impl Arm<'_> {
    /// Adds the newest places before one.
    fn places(
        &self,
        connection: &Connection,
        before: i64,
        limit: usize,
        places: &mut Vec<i64>,
    ) -> rusqlite::Result<()> {
        let (sql, values) = self.query(before, limit);
        let mut statement = connection.prepare_cached(&sql)?;
        let found = statement.query_map(params_from_iter(values), |row| row.get(0))?;
        for place in found {
            places.push(place?);
        }
        Ok(())
    }

    fn query(&self, before: i64, limit: usize) -> (String, Vec<Value>) {
        let mut sql = String::from(match self.agent {
            Some(_) => "SELECT place FROM match_agent AS listed WHERE place < ?1",
            None => "SELECT place FROM match AS listed WHERE place < ?1",
        });
        let mut values = vec![
            Value::Integer(before),
            Value::Integer(i64::try_from(limit).unwrap_or(i64::MAX)),
        ];
        if let Some((state, variant, private)) = self.kind {
            sql += " AND state = ?3 AND variant = ?4 AND private = ?5";
            values.extend([state.into(), variant.into(), private.into()]);
        }
        if let Some(agent) = self.agent {
            sql += " AND agent = ?6";
            values.push(agent.to_owned().into());
        }
        if let Some(with) = self.with {
            sql += " AND EXISTS (SELECT 1 FROM match_agent AS other WHERE other.place = listed.place AND other.agent = ?7)";
            values.push(with.to_owned().into());
        }
        sql += " ORDER BY place DESC LIMIT ?2";
        (sql, values)
    }
}

/// All tokens.
pub(super) fn tokens(connection: &Connection) -> Result<Vec<KeptToken>, Fault> {
    let mut statement = connection.prepare_cached(
        "SELECT token_id, agent, hash, create_time_ms, expire_time_ms, revoke_time_ms FROM token ORDER BY place",
    )?;
    let mut rows = statement.query([])?;
    let mut tokens = Vec::new();
    while let Some(row) = rows.next()? {
        let id: String = row.get(0)?;
        let hash = array(row.get(2)?).map_err(|length| {
            StoreError::Failed(format!(
                "the hash of token {id} has {length} bytes, and not 32"
            ))
        })?;
        tokens.push(KeptToken {
            id,
            holder: row
                .get::<_, Option<String>>(1)?
                .map_or(Holder::Operator, Holder::Agent),
            hash,
            create_time_ms: row.get::<_, i64>(3)?.cast_unsigned(),
            expire_time_ms: row.get::<_, Option<i64>>(4)?.map(i64::cast_unsigned),
            revoke_time_ms: row.get::<_, Option<i64>>(5)?.map(i64::cast_unsigned),
        });
    }
    Ok(tokens)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::sqlite::{files::Files, opening};

    /// How the database would go about it.
    fn plan(connection: &Connection, sql: &str, values: &[Value]) -> Vec<String> {
        let sql = format!("EXPLAIN QUERY PLAN {sql}");
        let mut statement = connection.prepare(&sql).unwrap();
        let steps = statement.query_map(params_from_iter(values), |row| row.get(3));
        steps.unwrap().collect::<Result<_, _>>().unwrap()
    }

    #[test]
    fn a_page_is_found_by_an_index_and_nothing_is_sorted_or_scanned() {
        let folder = tempfile::tempdir().unwrap();
        let files = Files::new(&folder.path().join("matches.sqlite"));
        opening::prepare(&files).unwrap();
        let connection = opening::connect_to_read(&files).unwrap();
        let readers = [
            Reader::Operator,
            Reader::Public,
            Reader::Agent("ada".to_owned()),
        ];
        for reader in readers {
            for agent in [None, Some("bob".to_owned())] {
                let query = ListQuery {
                    reader: reader.clone(),
                    agent,
                    ..ListQuery::default()
                };
                for arm in arms(&query) {
                    let (sql, values) = arm.query(9, 9);
                    let steps = plan(&connection, &sql, &values);
                    let sought = steps
                        .iter()
                        .all(|step| step.starts_with("SEARCH") || step.contains("SCALAR SUBQUERY"));
                    assert!(sought, "{sql}: {steps:?}");
                }
            }
        }
    }
}
