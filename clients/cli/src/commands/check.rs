//! `broadside check`: whether a bot keeps the contract.

use std::{
    fs::{self, OpenOptions},
    io,
    net::SocketAddr,
    path::Path,
    time::Duration,
};

use broadside_access::AccessArgs;
use broadside_check::{
    Check, Config, DialFiles, Source, junit, launch,
    report::{Grade, Report, Verdict},
    rules::{Level, Way},
    transcript::Line,
};
use tokio_util::sync::CancellationToken;

use crate::{
    args::CheckArgs,
    board::style::{self, paint},
    error::{Error, Exit},
    output::Output,
    text::{count, escape},
};

pub(super) async fn run(
    out: &mut Output,
    args: &CheckArgs,
    access: &AccessArgs,
) -> Result<Exit, Error> {
    for path in args.transcript.iter().chain(&args.junit) {
        writable(path)?;
    }
    let mut config = Config::new(source(args, access)?);
    config.cap = Duration::from_millis(args.cap);
    config.wait = Duration::from_millis(args.wait);
    config.dial_files = DialFiles {
        ca: access.ca.clone(),
        cert: access.cert.clone(),
        key: access.key.clone(),
    };
    if let Some((program, arguments)) = args.command.split_first() {
        config.launch = Some(launch::command(program.clone(), arguments.to_vec()));
    }
    let enough = on_interrupt(config.interrupt.clone());
    tokio::select! {
        exit = checked(out, args, config) => exit,
        () = enough.cancelled() => Ok(Exit::Interrupted),
    }
}

async fn checked(out: &mut Output, args: &CheckArgs, config: Config) -> Result<Exit, Error> {
    let transcript = config.transcript.clone();
    let check = Check::set_up(config).await?;
    if args.dial_in {
        // Standard output is the report's.
        eprintln!("waiting for the bot at {}", check.address());
    }
    let checked = check.run().await;
    // What is known is shown, whatever becomes of the files.
    let shown = match &checked {
        Ok(report) if out.json() => out.message(report),
        Ok(report) => out.text(&text(report)),
        Err(_) => Ok(()),
    };
    // Most wanted when there is no report.
    if let Some(path) = &args.transcript {
        let lines: String = transcript
            .all()
            .iter()
            .map(|line| quoted(line) + "\n")
            .collect();
        write(path, &lines)?;
    }
    let report = checked?;
    if let Some(path) = &args.junit {
        let xml = junit::xml(&report, args.strict)
            .map_err(|error| Error::Output(io::Error::other(error)))?;
        write(path, &xml)?;
    }
    shown?;
    Ok(exit(&report, args.strict))
}

fn source(args: &CheckArgs, access: &AccessArgs) -> Result<Source, Error> {
    let Some(address) = &args.address else {
        let port = if args.command.is_empty() { 4600 } else { 0 };
        let listen = args
            .listen
            .unwrap_or(SocketAddr::from(([127, 0, 0, 1], port)));
        return Ok(Source::DialIn { listen });
    };
    let access = access
        .read()
        .map_err(|error| Error::Usage(format!("{}.", escape(&error.to_string()))))?;
    Ok(Source::Dialled {
        address: address.clone(),
        access,
    })
}

/// The first Ctrl-C or SIGTERM ends the check in order; the second at once, as the token says that is returned.
fn on_interrupt(interrupt: CancellationToken) -> CancellationToken {
    let enough = CancellationToken::new();
    let ends = [interrupt, enough.clone()];
    tokio::spawn(async move {
        #[cfg(unix)]
        {
            use tokio::signal::unix::{SignalKind, signal};
            let kinds = (SignalKind::interrupt(), SignalKind::terminate());
            let (Ok(mut interrupted), Ok(mut terminated)) = (signal(kinds.0), signal(kinds.1))
            else {
                return;
            };
            for end in ends {
                tokio::select! {
                    Some(()) = interrupted.recv() => {}
                    Some(()) = terminated.recv() => {}
                    else => return,
                }
                end.cancel();
            }
        }
        #[cfg(not(unix))]
        for end in ends {
            // One that cannot be waited for is no interruption.
            if tokio::signal::ctrl_c().await.is_err() {
                return;
            }
            end.cancel();
        }
    });
    enough
}

