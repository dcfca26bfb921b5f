//! `broadside match cancel`.

use broadside_proto::v1::CancelMatchRequest;

use crate::{
    board,
    client::Arena,
    error::{Error, Exit},
    output::Output,
};

pub(super) async fn run(
    arena: &Arena,
    out: &mut Output,
    match_id: u64,
    reason: &str,
) -> Result<Exit, Error> {
    let mut matches = arena.matches();
    let call = matches.cancel_match(CancelMatchRequest {
        match_id,
        reason: reason.to_owned(),
    });
    let cancelled = arena.call(format!("cancel match {match_id}"), call).await?;
    if out.json() {
        out.message(&cancelled)?;
    } else {
        let played = cancelled.r#match.unwrap_or_default();
        out.line(&board::outcome_line(&played))?;
    }
    Ok(Exit::Done)
}
