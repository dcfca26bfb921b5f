//! A process of the bench: started, asked, measured, and ended with whoever started it.

use std::{
    future::Future,
    io::{BufRead, BufReader, Write},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
    thread::JoinHandle,
    time::Duration,
};

use anyhow::{Context, bail};
use serde::de::DeserializeOwned;
use sysinfo::{Pid, ProcessRefreshKind, ProcessesToUpdate, System};
use tokio::runtime::Builder;

/// A process of this same program in another role.
pub(crate) struct Process {
    role: String,
    child: Child,
    words: ChildStdin,
    lines: BufReader<ChildStdout>,
}

impl Process {
    /// Starts a role with its flags.
    pub(crate) fn start(role: &str, flags: &[String]) -> anyhow::Result<Self> {
        let program = std::env::current_exe().context("where this program is")?;
        let mut child = Command::new(program)
            .arg(role)
            .args(flags)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            // The arena's log is written as it would be, and read by nobody.
            .stderr(if role == "arena" {
                Stdio::null()
            } else {
                Stdio::inherit()
            })
            .spawn()
            .with_context(|| format!("starting {role}"))?;
        let words = child.stdin.take().context("its input")?;
        let lines = BufReader::new(child.stdout.take().context("its output")?);
        Ok(Self {
            role: role.to_owned(),
            child,
            words,
            lines,
        })
    }

    /// What it says next.
    pub(crate) fn hear<T: DeserializeOwned>(&mut self) -> anyhow::Result<T> {
        let mut line = String::new();
        self.lines.read_line(&mut line)?;
        if line.is_empty() {
            let status = self.child.wait()?;
            bail!("{} ended: {status}", self.role);
        }
        serde_json::from_str(&line).with_context(|| format!("{} says {line:?}", self.role))
    }

    /// Says a word to it, and hears the answer.
    pub(crate) fn ask<T: DeserializeOwned>(&mut self, word: &str) -> anyhow::Result<T> {
        self.say(word)?;
        self.hear()
    }

    /// Says a word to it.
    pub(crate) fn say(&mut self, word: &str) -> anyhow::Result<()> {
        writeln!(self.words, "{word}").with_context(|| format!("saying {word} to {}", self.role))
    }

    /// What the system knows of it.
    pub(crate) fn usage(&self) -> anyhow::Result<Usage> {
        let pid = Pid::from_u32(self.child.id());
        let mut system = System::new();
        system.refresh_processes_specifics(
            ProcessesToUpdate::Some(&[pid]),
            false,
            ProcessRefreshKind::nothing().with_cpu().with_memory(),
        );
        let process = system
            .process(pid)
            .with_context(|| format!("{} is gone", self.role))?;
        Ok(Usage {
            cpu: Duration::from_millis(process.accumulated_cpu_time()),
            memory_bytes: process.memory(),
        })
    }
}

/// Runs the work of a role in a thread of its own, while the main one answers. Without that work there is no role.
pub(crate) fn in_a_thread(
    mut runtime: Builder,
    work: impl Future<Output = anyhow::Result<()>> + Send + 'static,
) -> JoinHandle<()> {
    std::thread::spawn(move || {
        let runtime = runtime.enable_all().build().map_err(anyhow::Error::from);
        if let Err(error) = runtime.and_then(|runtime| runtime.block_on(work)) {
            eprintln!("{error:#}");
            std::process::exit(1);
        }
    })
}

/// What a process has used.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Usage {
    /// Of all its threads, in the kernel and out of it.
    pub(crate) cpu: Duration,
    /// Resident.
    pub(crate) memory_bytes: u64,
}

impl Drop for Process {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
