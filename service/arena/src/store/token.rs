//! Tokens as they are kept: what was given out is not among it, only its hash.

use std::fmt;

/// Names a token; no secret. 1-32 characters of a-z and 0-9.
pub type TokenId = String;

/// What a token allows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Holder {
    /// Everything.
    Operator,
    /// To be the agent of this name.
    Agent(String),
}

/// A token as it is kept.
#[derive(Clone, PartialEq, Eq)]
pub struct KeptToken {
    /// Its name.
    pub id: TokenId,
    /// What it allows.
    pub holder: Holder,
    /// SHA-256 of its secret, which is drawn at random and long, so that a slow hash has nothing to add.
    pub hash: [u8; 32],
    /// When it was made, in milliseconds since 1970 (UTC).
    pub create_time_ms: u64,
    /// From when on it is not valid any more, in milliseconds since 1970 (UTC).
    pub expire_time_ms: Option<u64>,
    /// When it was revoked, in milliseconds since 1970 (UTC).
    pub revoke_time_ms: Option<u64>,
}

impl fmt::Debug for KeptToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KeptToken")
            .field("id", &self.id)
            .field("holder", &self.holder)
            .field("create_time_ms", &self.create_time_ms)
            .field("expire_time_ms", &self.expire_time_ms)
            .field("revoke_time_ms", &self.revoke_time_ms)
            .finish_non_exhaustive()
    }
}
