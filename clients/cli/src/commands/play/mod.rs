//! `broadside play`: a person at the terminal is a bot on a stream like any other.

mod check;
mod draft;
mod game;
mod input;
mod session;
mod words;

use std::{
    collections::hash_map::RandomState,
    hash::{BuildHasher, Hasher},
    io::IsTerminal,
    pin::pin,
    time::Duration,
};

use broadside_proto::v1::{
    AgentProfile, CancelMatchRequest, CreateMatchRequest, FleetInfo, MatchEnd, MatchState, Options,
    Player, Resignation, Seat, Seating, TimeControl, connect_request, player,
};
use tokio::time::{Instant, sleep_until};

use self::{
    game::{Game, Next},
    session::{News, Session},
};
use super::{match_show, match_watch, show, variants};
use crate::{
    args::PlayArgs,
    board::{self, fleet},
    client::Arena,
    describe,
    error::{Error, Exit},
    output::Output,
};

/// A person thinks as long as it takes.
const HOUR_MS: u64 = 3_600_000;
/// How long the arena may take to confirm a resignation to somebody who leaves.
const FAREWELL: Duration = Duration::from_secs(5);

pub(super) async fn run(
    arena: &Arena,
    out: &mut Output,
    args: &PlayArgs,
    options: Options,
) -> Result<Exit, Error> {
    let fleet = fleet_of(arena, args, &options).await?;
    let name = args.name.clone().unwrap_or_else(made_up_name);
    let mut session = session::open(
        arena,
        AgentProfile {
            name: name.clone(),
            variants: vec![args.variant.into()],
            max_matches: 1,
            wants_legal_moves: true,
            wants_accepted: true,
        },
    )
    .await?;
    let match_id = create(arena, args, options.clone(), &name).await?;
    out.line(&format!(
        "Match {match_id}: you are {name}, against {}. Waiting for it to begin; type help for what you can do.",
        describe::agent(&args.against)
    ))?;
    let mut game = Game::new(match_id, args.seat, args.variant, options, fleet);
    converse(arena, out, &mut session, &mut game).await
}

/// Passes on what is typed and what the arena says, until the match is over.
async fn converse(
    arena: &Arena,
    out: &mut Output,
    session: &mut Session,
    game: &mut Game,
) -> Result<Exit, Error> {
    let interactive = std::io::stdin().is_terminal();
    let mut lines = input::lines();
    let mut input_open = true;
    let mut leave_at: Option<Instant> = None;
    let mut interrupt = pin!(tokio::signal::ctrl_c());
    loop {
        // What is piped in is read when it is due, so that each line answers its own turn.
        let reads = input_open && (interactive || game.waits_for_input());
        let next = tokio::select! {
            news = session.news() => match news? {
                News::Lost => {
                    out.line("The connection is lost; trying again.")?;
                    Next::Nothing
                }
                News::Back(running) => {
                    out.line("The connection is back.")?;
                    if game.has_begun() && !running.contains(&game.match_id()) {
                        // It ended meanwhile: what the stream would have told is asked for.
                        return finish(arena, out, game, &MatchEnd::default()).await;
                    }
                    Next::Nothing
                }
                News::Message(message) => game.hear(out, *message)?,
            },
            line = lines.recv(), if reads => match line {
                Some(line) => game.read(out, &line)?,
                None => {
                    input_open = false;
                    out.line("The input has ended: you resign.")?;
                    Next::Resign
                }
            },
            _ = &mut interrupt, if leave_at.is_none() => Next::Quit,
            () = sleep_until(leave_at.unwrap_or_else(Instant::now)), if leave_at.is_some() => {
                return Ok(Exit::Done);
            }
        };
        match next {
            Next::Nothing => {}
            Next::Answer(answer) => {
                session
                    .send(connect_request::Message::Answer(answer))
                    .await?
            }
            Next::Resign | Next::Quit => {
                game.give_up();
                if next == Next::Quit {
                    input_open = false;
                    leave_at = Some(Instant::now() + FAREWELL);
                }
                if game.has_begun() {
                    session.send(resignation(game)).await?;
                } else {
                    return withdraw(arena, out, game).await;
                }
            }
            Next::Over(end) => return finish(arena, out, game, &end).await,
        }
        if interactive && game.waits_for_input() {
            out.text("> ")?;
        }
    }
}

