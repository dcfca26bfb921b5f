//! Room for more.

use std::io;

use rustix::process::{Resource, Signal};
use tokio::signal::unix::{SignalKind, signal};

use super::files::Files;

/// Makes a write beyond the limit on the size of files an error like that of a full disk, and not the end of the process.
pub(super) fn take_full_files_for_errors() -> io::Result<()> {
    // Whoever listens has the signal no longer end the process, also once it does not listen any more.
    signal(SignalKind::from_raw(Signal::XFSZ.as_raw())).map(drop)
}

/// How large this process may make a file, if that is limited.
pub(super) fn file_limit() -> Option<u64> {
    rustix::process::getrlimit(Resource::Fsize).current
}

/// How many bytes may still be written: by the disk, and by this process.
pub(super) fn room(files: &Files) -> io::Result<u64> {
    let disk = rustix::fs::statvfs(&files.folder)?;
    let free = disk.f_bavail.saturating_mul(disk.f_frsize);
    let limit = file_limit().map_or(u64::MAX, |limit| limit.saturating_sub(files.largest()));
    Ok(free.min(limit))
}
