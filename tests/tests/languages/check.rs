//! The bots of every language, graded by `broadside check`.

use std::{ffi::OsString, net::TcpListener, time::Duration};

use anyhow::ensure;
use broadside_agents::Access;
use broadside_check::{Check, Config, Source, launch, report::Verdict, rules::Level};

use crate::language::{Language, languages};

async fn passes(language: &Language, source: Source, direction: [&str; 2]) -> anyhow::Result<()> {
    let program = language.program().await?;
    let program = program.as_std();
    let own = ["--name", language.name, "--matches", "40", "--seed", "7"];
    let arguments = program
        .get_args()
        .map(OsString::from)
        .chain(direction.into_iter().chain(own).map(OsString::from));
    let mut config = Config::new(source);
    config.launch = Some(launch::command(
        program.get_program().to_owned(),
        arguments.collect(),
    ));
    config.wait = Duration::from_secs(60);
    let transcript = config.transcript.clone();
    let report = Check::set_up(config).await?.run().await?;
    for grade in &report.rules {
        let kept = grade.verdict != Verdict::Failed;
        ensure!(
            kept,
            "{} fails {}: {:#?}\n{:#?}",
            language.name,
            grade.id,
            grade.findings,
            transcript.all().iter().rev().take(20).collect::<Vec<_>>()
        );
    }
    let skipped = report.ids(Level::Must, Verdict::Skipped);
    ensure!(
        skipped.iter().all(|id| *id == "heartbeat"),
        "{}: {skipped:?} are skipped",
        language.name
    );
    Ok(())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_bots_that_dial_in_keep_every_rule() -> anyhow::Result<()> {
    for language in languages().await? {
        let listen = ([127, 0, 0, 1], 0).into();
        let source = Source::DialIn { listen };
        passes(language, source, ["--connect", "http://{address}"]).await?;
    }
    Ok(())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_bots_that_are_dialled_keep_every_rule() -> anyhow::Result<()> {
    for language in languages().await? {
        // Whoever else takes the port in between makes the bot say so, and the test fail loudly.
        let free = TcpListener::bind("127.0.0.1:0")?.local_addr()?.to_string();
        let source = Source::Dialled {
            address: format!("http://{free}"),
            access: Access::default(),
        };
        passes(language, source, ["--serve", &free]).await?;
    }
    Ok(())
}
