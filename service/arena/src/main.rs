//! `broadside-arena`: runs the arena until it is told to stop.

use std::io::IsTerminal;

use broadside_arena::{
    Arena, panics, raise_descriptor_limit,
    settings::{Command, Flags, Settings},
    store,
};
use clap::Parser;
use tokio::signal::unix::{SignalKind, signal};
use tracing_subscriber::EnvFilter;

fn main() -> anyhow::Result<()> {
    let flags = Flags::parse();
    let settings = Settings::load(&flags)?;
    start_logging(&settings)?;
    raise_descriptor_limit();
    panics::watch();
    tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()?
        .block_on(async {
            if let Some(Command::Token(command)) = &flags.command {
                let store = store::open_shared(&settings).await?;
                return command.run(&*store, &mut std::io::stdout()).await;
            }
            let mut interrupt = signal(SignalKind::interrupt())?;
            let mut terminate = signal(SignalKind::terminate())?;
            let arena = Arena::bind(settings).await?;
            // The one line on standard output, for scripts that let the system choose the port.
            println!("listening on {}", arena.address());
            arena
                .run(async move {
                    tokio::select! {
                        _ = interrupt.recv() => {}
                        _ = terminate.recv() => {}
                    }
                })
                .await
        })
}

fn start_logging(settings: &Settings) -> anyhow::Result<()> {
    let filter = EnvFilter::try_new(&settings.log)
        .map_err(|error| anyhow::anyhow!("the settings are not right: log: {error}"))?;
    let colours = std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none();
    let builder = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_ansi(colours)
        .with_writer(std::io::stderr);
    if settings.log_json {
        builder.json().init();
    } else {
        builder.init();
    }
    Ok(())
}
