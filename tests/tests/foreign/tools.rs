//! The clients: made once, by Go's toolchain, in a folder beside the build's.

use std::{
    env, fs,
    fs::File,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use anyhow::{Context, ensure};

/// A client: its program, its package, its version.
pub(crate) struct Tool {
    name: &'static str,
    package: &'static str,
    version: &'static str,
}

pub(crate) const GRPCURL: Tool = Tool {
    name: "grpcurl",
    package: "github.com/fullstorydev/grpcurl/cmd/grpcurl",
    version: "v1.9.3",
};

pub(crate) const GHZ: Tool = Tool {
    name: "ghz",
    package: "github.com/bojand/ghz/cmd/ghz",
    version: "v0.121.0",
};

impl Tool {
    /// The program; `None` if this machine has no Go, which is a failure in CI.
    pub(crate) async fn program(&'static self) -> anyhow::Result<Option<PathBuf>> {
        tokio::task::spawn_blocking(|| self.installed()).await?
    }

    fn installed(&self) -> anyhow::Result<Option<PathBuf>> {
        let found = Command::new("go")
            .arg("version")
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status();
        if !found.is_ok_and(|status| status.success()) {
            broadside_tests::skipped(self.name, "Go")?;
            return Ok(None);
        }
        let shared = Path::new(env!("CARGO_TARGET_TMPDIR"));
        let folder = shared.join(format!("{}-{}", self.name, self.version));
        let program = folder.join(self.name);
        // Other tests, of other processes too, may want it at the same moment.
        let lock = File::create(shared.join(format!("{}.lock", self.name)))?;
        lock.lock()?;
        if !program.exists() {
            // Whole or not at all.
            let partial = tempfile::tempdir_in(shared)?;
            let made = Command::new("go")
                .args(["install", &format!("{}@{}", self.package, self.version)])
                .env("GOBIN", partial.path())
                // Of this workspace's language alone.
                .current_dir(shared)
                .output()
                .context("go install")?;
            let said = String::from_utf8_lossy(&made.stderr);
            ensure!(
                made.status.success(),
                "{} does not build: {said}",
                self.name
            );
            fs::create_dir_all(&folder)?;
            fs::rename(partial.path().join(self.name), &program)?;
        }
        Ok(Some(program))
    }
}
