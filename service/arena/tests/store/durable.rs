//! What outlasts the process.

use std::sync::Arc;

use broadside_arena::store::{Creation, Holder, StoreError};
use broadside_proto::v1::MatchState;

use crate::{
    backend::Durable,
    given::{Written, claim_of, classic},
    keys::token,
    listing,
};

pub(crate) async fn everything_is_there_when_it_is_opened_again(backend: impl Durable) {
    let store = backend.store();
    assert!(store.is_durable());
    let (mut written, new) = Written::new(classic(1), "a request");
    store.create(new.clone()).await.unwrap();
    let append = written.moves(3, 5);
    written.append(&**store, append).await;
    let append = written.turned(MatchState::Over);
    written.append(&**store, append).await;
    store.secret("one", [1; 32]).await.unwrap();
    let kept = token("abe", Holder::Agent("ada".to_owned()));
    store.add_token(kept.clone()).await.unwrap();

    let backend = backend.again().await;
    let store = backend.store();
    written.is_kept(&**store).await;
    assert_eq!(store.log(1, 0).await.unwrap().signature, Some([9; 64]));
    let listed = store.list(listing::all()).await.unwrap();
    assert_eq!(listed.matches, [written.summary]);
    assert_eq!(store.create(new).await, Ok(Creation::Existing(1)));
    assert_eq!(store.secret("one", [2; 32]).await, Ok([1; 32]));
    assert_eq!(store.tokens().await.unwrap(), [kept]);
    assert_eq!(store.claim().await, Ok(Vec::new()));
}

pub(crate) async fn an_epoch_goes_on_when_it_is_opened_again(backend: impl Durable) {
    let mut written = Written::created(&**backend.store(), classic(1)).await;
    let mut backend = backend;
    for epoch in 2..=4 {
        backend = backend.again().await;
        let store = backend.store();
        let claimed = store.claim().await.unwrap();
        assert_eq!(claim_of(&claimed, 1), Some(epoch));
        let late = Arc::new(written.moves(1, epoch));
        assert_eq!(store.append(late).await, Err(StoreError::Fenced(1)));
        written.epoch = epoch;
        let append = written.moves(1, epoch);
        written.append(&**store, append).await;
    }
    written.is_kept(&**backend.store()).await;
}

pub(crate) async fn an_append_made_again_after_it_was_opened_again_is_kept_once(
    backend: impl Durable,
) {
    let mut written = Written::created(&**backend.store(), classic(1)).await;
    let append = written.moves(2, 5);
    written.append(&**backend.store(), append.clone()).await;
    let backend = backend.again().await;
    let store = backend.store();
    assert_eq!(store.append(Arc::new(append)).await, Ok(()));
    written.is_kept(&**store).await;
}
