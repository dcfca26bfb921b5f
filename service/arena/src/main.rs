//! `broadside-arena`: runs the arena until it is told to stop.

use broadside_arena::{
    Arena,
    busy_poll::BusyPoll,
    panics, raise_descriptor_limit,
    settings::{Command, Flags, Settings},
    store,
    telemetry::Telemetry,
};
use clap::Parser;
use tokio::signal::unix::{SignalKind, signal};

/// Matches and connections are of every thread: what one allocates, another frees, which this one does at half the cost of the system's.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> anyhow::Result<()> {
    let flags = Flags::parse();
    let settings = Settings::load(&flags)?;
    let mut runtime = tokio::runtime::Builder::new_multi_thread();
    let busy_poll = BusyPoll::new(settings.busy_poll).install(&mut runtime);
    runtime.enable_all().build()?.block_on(async {
        let telemetry = Telemetry::start(&settings)?;
        raise_descriptor_limit();
        panics::watch();
        let ended = act(&flags, settings, busy_poll).await;
        telemetry.stop().await;
        ended
    })
}

async fn act(flags: &Flags, settings: Settings, busy_poll: BusyPoll) -> anyhow::Result<()> {
    if let Some(Command::Token(command)) = &flags.command {
        let store = store::open_shared(&settings).await?;
        return command.run(&*store, &mut std::io::stdout()).await;
    }
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    let arena = Arena::bind(settings).await?.with_busy_poll(busy_poll);
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
}
