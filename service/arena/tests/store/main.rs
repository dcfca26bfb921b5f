//! What every store must do, held against each that there is.
//!
//! PostgreSQL is tested where `BROADSIDE_TEST_POSTGRES` holds the URL of a server that the tests may make schemas in:
//! `sh .ci/postgres.sh cargo test --workspace` starts one.
#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test fails by panicking"
)]

mod appending;
mod backend;
mod creating;
mod durable;
mod given;
mod journal;
mod keys;
mod listing;
mod older;
mod postgres;
#[path = "../../../../tests/src/skipped.rs"]
#[allow(unreachable_pub)]
mod skipped;
mod sqlite;

use skipped::skipped;

/// Each case as a test of each backend.
macro_rules! conformance {
    ($($module:ident: $($case:ident),+ $(,)?;)+) => {
        mod memory {
            $($(
                #[tokio::test]
                async fn $case() {
                    super::$module::$case(&super::backend::Memory::open()).await;
                }
            )+)+
        }

        mod in_sqlite {
            $($(
                #[tokio::test]
                async fn $case() {
                    super::$module::$case(super::backend::Sqlite::open().await.store()).await;
                }
            )+)+
        }

        mod in_postgres {
            use super::backend::Durable as _;

            $($(
                #[tokio::test]
                async fn $case() {
                    if let Some(backend) = super::postgres::Postgres::open().await {
                        super::$module::$case(backend.store()).await;
                    }
                }
            )+)+
        }
    };
}

/// Each case of what outlasts the process, as a test of each backend that keeps it.
macro_rules! durable_conformance {
    ($($case:ident),+ $(,)?) => {
        mod durable_in_sqlite {
            $(
                #[tokio::test]
                async fn $case() {
                    super::durable::$case(super::backend::Sqlite::open().await).await;
                }
            )+
        }

        mod durable_in_postgres {
            $(
                #[tokio::test]
                async fn $case() {
                    if let Some(backend) = super::postgres::Postgres::open().await {
                        super::durable::$case(backend).await;
                    }
                }
            )+
        }
    };
}

conformance! {
    creating:
        a_match_is_created_once_for_each_request,
        a_request_that_differs_is_a_conflict,
        requests_without_an_id_are_all_new,
        an_id_that_is_taken_is_refused,
        a_match_is_read_as_it_was_created;
    appending:
        entries_are_read_in_the_order_of_their_appends,
        a_log_is_read_from_a_place_on,
        an_append_made_again_is_kept_once,
        another_append_at_a_place_that_is_taken_is_refused_and_changes_nothing,
        an_append_beyond_the_end_is_refused_and_changes_nothing,
        an_old_epoch_is_fenced_and_changes_nothing,
        a_match_that_is_over_is_not_claimed,
        an_unknown_match_is_named,
        moves_are_counted_without_a_new_summary,
        the_end_brings_summary_and_signature_with_it,
        many_matches_are_appended_to_at_once;
    listing:
        pages_hold_every_match_once_newest_first,
        a_list_is_filtered_by_state_variant_and_agent,
        a_match_moves_from_list_to_list_with_its_state,
        private_matches_are_listed_for_their_agents_and_operators,
        a_match_created_between_two_pages_is_on_neither;
    keys:
        the_first_secret_of_a_name_stays,
        tokens_are_listed_oldest_first,
        a_token_is_revoked_once;
}

durable_conformance! {
    everything_is_there_when_it_is_opened_again,
    an_epoch_goes_on_when_it_is_opened_again,
    an_append_made_again_after_it_was_opened_again_is_kept_once,
}
