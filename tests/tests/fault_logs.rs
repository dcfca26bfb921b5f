//! What gets into the log, and how much of it.

use std::{
    io::{self, Write},
    sync::{Arc, LazyLock},
};

use anyhow::Context;
use broadside_arena::{
    Settings,
    auth::mint,
    store::{Holder, MemoryStore, Store},
    time::unix_ms,
};
use broadside_proto::v1::{self, connect_response::Message, log_entry::Entry};
use broadside_tests::{Bot, TestArena, VARIANTS, named, request};
use parking_lot::Mutex;
use prost::Message as _;
use secrecy::ExposeSecret;
use tokio::sync::Mutex as Turns;
use tracing_subscriber::{
    EnvFilter, Registry, layer::SubscriberExt, reload, util::SubscriberInitExt,
};

/// What was logged.
#[derive(Clone, Default)]
struct Lines(Arc<Mutex<Vec<u8>>>);

impl Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The log of this process.
struct Log {
    lines: Lines,
    level: reload::Handle<EnvFilter, Registry>,
}

static LOG: LazyLock<Log> = LazyLock::new(|| {
    let lines = Lines::default();
    let writer = lines.clone();
    let (filter, level) = reload::Layer::new(EnvFilter::new("off"));
    let format = tracing_subscriber::fmt::layer()
        .with_ansi(false)
        .with_writer(move || writer.clone());
    tracing_subscriber::registry()
        .with(filter)
        .with(format)
        .init();
    Log { lines, level }
});

/// There is one log for all tests of this process: one at a time has it.
static ONE_AT_A_TIME: Turns<()> = Turns::const_new(());

impl Log {
    /// Begins at a level.
    fn begin(&self, level: &str) -> anyhow::Result<()> {
        self.lines.0.lock().clear();
        Ok(self.level.reload(EnvFilter::new(level))?)
    }

