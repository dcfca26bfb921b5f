//! Opens a database, or says in one line why not.

use std::{
    fs::{File, OpenOptions, Permissions},
    io::Read,
    os::unix::fs::{OpenOptionsExt, PermissionsExt},
    path::PathBuf,
    time::Duration,
};

use anyhow::{anyhow, bail};
use rusqlite::{Connection, OpenFlags};

use super::{
    fault,
    files::Files,
    migrate::{self, Migrations},
};
use crate::store::Durability;

/// What a database of an arena says that it is: "BDS1".
const APPLICATION_ID: i64 = 0x4244_5331;
/// What every SQLite database begins with.
const MAGIC: &[u8; 16] = b"SQLite format 3\0";
/// Least size of a database: its header.
const HEADER: u64 = 100;
/// A database larger than this is not looked through when it is opened: that takes seconds for each gigabyte.
const CHECKED_BYTES: u64 = 256 << 20;
/// How long a write waits for another program's.
const BUSY: Duration = Duration::from_secs(5);
/// Pages after which the writer itself moves the log into the database, if the thread that does has not kept up: 256 MiB.
const CHECKPOINT_PAGES: i64 = 65_536;
/// The log is cut to this size once it has been moved.
const WAL_BYTES: i64 = 64 << 20;
/// Of the database, kept in memory for each connection that writes; in KiB, hence negative.
const CACHE_KIB: i64 = -65_536;

/// What a file says that it is.
struct Identity {
    application_id: i64,
    version: i64,
    tables: i64,
}

/// Makes the database ready: created, checked, at this program's schema.
pub(super) fn prepare(files: &Files) -> anyhow::Result<()> {
    prepare_for(files, &migrate::all()?)
}

fn prepare_for(files: &Files, migrations: &Migrations) -> anyhow::Result<()> {
    let name = files.database.display();
    files.touch()?;
    check_header(files)?;
    let version = check_identity(files, migrations)?;
    let mut connection = open(files, OpenFlags::SQLITE_OPEN_READ_WRITE)
        .and_then(|connection| {
            connection.pragma_update(None, "journal_mode", "wal")?;
            Ok(connection)
        })
        .map_err(|error| refused(files, &error))?;
    if version > 0 {
        look_through(files, &connection)?;
    }
    if version < migrations.latest() {
        if version > 0 {
            back_up(files, &connection, version)?;
        }
        migrations.apply(&mut connection).map_err(|error| {
            anyhow!(
                "cannot bring {name} to the schema of this version: {}",
                told(&error)
            )
        })?;
        connection
            .query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))
            .map_err(|error| refused(files, &error))?;
    }
    migrations.verify(&mut connection).map_err(|error| {
        anyhow!(
            "{name} does not have the schema of this version ({}): {RESTORE}",
            told(&error)
        )
    })
}

/// An error and its causes in one line.
fn told(error: &dyn std::error::Error) -> String {
    let mut told = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        told = format!("{told}: {error}");
        cause = error.source();
    }
    told.replace('\n', " ")
}

/// Checks a database that another process uses.
pub(super) fn check_shared(files: &Files) -> anyhow::Result<()> {
    files.touch()?;
    check_header(files)?;
    let migrations = migrate::all()?;
    let version = check_identity(files, &migrations)?;
    if version != migrations.latest() {
        bail!(
            "{} is used by an arena of an older version (its schema is {version}, this program's {}): stop it first",
            files.database.display(),
            migrations.latest()
        );
    }
    Ok(())
}

