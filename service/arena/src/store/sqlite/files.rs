//! The database's files, and the lock that keeps a second arena away from them.

use std::{
    ffi::OsString,
    fs::{File, OpenOptions, TryLockError},
    io::{self, Seek, Write},
    os::unix::fs::{MetadataExt, OpenOptionsExt},
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use anyhow::anyhow;

use super::Access;

/// How long an arena waits for one before it that is just closing.
const HANDOVER: Duration = Duration::from_secs(2);
/// How often it looks.
const LOOK: Duration = Duration::from_millis(20);
/// Flushes whose median is the measure.
const FLUSHES: usize = 5;

/// The files of a database.
#[derive(Debug)]
pub(super) struct Files {
    pub(super) database: PathBuf,
    pub(super) wal: PathBuf,
    lock: PathBuf,
    pub(super) folder: PathBuf,
}

/// Kept as long as the files are used.
#[derive(Debug)]
pub(super) struct Lock(File);

impl Files {
    pub(super) fn new(database: &Path) -> Self {
        // By whatever link it is named, there is one lock for it: beside the file itself, as SQLite has its own files.
        let database = &match database.canonicalize() {
            Ok(real) if database.is_symlink() => real,
            _ => database.to_owned(),
        };
        let folder = match database.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder.to_owned(),
            _ => PathBuf::from("."),
        };
        Self {
            database: database.to_owned(),
            wal: beside(database, "-wal"),
            lock: beside(database, ".lock"),
            folder,
        }
    }

    /// Takes the lock; `None` if another process has it.
    pub(super) fn lock(&self, access: Access) -> anyhow::Result<Option<Lock>> {
        if !self.folder.is_dir() {
            return Err(anyhow!(
                "cannot keep matches in {}: there is no folder {}; create it, or name another file with --store",
                self.database.display(),
                self.folder.display()
            ));
        }
        if self.database.is_dir() {
            return Err(anyhow!(
                "cannot keep matches in {}: it is a folder; name a file with --store",
                self.database.display()
            ));
        }
        let mut file = OpenOptions::new()
            .create(true)
            .truncate(false)
            .write(true)
            .mode(0o600)
            .open(&self.lock)
            .map_err(|error| self.cannot_write(&self.lock, &error))?;
        let begun = Instant::now();
        loop {
            match file.try_lock() {
                Ok(()) => break,
                Err(TryLockError::WouldBlock)
                    if access == Access::Tokens || begun.elapsed() >= HANDOVER =>
                {
                    return Ok(None);
                }
                Err(TryLockError::WouldBlock) => std::thread::sleep(LOOK),
                Err(TryLockError::Error(error)) => {
                    return Err(anyhow!("cannot lock {}: {error}", self.lock.display()));
                }
            }
        }
        // For people who look for the holder; the lock itself does not need it.
        let noted = file
            .set_len(0)
            .and_then(|()| writeln!(file, "{}", std::process::id()));
        if let Err(error) = noted {
            tracing::warn!(file = %self.lock.display(), %error, "the lock file cannot be written");
        }
        Ok(Some(Lock(file)))
    }

    /// Why a file that another arena uses is refused.
    pub(super) fn used_by_another(&self) -> String {
        let holder = std::fs::read_to_string(&self.lock).unwrap_or_default();
        let holder = match holder.trim() {
            "" => String::new(),
            process => format!(", process {process}"),
        };
        format!(
            "{} is used by another arena{holder}: stop that one first, or name another file with --store",
            self.database.display()
        )
    }

    /// Sees that the database can be read and written, and creates it if it is missing: for its owner alone, since it
    /// holds what is hidden in matches, and keys.
    pub(super) fn touch(&self) -> anyhow::Result<()> {
        OpenOptions::new()
            .create(true)
            .truncate(false)
            .read(true)
            .write(true)
            .mode(0o600)
            .open(&self.database)
            .map(drop)
            .map_err(|error| self.cannot_write(&self.database, &error))
    }

    fn cannot_write(&self, file: &Path, error: &io::Error) -> anyhow::Error {
        let nearest = if file.exists() { file } else { &self.folder };
        let owner = std::fs::metadata(nearest).map_or_else(
            |_| String::new(),
            |metadata| {
                format!(
                    " ({} belongs to user {} with mode {:o}; this process runs as user {})",
                    nearest.display(),
                    metadata.uid(),
                    metadata.mode() & 0o7777,
                    rustix::process::geteuid().as_raw()
                )
            },
        );
        anyhow!(
            "cannot keep matches in {}: cannot write {}: {error}{owner}; let this user write there, or name another file with --store",
            self.database.display(),
            file.display()
        )
    }

    /// The larger of the files that grow.
    pub(super) fn largest(&self) -> u64 {
        let length = |path| std::fs::metadata(path).map_or(0, |metadata| metadata.len());
        length(&self.database).max(length(&self.wal))
    }
}

impl Lock {
    /// How long the disk takes to put down a little.
    pub(super) fn measure_flush(&self, files: &Files) -> anyhow::Result<Duration> {
        let mut file = &self.0;
        let mut measure = || -> io::Result<Duration> {
            let begun = Instant::now();
            file.rewind()?;
            writeln!(file, "{}", std::process::id())?;
            file.sync_all()?;
            Ok(begun.elapsed())
        };
        let mut taken = Vec::with_capacity(FLUSHES);
        for _ in 0..FLUSHES {
            taken.push(measure().map_err(|error| files.cannot_write(&files.lock, &error))?);
        }
        taken.sort_unstable();
        Ok(taken[FLUSHES / 2])
    }
}

fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(suffix);
    PathBuf::from(name)
}
