//! Creation.

use std::sync::Arc;

use broadside_arena::store::{Creation, Store};

use crate::given::{Written, classic};

pub(crate) async fn a_match_is_created_once_for_each_request(store: &Arc<dyn Store>) {
    let (written, new) = Written::new(classic(1), "a request");
    assert_eq!(store.find_request("a request").await, Ok(None));
    assert_eq!(store.create(new.clone()).await, Ok(Creation::Created));
    let fingerprint = new.fingerprint;
    let mut again = new;
    again.summary.match_id = 2;
    assert_eq!(store.create(again).await, Ok(Creation::Existing(1)));
    assert_eq!(
        store.find_request("a request").await,
        Ok(Some((fingerprint, 1)))
    );
    assert_eq!(store.get(2).await, Ok(None));
    written.is_kept(&**store).await;
}

pub(crate) async fn a_request_that_differs_is_a_conflict(store: &Arc<dyn Store>) {
    let (written, new) = Written::new(classic(1), "a request");
    store.create(new).await.unwrap();
    let (_, other) = Written::new(classic(2), "a request");
    assert_eq!(store.create(other).await, Ok(Creation::Conflict(1)));
    assert_eq!(store.get(2).await, Ok(None));
    written.is_kept(&**store).await;
}

pub(crate) async fn requests_without_an_id_are_all_new(store: &Arc<dyn Store>) {
    for match_id in 1..=3 {
        let (_, new) = Written::new(classic(match_id), "");
        assert_eq!(store.create(new).await, Ok(Creation::Created));
    }
    assert_eq!(store.find_request("").await, Ok(None));
}

pub(crate) async fn an_id_that_is_taken_is_refused(store: &Arc<dyn Store>) {
    let (written, new) = Written::new(classic(1), "first");
    store.create(new).await.unwrap();
    let (_, other) = Written::new(classic(1), "second");
    assert_eq!(store.create(other).await, Ok(Creation::IdTaken));
    assert_eq!(store.find_request("second").await, Ok(None));
    written.is_kept(&**store).await;
}

pub(crate) async fn a_match_is_read_as_it_was_created(store: &Arc<dyn Store>) {
    // The largest number that a match may have.
    let written = Written::created(&**store, classic((1 << 53) - 1)).await;
    written.is_kept(&**store).await;
    let log = store.log(written.summary.match_id, 0).await.unwrap();
    assert_eq!(log.signature, None);
}