/// Sees that a file can be written before a bot is checked for it, and leaves it as it is.
fn writable(path: &Path) -> Result<(), Error> {
    let failed = |source| Error::File {
        path: path.to_owned(),
        source,
    };
    let was_there = path.exists();
    OpenOptions::new()
        .append(true)
        .create(true)
        .open(path)
        .map_err(failed)?;
    if !was_there {
        fs::remove_file(path).map_err(failed)?;
    }
    Ok(())
}

fn write(path: &Path, text: &str) -> Result<(), Error> {
    fs::write(path, text).map_err(|source| Error::File {
        path: path.to_owned(),
        source,
    })
}

fn exit(report: &Report, strict: bool) -> Exit {
    if report.interrupted {
        return Exit::Interrupted;
    }
    if report.broken.is_some() {
        return Exit::Failed;
    }
    if !report.passed || (strict && report.count(Level::Should, Verdict::Failed) > 0) {
        return Exit::Broken;
    }
    Exit::Done
}

fn text(report: &Report) -> String {
    let mut text = head(report);
    for grade in &report.rules {
        text.push_str(&line(grade));
        for finding in &grade.findings {
            text.push_str(&format!("           {}\n", escape(&finding.message)));
            for line in &finding.lines {
                text.push_str(&format!(
                    "             {}\n",
                    paint(style::LABEL, &quoted(line))
                ));
            }
        }
        let more = grade.failings.saturating_sub(grade.findings.len());
        if more > 0 {
            text.push_str(&format!("           and {more} more\n"));
        }
    }
    text.push_str(&foot(report));
    text
}

fn head(report: &Report) -> String {
    let name = match report.bot.as_str() {
        "" => "the bot".to_owned(),
        name => escape(name),
    };
    let way = match report.way {
        Way::DialsIn => "dials in",
        Way::Dialled => "is dialled",
    };
    let matches = match report.max_matches {
        1 => "1 match".to_owned(),
        many => format!("{many} matches"),
    };
    format!(
        "{name} {way}, and plays {}; {matches} at once\n",
        match report.variants.as_slice() {
            [] => "nothing".to_owned(),
            variants => variants.join(", "),
        }
    )
}

fn line(grade: &Grade) -> String {
    let verdict = format!("{:<7}", grade.verdict.name());
    let verdict = match (grade.verdict, grade.level) {
        (Verdict::Passed, _) => paint(style::WIN, &verdict),
        (Verdict::Failed, Level::Must) => paint(style::ERROR, &verdict),
        (Verdict::Failed, Level::Should) => paint(style::DRAW, &verdict),
        (Verdict::Skipped, _) => paint(style::LABEL, &verdict),
    };
    let mut line = format!(
        "{verdict}  {:<6}  {:<27}  {}\n",
        grade.level.name(),
        grade.id,
        grade.text
    );
    if let Some(why) = &grade.why {
        line.push_str(&format!("           {}\n", escape(why)));
    }
    line
}

fn foot(report: &Report) -> String {
    let of = |verdict| report.count(Level::Must, verdict) + report.count(Level::Should, verdict);
    let mut text = format!(
        "{}: {} passed, {} failed",
        count(report.rules.len(), "rule"),
        of(Verdict::Passed),
        of(Verdict::Failed),
    );
    if of(Verdict::Failed) > 0 {
        text.push_str(&format!(
            " ({} MUST, {} SHOULD)",
            report.count(Level::Must, Verdict::Failed),
            report.count(Level::Should, Verdict::Failed)
        ));
    }
    text.push_str(&format!(", {} skipped\n", of(Verdict::Skipped)));
    if report.interrupted {
        text.push_str("the check was interrupted\n");
    }
    if let Some(why) = &report.broken {
        text.push_str(&format!("the check could not go on: {}\n", escape(why)));
    }
    text
}

/// A line of the transcript, safe for a terminal.
fn quoted(line: &Line) -> String {
    format!(
        "#{} {}.{:03} s  {:<9}  {}",
        line.number,
        line.at_ms / 1000,
        line.at_ms % 1000,
        line.speaker.name(),
        escape(&line.text)
    )
}
