//! A season of matches on an arena that is killed again and again, and the same matches on one that is not.

use std::{
    collections::{BTreeMap, HashSet},
    sync::{Arc, atomic::Ordering},
    time::Duration,
};

use anyhow::{Context, ensure};
use broadside_proto::v1::{
    self, log_entry::Entry, match_service_client::MatchServiceClient, watch_match_response::Update,
};
use broadside_record::verify::verify;
use broadside_tests::{PATIENCE, TestArena, VARIANTS, named, programs::ArenaProgram, request};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use tokio::{task::JoinHandle, time::Instant};
use tokio_util::sync::{CancellationToken, DropGuard};
use tonic::transport::{Channel, Endpoint};

use crate::bot::{self, Seen};

const AGENTS: [&str; 2] = ["left", "right"];

/// What became of a match: its outcome and its moves, without times.
#[derive(Debug, PartialEq)]
pub(crate) struct Course {
    outcome: Option<v1::Outcome>,
    moves: Vec<(u32, Option<v1::Move>, Option<v1::Answer>)>,
}

pub(crate) struct Season {
    seen: Arc<Seen>,
    created: usize,
    open: Vec<u64>,
    over: Vec<u64>,
    rng: ChaCha8Rng,
}

/// The bots of a season. They stop when dropped.
struct Bots {
    _stop: DropGuard,
    _tasks: Vec<JoinHandle<anyhow::Result<()>>>,
}

impl Bots {
    fn start(url: &str, seen: &Arc<Seen>) -> Self {
        let stop = CancellationToken::new();
        let start = |name| tokio::spawn(bot::run(url.to_owned(), name, seen.clone(), stop.clone()));
        Self {
            _tasks: AGENTS.map(start).into(),
            _stop: stop.drop_guard(),
        }
    }
}

impl Season {
    /// Plays with so many matches in play until the arena has been killed so often, and on to the end of all of them; then plays the same
    /// matches undisturbed, and compares.
    pub(crate) async fn play(store: &str, matches: usize, kills: usize) -> anyhow::Result<()> {
        let seed = std::env::var("BROADSIDE_SEED").ok();
        let seed = seed.map_or(Ok(20), |seed| seed.parse())?;
        println!("seed {seed}: set BROADSIDE_SEED for another");
        let mut season = Self {
            seen: Arc::default(),
            created: 0,
            open: Vec::new(),
            over: Vec::new(),
            rng: ChaCha8Rng::seed_from_u64(seed),
        };
        // Long enough for any restart on a busy machine: here nobody is to lose by being away.
        let arguments = ["--store", store, "--grace", "5m", "--log", "warn"];
        let mut arena = ArenaProgram::start(&arguments).await?;
        let address = arena.address.to_string();
        let again = [&["--listen", &address], &arguments[..]].concat();
        let url = format!("http://{address}");
        let bots = Bots::start(&url, &season.seen);

        for kill in 0..kills {
            season.fill_up(&url, matches).await?;
            season.wait_for_answers().await?;
            ensure!(!season.open.is_empty(), "kill {kill}: nothing was in play");
            arena.kill().await?;
            arena = ArenaProgram::start(&again).await?;
        }
        season.finish(&url).await?;
        season.check(&url).await?;
        drop(bots);
        arena.stop().await?;
        Ok(())
    }

    /// Creates matches until so many are in play.
    async fn fill_up(&mut self, url: &str, matches: usize) -> anyhow::Result<()> {
        let mut client = client(url).await?;
        let mut open = Vec::new();
        for match_id in self.open.drain(..) {
            let got = client
                .get_match(v1::GetMatchRequest { match_id })
                .await?
                .into_inner();
            let state = got.r#match.unwrap_or_default().state();
            if state == v1::MatchState::Over {
                self.over.push(match_id);
            } else {
                open.push(match_id);
            }
        }
        self.open = open;
        while self.open.len() < matches {
            let response = client.create_match(self.request(self.created)).await?;
            let created = response.into_inner().r#match.context("no match")?;
            self.open.push(created.match_id);
            self.created += 1;
        }
        Ok(())
    }

    /// The match of this number, on whatever arena.
    fn request(&self, number: usize) -> v1::CreateMatchRequest {
        let (variant, _) = VARIANTS[number % VARIANTS.len()];
        v1::CreateMatchRequest {
            request_id: format!("match {number}"),
            seed: Some(number as u64),
            seating: Some(v1::Seating::Drawn.into()),
            time_control: Some(v1::TimeControl {
                turn_cap_ms: Some(600_000),
                deployment_ms: Some(600_000),
                ..v1::TimeControl::default()
            }),
            ..request(variant, named(AGENTS[0]), named(AGENTS[1]))
        }
    }

    /// Until the bots have answered some more turns, and a moment longer: any instant may be the last.
    async fn wait_for_answers(&mut self) -> anyhow::Result<()> {
        let wanted = self.seen.answers.load(Ordering::Relaxed) + self.rng.random_range(1..80);
        let deadline = Instant::now() + PATIENCE;
        while self.seen.answers.load(Ordering::Relaxed) < wanted {
            ensure!(Instant::now() < deadline, "the bots are not asked any more");
            tokio::time::sleep(Duration::from_micros(200)).await;
        }
        tokio::time::sleep(Duration::from_micros(self.rng.random_range(0..2_000))).await;
        Ok(())
    }

