//! One direction of one connection: bytes in, bytes out, as the weather has it.

use std::{io, time::Duration};

use rand::{Rng, RngExt};
use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt},
    sync::{mpsc, watch},
    time::Instant,
};

/// Most bytes read at once.
const CHUNK: usize = 16 << 10;

/// Most chunks on their way.
const IN_FLIGHT: usize = 64;

/// What becomes of bytes on their way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Weather {
    /// They pass.
    #[default]
    Clear,
    /// Each chunk takes a time drawn from this range; none overtakes another.
    Slow {
        /// The shortest time.
        least: Duration,
        /// The longest time.
        most: Duration,
    },
    /// So few are read at a time, with a pause before each read.
    Trickle {
        /// At most so many.
        bytes: usize,
        /// The pause.
        pause: Duration,
    },
    /// Nothing arrives any more, and nothing is closed: the other end has vanished. What is on its way arrives when the weather changes.
    Gone,
}

impl Weather {
    /// Each chunk takes exactly so long.
    pub fn late(by: Duration) -> Self {
        Self::Slow {
            least: by,
            most: by,
        }
    }

    /// Each chunk takes up to so long.
    pub fn jitter(most: Duration) -> Self {
        Self::Slow {
            least: Duration::ZERO,
            most,
        }
    }

    fn delay(self, rng: &mut impl Rng) -> Duration {
        match self {
            Self::Slow { least, most } if least < most => rng.random_range(least..=most),
            Self::Slow { least, .. } => least,
            _ => Duration::ZERO,
        }
    }
}

type Chunk = (Instant, Vec<u8>);

/// Carries bytes until the sending end closes; then closes the receiving end's side too.
///
/// # Errors
/// If either end breaks.
pub(super) async fn carry(
    from: impl AsyncRead + Unpin,
    to: impl AsyncWrite + Unpin,
    weather: watch::Receiver<Weather>,
    rng: impl Rng,
) -> io::Result<()> {
    let (chunks, arriving) = mpsc::channel(IN_FLIGHT);
    tokio::try_join!(
        read(from, chunks, weather.clone(), rng),
        write(to, arriving, weather)
    )?;
    Ok(())
}

async fn read(
    mut from: impl AsyncRead + Unpin,
    chunks: mpsc::Sender<Chunk>,
    mut weather: watch::Receiver<Weather>,
    mut rng: impl Rng,
) -> io::Result<()> {
    let mut buffer = vec![0; CHUNK];
    let mut latest = Instant::now();
    loop {
        let now = *weather.borrow_and_update();
        let limit = match now {
            Weather::Gone => {
                changes(&mut weather).await;
                continue;
            }
            Weather::Trickle { bytes, pause } => {
                tokio::select! {
                    () = tokio::time::sleep(pause) => {}
                    () = changes(&mut weather) => continue,
                }
                bytes.clamp(1, CHUNK)
            }
            Weather::Clear | Weather::Slow { .. } => CHUNK,
        };
        let count = tokio::select! {
            biased;
            () = changes(&mut weather) => continue,
            count = from.read(&mut buffer[..limit]) => count?,
        };
        if count == 0 {
            return Ok(());
        }
        latest = latest.max(Instant::now() + now.delay(&mut rng));
        let chunk = (latest, buffer[..count].to_vec());
        if chunks.send(chunk).await.is_err() {
            return Ok(());
        }
    }
}

async fn write(
    mut to: impl AsyncWrite + Unpin,
    mut chunks: mpsc::Receiver<Chunk>,
    mut weather: watch::Receiver<Weather>,
) -> io::Result<()> {
    while let Some((at, bytes)) = chunks.recv().await {
        tokio::time::sleep_until(at).await;
        while *weather.borrow_and_update() == Weather::Gone {
            changes(&mut weather).await;
        }
        to.write_all(&bytes).await?;
    }
    to.shutdown().await
}

/// Waits for other weather; for ever, if none can come.
async fn changes(weather: &mut watch::Receiver<Weather>) {
    if weather.changed().await.is_err() {
        std::future::pending().await
    }
}
