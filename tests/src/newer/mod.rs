//! The contract as it may be one day, spoken by one end of a conversation.
#![allow(
    clippy::missing_panics_doc,
    clippy::unwrap_used,
    reason = "made from the contract itself: what does not fit it fails every test"
)]

mod end;
pub mod schema;

pub use end::{Newer, NewerEnd};
