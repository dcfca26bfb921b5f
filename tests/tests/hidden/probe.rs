//! Whoever does everything wrong learns no more by it: whatever fleet the opponent has placed, what is said is the same.

use std::time::Duration;

use anyhow::Context;
use broadside_arena::{convert, seed};
use broadside_proto::v1::{
    self, RejectedReason, connect_request, connect_response::Message, r#move::Variant as Of,
};
use broadside_rules::Options;
use broadside_tests::{Bot, TestArena, VARIANTS, named, request};
use tonic::Status;

use super::{CURIOUS, SECRETIVE, seen_without_times, without_times};

/// Fleets of the opponent, drawn at random.
const FLEETS: u64 = 5;

/// What was said, times and ids cleared.
#[derive(Default, PartialEq)]
struct Said {
    /// To the curious player.
    player: Vec<(String, Vec<u8>)>,
    /// To anybody.
    public: Vec<(String, Vec<u8>)>,
}

struct Probe {
    arena: TestArena,
    match_id: u64,
    curious: Bot,
    said: Said,
}

impl Probe {
    /// Sends something wrong, and puts down the one message that comes of it.
    async fn send(&mut self, what: &str, message: connect_request::Message) -> anyhow::Result<()> {
        self.curious.send(message).await?;
        let answer = loop {
            match self.curious.next().await? {
                Message::Heartbeat(_) => {}
                message => break message,
            }
        };
        let wrong = match &answer {
            Message::Turn(turn) => turn.refusal.is_some(),
            Message::Rejected(rejected) => rejected.reason() != RejectedReason::Unspecified,
            _ => false,
        };
        anyhow::ensure!(wrong, "{what}: {answer:?}");
        let answer = v1::ConnectResponse {
            message: Some(answer),
        };
        let mut told = without_times(answer.clone());
        if let Some(Message::Rejected(rejected)) = answer.message {
            told = self.without_id(&rejected.message).into_bytes();
            told.extend(rejected.reason.to_be_bytes());
        }
        self.said.player.push((what.to_owned(), told));
        Ok(())
    }

    fn without_id(&self, text: &str) -> String {
        text.replace(&self.match_id.to_string(), "ID")
    }

    fn status(&mut self, what: &str, status: &Status) {
        let text = format!("{:?} {}", status.code(), self.without_id(status.message()));
        self.said.public.push((what.to_owned(), text.into_bytes()));
    }

    async fn answer(
        &mut self,
        what: &str,
        turn_id: u32,
        action: Option<v1::Move>,
    ) -> anyhow::Result<()> {
        let answer = v1::TurnAnswer {
            match_id: self.match_id,
            turn_id,
            r#move: action,
        };
        self.send(what, connect_request::Message::Answer(answer))
            .await
    }

    /// All that can be done wrong in a turn. In naumachia a refused move loses: there are none.
    async fn do_wrong(
        &mut self,
        turn: &v1::Turn,
        variant: v1::Variant,
        placed: Option<&v1::Move>,
    ) -> anyhow::Result<()> {
        let match_id = self.match_id;
        let turn_id = turn.turn_id;
        for (what, turn_id) in [
            ("turn of nobody", 0),
            ("opponent's turn", turn_id + 1),
            ("future turn", turn_id + 2),
            ("last turn of all", u32::MAX),
        ] {
            self.answer(what, turn_id, Some(Bot::first_legal(turn)?))
                .await?;
        }
        let resignation = v1::Resignation {
            match_id,
            seat: v1::Seat::Two.into(),
        };
        self.send(
            "opponent's resignation",
            connect_request::Message::Resignation(resignation),
        )
        .await?;
        let dispute = v1::Dispute { match_id, turn_id };
        self.send(
            "dispute of nothing",
            connect_request::Message::Dispute(dispute),
        )
        .await?;
        if variant == v1::Variant::Naumachia {
            return Ok(());
        }
        for (what, action) in wrong_moves(placed) {
            self.answer(&what, turn_id, action).await?;
        }
        self.send("dispute", connect_request::Message::Dispute(dispute))
            .await
    }

    /// What anybody may ask.
    async fn ask(&mut self) -> anyhow::Result<()> {
        use v1::watch_match_response::Update;
        let match_id = self.match_id;
        let mut matches = self.arena.matches();
        let got = matches.get_match(v1::GetMatchRequest { match_id }).await?;
        let watch = v1::WatchMatchRequest { match_id };
        let mut updates = matches.watch_match(watch).await?.into_inner();
        let first = updates.message().await?.context("nothing to watch")?;
        let got = v1::WatchMatchResponse {
            update: Some(Update::Snapshot(got.into_inner())),
        };
        for (what, snapshot) in [("get", got), ("watch", first)] {
            let seen = seen_without_times(snapshot);
            self.said.public.push((what.to_owned(), seen));
        }
        let record = self.arena.record(match_id).await.err();
        self.status("record", &record.context("a record before the end")?);
        let reason = "\u{1b}".to_owned();
        let cancel = matches
            .cancel_match(v1::CancelMatchRequest { match_id, reason })
            .await;
        self.status("cancel", &cancel.err().context("cancelled")?);
        Ok(())
    }
}

