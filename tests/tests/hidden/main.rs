//! Hidden means hidden: two games that differ only in what a player may not know give that player, and spectators, the same
//! messages byte for byte, measured times aside, until a rule reveals the difference.

mod probe;

use std::collections::HashSet;

use anyhow::Context;
use broadside_arena::convert;
use broadside_proto::v1::{self, connect_response::Message, watch_match_response::Update};
use broadside_rules::{
    Move,
    naval::{self, Berth, CellSet, Deployment, PlacedShip},
};
use broadside_tests::{Bot, TestArena, VARIANTS, named, request};
use prost::Message as _;
use tokio::task::JoinHandle;

/// The player whose fleet differs between the two games.
const SECRETIVE: &str = "secretive";
/// The player who must not be able to tell them apart.
const CURIOUS: &str = "curious";

/// What the secretive player hides, and what the curious one keeps away from for as long as it can.
#[derive(Clone)]
struct Secret {
    fleet: v1::Move,
    avoid: HashSet<u32>,
}

/// What was sent, times cleared.
#[derive(Default, PartialEq, Debug)]
struct Transcript {
    curious: Vec<Vec<u8>>,
    spectator: Vec<Vec<u8>>,
}

fn without_times(mut message: v1::ConnectResponse) -> Vec<u8> {
    match &mut message.message {
        Some(Message::Turn(turn)) => {
            turn.match_id = 0;
            turn.time_left_us = 0;
            turn.last_answer_us = None;
            turn.budget_left_us = turn.budget_left_us.map(|_| 0);
            turn.opponent_budget_left_us = turn.opponent_budget_left_us.map(|_| 0);
        }
        Some(Message::MatchStart(start)) => start.match_id = 0,
        Some(Message::Accepted(accepted)) => accepted.match_id = 0,
        Some(Message::Rejected(rejected)) => rejected.match_id = 0,
        Some(Message::MatchEnd(end)) => end.match_id = 0,
        _ => {}
    }
    message.encode_to_vec()
}

fn seen_without_times(mut response: v1::WatchMatchResponse) -> Vec<u8> {
    if let Some(Update::Snapshot(news) | Update::Ended(news)) = &mut response.update
        && let Some(played) = &mut news.r#match
    {
        played.match_id = 0;
        played.create_time_ms = 0;
        played.start_time_ms = 0;
        played.end_time_ms = 0;
    }
    // Commitments are salted with what only the arena knows: each is 32 bytes of noise, another in every match.
    let position = match &mut response.update {
        Some(Update::Snapshot(news) | Update::Ended(news)) => news.position.as_mut(),
        Some(Update::Event(event)) => event.position.as_mut(),
        None => None,
    };
    if let Some(position) = position {
        for commitment in [
            &mut position.seat_one_commitment,
            &mut position.seat_two_commitment,
        ] {
            *commitment = vec![commitment.len() as u8];
        }
    }
    response.encode_to_vec()
}

/// The cells that a move fires at, by number.
fn targets(action: &v1::Move, variant: v1::Variant) -> Vec<u32> {
    let Some(variant) = convert::variant_from(variant.into()) else {
        return Vec::new();
    };
    let number = |cell: &naval::Cell| u32::from(cell.number());
    match convert::move_from(variant, Some(action.clone())) {
        Ok(Move::Naval(naval::Move::Shot(cell))) => vec![number(&cell)],
        Ok(Move::Naval(naval::Move::AirStrike(cell))) => {
            let (row, column) = (u32::from(cell.row()), u32::from(cell.column()));
            let block = [(0, 0), (0, 1), (1, 0), (1, 1)];
            let cells = block.map(|(down, right)| naval::Cell::new(row + down, column + right));
            cells.iter().flatten().map(number).collect()
        }
        Ok(Move::Naval(naval::Move::Torpedo(route))) => route.cells().iter().map(number).collect(),
        _ => Vec::new(),
    }
}

fn is_hunt(action: &v1::Move) -> bool {
    matches!(
        &action.variant,
        Some(v1::r#move::Variant::AmiralAdvanced(
            v1::AmiralAdvancedMove {
                r#move: Some(v1::amiral_advanced_move::Move::Hunt(_)),
            }
        ))
    )
}

