//! The creation of matches.

use std::{collections::BTreeSet, time::Duration};

use broadside_proto::v1;
use deadpool_postgres::Client;
use prost::Message;

use super::{PostgresStore, Unread, read, signed};
use crate::{
    convert,
    store::{Creation, NewMatch, StoreError},
};

/// Waits before a creation is made again of which it is not known whether it was kept.
const AGAIN: [Duration; 4] = [
    Duration::from_millis(100),
    Duration::from_millis(300),
    Duration::from_secs(1),
    Duration::from_secs(2),
];

/// The match, its agents and its first entry: all or nothing, in one statement.
const CREATE: &str = "WITH new AS (
    INSERT INTO match (match_id, variant, state, private, epoch, create_time_ms, request_id, fingerprint, summary)
    VALUES ($1, $2, $3, $4, 1, $5, $6, $7, $8) ON CONFLICT DO NOTHING RETURNING match_id, place
), agents AS (
    INSERT INTO match_agent (agent, place, state, variant, private)
    SELECT agent, place, $3, $2, $4 FROM new, unnest($9::text[]) agent
), event AS (
    INSERT INTO match_event (match_id, seq, epoch, moves, body, link)
    SELECT match_id, 0, 1, $10, $11, $12 FROM new
) SELECT place FROM new";

/// Creates a match. If the connection is lost on the way it is tried again: a match that was kept without being known to
/// be would have nobody to run it.
pub(super) async fn create(store: &PostgresStore, new: &NewMatch) -> Result<Creation, StoreError> {
    let mut waits = AGAIN.into_iter();
    let mut again = false;
    loop {
        let tried = store
            .with(|client| async move { create_once(&client, new, again).await })
            .await;
        match (tried, waits.next()) {
            (Err(StoreError::Unavailable(_)), Some(wait)) => tokio::time::sleep(wait).await,
            (result, _) => return result,
        }
        again = true;
    }
}

async fn create_once(client: &Client, new: &NewMatch, again: bool) -> Result<Creation, Unread> {
    let NewMatch {
        summary,
        request_id,
        fingerprint,
        created,
    } = new;
    let variant = summary
        .options
        .as_ref()
        .and_then(convert::variant_of)
        .unwrap_or_default();
    let statement = client.prepare_cached(CREATE).await?;
    let inserted = client
        .query_opt(
            &statement,
            &[
                &signed(summary.match_id),
                &(variant as i32),
                &summary.state,
                &summary.private,
                &signed(summary.create_time_ms),
                &Some(request_id).filter(|id| !id.is_empty()),
                &signed(*fingerprint),
                &summary.encode_to_vec(),
                &agents(summary),
                &i64::from(summary.moves),
                &created.body,
                &created.link.as_slice(),
            ],
        )
        .await?;
    if inserted.is_some() {
        return Ok(Creation::Created);
    }
    // What stands in the way is committed, and never goes away.
    let taken = client
        .query_opt(
            "SELECT link FROM match_event WHERE match_id = $1 AND seq = 0",
            &[&signed(summary.match_id)],
        )
        .await?;
    if again
        && let Some(row) = &taken
        && row.try_get::<_, &[u8]>(0)? == created.link
    {
        // Its first entry is this one, seed and all: it was kept without being known to be.
        return Ok(Creation::Created);
    }
    if !request_id.is_empty()
        && let Some((known, existing)) = read::request(client, request_id).await?
    {
        return Ok(if known == *fingerprint {
            Creation::Existing(existing)
        } else {
            Creation::Conflict(existing)
        });
    }
    if taken.is_some() {
        return Ok(Creation::IdTaken);
    }
    Err(StoreError::Failed(format!(
        "match {} can neither be created nor found",
        summary.match_id
    ))
    .into())
}

/// The names and addresses of a match's agents.
fn agents(summary: &v1::Match) -> Vec<&str> {
    let agents = summary
        .players
        .iter()
        .filter_map(|player| match &player.agent {
            Some(v1::player::Agent::Name(text) | v1::player::Agent::Address(text)) => {
                Some(text.as_str())
            }
            None => None,
        });
    agents.collect::<BTreeSet<_>>().into_iter().collect()
}
