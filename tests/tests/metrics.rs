//! What the arena shows of itself to Prometheus.

use std::{collections::BTreeSet, net::SocketAddr};

use anyhow::{Context, ensure};
use broadside_arena::{Arena, Settings, store::StorePlace};
use broadside_proto::v1::{self, log_entry::Entry};
use broadside_tests::{Bot, PATIENCE, TestArena, named, request};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    sync::RwLock,
};
use tonic::{Code, Request};

/// One test counts the sockets of this process, and wants to be alone with that.
static SOCKETS: RwLock<()> = RwLock::const_new(());

/// The page, as Prometheus gets it.
struct Page(String);

impl Page {
    async fn of(address: SocketAddr) -> anyhow::Result<Self> {
        let mut stream = TcpStream::connect(address).await?;
        let ask = format!("GET /metrics HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n");
        stream.write_all(ask.as_bytes()).await?;
        let mut said = String::new();
        stream.read_to_string(&mut said).await?;
        ensure!(said.starts_with("HTTP/1.1 200 OK\r\n"), "{said}");
        ensure!(said.contains("text/plain; version=0.0.4"), "{said}");
        Ok(Self(said))
    }

    /// The page once this holds.
    async fn once(address: SocketAddr, holds: impl Fn(&Self) -> bool) -> anyhow::Result<Self> {
        let seen = async {
            loop {
                let page = Self::of(address).await?;
                if holds(&page) {
                    return Ok(page);
                }
            }
        };
        tokio::time::timeout(PATIENCE, seen)
            .await
            .context("it never came to that")?
    }

    /// What a metric is at; `None` if it is not there.
    fn value(&self, metric: &str) -> Option<f64> {
        self.0
            .lines()
            .find_map(|line| line.strip_prefix(metric)?.strip_prefix(' '))
            .and_then(|value| value.parse().ok())
    }

    fn names(&self) -> BTreeSet<&str> {
        let kinds = self
            .0
            .lines()
            .filter_map(|line| line.strip_prefix("# TYPE "));
        kinds.filter_map(|line| line.split(' ').next()).collect()
    }
}

async fn measured() -> anyhow::Result<(TestArena, SocketAddr)> {
    let any = SocketAddr::from(([127, 0, 0, 1], 0));
    let arena = TestArena::start_with(|settings| settings.metrics_listen = Some(any)).await?;
    let address = arena.metrics_address().context("no metrics")?;
    Ok((arena, address))
}

/// What records say of turns: accepted, refused, and the sums of both parts of their time in microseconds.
#[derive(Default)]
struct Played {
    accepted: u32,
    refused: u32,
    entries: u32,
    service_us: u64,
    bot_us: u64,
}

impl Played {
    fn add(&mut self, record: &v1::MatchRecord) {
        for logged in &record.entries {
            self.entries += 1;
            match &logged.entry {
                Some(Entry::Accepted(accepted)) => {
                    self.accepted += 1;
                    let timing = accepted.timing.unwrap_or_default();
                    self.service_us += timing.handed_us - timing.asked_us;
                    self.bot_us += timing.answered_us - timing.handed_us;
                }
                Some(Entry::Refused(_)) => self.refused += 1,
                _ => {}
            }
        }
    }
}

fn is_close(seconds: f64, us: u64) -> bool {
    (seconds * 1e6 - us as f64).abs() < 1.0 + us as f64 * 1e-6
}

