//! The programs as their users start them.

use std::{
    net::SocketAddr,
    path::{Path, PathBuf},
    process::Stdio,
};

use anyhow::{Context, ensure};
use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, BufReader},
    process::{Child, ChildStderr, Command},
    sync::OnceCell,
};

use crate::PATIENCE;

/// The folder of this workspace's programs, all built.
///
/// # Errors
/// If they do not build.
pub async fn folder() -> anyhow::Result<&'static Path> {
    static BUILT: OnceCell<PathBuf> = OnceCell::const_new();
    let built = BUILT.get_or_try_init(async || {
        // A test runs in `deps` of that folder.
        let test = std::env::current_exe()?;
        let folder = test
            .ancestors()
            .nth(2)
            .context("the test is in no folder")?;
        // The one that runs the tests, if one does.
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| env!("CARGO").into());
        let mut build = Command::new(cargo);
        // With the tests, so that what `cargo test --workspace` has built is used and not built anew.
        build.args(["build", "--quiet", "--workspace", "--bins", "--tests"]);
        // What cargo tells a test of its own package would make build scripts that look at it run anew, and all that
        // depends on them.
        for (name, _) in std::env::vars_os() {
            let told = name.to_string_lossy();
            if told.starts_with("CARGO_PKG_")
                || told.starts_with("CARGO_MANIFEST_")
                || matches!(
                    &*told,
                    "CARGO_CRATE_NAME" | "CARGO_PRIMARY_PACKAGE" | "OUT_DIR"
                )
            {
                build.env_remove(&name);
            }
        }
        if folder.ends_with("release") {
            build.arg("--release");
        }
        let target = folder.parent().context("no target folder")?;
        let status = build.arg("--target-dir").arg(target).status().await?;
        ensure!(status.success(), "the programs do not build");
        Ok(folder.to_owned())
    });
    Ok(built.await?)
}

/// An arena in a process of its own, on a free port of loopback. Is killed when dropped.
pub struct ArenaProgram {
    child: Child,
    stderr: ChildStderr,
    /// Where it listens.
    pub address: SocketAddr,
}

impl ArenaProgram {
    /// Starts one, with arguments.
    ///
    /// # Errors
    /// If it does not start: with what it said.
    pub async fn start(arguments: &[&str]) -> anyhow::Result<Self> {
        Self::start_after("true", arguments).await
    }

    /// Starts one by a shell that does something first, such as `ulimit -n 32`.
    ///
    /// # Errors
    /// As [`start`](Self::start).
    pub async fn start_after(first: &str, arguments: &[&str]) -> anyhow::Result<Self> {
        let mut child = Command::new("sh")
            .arg("-c")
            .arg(format!("{first} && exec \"$@\""))
            .arg("sh")
            .arg(folder().await?.join("broadside-arena"))
            .env("BROADSIDE_LISTEN", "127.0.0.1:0")
            .env("BROADSIDE_STORE", "memory")
            .args(arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true)
            .spawn()?;
        let stdout = child.stdout.take().context("no standard output")?;
        let mut stderr = child.stderr.take().context("no standard error")?;
        let line = tokio::time::timeout(PATIENCE, BufReader::new(stdout).lines().next_line())
            .await
            .context("it printed nothing")??;
        let Some(line) = line else {
            let mut said = String::new();
            stderr.read_to_string(&mut said).await?;
            anyhow::bail!("it did not start: {said}");
        };
        let address = line
            .strip_prefix("listening on ")
            .with_context(|| format!("it printed {line:?}"))?
            .parse()?;
        Ok(Self {
            child,
            stderr,
            address,
        })
    }

    /// Kills it, as a power cut would: it gets to do nothing more.
    ///
    /// # Errors
    /// If it cannot be killed.
    pub async fn kill(mut self) -> anyhow::Result<()> {
        Ok(self.child.kill().await?)
    }

    /// Sends it a signal, such as `STOP` or `CONT`.
    ///
    /// # Errors
    /// If that is not possible.
    pub async fn signal(&self, name: &str) -> anyhow::Result<()> {
        let id = self.child.id().context("it is gone")?;
        let status = Command::new("kill")
            .args([format!("-{name}"), id.to_string()])
            .status()
            .await?;
        ensure!(status.success(), "kill failed");
        Ok(())
    }

    /// Stops it, and returns what it logged.
    ///
    /// # Errors
    /// If it does not end, or not well.
    pub async fn stop(mut self) -> anyhow::Result<String> {
        self.signal("TERM").await?;
        let mut said = String::new();
        tokio::time::timeout(PATIENCE, self.stderr.read_to_string(&mut said))
            .await
            .context("it did not stop")??;
        let ended = self.child.wait().await?;
        ensure!(ended.success(), "it ended with {ended}: {said}");
        Ok(said)
    }
}
