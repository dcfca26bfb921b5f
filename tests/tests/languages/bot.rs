//! A bot that runs, in a process of its own.

use std::{ffi::OsStr, process::Stdio};

use anyhow::{Context, bail};
use broadside_tests::PATIENCE;
use tempfile::NamedTempFile;
use tokio::{
    io::{AsyncBufReadExt, BufReader},
    process::{Child, Command},
};

use crate::language::Language;

/// A bot's process. Is killed when dropped.
pub(crate) struct RunningBot {
    child: Child,
    log: NamedTempFile,
    /// What it is called at the arena.
    pub(crate) name: String,
    /// Where it serves, if it does.
    pub(crate) address: Option<String>,
}

impl RunningBot {
    /// Starts one that dials in, with more arguments.
    pub(crate) async fn dials(
        language: &Language,
        url: &str,
        arguments: &[&OsStr],
    ) -> anyhow::Result<Self> {
        Self::start(language, &["--connect", url], arguments, None).await
    }

    /// Starts one that dials in, with a token.
    pub(crate) async fn dials_with_token(
        language: &Language,
        url: &str,
        arguments: &[&OsStr],
        token: &str,
    ) -> anyhow::Result<Self> {
        Self::start(language, &["--connect", url], arguments, Some(token)).await
    }

    /// Starts one that serves, with more arguments, and waits until it does.
    pub(crate) async fn serves(language: &Language, arguments: &[&OsStr]) -> anyhow::Result<Self> {
        let mut bot = Self::start(language, &["--serve", "127.0.0.1:0"], arguments, None).await?;
        let stdout = bot.child.stdout.take().context("no standard output")?;
        let mut lines = BufReader::new(stdout).lines();
        let line = tokio::time::timeout(PATIENCE, lines.next_line()).await;
        let Ok(Ok(Some(line))) = line else {
            bail!("{} serves nowhere: {}", bot.name, bot.said());
        };
        let address = line
            .strip_prefix("serving on ")
            .with_context(|| format!("{} printed {line:?}", bot.name))?;
        bot.address = Some(address.to_owned());
        Ok(bot)
    }

    /// Starts one that is to serve at an address, without waiting for it to do so.
    pub(crate) async fn wants_to_serve(language: &Language, address: &str) -> anyhow::Result<Self> {
        Self::start(language, &["--serve", address], &[], None).await
    }

    async fn start(
        language: &Language,
        direction: &[&str],
        arguments: &[&OsStr],
        token: Option<&str>,
    ) -> anyhow::Result<Self> {
        let log = NamedTempFile::new()?;
        let mut command = interruptible(&language.program().await?);
        command
            .args(direction)
            .args(["--name", language.name, "--matches", "32", "--seed", "7"])
            .args(arguments)
            .env_remove("BROADSIDE_TOKEN")
            .envs(token.map(|token| ("BROADSIDE_TOKEN", token)))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(log.reopen()?)
            .kill_on_drop(true);
        let child = command
            .spawn()
            .with_context(|| format!("the {} bot does not start", language.name))?;
        Ok(Self {
            child,
            log,
            name: language.name.to_owned(),
            address: None,
        })
    }

    /// Sends it a signal, such as `TERM`.
    pub(crate) async fn signal(&self, name: &str) -> anyhow::Result<()> {
        let id = self.child.id().context("it is gone")?;
        let status = Command::new("kill")
            .args([format!("-{name}"), id.to_string()])
            .status()
            .await?;
        anyhow::ensure!(status.success(), "kill failed");
        Ok(())
    }

    /// Waits until it ends, and returns its exit status.
    pub(crate) async fn exit_status(&mut self) -> anyhow::Result<i32> {
        let status = tokio::time::timeout(PATIENCE, self.child.wait())
            .await
            .with_context(|| format!("{} does not end: {}", self.name, self.said()))??;
        status
            .code()
            .with_context(|| format!("{} ended with {status}: {}", self.name, self.said()))
    }

    /// What it logged.
    pub(crate) fn said(&self) -> String {
        std::fs::read_to_string(self.log.path()).unwrap_or_else(|error| error.to_string())
    }
}

/// The same command, but that SIGINT reaches it. What a shell starts in the background ignores that, all that comes of it does too, and
/// a Java machine does not change it.
fn interruptible(command: &Command) -> Command {
    let command = command.as_std();
    let mut env = Command::new("env");
    if cfg!(target_os = "linux") {
        env.arg("--default-signal=INT");
    }
    env.arg(command.get_program()).args(command.get_args());
    env
}