/// A move chosen by the turn's id alone among those that keep away from `avoid`; `None` if there is none.
fn choose(
    turn: &v1::Turn,
    variant: v1::Variant,
    avoid: &HashSet<u32>,
    shots_only: bool,
) -> anyhow::Result<Option<v1::Move>> {
    let legal = turn.legal_moves.as_ref().context("no legal moves")?;
    let pick = turn.turn_id as usize * 7919;
    if let Some(choice) = &legal.salvo {
        let cells: Vec<_> = choice
            .cells
            .iter()
            .copied()
            .filter(|cell| !avoid.contains(&(10 * (cell.row - 1) + cell.column)))
            .collect();
        let size = choice.size as usize;
        if cells.len() < size {
            return Ok(None);
        }
        let mut cells = cells;
        let turned = pick % cells.len();
        cells.rotate_left(turned);
        let mut narrowed = turn.clone();
        narrowed.legal_moves = Some(v1::LegalMoves {
            moves: Vec::new(),
            salvo: Some(v1::SalvoChoice {
                cells,
                size: choice.size,
            }),
        });
        return Ok(Some(Bot::first_legal(&narrowed)?));
    }
    let moves: Vec<_> = legal
        .moves
        .iter()
        .filter(|action| {
            let targets = targets(action, variant);
            let shot = targets.len() == 1;
            targets.iter().all(|target| !avoid.contains(target))
                && (!shots_only || shot)
                && !is_hunt(action)
        })
        .collect();
    Ok(moves
        .get(pick % moves.len().max(1))
        .map(|&action| action.clone()))
}

/// A move that is refused, whatever the state: the curious player tries it too, since errors could tell something.
fn illegal(turn: &v1::Turn, variant: v1::Variant) -> Option<v1::Move> {
    let legal = turn.legal_moves.as_ref()?;
    let mut action = legal.moves.first()?.clone();
    match &mut action.variant {
        Some(v1::r#move::Variant::Classic(v1::ClassicMove {
            r#move: Some(v1::classic_move::Move::Shot(shot)),
        })) => shot.cell = Some(v1::Cell { row: 1, column: 11 }),
        Some(v1::r#move::Variant::Amiral(v1::AmiralMove {
            r#move: Some(v1::amiral_move::Move::Shot(shot)),
        })) => shot.cell = Some(v1::Cell { row: 0, column: 1 }),
        Some(v1::r#move::Variant::AmiralAdvanced(action)) => {
            action.r#move = Some(v1::amiral_advanced_move::Move::Torpedo(v1::Torpedo {
                route: Some(v1::Route {
                    letter: 1,
                    number: 2,
                }),
            }));
        }
        _ => return None,
    }
    (variant != v1::Variant::Naumachia).then_some(action)
}

fn common_route(variant: v1::Variant) -> v1::Move {
    assert_eq!(variant, v1::Variant::AmiralAdvanced);
    v1::Move {
        variant: Some(v1::r#move::Variant::AmiralAdvanced(
            v1::AmiralAdvancedMove {
                r#move: Some(v1::amiral_advanced_move::Move::Torpedo(v1::Torpedo {
                    route: Some(v1::Route {
                        letter: 5,
                        number: 5,
                    }),
                })),
            },
        )),
    }
}

