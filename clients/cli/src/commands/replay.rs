//! `broadside replay`: a record, without an arena.

use std::{
    io::{self, BufRead},
    time::Duration,
};

use broadside_proto::v1::Options;

use super::{record_file, show};
use crate::{
    args::ReplayArgs,
    board,
    error::{Error, Exit},
    history::{History, Step},
    output::Output,
};

pub(super) fn run(out: &mut Output, args: &ReplayArgs) -> Result<Exit, Error> {
    let written = record_file::read(&args.file)?;
    let record = written.record();
    if out.json() {
        out.message(record)?;
        return Ok(Exit::Done);
    }
    let history = History::of(record).map_err(|source| Error::History {
        path: args.file.clone(),
        source,
    })?;
    let options = history.played.options.clone().unwrap_or_default();
    out.text(&show::heading(&history.played))?;
    if written.has_more() {
        out.line("A newer arena wrote more in this record than this version knows: that is left out here.")?;
    }
    out.text("\n")?;
    if args.step {
        return by_steps(out, &history, &options);
    }
    if args.all {
        out.text(&board::position(&options, &history.start))?;
    }
    for step in &history.steps {
        out.line(&line(step))?;
        if args.all && step.number.is_some() {
            out.text(&board::position(&options, &step.position))?;
            out.text("\n")?;
        }
    }
    if !args.all {
        out.text("\n")?;
        out.text(&board::position(&options, history.end()))?;
    }
    out.line(&board::outcome_line(&history.played))?;
    Ok(Exit::Done)
}

/// One step at a time, forth and back, as lines are typed.
fn by_steps(out: &mut Output, history: &History, options: &Options) -> Result<Exit, Error> {
    let last = history.steps.len();
    let mut at: usize = 0;
    out.text(&board::position(options, &history.start))?;
    out.line("Enter: next; p: the one before; a number: that move; q: leave.")?;
    for line in io::stdin().lock().lines() {
        let line = line?;
        let wanted = match line.trim() {
            "" | "n" => Some(at + 1),
            "p" => Some(at.saturating_sub(1)),
            "q" => return Ok(Exit::Done),
            "0" => Some(0),
            number => history
                .steps
                .iter()
                .position(|step| step.number.is_some_and(|it| it.to_string() == number))
                .map(|index| index + 1),
        };
        match wanted {
            Some(wanted) if wanted <= last => {
                at = wanted;
                out.text(&shown(history, options, at))?;
                if at == last {
                    out.line(&board::outcome_line(&history.played))?;
                }
            }
            Some(_) => out.line("That was the last one. q leaves.")?,
            None => out.line("There is no such move. Enter: next; p: the one before; a number: that move; q: leave.")?,
        }
    }
    Ok(Exit::Done)
}

fn shown(history: &History, options: &Options, at: usize) -> String {
    let step = at.checked_sub(1).and_then(|index| history.steps.get(index));
    match step {
        None => board::position(options, &history.start),
        Some(step) => format!(
            "{}\n{}",
            line(step),
            board::position(options, &step.position)
        ),
    }
}

/// A step with its number and its time.
fn line(step: &Step) -> String {
    let number = step
        .number
        .map_or_else(String::new, |number| format!("{number}."));
    // A millisecond is as fine as it need be here.
    let at = Duration::from_millis(u64::try_from(step.at.as_millis()).unwrap_or(u64::MAX));
    format!(
        "{number:>4} {} ({})",
        step.text,
        humantime::format_duration(at)
    )
}
