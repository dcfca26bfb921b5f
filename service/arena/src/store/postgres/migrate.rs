//! The schema's versions, by refinery: its history stands in the database, with checksums.
//!
//! Refinery's own driver commits each step by itself, and panics at a history that it cannot read.

use anyhow::Context;
use refinery_core::{
    Migration, Runner,
    traits::r#async::{AsyncMigrate, AsyncQuery, AsyncTransaction},
};
use time::{OffsetDateTime, format_description::well_known::Rfc3339};
use tokio_postgres::{Client, Transaction};

use super::fault;

/// The files in `migrations/postgres`.
const FILES: [(&str, &str); 1] = [(
    "V1__matches",
    include_str!("../../../migrations/postgres/V1__matches.sql"),
)];

/// Of the lock that one arena holds while it brings the schema up: "BDS1".
const LOCK: i64 = 0x4244_5331;

/// Brings the database to the newest version, all or nothing. Arenas that start together do so one after the other.
pub(super) async fn apply(client: &mut Client) -> anyhow::Result<()> {
    let mut schema = Schema(client.transaction().await.map_err(spoken)?);
    match bring_up(&mut schema).await {
        Ok(()) => schema.0.commit().await.map_err(spoken),
        Err(error) => {
            // What is wrong is said, whatever comes of this.
            let _ = schema.0.rollback().await;
            Err(error)
        }
    }
}

async fn bring_up(schema: &mut Schema<'_>) -> anyhow::Result<()> {
    let migrations = FILES
        .iter()
        .map(|(name, sql)| Migration::unapplied(name, sql))
        .collect::<Result<Vec<_>, _>>()?;
    let known = migrations
        .iter()
        .map(|migration| i64::from(migration.version()))
        .max()
        .unwrap_or(0);
    let Schema(transaction) = &*schema;
    // Another arena may have much to do.
    transaction
        .batch_execute("SET LOCAL lock_timeout = '60s'; SET LOCAL statement_timeout = '10min'")
        .await
        .map_err(spoken)?;
    transaction
        .execute("SELECT pg_advisory_xact_lock($1)", &[&LOCK])
        .await
        .map_err(spoken)
        .context("another arena is changing the schema")?;
    let found = version(transaction).await.map_err(spoken)?;
    anyhow::ensure!(
        found <= known,
        "its schema has version {found}, and this program knows versions up to {known}: use the newer program that wrote it"
    );
    Runner::new(&migrations)
        .set_grouped(true)
        .run_async(schema)
        .await
        .context("its schema")?;
    Ok(())
}

/// The version that a database has; 0 if it has none.
async fn version(transaction: &Transaction<'_>) -> Result<i64, tokio_postgres::Error> {
    let there = "SELECT to_regclass('refinery_schema_history') IS NOT NULL";
    if !transaction
        .query_one(there, &[])
        .await?
        .try_get::<_, bool>(0)?
    {
        return Ok(0);
    }
    let newest = "SELECT coalesce(max(version), 0)::bigint FROM refinery_schema_history";
    transaction.query_one(newest, &[]).await?.try_get(0)
}

fn spoken(error: tokio_postgres::Error) -> anyhow::Error {
    anyhow::anyhow!("{}", fault::describe(&error))
}

/// All of it in one transaction, under the lock.
struct Schema<'a>(Transaction<'a>);

#[derive(Debug, thiserror::Error)]
enum SchemaError {
    #[error("{}", fault::describe(.0))]
    Database(#[from] tokio_postgres::Error),
    #[error("its history of versions cannot be read: {0}")]
    History(String),
}

impl AsyncTransaction for Schema<'_> {
    type Error = SchemaError;

    async fn execute<'a, T: Iterator<Item = &'a str> + Send + 'a>(
        &'a mut self,
        queries: T,
    ) -> Result<usize, SchemaError> {
        let mut count = 0;
        for query in queries {
            self.0.batch_execute(query).await?;
            count += 1;
        }
        Ok(count)
    }
}

impl AsyncQuery<Vec<Migration>> for Schema<'_> {
    async fn query<'a>(&'a mut self, query: &'a str) -> Result<Vec<Migration>, SchemaError> {
        let rows = self.0.query(query, &[]).await?;
        let read = rows.iter().map(|row| {
            let (at, checksum): (String, String) = (row.try_get(2)?, row.try_get(3)?);
            let at = OffsetDateTime::parse(&at, &Rfc3339)
                .map_err(|error| SchemaError::History(format!("{at:?} is no time: {error}")))?;
            let checksum = checksum
                .parse()
                .map_err(|_| SchemaError::History(format!("{checksum:?} is no checksum")))?;
            Ok(Migration::applied(
                row.try_get(0)?,
                row.try_get(1)?,
                at,
                checksum,
            ))
        });
        read.collect()
    }
}

impl AsyncMigrate for Schema<'_> {}
