//! Matches as they are kept, one by one; claims and secrets.

use broadside_proto::v1;
use broadside_record::chain::Entry;
use deadpool_postgres::Client;
use prost::Message;
use tokio_postgres::Row;

use super::{Unread, signed, unsigned};
use crate::store::{Claimed, Log, StoreError};

/// The fingerprint of a request, and the match that it created.
pub(super) async fn request(
    client: &Client,
    request_id: &str,
) -> Result<Option<(u64, u64)>, Unread> {
    let statement = client
        .prepare_cached("SELECT fingerprint, match_id FROM match WHERE request_id = $1")
        .await?;
    let row = client.query_opt(&statement, &[&request_id]).await?;
    row.map(|row| Ok((unsigned(row.try_get(0)?), unsigned(row.try_get(1)?))))
        .transpose()
}

/// A match's summary.
pub(super) async fn summary(client: &Client, match_id: u64) -> Result<Option<v1::Match>, Unread> {
    let statement = client
        .prepare_cached(
            "SELECT match_id, summary, (SELECT event.moves FROM match_event event
                WHERE event.match_id = match.match_id ORDER BY event.seq DESC LIMIT 1)
             FROM match WHERE match_id = $1",
        )
        .await?;
    let row = client.query_opt(&statement, &[&signed(match_id)]).await?;
    row.map(|row| summary_of(&row, 0)).transpose()
}

/// The summary in a row: match id, summary and moves, from a column on.
pub(super) fn summary_of(row: &Row, column: usize) -> Result<v1::Match, Unread> {
    let match_id = unsigned(row.try_get(column)?);
    let corrupt = |why: String| StoreError::Corrupt { match_id, why };
    let mut summary = v1::Match::decode(row.try_get::<_, &[u8]>(column + 1)?)
        .map_err(|error| corrupt(format!("its summary cannot be read: {error}")))?;
    let moves: i64 = row
        .try_get::<_, Option<i64>>(column + 2)?
        .ok_or_else(|| corrupt("its log is empty".to_owned()))?;
    summary.moves = u32::try_from(moves).map_err(|_| corrupt(format!("it has {moves} moves")))?;
    Ok(summary)
}

/// A match's log. Of one moment: the signature is there if the last entry is.
pub(super) async fn log(client: &Client, match_id: u64, from: usize) -> Result<Log, Unread> {
    let statement = client
        .prepare_cached(
            "SELECT match.create_time_ms, match.signature, event.body, event.link
             FROM match LEFT JOIN match_event event ON event.match_id = match.match_id AND event.seq >= $2
             WHERE match.match_id = $1 ORDER BY event.seq",
        )
        .await?;
    let from = i64::try_from(from).unwrap_or(i64::MAX);
    let rows = client
        .query(&statement, &[&signed(match_id), &from])
        .await?;
    let first = rows.first().ok_or(StoreError::UnknownMatch(match_id))?;
    let sized = |what: &str, bytes: &[u8], size: usize| StoreError::Corrupt {
        match_id,
        why: format!("{what} has {} bytes: it must have {size}", bytes.len()),
    };
    let signature = first
        .try_get::<_, Option<&[u8]>>(1)?
        .map(|bytes| {
            bytes
                .try_into()
                .map_err(|_| sized("its signature", bytes, 64))
        })
        .transpose()?;
    let mut log = Log {
        create_time_ms: unsigned(first.try_get(0)?),
        entries: Vec::with_capacity(rows.len()),
        signature,
    };
    for row in &rows {
        // A match without entries from there on has one row with none.
        let Some(body) = row.try_get::<_, Option<&[u8]>>(2)? else {
            continue;
        };
        let link: &[u8] = row.try_get(3)?;
        log.entries.push(Entry {
            body: body.to_vec(),
            link: link
                .try_into()
                .map_err(|_| sized("a value of its chain", link, 32))?,
        });
    }
    Ok(log)
}

/// Claims all matches that are not over, in the order in which they were created.
pub(super) async fn claim(client: &mut Client) -> Result<Vec<Claimed>, Unread> {
    let open: Vec<i32> = super::list::states()
        .filter(|state| *state != v1::MatchState::Over as i32)
        .collect();
    let transaction = client.transaction().await?;
    // Held in the order in which appends hold them. What an append ends meanwhile is not claimed.
    let held = transaction
        .query(
            "SELECT match_id FROM match WHERE state = ANY($1) ORDER BY match_id FOR NO KEY UPDATE",
            &[&open],
        )
        .await?;
    let held = held
        .iter()
        .map(|row| row.try_get(0))
        .collect::<Result<Vec<i64>, _>>()?;
    let rows = transaction
        .query(
            "UPDATE match SET epoch = epoch + 1 WHERE match_id = ANY($1) RETURNING place, match_id, epoch",
            &[&held],
        )
        .await?;
    let mut claimed = rows
        .iter()
        .map(|row| {
            let place: i64 = row.try_get(0)?;
            let claimed = Claimed {
                match_id: unsigned(row.try_get(1)?),
                epoch: unsigned(row.try_get(2)?),
            };
            Ok((place, claimed))
        })
        .collect::<Result<Vec<_>, tokio_postgres::Error>>()?;
    transaction.commit().await?;
    claimed.sort_unstable_by_key(|(place, _)| *place);
    Ok(claimed.into_iter().map(|(_, claimed)| claimed).collect())
}

/// The secret of a name: the one that was kept first.
pub(super) async fn secret(
    client: &Client,
    name: &str,
    fresh: [u8; 32],
) -> Result<[u8; 32], Unread> {
    client
        .execute(
            "INSERT INTO secret (name, value) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING",
            &[&name, &fresh.as_slice()],
        )
        .await?;
    let row = client
        .query_one("SELECT value FROM secret WHERE name = $1", &[&name])
        .await?;
    let value: &[u8] = row.try_get(0)?;
    let secret = value.try_into().map_err(|_| {
        StoreError::Failed(format!(
            "the secret {name:?} has {} bytes: it must have 32",
            value.len()
        ))
    })?;
    Ok(secret)
}
