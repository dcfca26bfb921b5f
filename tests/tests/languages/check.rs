//! The bots of every language, graded by `broadside check`.

use std::{ffi::OsString, net::TcpListener};

use anyhow::ensure;
use broadside_agents::{Access, AccessArgs};
use broadside_check::{Check, Config, DialFiles, Source, launch, report::Verdict, rules::Level};
use broadside_tests::{Authority, PATIENCE};

use crate::language::{Language, language, languages};

/// How a bot is reached, and the arguments with which it is started for that.
struct Way {
    source: Source,
    files: DialFiles,
    arguments: Vec<OsString>,
}

impl Way {
    fn dials_in() -> Self {
        Self {
            source: Source::DialIn {
                listen: ([127, 0, 0, 1], 0).into(),
            },
            files: DialFiles::default(),
            arguments: vec!["--connect".into(), "http://{address}".into()],
        }
    }

    fn dialled() -> anyhow::Result<Self> {
        // A bot that finds the port taken says so, and is not graded.
        let free = TcpListener::bind("127.0.0.1:0")?.local_addr()?.to_string();
        Ok(Self {
            source: Source::Dialled {
                address: format!("http://{free}"),
                access: Access::default(),
            },
            files: DialFiles::default(),
            arguments: vec!["--serve".into(), free.into()],
        })
    }

    fn dialled_with_tls(authority: &Authority) -> anyhow::Result<Self> {
        let free = TcpListener::bind("127.0.0.1:0")?.local_addr()?.to_string();
        let pair = authority.issue("bot")?;
        let args = AccessArgs {
            ca: Some(authority.ca.clone()),
            ..AccessArgs::default()
        };
        Ok(Self {
            source: Source::Dialled {
                address: format!("https://{free}"),
                access: args.read()?,
            },
            files: DialFiles {
                ca: Some(authority.ca.clone()),
                ..DialFiles::default()
            },
            arguments: vec![
                "--serve".into(),
                free.into(),
                "--tls-cert".into(),
                pair.cert.into(),
                "--tls-key".into(),
                pair.key.into(),
            ],
        })
    }
}

async fn passes(language: &Language, way: Way) -> anyhow::Result<()> {
    let program = language.program().await?;
    let program = program.as_std();
    let own = ["--name", language.name, "--matches", "40", "--seed", "7"];
    let arguments = program
        .get_args()
        .map(OsString::from)
        .chain(way.arguments)
        .chain(own.map(OsString::from));
    let mut config = Config::new(way.source);
    config.launch = Some(launch::command(
        program.get_program().to_owned(),
        arguments.collect(),
    ));
    // What is tested here is what the bots do, and not how busy the machine is meanwhile.
    config.cap = PATIENCE;
    config.wait = PATIENCE;
    config.reconnects_soon = PATIENCE;
    config.leaves = PATIENCE;
    config.dial_files = way.files;
    let transcript = config.transcript.clone();
    let report = Check::set_up(config).await?.run().await?;
    for grade in &report.rules {
        // `waits-grow` compares times.
        let kept = grade.verdict != Verdict::Failed || grade.id == "waits-grow";
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
        passes(language, Way::dials_in()).await?;
    }
    Ok(())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_bots_that_are_dialled_keep_every_rule() -> anyhow::Result<()> {
    for language in languages().await? {
        passes(language, Way::dialled()?).await?;
    }
    Ok(())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_bot_at_an_https_address_keeps_every_rule() -> anyhow::Result<()> {
    let Some(rust) = language("rust").await? else {
        return Ok(());
    };
    let authority = Authority::new()?;
    passes(rust, Way::dialled_with_tls(&authority)?).await
}
