//! An arena, two bots and an organiser on a network.

use std::{
    collections::BTreeMap,
    future,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, UNIX_EPOCH},
};

use anyhow::{Context, anyhow};
use broadside_arena::{Arena, Settings, store::StorePlace, time::WallClock};
use broadside_proto::v1;
use broadside_tests::VARIANTS;

use super::{
    bot::{self, Told},
    faults::{self, BOTS, Fault, ORGANISER},
    network::{self, ARENA, KEEPALIVE},
    organiser::organise,
    store,
};

/// No match takes longer, in the network's own time.
const LONGEST: Duration = Duration::from_secs(600);

/// How a match went.
#[derive(Clone, PartialEq)]
pub(crate) struct Course {
    /// Seat, turn and move.
    pub(crate) moves: Vec<(i32, u32, Option<v1::Move>)>,
    pub(crate) outcome: String,
}

impl std::fmt::Debug for Course {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let turns: Vec<_> = self
            .moves
            .iter()
            .map(|(seat, turn, _)| (seat, turn))
            .collect();
        write!(formatter, "{} with turns {turns:?}", self.outcome)
    }
}

/// What was played.
#[derive(Default)]
pub(crate) struct Played {
    /// By variant.
    pub(crate) courses: BTreeMap<String, Course>,
    /// How often a bot was noticed to be gone.
    pub(crate) lost: usize,
    /// How often the arena started.
    pub(crate) starts: usize,
}

/// What happens, before it does.
pub(crate) struct World {
    seed: u64,
    variants: Vec<v1::Variant>,
    faults: Vec<Fault>,
    calm: bool,
}

impl World {
    /// Nothing goes wrong.
    pub(crate) fn calm(variants: &[v1::Variant]) -> Self {
        Self {
            seed: 0,
            variants: variants.to_vec(),
            faults: Vec::new(),
            calm: true,
        }
    }

    /// What goes wrong with this seed, in two matches at once.
    pub(crate) fn faulty(seed: u64) -> Self {
        let of = |number: u64| VARIANTS[number as usize % VARIANTS.len()].0;
        Self {
            seed,
            variants: vec![of(seed), of(seed + 1 + seed / 7 % 6)],
            faults: faults::drawn(seed),
            calm: false,
        }
    }

    /// What goes wrong, in words.
    pub(crate) fn faults(&self) -> String {
        format!("{:?} {:?}", self.variants, self.faults)
    }

    /// Lets it happen.
    pub(crate) fn play(&self) -> anyhow::Result<Played> {
        let slowest = if self.calm { 2 } else { 2 + self.seed % 30 };
        // They outlive the hosts that use them.
        let store = Arc::new(store::store(self.seed, !self.calm));
        let told = Told::default();
        let started = AtomicUsize::new(0);
        let mut sim = turmoil::Builder::new()
            .rng_seed(self.seed)
            .epoch(UNIX_EPOCH + Duration::from_secs(1_800_000_000))
            .simulation_duration(LONGEST)
            .tick_duration(Duration::from_millis(1))
            .min_message_latency(Duration::from_millis(1))
            .max_message_latency(Duration::from_millis(slowest))
            .tcp_capacity(4096)
            .build();
        sim.host(ARENA, || {
            let store = store.clone();
            started.fetch_add(1, Ordering::Relaxed);
            async move {
                let connections = network::connections().await?;
                let arena = Arena::on(settings(), store, connections).await?;
                let arena = arena.with_wall_clock(WallClock::new(date_ms));
                arena.run(future::pending()).await?;
                Ok(())
            }
        });
        for name in BOTS {
            sim.host(name, || bot::play(name, told.clone()));
        }
        let played = Arc::new(Mutex::new(None));
        let (variants, seen, into) = (self.variants.clone(), told.clone(), played.clone());
        sim.client(ORGANISER, async move {
            let played = organise(&variants, &seen).await;
            *into.lock().map_err(|_| "poisoned")? = Some(played);
            Ok(())
        });
        let mut course = faults::Course::new(&self.faults);
        loop {
            course.pass(&mut sim);
            if sim.step().map_err(|error| anyhow!("{error}"))? {
                break;
            }
        }
        drop(sim);
        let mut played = played.lock().map_err(|_| anyhow!("poisoned"))?;
        let mut played = played.take().context("the organiser did not end")??;
        played.starts = started.load(Ordering::Relaxed);
        Ok(played)
    }
}

/// The simulation's date, in milliseconds since 1970.
fn date_ms() -> u64 {
    let since = turmoil::since_epoch().unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or_default()
}

fn settings() -> Settings {
    Settings {
        store: StorePlace::Memory,
        grace: Duration::from_secs(60),
        connect_timeout: LONGEST,
        heartbeat_interval: KEEPALIVE,
        http2_keepalive_interval: KEEPALIVE,
        http2_keepalive_timeout: KEEPALIVE,
        delivery_timeout: Duration::from_secs(60),
        ..Settings::default()
    }
}