    /// Until every match is over.
    async fn finish(&mut self, url: &str) -> anyhow::Result<()> {
        let mut client = client(url).await?;
        for match_id in self.open.drain(..) {
            let watched = async {
                let request = v1::WatchMatchRequest { match_id };
                let mut updates = client.watch_match(request).await?.into_inner();
                while let Some(update) = updates.message().await? {
                    if let Some(Update::Ended(_)) = update.update {
                        return Ok(());
                    }
                }
                anyhow::bail!("the watch of match {match_id} ended before the match")
            };
            tokio::time::timeout(PATIENCE, watched)
                .await
                .with_context(|| format!("match {match_id} did not end"))??;
            self.over.push(match_id);
        }
        Ok(())
    }

    async fn check(&self, url: &str) -> anyhow::Result<()> {
        let mut client = client(url).await?;
        let mut key = None;
        let mut courses = BTreeMap::new();
        let mut accepted = self.seen.accepted.lock().map_or_else(
            |_| anyhow::bail!("a bot panicked"),
            |mut accepted| Ok(std::mem::take(&mut *accepted)),
        )?;
        let mut resumptions = 0;
        for &match_id in &self.over {
            let record = record(&mut client, match_id).await?;
            let trusted = *key.get_or_insert(record.public_key.as_slice().try_into()?);
            verify(&record, Some(trusted)).with_context(|| format!("match {match_id}"))?;
            let mut turns = HashSet::new();
            for entry in &record.entries {
                match &entry.entry {
                    Some(Entry::Accepted(kept)) => {
                        ensure!(
                            turns.insert(kept.turn_id),
                            "match {match_id}: turn {} counts twice",
                            kept.turn_id
                        );
                        if let Some(told) = accepted.remove(&(match_id, kept.turn_id)) {
                            ensure!(
                                told.answer == kept.answer
                                    && told.r#move.is_none_or(|told| Some(told) == kept.r#move),
                                "match {match_id}: turn {} was accepted otherwise",
                                kept.turn_id
                            );
                        }
                    }
                    Some(Entry::Resumed(_)) => resumptions += 1,
                    _ => {}
                }
            }
            courses.insert(number(&record)?, course(&record));
        }
        ensure!(
            accepted.is_empty(),
            "accepted and not in any record: {:?}",
            accepted.keys()
        );
        let wrong = self.seen.wrong.lock().map(|wrong| wrong.clone());
        ensure!(
            wrong.as_ref().is_ok_and(Vec::is_empty),
            "the bots have seen {wrong:?}"
        );
        ensure!(courses.len() == self.created, "matches are missing");
        // And the test can tell: matches did go on after crashes, and so did sessions.
        ensure!(resumptions > self.created, "only {resumptions} resumptions");
        ensure!(
            self.seen.resumed.load(Ordering::Relaxed) > 0,
            "no session was resumed"
        );
        let undisturbed = self.undisturbed().await?;
        for (number, course) in &courses {
            ensure!(
                undisturbed.get(number) == Some(course),
                "match {number} went another way than without crashes: {course:?}"
            );
        }
        println!(
            "{} matches, {resumptions} resumptions, {} answers",
            courses.len(),
            self.seen.answers.load(Ordering::Relaxed)
        );
        Ok(())
    }

    /// The same matches on an arena that is left alone.
    async fn undisturbed(&self) -> anyhow::Result<BTreeMap<usize, Course>> {
        let arena = TestArena::start().await?;
        let bots = Bots::start(&arena.url(), &Arc::default());
        let mut courses = BTreeMap::new();
        let mut created = Vec::new();
        for number in 0..self.created {
            created.push(arena.create(self.request(number)).await?);
        }
        for match_id in created {
            arena.ended(match_id).await?;
            let record = arena.record(match_id).await?;
            courses.insert(number(&record)?, course(&record));
        }
        drop(bots);
        arena.stop().await?;
        Ok(courses)
    }
}

async fn client(url: &str) -> anyhow::Result<MatchServiceClient<Channel>> {
    let channel = Endpoint::from_shared(url.to_owned())?
        .tcp_nodelay(true)
        .connect()
        .await?;
    Ok(MatchServiceClient::new(channel).max_decoding_message_size(16 << 20))
}

async fn record(
    client: &mut MatchServiceClient<Channel>,
    match_id: u64,
) -> anyhow::Result<v1::MatchRecord> {
    let request = v1::GetMatchRecordRequest { match_id };
    let response = client.get_match_record(request).await?.into_inner();
    response.record.context("no record")
}

/// The number of a match, from its request id.
fn number(record: &v1::MatchRecord) -> anyhow::Result<usize> {
    let first = record
        .entries
        .first()
        .and_then(|entry| entry.entry.as_ref());
    let Some(Entry::Created(created)) = first else {
        anyhow::bail!("a record that does not create its match");
    };
    let (_, number) = created
        .request_id
        .rsplit_once(' ')
        .context("another request id")?;
    Ok(number.parse()?)
}

fn course(record: &v1::MatchRecord) -> Course {
    let mut course = Course {
        outcome: None,
        moves: Vec::new(),
    };
    for entry in &record.entries {
        match &entry.entry {
            Some(Entry::Accepted(accepted)) => {
                course.moves.push((
                    accepted.turn_id,
                    accepted.r#move.clone(),
                    accepted.answer.clone(),
                ));
            }
            Some(Entry::Ended(ended)) => course.outcome.clone_from(&ended.outcome),
            _ => {}
        }
    }
    // The two deploy at the same time, whichever is first.
    let battle = course.moves.iter().take(2).filter(|one| one.0 <= 2).count();
    course.moves[..battle].sort_by_key(|one| one.0);
    course
}
