//! Bots that the checker starts itself.

use std::{
    ffi::OsString,
    io,
    process::Stdio,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use rustix::process::{Pid, Signal, kill_process, kill_process_group};
use tokio::{
    io::{AsyncBufReadExt, AsyncRead, BufReader},
    process::{Child, Command},
    sync::watch,
};
use tokio_util::sync::CancellationToken;

use crate::transcript::{Speaker, Transcript};

/// So many bytes of a line are read, which is more than the transcript takes; the rest is left out.
const LONGEST_LINE: usize = 16 * 1024;

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
/// What was started last, and what that has started, is ended when this is dropped.
#[must_use]
pub fn command(program: OsString, arguments: Vec<OsString>) -> Launch {
    let mut last = Last(None);
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
            // Ctrl-C is the checker's to hear, and what the bot starts ends with it.
            .process_group(0)
            .kill_on_drop(true)
            .spawn()?;
        let group = Arc::new(Group::of(&child));
        last.is(group.clone());
        if let Some(output) = child.stdout.take() {
            tokio::spawn(copy(output, transcript.clone()));
        }
        if let Some(output) = child.stderr.take() {
            tokio::spawn(copy(output, transcript.clone()));
        }
        let (leave, kill) = (CancellationToken::new(), CancellationToken::new());
        let (tell, exited) = watch::channel(None);
        tokio::spawn(attend(child, group, leave.clone(), kill.clone(), tell));
        Ok(Running {
            leave,
            kill,
            exited,
        })
    })
}

/// The bot's program, and all that it starts.
struct Group {
    leader: Option<Pid>,
    /// Nothing is left of it: its number may be another's.
    ended: AtomicBool,
}

impl Group {
    fn of(child: &Child) -> Self {
        Self {
            leader: child.id().and_then(|pid| Pid::from_raw(pid.cast_signed())),
            ended: AtomicBool::new(false),
        }
    }

    fn kill(&self) {
        if let (Some(leader), false) = (self.leader, self.ended.load(Ordering::Relaxed)) {
            // Of one that is gone as a whole, nothing is left to be ended.
            let _ = kill_process_group(leader, Signal::KILL);
        }
    }

    fn end(&self) {
        self.kill();
        self.ended.store(true, Ordering::Relaxed);
    }
}

/// What was started last: it does not outlive whoever could start it again.
struct Last(Option<Arc<Group>>);

impl Last {
    fn is(&mut self, group: Arc<Group>) {
        self.0 = Some(group);
    }
}

impl Drop for Last {
    fn drop(&mut self) {
        if let Some(group) = &self.0 {
            group.end();
        }
    }
}

async fn attend(
    mut child: Child,
    group: Arc<Group>,
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
                group.kill();
                break child.wait().await;
            }
        }
    };
    // What its program has left running would be in the way of the next one.
    group.end();
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
    let mut output = BufReader::new(output);
    let mut line = Vec::new();
    let log = |line: &[u8]| transcript.add(Speaker::Log, String::from_utf8_lossy(line).trim_end());
    while let Ok(read) = output.fill_buf().await
        && !read.is_empty()
    {
        let end = read.iter().position(|byte| *byte == b'\n');
        let piece = &read[..end.unwrap_or(read.len())];
        let room = LONGEST_LINE - line.len();
        line.extend_from_slice(&piece[..piece.len().min(room)]);
        let used = end.map_or(read.len(), |end| end + 1);
        output.consume(used);
        if end.is_some() {
            log(&line);
            line.clear();
        }
    }
    if !line.is_empty() {
        log(&line);
    }
}
