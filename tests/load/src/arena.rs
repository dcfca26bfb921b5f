//! The arena, as its own program runs it.

use broadside_arena::{
    Arena, Settings, busy_poll::BusyPoll, dial::Allowed, raise_descriptor_limit, store::StorePlace,
    telemetry::Telemetry,
};
use tokio::runtime::Builder;
use tokio_util::sync::CancellationToken;

use super::{
    args::{ArenaRole, Kept},
    process::in_a_thread,
    tally::{Tally, tell},
};

pub(crate) fn run(role: &ArenaRole) -> anyhow::Result<()> {
    // Where temporary files are: that must be a disk for the figures to mean anything.
    let folder = tempfile::tempdir()?;
    let settings = Settings {
        listen: ([127, 0, 0, 1], 0).into(),
        store: match role.store {
            Kept::Memory => StorePlace::Memory,
            Kept::Sqlite => StorePlace::File(folder.path().join("load.sqlite")),
        },
        keep_matches: role.keep,
        // All bots of the bench are of one address.
        max_connections_per_address: 100_000,
        dial_allow: vec![Allowed::Loopback],
        ..Settings::default()
    };
    let stop = CancellationToken::new();
    let stopped = stop.clone();
    let mut runtime = Builder::new_multi_thread();
    let busy_poll = BusyPoll::new(settings.busy_poll).install(&mut runtime);
    let serving = in_a_thread(runtime, async move {
        let telemetry = Telemetry::start(&settings)?;
        raise_descriptor_limit();
        let arena = Arena::bind(settings).await?.with_busy_poll(busy_poll);
        tell(&arena.address())?;
        let ended = arena.run(stopped.cancelled_owned()).await;
        telemetry.stop().await;
        ended
    });
    Tally::default().answer(|_| {})?;
    stop.cancel();
    // Its folder goes once it is closed.
    drop(serving.join());
    Ok(())
}