#[tokio::test]
async fn the_numbers_are_those_of_the_records() -> anyhow::Result<()> {
    let _together = SOCKETS.read().await;
    let (arena, address) = measured().await?;
    let mut one = Bot::connect(arena.channel(), Bot::profile("one")).await?;
    let mut two = Bot::connect(arena.channel(), Bot::profile("two")).await?;
    let page = Page::of(address).await?;
    assert_eq!(page.value("broadside_agents_connected"), Some(2.0));
    assert_eq!(page.value("broadside_turn_bot_seconds_count"), Some(0.0));

    let mut played = Played::default();
    for _ in 0..3 {
        let request = request(v1::Variant::Classic, named("one"), named("two"));
        let match_id = arena.create(request).await?;
        // An answer without a move is refused, and the turn comes again.
        let turn = one.turn().await?;
        one.answer(&turn, None).await?;
        let (ended, _) = tokio::try_join!(one.play_first_legal(), two.play_first_legal())?;
        let outcome = ended.outcome.context("no outcome")?;
        assert_eq!(outcome.termination(), v1::Termination::WonByPlay);
        played.add(&arena.record(match_id).await?);
    }
    let waiting = request(v1::Variant::Abalone, named("one"), named("nobody"));
    arena.create(waiting).await?;

    // A match's task ends a little after its agents are told of the end.
    let page = Page::once(address, |page| {
        page.value("broadside_matches{state=\"running\"}") == Some(0.0)
    })
    .await?;
    assert_eq!(
        page.value("broadside_matches{state=\"waiting\"}"),
        Some(1.0)
    );
    let accepted = f64::from(played.accepted);
    assert_eq!(
        page.value(
            "broadside_matches_ended_total{variant=\"classic\",termination=\"won_by_play\"}"
        ),
        Some(3.0)
    );
    assert_eq!(
        page.value("broadside_matches_ended_total{variant=\"classic\",termination=\"time\"}"),
        Some(0.0)
    );
    assert_eq!(
        page.value("broadside_turns_answered_total{variant=\"classic\"}"),
        Some(accepted)
    );
    assert_eq!(
        page.value("broadside_turns_answered_total{variant=\"salvo\"}"),
        Some(0.0)
    );
    assert_eq!(
        page.value("broadside_turns_refused_total{variant=\"classic\"}"),
        Some(f64::from(played.refused))
    );
    assert_eq!(played.refused, 3);
    assert_eq!(
        page.value("broadside_turn_bot_seconds_count"),
        Some(accepted)
    );
    assert_eq!(
        page.value("broadside_turn_service_seconds_count"),
        Some(accepted)
    );
    let bot = page
        .value("broadside_turn_bot_seconds_sum")
        .unwrap_or_default();
    assert!(is_close(bot, played.bot_us), "{bot} {}", played.bot_us);
    let service = page
        .value("broadside_turn_service_seconds_sum")
        .unwrap_or_default();
    assert!(
        is_close(service, played.service_us),
        "{service} {}",
        played.service_us
    );
    // At least the start of each match, each accepted move and each refusal, in an append each; the creations are none.
    let appends = page.value("broadside_append_seconds_count");
    assert_eq!(appends, Some(3.0 + accepted + f64::from(played.refused)));
    assert!(page.value("broadside_session_queue_peak_ever") >= Some(1.0));
    assert!(page.value("broadside_match_inbox_peak_ever") >= Some(1.0));
    assert!(page.value("broadside_stamp_to_wire_peak_ever_seconds") > Some(0.0));
    arena.stop().await
}

#[tokio::test]
async fn sessions_and_wrong_tokens_are_counted_by_what_became_of_them() -> anyhow::Result<()> {
    let _together = SOCKETS.read().await;
    let (arena, address) = measured().await?;
    let first = Bot::connect(arena.channel(), Bot::profile("one")).await?;
    let second = Bot::connect(arena.channel(), Bot::profile("one")).await?;
    let page = Page::once(address, |page| {
        page.value("broadside_sessions_ended_total{reason=\"taken_over\"}") == Some(1.0)
    })
    .await?;
    assert_eq!(page.value("broadside_agents_connected"), Some(1.0));
    drop((first, second));
    let page = Page::once(address, |page| {
        page.value("broadside_agents_connected") == Some(0.0)
    })
    .await?;
    assert_eq!(
        page.value("broadside_sessions_ended_total{reason=\"taken_over\"}"),
        Some(1.0)
    );
    assert_eq!(page.value("broadside_wrong_tokens_total"), Some(0.0));

    let mut asked = Request::new(v1::ListMatchesRequest::default());
    asked
        .metadata_mut()
        .insert("authorization", "Bearer wrong".parse()?);
    let refused = arena.matches().list_matches(asked).await.unwrap_err();
    assert_eq!(refused.code(), Code::Unauthenticated);
    let page = Page::of(address).await?;
    assert_eq!(page.value("broadside_wrong_tokens_total"), Some(1.0));
    arena.stop().await
}

