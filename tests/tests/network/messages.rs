//! Messages doubled, overtaken, held up, and sent again later: each turn has one answer all the same.

use std::time::Duration;

use anyhow::Context;
use broadside_tests::{
    DialledBot, dialled, named,
    proxy::{CallMischief, CallProxy, Mischief, StreamProxy},
};
use tonic::Status;

use crate::rig::{Count, Rig, dial_in, moves, random, same_games};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn games_go_as_they_would_without_the_mischief_on_their_messages() -> anyhow::Result<()> {
    let rig = Rig::start().await?;
    let (one, two) = (
        random(rig.arena.url(), "one"),
        random(rig.arena.url(), "two"),
    );
    let created = rig.create(42, &named("one"), &named("two")).await?;
    let straight = rig.end_properly(&created).await?;
    one.leave().await?;
    two.leave().await?;
    for seed in [1, 2] {
        let some = Mischief::some(Duration::from_millis(2));
        let proxy = StreamProxy::start(rig.arena.address(), seed, some, some).await?;
        let one = random(proxy.url(), "one");
        let two = random(proxy.url(), "two");
        let created = rig.create(42, &named("one"), &named("two")).await?;
        let crooked = rig.end_properly(&created).await?;
        same_games(&crooked, &straight).with_context(|| format!("seed {seed}"))?;
        one.leave().await?;
        two.leave().await?;
        drop(proxy);
        rig.nothing_is_left().await?;
    }
    rig.arena.stop().await
}

/// Plays at random and counts what it is told changed nothing.
struct Counting(broadside_agents::Random, Count);

impl broadside_agents::Agent for Counting {
    fn choose(&self, turn: &broadside_proto::v1::Turn) -> Option<broadside_proto::v1::Move> {
        self.0.choose(turn)
    }

    fn rejected(&self, rejected: &broadside_proto::v1::Rejected) {
        use broadside_proto::v1::RejectedReason as Reason;
        assert!(
            matches!(
                rejected.reason(),
                Reason::AlreadyAnswered | Reason::UnknownMatch
            ),
            "{rejected:?}"
        );
        self.1.one_more();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whoever_answers_twice_is_told_that_the_first_answer_counts() -> anyhow::Result<()> {
    let rig = Rig::start().await?;
    let doubled = Mischief {
        duplicate: 50,
        ..Mischief::default()
    };
    let proxy = StreamProxy::start(rig.arena.address(), 4, doubled, Mischief::default()).await?;
    let told = Count::default();
    let random = || broadside_agents::Random::new(broadside_agents::Seed(2));
    let one = dial_in(proxy.url(), "one", Counting(random(), told.clone()));
    let two = dial_in(rig.arena.url(), "two", random());
    let created = rig.create(7, &named("one"), &named("two")).await?;
    rig.end_properly(&created).await?;
    assert!(told.get() > 0, "nothing was doubled");
    one.leave().await?;
    two.leave().await?;
    drop(proxy);
    rig.nothing_is_left().await?;
    rig.arena.stop().await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_dialled_bot_is_asked_twice_and_its_answers_are_lost_and_the_games_go_on()
-> anyhow::Result<()> {
    let rig = Rig::start().await?;
    let asked = Count::default();
    let bot = {
        let asked = asked.clone();
        DialledBot::serve(move |turn| {
            asked.one_more();
            crate::dialled::first_legal(&turn)
        })
        .await?
    };
    let mischief = CallMischief {
        duplicate: 20,
        lose: 5,
        delay: Duration::from_millis(2),
    };
    let proxy = CallProxy::start(bot.address, 8, mischief).await?;
    let two = random(rig.arena.url(), "two");
    let created = rig
        .create(14, &dialled(proxy.address()), &named("two"))
        .await?;
    let records = rig.end_properly(&created).await?;
    let counted = records
        .iter()
        .flat_map(moves)
        .filter(|(turn_id, _)| turn_id % 2 == 1)
        .count();
    assert!(
        usize::try_from(asked.get())? > counted,
        "it was asked {} times for {counted} turns",
        asked.get()
    );
    two.leave().await?;
    drop(proxy);
    drop(bot);
    rig.nothing_is_left().await?;
    rig.arena.stop().await
}

#[tokio::test]
async fn what_the_arena_says_at_the_end_goes_through_the_proxy() -> anyhow::Result<()> {
    let rig = Rig::start().await?;
    let proxy = StreamProxy::start(
        rig.arena.address(),
        1,
        Mischief::default(),
        Mischief::default(),
    )
    .await?;
    let channel = tonic::transport::Endpoint::from_shared(proxy.url())?
        .connect()
        .await?;
    let mut bot = broadside_tests::Bot::open(channel).await?;
    bot.send_raw(broadside_proto::v1::ConnectRequest::default())
        .await?;
    let status: Status = bot.ended().await?;
    assert_eq!(status.code(), tonic::Code::FailedPrecondition);
    rig.arena.stop().await
}
