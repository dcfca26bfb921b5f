//! Secrets and tokens.

use std::sync::Arc;

use broadside_arena::store::{Holder, KeptToken, Store};

pub(crate) fn token(id: &str, holder: Holder) -> KeptToken {
    KeptToken {
        id: id.to_owned(),
        holder,
        hash: [3; 32],
        create_time_ms: 5,
        expire_time_ms: Some(u64::MAX >> 1),
        revoke_time_ms: None,
    }
}

pub(crate) async fn the_first_secret_of_a_name_stays(store: &Arc<dyn Store>) {
    assert_eq!(store.secret("one", [1; 32]).await, Ok([1; 32]));
    assert_eq!(store.secret("two", [2; 32]).await, Ok([2; 32]));
    assert_eq!(store.secret("one", [3; 32]).await, Ok([1; 32]));
}

pub(crate) async fn tokens_are_listed_oldest_first(store: &Arc<dyn Store>) {
    let tokens = [
        token("zoe", Holder::Operator),
        token("abe", Holder::Agent("ada".to_owned())),
        KeptToken {
            expire_time_ms: None,
            ..token("mia", Holder::Operator)
        },
    ];
    for token in &tokens {
        store.add_token(token.clone()).await.unwrap();
    }
    assert_eq!(store.tokens().await.unwrap(), tokens);
}

pub(crate) async fn a_token_is_revoked_once(store: &Arc<dyn Store>) {
    for id in ["abe", "zoe"] {
        let token = token(id, Holder::Operator);
        store.add_token(token).await.unwrap();
    }
    let (zoe, nobody) = ("zoe".to_owned(), "nobody".to_owned());
    assert_eq!(store.revoke_token(&zoe, 9).await, Ok(true));
    assert_eq!(store.revoke_token(&zoe, 10).await, Ok(false));
    assert_eq!(store.revoke_token(&nobody, 9).await, Ok(false));
    let tokens = store.tokens().await.unwrap();
    let revoked: Vec<_> = tokens.iter().map(|token| token.revoke_time_ms).collect();
    assert_eq!(revoked, [None, Some(9)]);
}
