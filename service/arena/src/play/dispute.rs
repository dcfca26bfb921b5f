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

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use broadside_record::signature::Signatory;
    use broadside_rules::{Options, Variant};

    use super::*;
    use crate::{
        play::{AgentId, Ledger, TimeControl},
        store::MemoryStore,
    };

    /// Whether it stands that seat 1's first deployment was refused, for this reason.
    async fn stands_against(
        deployment: impl FnOnce(v1::Move) -> v1::Move,
        reason: v1::IllegalMoveReason,
    ) -> bool {
        let spec = MatchSpec {
            match_id: 42,
            options: Options::default_of(Variant::Classic),
            agents: ["ann", "bob"].map(|name| AgentId::Named(name.into())),
            time_control: TimeControl {
                budget_us: None,
                increment_us: 0,
                turn_cap_us: Some(1_000_000),
                deployment_us: 1_000_000,
                lag_allowance_us: 0,
            },
            strikes: 3,
            seed: 7,
            request_id: String::new(),
            commitment_key: [1; 32],
            private: false,
        };
        let store = MemoryStore::new(1);
        let signatory = Arc::new(Signatory::new(&[2; 32]));
        let (ledger, new) = Ledger::open(&spec, 5, 0, signatory);
        store.create(new).await.unwrap();
        let refused = v1::LogEntry {
            at_us: 1,
            entry: Some(Entry::Refused(v1::MoveRefused {
                seat: v1::Seat::One.into(),
                turn_id: 1,
                r#move: Some(deployment(spec.dealt_fleet(Seat::One).unwrap())),
                illegal_move: Some(v1::IllegalMove {
                    reason: reason.into(),
                    message: "no".to_owned(),
                }),
                timing: None,
            })),
        };
        let written = ledger.write(&[refused]);
        store.append(written.append).await.unwrap();
        stands(&store, &spec, Seat::One, 1).await.unwrap()
    }

    #[tokio::test]
    async fn the_refusal_of_a_legal_move_does_not_stand_and_that_of_an_illegal_one_does() {
        let reason = v1::IllegalMoveReason::WrongFleet;
        assert!(!stands_against(|legal| legal, reason).await);
        assert!(stands_against(|_| v1::Move::default(), reason).await);
    }

    #[tokio::test]
    async fn a_call_that_failed_had_no_move_that_could_be_legal() {
        let reason = v1::IllegalMoveReason::AgentError;
        assert!(stands_against(|_| v1::Move::default(), reason).await);
    }
}
