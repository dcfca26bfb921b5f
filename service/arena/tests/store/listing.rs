//! Lists.

use std::sync::Arc;

use broadside_arena::store::{ListQuery, Reader, Store};
use broadside_proto::v1::{MatchState, Variant};

use crate::given::{Written, abalone, between, classic, private};

/// Everything on one page.
pub(crate) fn all() -> ListQuery {
    ListQuery {
        limit: 100,
        reader: Reader::Operator,
        ..ListQuery::default()
    }
}

/// The ids that a query lists, page after page.
async fn ids(store: &Arc<dyn Store>, mut query: ListQuery) -> Vec<u64> {
    let mut ids = Vec::new();
    loop {
        let page = store.list(query.clone()).await.unwrap();
        assert!(page.matches.len() <= query.limit);
        ids.extend(page.matches.iter().map(|summary| summary.match_id));
        query.after = page.next;
        if query.after.is_none() {
            return ids;
        }
        assert_eq!(
            page.matches.len(),
            query.limit,
            "a page with more after it is full"
        );
    }
}

pub(crate) async fn pages_hold_every_match_once_newest_first(store: &Arc<dyn Store>) {
    // The ids do not tell the order.
    let created = [5, 3, 9, 1, 7, 2, 8];
    for match_id in created {
        Written::created(&**store, classic(match_id)).await;
    }
    let newest: Vec<_> = created.into_iter().rev().collect();
    for limit in [1, 2, 3, 7, 8] {
        let query = ListQuery { limit, ..all() };
        assert_eq!(ids(store, query).await, newest, "{limit} a page");
        let query = ListQuery {
            limit,
            variants: vec![Variant::Classic],
            agent: Some("ada".to_owned()),
            ..all()
        };
        assert_eq!(ids(store, query).await, newest, "{limit} a page");
    }
}

pub(crate) async fn a_list_is_filtered_by_state_variant_and_agent(store: &Arc<dyn Store>) {
    let dialled = "http://127.0.0.1:9";
    for summary in [
        between(1, "ada", "bob"),
        abalone(between(2, "ada", dialled)),
        between(3, "bob", dialled),
        abalone(between(4, "cleo", "cleo")),
    ] {
        let match_id = summary.match_id;
        let mut written = Written::created(&**store, summary).await;
        if match_id <= 2 {
            let append = written.turned(MatchState::Running);
            written.append(&**store, append).await;
        }
        if match_id == 1 {
            let append = written.turned(MatchState::Over);
            written.append(&**store, append).await;
        }
    }
    let listed = |states: &[MatchState], variants: &[Variant], agent: Option<&str>| {
        let query = ListQuery {
            states: states.to_vec(),
            variants: variants.to_vec(),
            agent: agent.map(str::to_owned),
            limit: 1,
            ..all()
        };
        ids(store, query)
    };
    use MatchState::{Over, Running, Waiting};
    use Variant::{Abalone, Classic};
    assert_eq!(listed(&[Waiting], &[], None).await, [4, 3]);
    assert_eq!(listed(&[Running, Over], &[], None).await, [2, 1]);
    assert_eq!(listed(&[], &[Abalone], None).await, [4, 2]);
    assert_eq!(listed(&[], &[Abalone, Classic], None).await, [4, 3, 2, 1]);
    assert_eq!(listed(&[Waiting], &[Classic], None).await, [3]);
    assert_eq!(listed(&[], &[], Some("ada")).await, [2, 1]);
    assert_eq!(listed(&[], &[], Some(dialled)).await, [3, 2]);
    assert_eq!(listed(&[], &[], Some("cleo")).await, [4]);
    assert_eq!(listed(&[Running], &[Abalone], Some("ada")).await, [2]);
    assert_eq!(listed(&[Over], &[Abalone], Some("ada")).await, [0; 0]);
    assert_eq!(listed(&[], &[], Some("nobody")).await, [0; 0]);
}

pub(crate) async fn a_match_moves_from_list_to_list_with_its_state(store: &Arc<dyn Store>) {
    let mut written = Written::created(&**store, classic(1)).await;
    for state in [MatchState::Running, MatchState::Over] {
        let append = written.turned(state);
        written.append(&**store, append).await;
        for listed in [MatchState::Waiting, MatchState::Running, MatchState::Over] {
            for agent in [None, Some("bob".to_owned())] {
                let query = ListQuery {
                    states: vec![listed],
                    agent,
                    ..all()
                };
                let expected: &[u64] = if listed == state { &[1] } else { &[] };
                assert_eq!(ids(store, query).await, expected);
            }
        }
    }
}

pub(crate) async fn private_matches_are_listed_for_their_agents_and_operators(
    store: &Arc<dyn Store>,
) {
    for summary in [
        between(1, "ada", "bob"),
        private(between(2, "ada", "bob")),
        private(between(3, "bob", "cleo")),
        private(between(4, "cleo", "dora")),
    ] {
        Written::created(&**store, summary).await;
    }
    let listed = |reader: &Reader, agent: Option<&str>| {
        let query = ListQuery {
            reader: reader.clone(),
            agent: agent.map(str::to_owned),
            limit: 1,
            ..all()
        };
        ids(store, query)
    };
    let ada = Reader::Agent("ada".to_owned());
    let bob = Reader::Agent("bob".to_owned());
    assert_eq!(listed(&Reader::Operator, None).await, [4, 3, 2, 1]);
    assert_eq!(listed(&Reader::Operator, Some("cleo")).await, [4, 3]);
    assert_eq!(listed(&Reader::Public, None).await, [1]);
    assert_eq!(listed(&Reader::Public, Some("cleo")).await, [0; 0]);
    assert_eq!(listed(&ada, None).await, [2, 1]);
    assert_eq!(listed(&bob, None).await, [3, 2, 1]);
    assert_eq!(listed(&bob, Some("bob")).await, [3, 2, 1]);
    assert_eq!(listed(&bob, Some("ada")).await, [2, 1]);
    assert_eq!(listed(&bob, Some("cleo")).await, [3]);
    assert_eq!(listed(&bob, Some("dora")).await, [0; 0]);
}

pub(crate) async fn a_match_created_between_two_pages_is_on_neither(store: &Arc<dyn Store>) {
    for match_id in 1..=4 {
        Written::created(&**store, classic(match_id)).await;
    }
    let mut query = ListQuery { limit: 2, ..all() };
    let first = store.list(query.clone()).await.unwrap();
    Written::created(&**store, classic(5)).await;
    query.after = first.next;
    assert_eq!(ids(store, query).await, [2, 1]);
}
