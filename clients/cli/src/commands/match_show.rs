//! `broadside match show`.

use broadside_proto::v1::{GetMatchRequest, GetMatchResponse};

use super::show;
use crate::{
    client::Arena,
    error::{Error, Exit},
    output::Output,
};

pub(super) async fn run(arena: &Arena, out: &mut Output, match_id: u64) -> Result<Exit, Error> {
    let found = get(arena, match_id).await?;
    if out.json() {
        out.message(&found)?;
        return Ok(Exit::Done);
    }
    let played = found.r#match.unwrap_or_default();
    out.text(&show::whole(&played, found.position.as_ref()))?;
    Ok(Exit::Done)
}

/// A match and its position.
pub(super) async fn get(arena: &Arena, match_id: u64) -> Result<GetMatchResponse, Error> {
    let mut matches = arena.matches();
    let call = matches.get_match(GetMatchRequest { match_id });
    arena.call(format!("show match {match_id}"), call).await
}