    /// What was logged since.
    fn read(&self) -> String {
        String::from_utf8_lossy(&self.lines.0.lock()).into_owned()
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// What must not be in a log, of a match.
fn secrets(record: &v1::MatchRecord) -> anyhow::Result<Vec<String>> {
    let mut secrets = Vec::new();
    for entry in &record.entries {
        match &entry.entry {
            Some(Entry::Created(created)) => {
                secrets.push(created.seed.to_string());
                secrets.push(format!("{:x}", created.seed));
                secrets.push(hex(&created.commitment_key));
                secrets.push(format!("{:?}", created.commitment_key));
            }
            Some(Entry::Accepted(accepted)) if !accepted.commitment.is_empty() => {
                let fleet = accepted.r#move.as_ref().context("no move")?;
                let body = fleet.encode_to_vec();
                secrets.push(format!("{fleet:?}"));
                secrets.push(format!("{body:?}"));
                secrets.push(hex(&body));
            }
            _ => {}
        }
    }
    Ok(secrets)
}

/// How a place of a ship would be told: in words, and by the types that hold it.
const PLACES: [&str; 7] = [
    "PlacedShip {",
    "orientation:",
    "hulls:",
    "afloat_cells:",
    "both cover",
    "berth: Some",
    "legal_moves: Some",
];

/// Plays on, after it has tried to place its fleet wrongly.
async fn clumsily(bot: &mut Bot, strikes: u32) -> anyhow::Result<()> {
    let mut tried = strikes == 0;
    loop {
        match bot.next().await? {
            Message::Turn(turn) => {
                let action = Bot::first_legal(&turn)?;
                if !tried && let Some(wrong) = overlapping(&action) {
                    tried = true;
                    bot.answer(&turn, wrong).await?;
                } else {
                    bot.answer(&turn, action).await?;
                }
            }
            Message::MatchEnd(_) => return Ok(()),
            _ => {}
        }
    }
}

/// The same fleet, with one ship upon another; of two variants that stand for all.
fn overlapping(fleet: &v1::Move) -> Option<v1::Move> {
    use v1::r#move::Variant as Of;
    let mut wrong = fleet.clone();
    let ships = match &mut wrong.variant {
        Some(Of::Classic(v1::ClassicMove {
            r#move: Some(v1::classic_move::Move::Deployment(fleet)),
        })) => &mut fleet.ships,
        Some(Of::Amiral(v1::AmiralMove {
            r#move: Some(v1::amiral_move::Move::Deployment(fleet)),
        })) => &mut fleet.ships,
        _ => return None,
    };
    let first = *ships.first()?;
    let second = ships.get_mut(1)?;
    second.cell = first.cell;
    second.orientation = first.orientation;
    Some(wrong)
}

#[tokio::test]
async fn fault_52_no_fleet_no_seed_no_key_and_no_token_is_in_the_log_at_its_finest_level()
-> anyhow::Result<()> {
    let _one = ONE_AT_A_TIME.lock().await;
    LOG.begin("trace")?;
    let store = Arc::new(MemoryStore::new(100));
    let arena = TestArena::start_on(store.clone(), |_| {}).await?;
    let minted = mint(Holder::Operator, unix_ms(), None)?;
    let token = minted.text.expose_secret().to_owned();
    store.add_token(minted.kept.clone()).await?;
    let mut asked = tonic::Request::new(v1::ListMatchesRequest::default());
    asked
        .metadata_mut()
        .insert("authorization", format!("Bearer {token}").parse()?);
    arena.matches().list_matches(asked).await?;
    let mut secrets_of_all = vec![
        token.rsplit('_').next().context("a token")?.to_owned(),
        hex(&minted.kept.hash),
        format!("{:?}", minted.kept.hash),
    ];
    let mut matches = Vec::new();
    for (variant, _) in VARIANTS {
        let strikes = match variant {
            v1::Variant::Naumachia => 0,
            _ => 10,
        };
        let asked = v1::CreateMatchRequest {
            strikes: Some(strikes),
            ..request(variant, named("one"), named("two"))
        };
        let match_id = arena.create(asked).await?;
        let mut one = Bot::connect(arena.channel(), Bot::profile("one")).await?;
        let mut two = Bot::connect(arena.channel(), Bot::profile("two")).await?;
        let (one, two) = tokio::join!(clumsily(&mut one, strikes), clumsily(&mut two, strikes));
        one?;
        two?;
        matches.push(match_id);
        secrets_of_all.extend(secrets(&arena.record(match_id).await?)?);
    }
    arena.stop().await?;
    let log = LOG.read();
    // It is the log of these matches, at that level.
    for match_id in matches {
        assert!(log.contains(&format!("match_id={match_id}")), "{match_id}");
    }
    assert!(log.contains("TRACE") && log.contains("move accepted"));
    assert!(log.contains("move refused"));
    for secret in secrets_of_all.iter().map(String::as_str).chain(PLACES) {
        if let Some(at) = log.find(secret) {
            let line = log[..at].rfind('\n').map_or(0, |end| end + 1);
            let line = log[line..].lines().next().unwrap_or_default();
            anyhow::bail!("{secret} is in the log: {line}");
        }
    }
    Ok(())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn fault_64_ten_thousand_bad_requests_make_a_handful_of_lines() -> anyhow::Result<()> {
    let _one = ONE_AT_A_TIME.lock().await;
    // The arena's own default.
    LOG.begin(&Settings::default().log)?;
    let arena = TestArena::start().await?;
    let mut flood = tokio::task::JoinSet::new();
    for number in 0..20_u64 {
        let mut matches = arena.matches();
        flood.spawn(async move {
            for bad in 0..500 {
                let match_id = number << 32 | bad;
                let refused = match bad % 4 {
                    0 => matches
                        .create_match(request(
                            v1::Variant::Classic,
                            named(&format!("\u{1b}[2J{match_id}")),
                            named("two"),
                        ))
                        .await
                        .map(drop),
                    1 => matches
                        .get_match(v1::GetMatchRequest { match_id })
                        .await
                        .map(drop),
                    2 => {
                        let mut asked = tonic::Request::new(v1::ListMatchesRequest::default());
                        let bearer = format!("Bearer wrong-{match_id}");
                        let bearer = bearer.parse().map_err(anyhow::Error::from)?;
                        asked.metadata_mut().insert("authorization", bearer);
                        matches.list_matches(asked).await.map(drop)
                    }
                    _ => matches
                        .list_matches(v1::ListMatchesRequest {
                            page_token: format!("\n{match_id}"),
                            ..Default::default()
                        })
                        .await
                        .map(drop),
                };
                anyhow::ensure!(refused.is_err(), "{bad} was not refused");
            }
            anyhow::Ok(())
        });
    }
    while let Some(done) = flood.join_next().await {
        done??;
    }
    let log = LOG.read();
    let lines = log.lines().count();
    assert!(log.contains("the arena is open"), "{log}");
    assert!(
        lines < 20,
        "{lines} lines, such as {:?}",
        log.lines().last()
    );
    arena.stop().await
}
