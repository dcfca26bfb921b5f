//! Where the output goes: styled text for people, proto-JSON for programs.

use std::io::{self, IsTerminal, Stdout, Write};

use anstream::{AutoStream, ColorChoice};
use serde::Serialize;

/// Standard output.
pub(crate) struct Output {
    json: bool,
    terminal: bool,
    styled: bool,
    stream: AutoStream<Stdout>,
    drawn: bool,
}

impl Output {
    pub(crate) fn new(json: bool, color: ColorChoice) -> Self {
        let stdout = io::stdout();
        let terminal = stdout.is_terminal();
        let choice = match color {
            ColorChoice::Auto => AutoStream::choice(&stdout),
            chosen => chosen,
        };
        let stream = AutoStream::new(stdout, choice);
        Self {
            json,
            terminal,
            styled: stream.current_choice() != ColorChoice::Never,
            stream,
            drawn: false,
        }
    }

    /// Whether proto-JSON is wanted.
    pub(crate) fn json(&self) -> bool {
        self.json
    }

    /// Whether a person looks at it.
    pub(crate) fn is_terminal(&self) -> bool {
        self.terminal
    }

    /// Styled text, as it is.
    pub(crate) fn text(&mut self, text: &str) -> io::Result<()> {
        self.stream.write_all(text.as_bytes())?;
        self.stream.flush()
    }

    /// Styled text and a line's end.
    pub(crate) fn line(&mut self, text: &str) -> io::Result<()> {
        self.text(&format!("{text}\n"))
    }

    /// One message as proto-JSON over several lines.
    pub(crate) fn message(&mut self, message: &impl Serialize) -> io::Result<()> {
        let json = serde_json::to_string_pretty(message)?;
        self.bytes(format!("{json}\n").as_bytes())
    }

    /// One message as proto-JSON on a line of its own.
    pub(crate) fn message_line(&mut self, message: &impl Serialize) -> io::Result<()> {
        let json = serde_json::to_string(message)?;
        self.bytes(format!("{json}\n").as_bytes())
    }

    /// Bytes, untouched.
    pub(crate) fn bytes(&mut self, bytes: &[u8]) -> io::Result<()> {
        let mut stdout = io::stdout().lock();
        stdout.write_all(bytes)?;
        stdout.flush()
    }

    /// Draws a whole screen over the one before. Only for a terminal.
    pub(crate) fn redraw(&mut self, screen: &str) -> io::Result<()> {
        let screen = if self.styled {
            screen.to_owned()
        } else {
            crate::board::plain(screen)
        };
        let start = if self.drawn {
            "\x1b[H"
        } else {
            "\x1b[2J\x1b[H"
        };
        self.drawn = true;
        // Each line clears what is left of an old one behind it; the last clears what is left below.
        let screen = screen.replace('\n', "\x1b[K\n");
        self.bytes(format!("{start}{screen}\x1b[J").as_bytes())
    }
}
