//! `broadside match create`.

use broadside_proto::v1::{CreateMatchRequest, Options, Seating};

use super::{match_watch, show};
use crate::{
    args::CreateArgs,
    board,
    client::Arena,
    error::{Error, Exit},
    output::Output,
};

pub(super) async fn run(
    arena: &Arena,
    out: &mut Output,
    args: &CreateArgs,
    options: Options,
) -> Result<Exit, Error> {
    let request = CreateMatchRequest {
        request_id: args.request_id.clone(),
        options: Some(options),
        players: args.players.clone(),
        seating: args.seating.map(|seating| Seating::from(seating).into()),
        time_control: args.terms.time_control(),
        strikes: args.terms.strikes,
        seed: args.terms.seed,
        private: args.private,
    };
    let mut matches = arena.matches();
    let created = arena
        .call("create the match", matches.create_match(request))
        .await?;
    let Some(played) = &created.r#match else {
        return Err(Error::Incomplete {
            doing: "create the match".to_owned(),
            missing: "match",
        });
    };
    if args.watch {
        if out.json() {
            out.message_line(&created)?;
        }
        return match_watch::run(arena, out, played.match_id, args.boards).await;
    }
    if out.json() {
        out.message(&created)?;
    } else {
        out.text(&show::heading(played))?;
        out.line(&board::outcome_line(played))?;
        out.line(&format!(
            "Follow it with: broadside match watch {}",
            played.match_id
        ))?;
    }
    Ok(Exit::Done)
}
