//! Judging a refused move again, from the log alone: by a referee that has seen nothing else.

use broadside_proto::v1::{self, log_entry::Entry};
use broadside_record::chain::Chain;
use broadside_rules::{Game, Seat};

use super::MatchSpec;
use crate::{
    convert,
    store::{Store, StoreError},
};

/// Whether the last refusal of this turn stands, by the log as it is kept.
///
/// # Errors
/// If the log cannot be read.
pub(super) async fn stands(
    store: &dyn Store,
    spec: &MatchSpec,
    seat: Seat,
    turn_id: u32,
) -> Result<bool, StoreError> {
    let log = store.log(spec.match_id, 0).await?;
    let mut chain = Chain::new(spec.match_id, log.create_time_ms);
    let mut game = Game::new(&spec.options);
    let mut refused = None;
    for kept in &log.entries {
        let entry = chain
            .read(kept)
            .map_err(|broken| StoreError::broken(spec.match_id, &broken))?;
        match entry.entry {
            Some(Entry::Accepted(accepted)) => {
                let mover = v1::Seat::try_from(accepted.seat)
                    .ok()
                    .and_then(convert::seat_from);
                let replayed = mover.and_then(|mover| {
                    let action = convert::move_from(game.variant(), accepted.r#move).ok()?;
                    game.play(mover, &action).ok()
                });
                if replayed.is_none() {
                    // What was accepted is illegal: then nothing that was refused can be relied on.
                    return Ok(false);
                }
            }
            Some(Entry::Refused(last)) if last.turn_id == turn_id => refused = Some(last),
            _ => {}
        }
    }
    let Some(refused) = refused else {
        return Ok(false);
    };
    // A call that failed had no move.
    let failed = refused
        .illegal_move
        .as_ref()
        .is_some_and(|illegal| illegal.reason() == v1::IllegalMoveReason::AgentError);
    let legal = convert::move_from(game.variant(), refused.r#move)
        .is_ok_and(|action| game.play(seat, &action).is_ok());
    Ok(failed || !legal)
}