fn resignation(game: &Game) -> connect_request::Message {
    connect_request::Message::Resignation(Resignation {
        match_id: game.match_id(),
        seat: game.seat().into(),
    })
}

/// Takes back a match that has not begun.
async fn withdraw(arena: &Arena, out: &mut Output, game: &Game) -> Result<Exit, Error> {
    let mut matches = arena.matches();
    let call = matches.cancel_match(CancelMatchRequest {
        match_id: game.match_id(),
        reason: "the player left before it began".to_owned(),
    });
    arena.call("cancel the match", call).await?;
    out.line("The match is cancelled.")?;
    Ok(Exit::Done)
}

/// Shows everything once the match is over.
async fn finish(
    arena: &Arena,
    out: &mut Output,
    game: &Game,
    end: &MatchEnd,
) -> Result<Exit, Error> {
    // The end itself is known; the boards are a courtesy that may fail.
    let over = match match_show::get(arena, game.match_id()).await {
        Ok(found) => found.r#match.zip(found.position),
        Err(_) => None,
    };
    let outcome = end.outcome.clone().unwrap_or_default();
    match over.filter(|(played, _)| played.state() == MatchState::Over) {
        Some((played, position)) => {
            out.text("\n")?;
            out.text(&board::position(game.options(), &position))?;
            out.line(&board::outcome_line(&played))?;
            Ok(match_watch::exit(&played))
        }
        None => {
            out.line(&describe::why(&outcome))?;
            Ok(if describe::is_void(&outcome) {
                Exit::Void
            } else {
                Exit::Done
            })
        }
    }
}

/// The fleet that is to be placed; none in abalone.
async fn fleet_of(
    arena: &Arena,
    args: &PlayArgs,
    options: &Options,
) -> Result<Option<FleetInfo>, Error> {
    let listed = variants::list(arena).await?;
    let info = listed
        .variants
        .into_iter()
        .find(|info| info.variant() == args.variant);
    let Some(info) = info else {
        return Err(Error::Incomplete {
            doing: "list the variants".to_owned(),
            missing: "such variant",
        });
    };
    let edition = fleet::edition(options);
    let mut fleets = info.fleets;
    let index = fleets.iter().position(|fleet| fleet.edition() == edition);
    Ok(match index {
        Some(index) => Some(fleets.swap_remove(index)),
        None => fleets.pop(),
    })
}

async fn create(
    arena: &Arena,
    args: &PlayArgs,
    options: Options,
    name: &str,
) -> Result<u64, Error> {
    let own = Player {
        agent: Some(player::Agent::Name(name.to_owned())),
    };
    let players = match args.seat {
        Seat::Two => vec![args.against.clone(), own],
        Seat::One | Seat::Unspecified => vec![own, args.against.clone()],
    };
    let request = CreateMatchRequest {
        request_id: String::new(),
        options: Some(options),
        players,
        seating: Some(Seating::Fixed.into()),
        time_control: Some(args.terms.time_control().unwrap_or(TimeControl {
            turn_cap_ms: Some(HOUR_MS),
            deployment_ms: Some(HOUR_MS),
            ..TimeControl::default()
        })),
        strikes: args.terms.strikes,
        seed: args.terms.seed,
        private: false,
    };
    let mut matches = arena.matches();
    let created = arena
        .call("create the match", matches.create_match(request))
        .await?;
    let created = created.r#match.map(|played| played.match_id);
    created.ok_or_else(|| Error::Incomplete {
        doing: "create the match".to_owned(),
        missing: "match",
    })
}

/// A name that nobody else has: the standard library's hasher is seeded at random.
fn made_up_name() -> String {
    let random = RandomState::new().build_hasher().finish();
    format!("person-{random:016x}")
}

/// How long is left, to the second.
fn left(microseconds: u64) -> String {
    show::duration(microseconds / 1_000_000 * 1000)
}
