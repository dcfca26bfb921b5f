//! The bots of one seat: as little of a bot as plays legally.

mod desk;
mod pace;
mod reader;
mod rematch;
mod served;
mod stream;
mod trivial;

use std::sync::Arc;

use tokio::{net::TcpListener, runtime::Builder, sync::mpsc};

use self::{desk::Desk, pace::Pace, rematch::Rematch};
pub(crate) use self::{
    reader::{Heard, Said},
    rematch::options,
    stream::greet,
};
use super::{
    args::{BotsRole, Route},
    process::in_a_thread,
    tally::{Tally, tell},
};

/// Most streams on a connection: fewer than an arena allows.
const STREAMS: usize = 128;

/// Calls that create matches at once, at the beginning.
const CREATIONS: usize = 64;

pub(crate) fn run(role: BotsRole) -> anyhow::Result<()> {
    let tally = Arc::new(Tally::default());
    let pace = Arc::new(Pace::default());
    let (begin, begun) = mpsc::channel(1);
    // Bots are single programs, mostly: a thread is all that such a one has.
    in_a_thread(
        Builder::new_current_thread(),
        play(role, tally.clone(), pace.clone(), begun),
    );
    tally.answer(|word| {
        pace.heed(word);
        if word == "go" {
            // Whoever does not take it has said why.
            let _ = begin.blocking_send(());
        }
    })
}

async fn play(
    role: BotsRole,
    tally: Arc<Tally>,
    pace: Arc<Pace>,
    mut begun: mpsc::Receiver<()>,
) -> anyhow::Result<()> {
    let listener = match role.route {
        Route::Dialled => Some(TcpListener::bind(("127.0.0.1", 0)).await?),
        Route::Stream | Route::Streams => None,
    };
    let address = match &listener {
        Some(listener) => Some(format!("http://{}", listener.local_addr()?)),
        None => None,
    };
    let own = address.clone().unwrap_or_else(|| role.name.clone());
    let rematch = Rematch::connect(&role, own).await?.map(Arc::new);
    let desk = Arc::new(Desk::new(
        tally,
        rematch.clone(),
        pace,
        role.variant,
        role.sample,
    ));
    match listener {
        Some(listener) => served::serve(listener, desk, role.matches)?,
        None => stream::dial_in(&role, &desk).await?,
    }
    // All are there.
    tell(&address)?;
    while begun.recv().await.is_some() {
        if let Some(rematch) = &rematch {
            rematch.all(role.matches, CREATIONS).await?;
        }
        tell(&"begun")?;
    }
    Ok(())
}