/// Plays a game in which the curious player keeps away from the difference for as long as it can. Returns what was
/// sent until then, and what was sent after it, once it does not keep away any more.
async fn play(
    variant: v1::Variant,
    secretive_first: bool,
    seed: u64,
    secret: Option<Secret>,
) -> anyhow::Result<(Transcript, Transcript, v1::Move)> {
    let arena = TestArena::start().await?;
    let (one, two) = if secretive_first {
        (SECRETIVE, CURIOUS)
    } else {
        (CURIOUS, SECRETIVE)
    };
    let match_id = arena
        .create(v1::CreateMatchRequest {
            seed: Some(seed),
            strikes: (variant != v1::Variant::Naumachia).then_some(100),
            ..request(variant, named(one), named(two))
        })
        .await?;
    // Before the bots come, so that it sees everything.
    let watch = v1::WatchMatchRequest { match_id };
    let mut updates = arena.matches().watch_match(watch).await?.into_inner();
    let spectator: JoinHandle<anyhow::Result<Vec<Vec<u8>>>> = tokio::spawn(async move {
        let mut seen = Vec::new();
        while let Some(update) = updates.message().await? {
            seen.push(seen_without_times(update));
        }
        Ok(seen)
    });
    let profile = |name| v1::AgentProfile {
        wants_accepted: true,
        ..Bot::profile(name)
    };
    let mut secretive = Bot::connect(arena.channel(), profile(SECRETIVE)).await?;
    let mut curious = Bot::connect(arena.channel(), profile(CURIOUS)).await?;

    let dealt = secretive.turn().await?;
    let fleet = match &secret {
        Some(secret) => secret.fleet.clone(),
        None => Bot::first_legal(&dealt)?,
    };
    secretive.answer(&dealt, fleet.clone()).await?;
    // The order of deployments is seen by spectators: here it is always the same.
    let Message::Accepted(_) = secretive.next().await? else {
        anyhow::bail!("the fleet was not accepted");
    };

    let mut before = Transcript::default();
    let mut after = Transcript::default();
    let mut avoid = secret.map(|secret| secret.avoid).unwrap_or_default();
    let mut events_before = 0;
    let mut events = 1;
    let mut keeps_away = true;
    // The secretive player never fires at one cell of the curious one's fleet, so that the game lasts.
    let mut spared = HashSet::new();
    let mut torpedoed = false;
    loop {
        let (message, is_curious) = tokio::select! {
            message = curious.next() => (message?, true),
            message = secretive.next() => (message?, false),
        };
        if is_curious {
            let sent = without_times(v1::ConnectResponse {
                message: Some(message.clone()),
            });
            // The end reveals everything.
            let end = matches!(&message, Message::MatchEnd(_));
            if keeps_away && !end {
                before.curious.push(sent);
            } else if !end {
                after.curious.push(sent);
            }
        } else if let Message::Accepted(_) = &message {
            events += 1;
        }
        if is_curious && matches!(&message, Message::Accepted(_)) {
            events += 1;
        }
        let turn = match message {
            Message::Turn(turn) => turn,
            Message::MatchEnd(_) if is_curious => break,
            _ => continue,
        };
        if turn.phase() == v1::Phase::Deployment {
            let action = Bot::first_legal(&turn)?;
            if is_curious {
                let ships = ships_of(&action, variant)?;
                spared.insert(u32::from(ships[0].cell.number()));
            }
            let bot = if is_curious { &curious } else { &secretive };
            bot.answer(&turn, action).await?;
        } else if turn.phase() == v1::Phase::Relocation {
            anyhow::bail!("nobody hunts here");
        } else if is_curious {
            if turn.refusal.is_none()
                && turn.turn_id % 3 == 0
                && let Some(action) = illegal(&turn, variant)
            {
                curious.answer(&turn, action).await?;
                continue;
            }
            let action = match choose(&turn, variant, &avoid, false)? {
                Some(action) => action,
                None => {
                    keeps_away = false;
                    events_before = events;
                    avoid.clear();
                    choose(&turn, variant, &avoid, false)?.context("nothing left to fire at")?
                }
            };
            curious.answer(&turn, action).await?;
        } else if variant == v1::Variant::AmiralAdvanced && !torpedoed && turn.turn_id > 12 {
            torpedoed = true;
            secretive.answer(&turn, common_route(variant)).await?;
        } else {
            let action = match choose(&turn, variant, &spared, true)? {
                Some(action) => action,
                None => choose(&turn, variant, &HashSet::new(), true)?
                    .context("nothing left to fire at")?,
            };
            secretive.answer(&turn, action).await?;
        }
    }
    if keeps_away {
        events_before = events;
    }
    let seen = spectator.await??;
    // Two snapshots come first: waiting, and started.
    let split = (2 + events_before).min(seen.len() - 1);
    before.spectator = seen[..split].to_vec();
    after.spectator = seen[split..seen.len() - 1].to_vec();
    arena.stop().await?;
    Ok((before, after, fleet))
}

fn ships_of(action: &v1::Move, variant: v1::Variant) -> anyhow::Result<Vec<PlacedShip>> {
    let variant = convert::variant_from(variant.into()).context("a variant")?;
    match convert::move_from(variant, Some(action.clone()))? {
        Move::Naval(naval::Move::Deploy { ships, .. }) => Ok(ships),
        other => anyhow::bail!("no deployment but {other:?}"),
    }
}

