//! The schema's versions, by refinery: its history stands in the database, with checksums.
//!
//! Refinery's own driver is for older rusqlite, and panics at a history that it cannot read.

use refinery_core::{
    Error, Migration, Runner,
    traits::sync::{Migrate, Query, Transaction},
};
use rusqlite::{Connection, types::Type};
use time::{OffsetDateTime, format_description::well_known::Rfc3339};

/// The files in `migrations/sqlite`.
pub(super) const FILES: [(&str, &str); 2] = [
    (
        "V1__matches",
        include_str!("../../../migrations/sqlite/V1__matches.sql"),
    ),
    (
        "V2__journal",
        include_str!("../../../migrations/sqlite/V2__journal.sql"),
    ),
];

/// All versions that this program knows.
pub(super) struct Migrations(Vec<Migration>);

/// Those of this program.
pub(super) fn all() -> Result<Migrations, Error> {
    Migrations::of(&FILES)
}

impl Migrations {
    /// Those of these files.
    pub(super) fn of(files: &[(&str, &str)]) -> Result<Self, Error> {
        let migrations = files
            .iter()
            .map(|(name, sql)| Migration::unapplied(name, sql));
        Ok(Self(migrations.collect::<Result<_, _>>()?))
    }

    /// The newest version.
    pub(super) fn latest(&self) -> i64 {
        self.0
            .iter()
            .map(|migration| i64::from(migration.version()))
            .max()
            .unwrap_or(0)
    }

    /// Brings a database to the newest version, all or nothing.
    pub(super) fn apply(&self, connection: &mut Connection) -> Result<(), Error> {
        Runner::new(&self.0)
            .set_grouped(true)
            .run(&mut Schema(connection))
            .map(drop)
    }

    /// Checks that what was applied is what this program would apply.
    pub(super) fn verify(&self, connection: &mut Connection) -> Result<(), Error> {
        let table = "refinery_schema_history";
        Schema(connection)
            .get_unapplied_migrations(&self.0, true, true, table)
            .map(drop)
    }
}

struct Schema<'a>(&'a mut Connection);

impl Transaction for Schema<'_> {
    type Error = rusqlite::Error;

    fn execute<'a, T: Iterator<Item = &'a str>>(
        &mut self,
        queries: T,
    ) -> Result<usize, rusqlite::Error> {
        let transaction = self.0.transaction()?;
        let mut count = 0;
        for query in queries {
            transaction.execute_batch(query)?;
            count += 1;
        }
        transaction.commit()?;
        Ok(count)
    }
}

impl Query<Vec<Migration>> for Schema<'_> {
    fn query(&mut self, query: &str) -> Result<Vec<Migration>, rusqlite::Error> {
        let mut statement = self.0.prepare(query)?;
        let rows = statement.query_map([], |row| {
            let at: String = row.get(2)?;
            let checksum: String = row.get(3)?;
            Ok(Migration::applied(
                row.get(0)?,
                row.get(1)?,
                OffsetDateTime::parse(&at, &Rfc3339).map_err(|error| unreadable(2, error))?,
                checksum.parse().map_err(|error| unreadable(3, error))?,
            ))
        })?;
        rows.collect()
    }
}

fn unreadable(
    column: usize,
    error: impl std::error::Error + Send + Sync + 'static,
) -> rusqlite::Error {
    rusqlite::Error::FromSqlConversionFailure(column, Type::Text, Box::new(error))
}

impl Migrate for Schema<'_> {}