#[tokio::test]
async fn the_page_lists_what_the_documentation_lists() -> anyhow::Result<()> {
    let _together = SOCKETS.read().await;
    let (arena, address) = measured().await?;
    let mut one = Bot::connect(arena.channel(), Bot::profile("one")).await?;
    let alone = request(v1::Variant::Classic, named("one"), named("one"));
    arena.create(alone).await?;
    // Times are shown from the first one on.
    one.play_first_legal().await?;
    let page = Page::of(address).await?;
    let text = include_str!("../../docs/metrics.md");
    let quoted = text
        .split('`')
        .filter(|word| word.starts_with("broadside_"));
    let documented: BTreeSet<_> = quoted.filter_map(|word| word.split('{').next()).collect();
    assert_eq!(page.names(), documented);
    arena.stop().await
}

#[tokio::test]
async fn another_path_shows_nothing() -> anyhow::Result<()> {
    let _together = SOCKETS.read().await;
    let (arena, address) = measured().await?;
    let mut stream = TcpStream::connect(address).await?;
    stream
        .write_all(b"GET / HTTP/1.1\r\nHost: arena\r\nConnection: close\r\n\r\n")
        .await?;
    let mut said = String::new();
    stream.read_to_string(&mut said).await?;
    assert!(said.starts_with("HTTP/1.1 404 "), "{said}");
    arena.stop().await
}

#[tokio::test]
async fn an_address_that_others_reach_is_refused() {
    let settings = Settings {
        listen: SocketAddr::from(([127, 0, 0, 1], 0)),
        store: StorePlace::Memory,
        metrics_listen: Some(SocketAddr::from(([0, 0, 0, 0], 0))),
        ..Settings::default()
    };
    let error = Arena::bind(settings)
        .await
        .err()
        .map(|error| format!("{error:#}"));
    let error = error.unwrap_or_default();
    assert!(error.contains("metrics_listen is 0.0.0.0:0"), "{error}");
}

/// How many sockets of this process listen.
fn listening() -> anyhow::Result<usize> {
    let mut own = BTreeSet::new();
    for descriptor in std::fs::read_dir("/proc/self/fd")? {
        if let Ok(what) = std::fs::read_link(descriptor?.path()) {
            own.insert(what.to_string_lossy().into_owned());
        }
    }
    let tables = ["/proc/self/net/tcp", "/proc/self/net/tcp6"];
    let tables: Vec<_> = tables
        .iter()
        .filter_map(|path| std::fs::read_to_string(path).ok())
        .collect();
    let rows = tables.iter().flat_map(|table| table.lines().skip(1));
    let listen = rows.filter(|row| {
        let mut fields = row.split_whitespace();
        // State 0A is LISTEN; the socket's number is six fields later.
        fields.nth(3) == Some("0A")
            && fields
                .nth(5)
                .is_some_and(|socket| own.contains(&format!("socket:[{socket}]")))
    });
    Ok(listen.count())
}

#[tokio::test]
async fn nothing_listens_when_it_is_off() -> anyhow::Result<()> {
    let _alone = SOCKETS.write().await;
    let off = TestArena::start().await?;
    assert_eq!(off.metrics_address(), None);
    assert_eq!(listening()?, 1);
    let (on, _) = measured().await?;
    assert_eq!(listening()?, 3);
    on.stop().await?;
    off.stop().await
}
