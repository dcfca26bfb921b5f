//! Who may do what: tokens, and the callers that they make.
//!
//! A token is sent as gRPC metadata, `authorization: Bearer TOKEN`. The [`layer`] turns it into a [`Caller`] before any service sees the
//! call; services ask the caller.

mod caller;
mod command;
pub mod layer;
mod token;
mod tokens;

pub use caller::Caller;
pub use command::TokenCommand;
pub use token::{BadToken, Minted, mint};
pub use tokens::Tokens;
pub(crate) use tokens::WRONG_TOKENS;