/// The connection that writes.
pub(super) fn connect(files: &Files, durability: Durability) -> rusqlite::Result<Connection> {
    let connection = open(files, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    let synchronous = match durability {
        Durability::Power => "full",
        Durability::Process => "normal",
    };
    connection.pragma_update(None, "synchronous", synchronous)?;
    connection.pragma_update(None, "foreign_keys", true)?;
    connection.pragma_update(None, "wal_autocheckpoint", CHECKPOINT_PAGES)?;
    connection.pragma_update(None, "journal_size_limit", WAL_BYTES)?;
    connection.pragma_update(None, "cache_size", CACHE_KIB)?;
    connection.set_prepared_statement_cache_capacity(64);
    Ok(connection)
}

/// A connection that reads.
pub(super) fn connect_to_read(files: &Files) -> rusqlite::Result<Connection> {
    let connection = open(files, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    connection.set_prepared_statement_cache_capacity(64);
    Ok(connection)
}

fn open(files: &Files, access: OpenFlags) -> rusqlite::Result<Connection> {
    let flags = access | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_PRIVATE_CACHE;
    let connection = Connection::open_with_flags(&files.database, flags)?;
    connection.busy_timeout(BUSY)?;
    // What a file that was tampered with could make of its own views and indexes is left alone.
    connection.pragma_update(None, "trusted_schema", false)?;
    connection.pragma_update(None, "cell_size_check", true)?;
    Ok(connection)
}

fn check_header(files: &Files) -> anyhow::Result<()> {
    let name = files.database.display();
    let mut header = Vec::new();
    let read =
        File::open(&files.database).and_then(|file| file.take(HEADER).read_to_end(&mut header));
    read.map_err(|error| anyhow!("cannot read {name}: {error}"))?;
    if header.is_empty() {
        return Ok(());
    }
    if !header.starts_with(MAGIC) {
        bail!("{name} is no SQLite database: name another file with --store");
    }
    if (header.len() as u64) < HEADER {
        bail!("{name} is cut short: restore it from a backup, or name another file with --store");
    }
    Ok(())
}

/// The version of the file's schema; 0 if the file is new. Only reads.
fn check_identity(files: &Files, migrations: &Migrations) -> anyhow::Result<i64> {
    let name = files.database.display();
    let identity = open(files, OpenFlags::SQLITE_OPEN_READ_ONLY)
        .and_then(|connection| {
            connection.query_row(
                "SELECT application_id, user_version, \
                 (SELECT count(*) FROM sqlite_schema WHERE name NOT LIKE '%refinery_schema_history%') \
                 FROM pragma_application_id, pragma_user_version",
                [],
                |row| {
                    Ok(Identity {
                        application_id: row.get(0)?,
                        version: row.get(1)?,
                        tables: row.get(2)?,
                    })
                },
            )
        })
        .map_err(|error| refused(files, &error))?;
    match identity {
        Identity {
            application_id: 0,
            version: 0,
            tables: 0,
        } => Ok(0),
        Identity {
            application_id: APPLICATION_ID,
            version,
            ..
        } if (1..=migrations.latest()).contains(&version) => Ok(version),
        Identity {
            application_id: APPLICATION_ID,
            version,
            ..
        } => bail!(
            "{name} was written by a newer version of this program (its schema is {version}, this program's {}): \
             use that version, or name another file with --store",
            migrations.latest()
        ),
        _ => bail!("{name} is a database of another program: name another file with --store"),
    }
}

/// Sees that the pages of the database hang together. What stands in a match's log is for its chain to vouch for.
fn look_through(files: &Files, connection: &Connection) -> anyhow::Result<()> {
    let name = files.database.display();
    if files.largest() > CHECKED_BYTES {
        tracing::info!(file = %name, "too large to be looked through at every start: PRAGMA quick_check does");
        return Ok(());
    }
    let found: String = connection
        .query_row("PRAGMA quick_check(1)", [], |row| row.get(0))
        .map_err(|error| refused(files, &error))?;
    if found != "ok" {
        let found = found.replace('\n', " ");
        bail!("{name} is damaged ({found}): {RESTORE}");
    }
    Ok(())
}

const RESTORE: &str = "restore it from a backup, save what can be read with sqlite3's .recover, or name another file with --store";

/// Why a database is refused.
pub(super) fn refused(files: &Files, error: &rusqlite::Error) -> anyhow::Error {
    let name = files.database.display();
    match fault::why(error) {
        fault::Why::Outage => anyhow!("{}", fault::cause(files, error)),
        fault::Why::Damage | fault::Why::Request => {
            anyhow!("{name} is damaged ({error}): {RESTORE}")
        }
    }
}

/// Copies the database as it is before its schema changes, for its owner alone. The copy has its name once it is whole; one that an earlier
/// attempt left is written over.
fn back_up(files: &Files, connection: &Connection, version: i64) -> anyhow::Result<()> {
    let beside = |suffix: &str| {
        let mut copy = files.database.clone().into_os_string();
        copy.push(format!(".schema-{version}{suffix}"));
        PathBuf::from(copy)
    };
    let (copy, part) = (beside(""), beside(".part"));
    let name = copy.display();
    let text = part
        .to_str()
        .ok_or_else(|| anyhow!("cannot back up to {name}: its path is no text"))?;
    let write = || -> anyhow::Result<()> {
        // SQLite writes into an empty file, and would make one that everybody may read.
        let empty = OpenOptions::new()
            .create(true)
            .write(true)
            .truncate(true)
            .mode(0o600)
            .open(&part)?;
        empty.set_permissions(Permissions::from_mode(0o600))?;
        connection.execute("VACUUM INTO ?1", [text])?;
        empty.sync_all()?;
        std::fs::rename(&part, &copy)?;
        File::open(&files.folder)?.sync_all()?;
        Ok(())
    };
    write().map_err(|error| {
        anyhow!(
            "cannot back up {} to {name} before its schema changes: {error}",
            files.database.display()
        )
    })?;
    tracing::info!(backup = %name, "backed up before the schema changes");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_database_of_an_older_version_is_backed_up_and_brought_up_to_date() {
        let folder = tempfile::tempdir().unwrap();
        let files = Files::new(&folder.path().join("matches.sqlite"));
        prepare(&files).unwrap();
        let connection = connect(&files, Durability::Power).unwrap();
        connection
            .execute("INSERT INTO secret VALUES ('old', x'01')", [])
            .unwrap();
        drop(connection);

        let later = [
            migrate::FILES[0],
            migrate::FILES[1],
            (
                "V3__later",
                "PRAGMA user_version = 3; ALTER TABLE secret ADD COLUMN note TEXT;",
            ),
        ];
        let migrations = Migrations::of(&later).unwrap();
        // What attempts before this one left, whole or not, is in nobody's way.
        let copy = folder.path().join("matches.sqlite.schema-2");
        std::fs::write(&copy, "not the copy").unwrap();
        std::fs::write(copy.with_extension("schema-2.part"), "half of it").unwrap();
        prepare_for(&files, &migrations).unwrap();
        let mode = std::fs::metadata(&copy).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "it holds keys");
        let connection = connect(&files, Durability::Power).unwrap();
        let note: Option<String> = connection
            .query_row("SELECT note FROM secret", [], |row| row.get(0))
            .unwrap();
        assert_eq!(note, None);
        drop(connection);
        // Again changes nothing.
        prepare_for(&files, &migrations).unwrap();

        let backup = Files::new(&folder.path().join("matches.sqlite.schema-2"));
        prepare(&backup).unwrap();
        let backup = connect_to_read(&backup).unwrap();
        let kept: Vec<u8> = backup
            .query_row("SELECT value FROM secret", [], |row| row.get(0))
            .unwrap();
        assert_eq!(kept, [1]);
        // This version does not touch what the later one wrote.
        let error = prepare(&files).unwrap_err().to_string();
        assert!(error.contains("newer version"), "{error}");
    }

    #[test]
    fn a_change_of_schema_that_fails_changes_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let files = Files::new(&folder.path().join("matches.sqlite"));
        prepare(&files).unwrap();
        let later = [
            migrate::FILES[0],
            migrate::FILES[1],
            (
                "V3__later",
                "PRAGMA user_version = 3; DROP TABLE token; DROP TABLE no_such_table;",
            ),
        ];
        let error = prepare_for(&files, &Migrations::of(&later).unwrap()).unwrap_err();
        assert!(error.to_string().contains("no_such_table"), "{error}");
        prepare(&files).unwrap();
    }
}
