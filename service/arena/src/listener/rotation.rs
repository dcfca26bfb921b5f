//! Certificates that are renewed while the arena runs.

use std::{
    fs, io,
    os::unix::fs::MetadataExt,
    path::Path,
    sync::Arc,
    time::{Duration, SystemTime},
};

use anyhow::Context;
use parking_lot::RwLock;
use tokio_rustls::rustls::ServerConfig;

use super::tls::TlsFiles;
use crate::settings::Settings;

/// What new connections get: always the latest files that were right.
#[derive(Clone, Debug)]
pub(super) struct Current(Arc<RwLock<Arc<ServerConfig>>>);

impl Current {
    pub(super) fn config(&self) -> Arc<ServerConfig> {
        self.0.read().clone()
    }
}

/// Looks at the files of TLS now and then, and reads them again once they have changed.
#[derive(Debug)]
pub(super) struct Rotation {
    files: TlsFiles,
    interval: Duration,
    seen: Vec<Option<Stamp>>,
    current: Current,
}

/// What changes when a file is written or replaced.
#[derive(Debug, PartialEq, Eq)]
struct Stamp {
    modified: SystemTime,
    changed: (i64, i64),
    inode: u64,
    length: u64,
}

impl Rotation {
    /// Reads the files that the settings name; none if there is to be no TLS.
    ///
    /// # Errors
    /// Names the file that is not right, and the reason.
    pub(super) fn from(settings: &Settings) -> anyhow::Result<Option<Self>> {
        let Some(files) = TlsFiles::from(settings)? else {
            return Ok(None);
        };
        // Before the files are read: what changes meanwhile is seen as a change later.
        let seen = stamps(&files);
        let config = files.load().context("cannot serve TLS")?;
        Ok(Some(Self {
            files,
            interval: settings.tls_reload_interval,
            seen,
            current: Current(Arc::new(RwLock::new(config))),
        }))
    }

    pub(super) fn current(&self) -> Current {
        self.current.clone()
    }

    /// Follows the files for ever.
    pub(super) async fn watch(mut self) {
        loop {
            tokio::time::sleep(self.interval).await;
            let looked = tokio::task::spawn_blocking(move || {
                self.look();
                self
            });
            match looked.await {
                Ok(rotation) => self = rotation,
                Err(error) => {
                    tracing::error!(%error, "the certificate is no longer renewed");
                    return;
                }
            }
        }
    }

    fn look(&mut self) {
        let now = stamps(&self.files);
        if now == self.seen {
            return;
        }
        self.seen = now;
        match self.files.load() {
            Ok(config) => {
                *self.current.0.write() = config;
                tracing::info!(certificate = %self.files.cert.display(), "the certificate is renewed");
            }
            // A pair that is half written is right a moment later, and is another change then.
            Err(error) => {
                tracing::error!("the certificate stays as it is: {error}");
            }
        }
    }
}

fn stamps(files: &TlsFiles) -> Vec<Option<Stamp>> {
    let paths = [&files.cert, &files.key];
    paths
        .into_iter()
        .chain(&files.client_ca)
        .map(|path| stamp(path).ok())
        .collect()
}

fn stamp(path: &Path) -> io::Result<Stamp> {
    let metadata = fs::metadata(path)?;
    Ok(Stamp {
        modified: metadata.modified()?,
        changed: (metadata.ctime(), metadata.ctime_nsec()),
        inode: metadata.ino(),
        length: metadata.len(),
    })
}
