//! Logs: what is appended, and by whom.

use std::sync::Arc;

use broadside_arena::store::{Store, StoreError};
use broadside_proto::v1::MatchState;

use crate::given::{Written, claim_of, classic};

pub(crate) async fn entries_are_read_in_the_order_of_their_appends(store: &Arc<dyn Store>) {
    let mut written = Written::created(&**store, classic(1)).await;
    for count in [1, 3, 1, 2] {
        let append = written.moves(count, 5);
        written.append(&**store, append).await;
    }
    written.is_kept(&**store).await;
    assert_eq!(written.entries.len(), 8);
}

pub(crate) async fn a_log_is_read_from_a_place_on(store: &Arc<dyn Store>) {
    let mut written = Written::created(&**store, classic(1)).await;
    let append = written.moves(4, 5);
    written.append(&**store, append).await;
    for from in 0..=7 {
        let log = store.log(1, from).await.unwrap();
        let rest = written.entries.get(from..).unwrap_or_default();
        assert_eq!(log.entries, rest, "from {from}");
        assert_eq!(log.create_time_ms, written.summary.create_time_ms);
    }
}

pub(crate) async fn an_append_made_again_is_kept_once(store: &Arc<dyn Store>) {
    let mut written = Written::created(&**store, classic(1)).await;
    let first = written.moves(2, 5);
    written.append(&**store, first.clone()).await;
    let second = written.moves(1, 6);
    written.append(&**store, second.clone()).await;
    for again in [first, second] {
        assert_eq!(store.append(Arc::new(again)).await, Ok(()));
    }
    written.is_kept(&**store).await;
}

pub(crate) async fn another_append_at_a_place_that_is_taken_is_refused_and_changes_nothing(
    store: &Arc<dyn Store>,
) {
    let mut written = Written::created(&**store, classic(1)).await;
    let (other, longer) = (written.moves(1, 99), written.moves(2, 5));
    let append = written.moves(1, 5);
    written.append(&**store, append).await;
    for refused in [other, longer] {
        let error = store.append(Arc::new(refused)).await.unwrap_err();
        assert!(matches!(error, StoreError::Failed(_)), "{error}");
    }
    written.is_kept(&**store).await;
}

pub(crate) async fn an_append_beyond_the_end_is_refused_and_changes_nothing(
    store: &Arc<dyn Store>,
) {
    let written = Written::created(&**store, classic(1)).await;
    let mut gap = written.moves(1, 5);
    gap.first += 1;
    let error = store.append(Arc::new(gap)).await.unwrap_err();
    assert!(matches!(error, StoreError::Failed(_)), "{error}");
    written.is_kept(&**store).await;
}

pub(crate) async fn an_old_epoch_is_fenced_and_changes_nothing(store: &Arc<dyn Store>) {
    let mut written = Written::created(&**store, classic(1)).await;
    let append = written.moves(1, 5);
    written.append(&**store, append).await;
    let claimed = store.claim().await.unwrap();
    assert_eq!(claim_of(&claimed, 1), Some(2));
    let late = written.moves(1, 6);
    assert_eq!(
        store.append(Arc::new(late)).await,
        Err(StoreError::Fenced(1))
    );
    written.is_kept(&**store).await;
    written.epoch = 2;
    let append = written.moves(1, 7);
    written.append(&**store, append).await;
    written.is_kept(&**store).await;
}

pub(crate) async fn a_match_that_is_over_is_not_claimed(store: &Arc<dyn Store>) {
    let mut over = Written::created(&**store, classic(1)).await;
    let append = over.turned(MatchState::Over);
    over.append(&**store, append).await;
    for match_id in 2..=4 {
        Written::created(&**store, classic(match_id)).await;
    }
    let claimed = store.claim().await.unwrap();
    let claimed: Vec<_> = claimed
        .iter()
        .map(|claim| (claim.match_id, claim.epoch))
        .collect();
    // In the order of their creation.
    assert_eq!(claimed, [(2, 2), (3, 2), (4, 2)]);
}

pub(crate) async fn an_unknown_match_is_named(store: &Arc<dyn Store>) {
    let (written, _) = Written::new(classic(7), "");
    let unknown = Err(StoreError::UnknownMatch(7));
    assert_eq!(store.append(Arc::new(written.moves(1, 5))).await, unknown);
    assert_eq!(store.log(7, 0).await.map(drop), unknown);
    assert_eq!(store.get(7).await, Ok(None));
}

pub(crate) async fn moves_are_counted_without_a_new_summary(store: &Arc<dyn Store>) {
    let mut written = Written::created(&**store, classic(1)).await;
    let append = written.turned(MatchState::Running);
    written.append(&**store, append).await;
    for _ in 0..3 {
        let append = written.moves(2, 5);
        written.append(&**store, append).await;
    }
    assert_eq!(written.summary.moves, 6);
    written.is_kept(&**store).await;
    let listed = store.list(crate::listing::all()).await.unwrap();
    assert_eq!(listed.matches, [written.summary]);
}

pub(crate) async fn the_end_brings_summary_and_signature_with_it(store: &Arc<dyn Store>) {
    let mut written = Written::created(&**store, classic(1)).await;
    let append = written.moves(1, 5);
    written.append(&**store, append).await;
    let end = written.turned(MatchState::Over);
    written.append(&**store, end.clone()).await;
    assert_eq!(store.append(Arc::new(end)).await, Ok(()));
    written.is_kept(&**store).await;
    assert_eq!(store.log(1, 0).await.unwrap().signature, Some([9; 64]));
}

pub(crate) async fn many_matches_are_appended_to_at_once(store: &Arc<dyn Store>) {
    let played = (1..=100).map(|match_id| {
        let store = store.clone();
        tokio::spawn(async move {
            let mut written = Written::created(&*store, classic(match_id)).await;
            for count in 0..20 {
                let append = written.moves(1 + count % 2, u64::from(count));
                written.append(&*store, append).await;
                // One that is refused among those that are kept.
                let mut gap = written.moves(1, 5);
                gap.first += 1;
                assert!(store.append(Arc::new(gap)).await.is_err());
            }
            written
        })
    });
    for written in played.collect::<Vec<_>>() {
        written.await.unwrap().is_kept(&**store).await;
    }
}