/// Moves that are refused whatever the fleets are, once a player has placed its own.
fn wrong_moves(placed: Option<&v1::Move>) -> Vec<(String, Option<v1::Move>)> {
    let mut wrong = vec![
        ("no move".to_owned(), None),
        ("empty move".to_owned(), Some(v1::Move { variant: None })),
    ];
    let mut add = |what: String, of: Of| {
        wrong.push((what, Some(v1::Move { variant: Some(of) })));
    };
    let cells = [
        (0, 0),
        (0, 5),
        (5, 0),
        (11, 1),
        (1, 11),
        (u32::MAX, u32::MAX),
    ];
    for (row, column) in cells {
        let cell = Some(v1::Cell { row, column });
        let shot = v1::Shot { cell };
        let salvo = |size: usize| v1::Salvo {
            cells: vec![v1::Cell { row, column }; size],
        };
        let what = |kind: &str| format!("{kind} at {row}, {column}");
        add(
            what("classic shot"),
            Of::Classic(v1::ClassicMove {
                r#move: Some(v1::classic_move::Move::Shot(shot)),
            }),
        );
        add(
            what("amiral shot"),
            Of::Amiral(v1::AmiralMove {
                r#move: Some(v1::amiral_move::Move::Shot(shot)),
            }),
        );
        add(
            what("air strike"),
            Of::AmiralAdvanced(v1::AmiralAdvancedMove {
                r#move: Some(v1::amiral_advanced_move::Move::AirStrike(v1::AirStrike {
                    cell,
                })),
            }),
        );
        for size in [0, 3] {
            add(
                what("salvo"),
                Of::Salvo(v1::SalvoMove {
                    r#move: Some(v1::salvo_move::Move::Salvo(salvo(size))),
                }),
            );
            add(
                what("advanced salvo"),
                Of::AdvancedSalvo(v1::AdvancedSalvoMove {
                    r#move: Some(v1::advanced_salvo_move::Move::Salvo(salvo(size))),
                }),
            );
        }
    }
    let again = placed.map(|fleet| ("second deployment".to_owned(), Some(fleet.clone())));
    wrong.extend(again);
    wrong
}

/// What is said to a player who does everything wrong, before and after both have deployed, and to anybody.
async fn probe(variant: v1::Variant, fleet: u64) -> anyhow::Result<Said> {
    let arena =
        TestArena::start_with(|settings| settings.drain_timeout = Duration::from_millis(1)).await?;
    let asked = v1::CreateMatchRequest {
        seed: Some(1),
        strikes: (variant != v1::Variant::Naumachia).then_some(100),
        ..request(variant, named(CURIOUS), named(SECRETIVE))
    };
    let match_id = arena.create(asked).await?;
    let mut secretive = Bot::connect(arena.channel(), Bot::profile(SECRETIVE)).await?;
    let curious = Bot::connect(arena.channel(), Bot::profile(CURIOUS)).await?;
    let mut probe = Probe {
        arena,
        match_id,
        curious,
        said: Said::default(),
    };
    let turn = secretive.turn().await?;
    let ours = convert::variant_from(variant.into()).context("a variant")?;
    let mut drawn = seed::rng(fleet, seed::Purpose::FleetOfSeatTwo);
    let hidden = convert::dealt_fleet(&Options::default_of(ours), &mut drawn);
    secretive.answer(&turn, hidden.context("a fleet")?).await?;
    let turn = probe.curious.turn().await?;
    probe.do_wrong(&turn, variant, None).await?;
    probe.ask().await?;
    let dealt = Bot::first_legal(&turn)?;
    probe.curious.answer(&turn, dealt.clone()).await?;
    let turn = probe.curious.turn().await?;
    anyhow::ensure!(turn.phase() == v1::Phase::Battle, "{turn:?}");
    probe.do_wrong(&turn, variant, Some(&dealt)).await?;
    probe.ask().await?;
    let Probe { arena, said, .. } = probe;
    arena.stop().await?;
    Ok(said)
}

fn same(name: &str, ours: &[(String, Vec<u8>)], theirs: &[(String, Vec<u8>)]) {
    assert_eq!(ours.len(), theirs.len(), "{name}");
    for (ours, theirs) in ours.iter().zip(theirs) {
        assert_eq!(ours, theirs, "{name}: {}", ours.0);
    }
}

#[tokio::test]
async fn fault_49_and_51_neither_errors_nor_what_spectators_see_depends_on_what_is_hidden()
-> anyhow::Result<()> {
    for (variant, name) in VARIANTS {
        if variant == v1::Variant::Abalone {
            continue;
        }
        let first = probe(variant, 0).await?;
        for fleet in 1..FLEETS {
            let other = probe(variant, fleet).await?;
            same(name, &first.player, &other.player);
            same(name, &first.public, &other.public);
        }
    }
    Ok(())
}
