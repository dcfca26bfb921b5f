//! Bots of every language while the arena is killed and started again.

use std::{
    sync::{Arc, Condvar, Mutex, PoisonError},
    time::Duration,
};

use anyhow::{Context, ensure};
use broadside_agents::{Agent, Config, DialIn, Random, Retry, Seed, Slow, profile};
use broadside_proto::v1::{
    self, Termination, log_entry::Entry, match_service_client::MatchServiceClient,
};
use broadside_tests::{PATIENCE, dialled, ended, named, programs::ArenaProgram};
use tokio::sync::watch;
use tonic::transport::{Channel, Endpoint};

use crate::{bot::RunningBot, language::languages, matches::patient_request};

/// At this decision of a match its opponent waits until the arena was killed and is there again.
const MIDDLE: u32 = 12;

/// Closed until it is opened.
#[derive(Default)]
struct Gate(Mutex<bool>, Condvar);

impl Gate {
    fn pass(&self) {
        let is_open = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let passed = self.1.wait_while(is_open, |is_open| !*is_open);
        drop(passed.unwrap_or_else(PoisonError::into_inner));
    }

    /// Opens when what is returned is dropped, so that nobody waits on when the test has failed.
    fn opened_at_last(self: &Arc<Self>) -> impl Drop + use<> {
        struct Open(Arc<Gate>);
        impl Drop for Open {
            fn drop(&mut self) {
                self.0.open();
            }
        }
        Open(self.clone())
    }

    fn open(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.1.notify_all();
    }
}

async fn matches(arena: &ArenaProgram) -> anyhow::Result<MatchServiceClient<Channel>> {
    let endpoint = Endpoint::from_shared(format!("http://{}", arena.address))?;
    Ok(MatchServiceClient::new(endpoint.connect().await?).max_decoding_message_size(16 << 20))
}

async fn outcome(
    matches: &mut MatchServiceClient<Channel>,
    match_id: u64,
) -> anyhow::Result<v1::Outcome> {
    let request = v1::WatchMatchRequest { match_id };
    let updates = matches.watch_match(request).await?.into_inner();
    let ended = ended(updates).await?.r#match;
    ended.and_then(|ended| ended.outcome).context("no outcome")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_bot_and_an_arena_that_was_killed_find_each_other_again_and_play_to_the_end()
-> anyhow::Result<()> {
    let folder = tempfile::tempdir()?;
    let store = folder.path().join("matches.sqlite");
    let store = store.to_str().context("a path that is no text")?;
    let dial = ["--dial-allow", "loopback", "--store", store];
    let arena = ArenaProgram::start(&dial).await?;
    let address = arena.address.to_string();
    let languages = languages().await?;
    let gate = Arc::new(Gate::default());
    let closed = gate.opened_at_last();
    let (mut bots, mut opponents, mut created) = (Vec::new(), Vec::new(), Vec::new());
    let mut client = matches(&arena).await?;
    for language in &languages {
        bots.push(RunningBot::dials(language, &format!("http://{address}"), &[]).await?);
        bots.push(RunningBot::serves(language, &[]).await?);
    }
    for (number, bot) in bots.iter().enumerate() {
        let name = format!("opponent-{number}");
        let mut config = Config::new(
            format!("http://{address}"),
            profile::every_variant(&name, 1).with_legal_moves(),
        );
        config.retry = Retry {
            first: Duration::from_millis(5),
            longest: Duration::from_millis(50),
            attempts: None,
        };
        let asked = watch::Sender::new(0);
        let (random, counting, gate) = (Random::new(Seed(3)), asked.clone(), gate.clone());
        let agent = Slow(move |turn: &v1::Turn| {
            counting.send_modify(|asked| *asked += 1);
            if *counting.borrow() >= MIDDLE {
                gate.pass();
            }
            random.choose(turn)
        });
        opponents.push((DialIn::spawn(config, Arc::new(agent)), asked));
        let player = match &bot.address {
            Some(address) => dialled(address),
            None => named(&bot.name),
        };
        let request = patient_request(v1::Variant::Classic, player, named(&name));
        let response = client.create_match(request).await?.into_inner();
        created.push(response.r#match.context("no match")?.match_id);
    }
    for ((_, asked), bot) in opponents.iter().zip(&bots) {
        let mut asked = asked.subscribe();
        let middle = asked.wait_for(|asked| *asked >= MIDDLE);
        tokio::time::timeout(PATIENCE, middle)
            .await
            .with_context(|| format!("{} does not play: {}", bot.name, bot.said()))??;
    }
    arena.kill().await?;
    drop(closed);

    let again = [&dial[..], &["--listen", &address]].concat();
    let arena = ArenaProgram::start(&again).await?;
    let mut client = matches(&arena).await?;
    for (match_id, bot) in created.into_iter().zip(&bots) {
        let outcome = outcome(&mut client, match_id).await;
        let outcome = outcome.with_context(|| format!("{} said {}", bot.name, bot.said()))?;
        ensure!(
            outcome.termination() == Termination::WonByPlay,
            "{}: {}: {}",
            bot.name,
            outcome.message,
            bot.said()
        );
        let request = v1::GetMatchRecordRequest { match_id };
        let record = client.get_match_record(request).await?.into_inner();
        let record = record.record.context("no record")?;
        broadside_record::verify(&record, None).context(bot.name.clone())?;
        let entries = || {
            record
                .entries
                .iter()
                .filter_map(|entry| entry.entry.as_ref())
        };
        let refused = entries().find(|entry| matches!(entry, Entry::Refused(_)));
        ensure!(refused.is_none(), "{}: {refused:?}", bot.name);
        ensure!(
            entries().any(|entry| matches!(entry, Entry::Resumed(_))),
            "the match of {} was not in its middle",
            bot.name
        );
    }
    for (opponent, _) in opponents {
        opponent.leave().await?;
    }
    arena.stop().await?;
    Ok(())
}