/// The same fleet with one ship elsewhere, and in amiral-advanced with the submarine at the other end of a route that both can fire along.
fn differing_fleets(
    dealt: &v1::Move,
    variant: v1::Variant,
    odd: bool,
) -> anyhow::Result<[Secret; 2]> {
    let ours = convert::variant_from(variant.into()).context("a variant")?;
    let rules = naval::Options::default_of(ours)
        .context("a naval variant")?
        .ruleset();
    let ships = ships_of(dealt, variant)?;
    let berths = match variant {
        v1::Variant::AmiralAdvanced => [Some(Berth::letter(5)?), Some(Berth::number(5)?)],
        _ => [None, None],
    };
    let cells = |ship: &PlacedShip| -> CellSet {
        let length = rules.entry(ship.class).map_or(0, |entry| entry.length);
        ship.cells(length).unwrap_or(CellSet::EMPTY)
    };
    let order: Vec<usize> = if odd {
        (0..ships.len()).collect()
    } else {
        (0..ships.len()).rev().collect()
    };
    for index in order {
        for cell in naval::Cell::all() {
            for orientation in [naval::Orientation::Horizontal, naval::Orientation::Vertical] {
                let mut moved = ships.clone();
                moved[index] = PlacedShip {
                    cell,
                    orientation,
                    ..ships[index]
                };
                let apart = (cells(&moved[index]) & cells(&ships[index])).is_empty();
                let Ok(other) = Deployment::new(rules, &moved, berths[1]) else {
                    continue;
                };
                if !apart {
                    continue;
                }
                let avoid: HashSet<u32> = cells(&moved[index])
                    .iter()
                    .chain(cells(&ships[index]).iter())
                    .map(|cell| cell.number().into())
                    .collect();
                let own = Deployment::new(rules, &ships, berths[0])?;
                let secret = |fleet| {
                    Ok(Secret {
                        fleet: convert::deployment_move(ours, fleet).context("a naval variant")?,
                        avoid: avoid.clone(),
                    })
                };
                return secret(&own).and_then(|own| anyhow::Ok([own, secret(&other)?]));
            }
        }
    }
    anyhow::bail!("no ship can be moved")
}

/// A message without its list of legal moves, to be printed.
fn short(message: &[u8]) -> anyhow::Result<v1::ConnectResponse> {
    let mut message = v1::ConnectResponse::decode(message)?;
    if let Some(Message::Turn(turn)) = &mut message.message {
        turn.legal_moves = None;
    }
    Ok(message)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn games_that_differ_in_what_is_hidden_look_the_same_until_a_rule_reveals_it()
-> anyhow::Result<()> {
    for (variant, name) in VARIANTS {
        if variant == v1::Variant::Abalone {
            continue;
        }
        let mut revealed = 0;
        for seed in 0..4 {
            let secretive_first = seed % 2 == 0;
            let (_, _, dealt) = play(variant, secretive_first, seed, None).await?;
            let [own, other] = differing_fleets(&dealt, variant, seed < 2)?;
            let (before, after, _) = play(variant, secretive_first, seed, Some(own)).await?;
            let (before_other, after_other, _) =
                play(variant, secretive_first, seed, Some(other)).await?;
            assert!(
                before.curious.len() > 20,
                "{name}: only {} messages",
                before.curious.len()
            );
            assert_eq!(
                before.curious.len(),
                before_other.curious.len(),
                "{name}, seed {seed}"
            );
            for (index, (ours, theirs)) in
                before.curious.iter().zip(&before_other.curious).enumerate()
            {
                assert!(
                    ours == theirs,
                    "{name}, seed {seed}, message {index}: {:?}\nis not {:?}",
                    short(ours)?,
                    short(theirs)?
                );
            }
            assert!(
                before.curious == before_other.curious,
                "{name}, seed {seed}: what was sent differs"
            );
            // How much of it came before the difference is counted on other streams, and may be one too few.
            let seen = before.spectator.len().min(before_other.spectator.len());
            assert!(seen > 20, "{name}: a spectator saw only {seen} messages");
            assert!(
                before.spectator[..seen] == before_other.spectator[..seen],
                "{name}, seed {seed}: what a spectator saw differs"
            );
            revealed += usize::from(after != after_other);
        }
        // And the test can tell: what comes next shows the difference, unless the secretive player wins first.
        assert!(revealed > 0, "{name}: no difference ever showed");
    }
    Ok(())
}
