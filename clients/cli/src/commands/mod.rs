//! One module for each command.

mod agents;
mod check;
mod limits;
mod match_cancel;
mod match_create;
mod match_list;
mod match_record;
mod match_show;
mod match_watch;
mod play;
mod record_file;
mod replay;
mod show;
mod variants;
mod verify;

use std::io::Write;

use crate::{
    args::{Cli, Command, MatchCommand},
    board::style::{self, paint},
    client::Arena,
    error::{Error, Exit},
    output::Output,
    text::escape,
};

/// Does what the command line asks for; what goes wrong is told on standard error.
pub fn run(cli: Cli) -> Exit {
    let color = cli.color.into();
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build();
    let done = match runtime {
        Ok(runtime) => {
            let done = runtime.block_on(command(cli));
            // A read of standard input may still hang in a thread of its own.
            runtime.shutdown_background();
            done
        }
        Err(error) => Err(Error::Output(error)),
    };
    match done {
        Ok(exit) => exit,
        Err(error) => {
            let exit = error.exit();
            if exit != Exit::Done {
                let message = format!("{} {error}\n", paint(style::ERROR, "error:"));
                let mut stderr = anstream::AutoStream::new(std::io::stderr(), choice(color));
                // There is nowhere left to say that standard error is closed.
                let _ = stderr.write_all(message.as_bytes());
            }
            exit
        }
    }
}

fn choice(color: anstream::ColorChoice) -> anstream::ColorChoice {
    match color {
        anstream::ColorChoice::Auto => anstream::AutoStream::choice(&std::io::stderr()),
        chosen => chosen,
    }
}

async fn command(cli: Cli) -> Result<Exit, Error> {
    let mut out = Output::new(cli.json, cli.color.into());
    if let Command::Replay(args) = &cli.command {
        return replay::run(&mut out, args);
    }
    if let Command::Verify(args) = &cli.command {
        return verify::run(&mut out, args);
    }
    if let Command::Check(args) = &cli.command {
        return check::run(&mut out, args, &cli.access).await;
    }
    if let Command::Match(MatchCommand::Record(args)) = &cli.command {
        match_record::check(&out, args)?;
    }
    if matches!(cli.command, Command::Play(_)) && cli.json {
        return Err(Error::Usage(
            "--json: play is for a person; a program connects to the arena by itself.".to_owned(),
        ));
    }
    // What is wrong on the command line is told before the arena is asked for anything.
    let options = match &cli.command {
        Command::Match(MatchCommand::Create(args)) => {
            Some(crate::options::build(args.variant, &args.terms.options)?)
        }
        Command::Play(args) => Some(crate::options::build(args.variant, &args.terms.options)?),
        _ => None,
    }
    .unwrap_or_default();
    let access = cli
        .access
        .read()
        .map_err(|error| Error::Usage(format!("{}.", escape(&error.to_string()))))?;
    let arena = Arena::connect(&cli.arena, access).await?;
    match &cli.command {
        Command::Limits => limits::run(&arena, &mut out).await,
        Command::Variants => variants::run(&arena, &mut out).await,
        Command::Agents => agents::run(&arena, &mut out).await,
        Command::Match(command) => match command {
            MatchCommand::Create(args) => match_create::run(&arena, &mut out, args, options).await,
            MatchCommand::Show { id } => match_show::run(&arena, &mut out, id.match_id).await,
            MatchCommand::List(args) => match_list::run(&arena, &mut out, args).await,
            MatchCommand::Watch(args) => {
                match_watch::run(&arena, &mut out, args.id.match_id, args.boards).await
            }
            MatchCommand::Cancel { id, reason } => {
                match_cancel::run(&arena, &mut out, id.match_id, reason).await
            }
            MatchCommand::Record(args) => match_record::run(&arena, &mut out, args).await,
        },
        Command::Play(args) => play::run(&arena, &mut out, args, options).await,
        Command::Replay(args) => replay::run(&mut out, args),
        Command::Verify(args) => verify::run(&mut out, args),
        Command::Check(args) => check::run(&mut out, args, &cli.access).await,
    }
}
