//! Tokens.

use deadpool_postgres::Client;

use super::{Unread, signed, unsigned};
use crate::store::{Holder, KeptToken, StoreError};

/// Keeps a new token.
pub(super) async fn add(client: &Client, token: &KeptToken) -> Result<(), Unread> {
    let statement = client
        .prepare_cached(
            "INSERT INTO token (token_id, agent, hash, create_time_ms, expire_time_ms, revoke_time_ms)
             VALUES ($1, $2, $3, $4, $5, $6)",
        )
        .await?;
    let agent = match &token.holder {
        Holder::Operator => None,
        Holder::Agent(agent) => Some(agent),
    };
    client
        .execute(
            &statement,
            &[
                &token.id,
                &agent,
                &token.hash.as_slice(),
                &signed(token.create_time_ms),
                &token.expire_time_ms.map(signed),
                &token.revoke_time_ms.map(signed),
            ],
        )
        .await?;
    Ok(())
}

/// All of them, oldest first.
pub(super) async fn all(client: &Client) -> Result<Vec<KeptToken>, Unread> {
    let statement = client
        .prepare_cached(
            "SELECT token_id, agent, hash, create_time_ms, expire_time_ms, revoke_time_ms FROM token ORDER BY place",
        )
        .await?;
    let rows = client.query(&statement, &[]).await?;
    let tokens = rows.iter().map(|row| {
        let id: String = row.try_get(0)?;
        let hash: &[u8] = row.try_get(2)?;
        let hash = hash.try_into().map_err(|_| {
            StoreError::Failed(format!(
                "the hash of token {id} has {} bytes: it must have 32",
                hash.len()
            ))
        })?;
        let agent: Option<String> = row.try_get(1)?;
        Ok(KeptToken {
            id,
            holder: agent.map_or(Holder::Operator, Holder::Agent),
            hash,
            create_time_ms: unsigned(row.try_get(3)?),
            expire_time_ms: row.try_get::<_, Option<i64>>(4)?.map(unsigned),
            revoke_time_ms: row.try_get::<_, Option<i64>>(5)?.map(unsigned),
        })
    });
    tokens.collect()
}

/// Revokes one; whether there was one to be revoked.
pub(super) async fn revoke(client: &Client, id: &str, at_ms: u64) -> Result<bool, Unread> {
    let Some(id) = super::text(id) else {
        return Ok(false);
    };
    let statement = client
        .prepare_cached(
            "UPDATE token SET revoke_time_ms = $2 WHERE token_id = $1 AND revoke_time_ms IS NULL",
        )
        .await?;
    let revoked = client.execute(&statement, &[&id, &signed(at_ms)]).await?;
    Ok(revoked > 0)
}
