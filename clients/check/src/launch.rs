//! Bots that the checker starts itself.

use std::{ffi::OsString, io, process::Stdio};

use rustix::process::{Pid, Signal, kill_process};
use tokio::{
    io::{AsyncBufReadExt, AsyncRead, BufReader},
    process::{Child, Command},
    sync::watch,
};
use tokio_util::sync::CancellationToken;

use crate::transcript::{Speaker, Transcript};

/// How a bot's program ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exited {
    /// Its exit status; none if a signal ended it.
    pub code: Option<i32>,
    /// The same in words.
    pub text: String,
}

impl Exited {
    /// It ended with this status.
    #[must_use]
    pub fn with(code: i32) -> Self {
        Self {
            code: Some(code),
            text: format!("exit status: {code}"),
        }
    }
}

/// A bot that runs.
#[derive(Debug)]
pub struct Running {
    /// Asks it to leave, as SIGTERM does.
    pub leave: CancellationToken,
    /// Ends it at once.
    pub kill: CancellationToken,
    /// How it ended, once it has.
    pub exited: watch::Receiver<Option<Exited>>,
}

/// Starts a bot, given the address at which it finds the arena, or is to be found.
pub type Launch = Box<dyn FnMut(&str, &Transcript) -> io::Result<Running> + Send>;

/// A command that starts a bot: `{address}` in its arguments is replaced by the address. What it prints goes into the transcript.
#[must_use]
pub fn command(program: OsString, arguments: Vec<OsString>) -> Launch {
    Box::new(move |address, transcript| {
        let arguments = arguments.iter().map(|argument| match argument.to_str() {
            Some(text) => OsString::from(text.replace("{address}", address)),
            None => argument.clone(),
        });
        let mut child = Command::new(&program)
            .args(arguments)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true)
            .spawn()?;
        if let Some(output) = child.stdout.take() {
            tokio::spawn(copy(output, transcript.clone()));
        }
        if let Some(output) = child.stderr.take() {
            tokio::spawn(copy(output, transcript.clone()));
        }
        let (leave, kill) = (CancellationToken::new(), CancellationToken::new());
        let (tell, exited) = watch::channel(None);
        tokio::spawn(attend(child, leave.clone(), kill.clone(), tell));
        Ok(Running {
            leave,
            kill,
            exited,
        })
    })
}

async fn attend(
    mut child: Child,
    leave: CancellationToken,
    kill: CancellationToken,
    tell: watch::Sender<Option<Exited>>,
) {
    let mut asked = false;
    let status = loop {
        tokio::select! {
            status = child.wait() => break status,
            () = leave.cancelled(), if !asked => {
                asked = true;
                let pid = child.id().and_then(|pid| Pid::from_raw(pid.cast_signed()));
                if let Some(pid) = pid {
                    // One that is gone already wants no signal.
                    let _ = kill_process(pid, Signal::TERM);
                }
            }
            () = kill.cancelled() => {
                let _ = child.start_kill();
                break child.wait().await;
            }
        }
    };
    let exited = match status {
        Ok(status) => Exited {
            code: status.code(),
            text: status.to_string(),
        },
        Err(error) => Exited {
            code: None,
            text: format!("it cannot be waited for: {error}"),
        },
    };
    tell.send_replace(Some(exited));
}

async fn copy(output: impl AsyncRead + Unpin, transcript: Transcript) {
    let mut lines = BufReader::new(output).split(b'\n');
    while let Ok(Some(line)) = lines.next_segment().await {
        transcript.add(Speaker::Log, String::from_utf8_lossy(&line).trim_end());
    }
}
