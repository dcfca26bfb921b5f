//! `broadside match list`.

use broadside_proto::v1::{ListMatchesRequest, ListMatchesResponse, Match, MatchState, Seat};

use super::show;
use crate::{
    args::ListArgs,
    board,
    client::Arena,
    describe,
    error::{Error, Exit},
    names,
    output::Output,
};

const PAGE: u32 = 200;

pub(super) async fn run(arena: &Arena, out: &mut Output, args: &ListArgs) -> Result<Exit, Error> {
    let matches = list(arena, args).await?;
    if out.json() {
        out.message(&ListMatchesResponse {
            matches,
            next_page_token: String::new(),
        })?;
    } else if matches.is_empty() {
        out.line("There is no such match.")?;
    } else {
        let header = [
            "MATCH", "VARIANT", "SEAT 1", "SEAT 2", "STATE", "MOVES", "CREATED", "OUTCOME",
        ];
        out.text(&show::table(&header, matches.iter().map(row)))?;
    }
    Ok(Exit::Done)
}

/// As many pages as it takes.
async fn list(arena: &Arena, args: &ListArgs) -> Result<Vec<Match>, Error> {
    let mut found: Vec<Match> = Vec::new();
    let limit = usize::try_from(args.limit).unwrap_or(usize::MAX);
    let mut page_token = String::new();
    loop {
        let missing = u32::try_from(limit - found.len()).unwrap_or(u32::MAX);
        let mut matches = arena.matches();
        let call = matches.list_matches(ListMatchesRequest {
            page_size: missing.min(PAGE),
            page_token: page_token.clone(),
            states: args
                .state
                .iter()
                .map(|state| MatchState::from(*state).into())
                .collect(),
            variants: args
                .variant
                .iter()
                .map(|variant| (*variant).into())
                .collect(),
            agent: args.agent.clone(),
        });
        let page = arena.call("list the matches", call).await?;
        found.extend(page.matches);
        found.truncate(limit);
        // A token that repeats itself would never end.
        let last = page.next_page_token.is_empty() || page.next_page_token == page_token;
        if last || found.len() == limit {
            return Ok(found);
        }
        page_token = page.next_page_token;
    }
}

fn row(played: &Match) -> Vec<String> {
    let variant = played
        .options
        .as_ref()
        .map(names::variant)
        .unwrap_or_default();
    let agent = |seat| describe::player(played, seat).unwrap_or_else(|| "?".to_owned());
    let outcome = match played.state() {
        MatchState::Over => board::plain(&board::outcome_line(played)),
        _ => String::new(),
    };
    vec![
        played.match_id.to_string(),
        names::slug(variant).to_owned(),
        agent(Seat::One),
        agent(Seat::Two),
        names::match_state(played.state()).to_owned(),
        played.moves.to_string(),
        show::timestamp(played.create_time_ms),
        outcome,
    ]
}
