//! `broadside match watch`: redraws on a terminal, appends lines anywhere else.

use std::{collections::VecDeque, time::Duration};

use broadside_proto::v1::{
    GetMatchResponse, Match, MatchEvent, MatchState, Options, Position, WatchMatchRequest,
    WatchMatchResponse, watch_match_response::Update,
};
use tokio::time::{MissedTickBehavior, interval};

use super::show;
use crate::{
    board,
    client::Arena,
    describe,
    error::{Error, Exit},
    output::Output,
};

/// How often a screen is drawn at most: agents can be faster than eyes.
const FRAME: Duration = Duration::from_millis(50);
/// How many of the last moves stand under the boards.
const LAST_MOVES: usize = 3;

pub(super) async fn run(
    arena: &Arena,
    out: &mut Output,
    match_id: u64,
    boards: bool,
) -> Result<Exit, Error> {
    let doing = format!("watch match {match_id}");
    let mut matches = arena.matches();
    let call = matches.watch_match(WatchMatchRequest { match_id });
    let mut news = arena.call(doing.clone(), call).await?;
    let mut watch = Watch::new(out.is_terminal() && !out.json(), boards);
    let mut frames = interval(FRAME);
    frames.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            message = news.message() => match message {
                Ok(Some(message)) => {
                    if out.json() {
                        out.message_line(&message)?;
                    }
                    if let Some(end) = watch.take(out, message)? {
                        return Ok(end);
                    }
                }
                Ok(None) => return Err(arena.lost(doing, "ended the stream before the match was over")),
                Err(status) => return Err(arena.failed(doing, status)),
            },
            _ = frames.tick(), if watch.changed => watch.draw(out)?,
        }
    }
}

/// What is known of the match so far.
struct Watch {
    redraws: bool,
    boards: bool,
    played: Match,
    position: Position,
    last: VecDeque<String>,
    changed: bool,
}

impl Watch {
    fn new(redraws: bool, boards: bool) -> Self {
        Self {
            redraws,
            boards,
            played: Match::default(),
            position: Position::default(),
            last: VecDeque::new(),
            changed: false,
        }
    }

    /// Takes news in; the exit code once the match is over.
    fn take(&mut self, out: &mut Output, news: WatchMatchResponse) -> Result<Option<Exit>, Error> {
        match news.update {
            Some(Update::Snapshot(snapshot)) => self.snapshot(out, snapshot)?,
            Some(Update::Event(event)) => self.event(out, event)?,
            Some(Update::Ended(ended)) => return self.ended(out, ended).map(Some),
            None => {}
        }
        Ok(None)
    }

    fn snapshot(&mut self, out: &mut Output, snapshot: GetMatchResponse) -> Result<(), Error> {
        let first = self.played.match_id == 0;
        self.played = snapshot.r#match.unwrap_or_default();
        self.position = snapshot.position.unwrap_or_default();
        self.changed = true;
        if out.json() || self.redraws {
            return Ok(());
        }
        let waiting = self.played.state() == MatchState::Waiting;
        let position = Some(&self.position).filter(|_| !waiting);
        if first {
            out.text(&show::whole(&self.played, position))?;
        } else {
            out.line(&board::outcome_line(&self.played))?;
        }
        if !waiting {
            out.text("\n")?;
        }
        Ok(())
    }

    fn event(&mut self, out: &mut Output, news: MatchEvent) -> Result<(), Error> {
        let event = news.event.unwrap_or_default();
        let line = format!(
            "{}. {}",
            news.number,
            describe::event(&self.options(), &event)
        );
        self.played.moves = news.number;
        self.position = news.position.unwrap_or_default();
        self.changed = true;
        if out.json() {
            return Ok(());
        }
        if !self.redraws {
            out.line(&line)?;
            if self.boards {
                let board = board::position(&self.options(), &self.position);
                out.text(&format!("{board}\n"))?;
            }
        }
        if self.last.len() == LAST_MOVES {
            self.last.pop_front();
        }
        self.last.push_back(line);
        Ok(())
    }

    fn ended(&mut self, out: &mut Output, ended: GetMatchResponse) -> Result<Exit, Error> {
        self.played = ended.r#match.unwrap_or_default();
        self.position = ended.position.unwrap_or_default();
        self.changed = true;
        if self.redraws {
            self.draw(out)?;
        } else if !out.json() {
            let board = board::position(&self.options(), &self.position);
            let outcome = board::outcome_line(&self.played);
            out.text(&format!("\n{board}{outcome}\n"))?;
        }
        Ok(exit(&self.played))
    }

    /// Draws everything anew. Does nothing where lines are appended.
    fn draw(&mut self, out: &mut Output) -> Result<(), Error> {
        self.changed = false;
        if !self.redraws {
            return Ok(());
        }
        let mut screen = show::headline(&self.played);
        screen.push_str(&board::position(&self.options(), &self.position));
        for line in &self.last {
            screen.push_str(line);
            screen.push('\n');
        }
        screen.push_str(&board::outcome_line(&self.played));
        screen.push('\n');
        out.redraw(&screen)?;
        Ok(())
    }

    fn options(&self) -> Options {
        self.played.options.clone().unwrap_or_default()
    }
}

/// A match without a result has its own exit code.
pub(super) fn exit(played: &Match) -> Exit {
    match &played.outcome {
        Some(outcome) if describe::is_void(outcome) => Exit::Void,
        _ => Exit::Done,
    }
}
