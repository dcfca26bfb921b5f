//! Resume tokens: a bot shows by one that it is the bot whose session was lost, also to an arena that was started again and
//! remembers no session.

use hmac::{Hmac, KeyInit, Mac};
use rand::rngs::SysError;
use sha2::Sha256;

use crate::seed;

/// Characters of the part that is drawn.
const NONCE: usize = 16;

/// What resume tokens are made with. It outlasts the arena's process as far as its store does.
#[derive(Clone)]
pub struct ResumeKey([u8; 32]);

impl std::fmt::Debug for ResumeKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("ResumeKey")
    }
}

impl ResumeKey {
    /// The key with this secret.
    pub fn new(secret: [u8; 32]) -> Self {
        Self(secret)
    }

    /// A token for a session of this agent.
    ///
    /// # Errors
    /// If the system has no randomness to give.
    pub fn token(&self, agent: &str) -> Result<String, SysError> {
        let nonce = format!("{:016x}", seed::fresh()?);
        let tag = self.mac(agent, &nonce).finalize().into_bytes();
        let tag: String = tag.iter().map(|byte| format!("{byte:02x}")).collect();
        Ok(nonce + &tag)
    }

    /// Whether a token was made for this agent with this key.
    pub fn is_genuine(&self, agent: &str, token: &str) -> bool {
        let Some((nonce, tag)) = token.split_at_checked(NONCE) else {
            return false;
        };
        let digits = tag.as_bytes().chunks(2).map(|pair| {
            let pair = std::str::from_utf8(pair).ok()?;
            u8::from_str_radix(pair, 16).ok()
        });
        let Some(tag) = digits.collect::<Option<Vec<u8>>>() else {
            return false;
        };
        self.mac(agent, nonce).verify_slice(&tag).is_ok()
    }

    fn mac(&self, agent: &str, nonce: &str) -> Hmac<Sha256> {
        let key = hmac::digest::Key::<Hmac<Sha256>>::default();
        let mut key = key;
        key[..32].copy_from_slice(&self.0);
        Hmac::<Sha256>::new(&key)
            .chain_update(nonce.as_bytes())
            .chain_update(agent.as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_genuine_for_its_agent_and_its_key_only() {
        let key = ResumeKey::new([1; 32]);
        let token = key.token("ada").unwrap();
        assert!(key.is_genuine("ada", &token));
        assert!(!key.is_genuine("bob", &token));
        assert!(!ResumeKey::new([2; 32]).is_genuine("ada", &token));
        let mut forged = token.clone().into_bytes();
        forged[20] ^= 1;
        assert!(!key.is_genuine("ada", &String::from_utf8(forged).unwrap()));
    }

    #[test]
    fn whatever_a_token_may_be_it_does_no_harm() {
        let key = ResumeKey::new([1; 32]);
        for token in [
            "",
            "0",
            "ä",
            &"ä".repeat(40),
            &"0".repeat(80),
            &"g".repeat(80),
        ] {
            assert!(!key.is_genuine("ada", token), "{token}");
        }
    }
}
