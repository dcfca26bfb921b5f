//! Tokens as they are given out: `bsa_ID_SECRET` for an agent, `bso_ID_SECRET` for an operator.
//!
//! The id names the token in lists and logs. The secret is 256 random bits in hexadecimal digits; only its hash is kept.

use std::fmt::Write;

use rand::rngs::SysError;
use secrecy::SecretString;
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

use crate::{
    seed,
    store::{Holder, KeptToken, TokenId},
};

const AGENT: &str = "bsa";
const OPERATOR: &str = "bso";
/// Digits of an id, and of a secret.
const ID: usize = 16;
const SECRET: usize = 64;

/// A text that is no token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no token")]
pub struct BadToken;

/// A token just made: the only time that its text is known.
pub struct Minted {
    /// What the holder gets.
    pub text: SecretString,
    /// What is kept of it.
    pub kept: KeptToken,
}

/// Makes a token.
///
/// # Errors
/// If the operating system has no randomness to give.
pub fn mint(
    holder: Holder,
    create_time_ms: u64,
    expire_time_ms: Option<u64>,
) -> Result<Minted, SysError> {
    let id = format!("{:016x}", seed::fresh()?);
    let secret = hex(&seed::fresh_key()?);
    let kind = match holder {
        Holder::Operator => OPERATOR,
        Holder::Agent(_) => AGENT,
    };
    Ok(Minted {
        text: format!("{kind}_{id}_{secret}").into(),
        kept: KeptToken {
            id,
            holder,
            hash: hash(&secret),
            create_time_ms,
            expire_time_ms,
            revoke_time_ms: None,
        },
    })
}

/// A token as it arrives: which it claims to be, and the hash of its secret.
#[derive(Clone)]
pub(super) struct Presented {
    pub(super) id: TokenId,
    hash: [u8; 32],
}

impl Presented {
    /// Reads a token.
    pub(super) fn read(text: &str) -> Result<Self, BadToken> {
        let mut parts = text.split('_');
        let (Some(AGENT | OPERATOR), Some(id), Some(secret), None) =
            (parts.next(), parts.next(), parts.next(), parts.next())
        else {
            return Err(BadToken);
        };
        let digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_hexdigit());
        if id.len() != ID || secret.len() != SECRET || !digits(id) || !digits(secret) {
            return Err(BadToken);
        }
        Ok(Self {
            id: id.to_owned(),
            hash: hash(secret),
        })
    }

    /// Whether it is that token: in the same time whether it is or not.
    pub(super) fn is(&self, kept: &KeptToken) -> bool {
        self.hash.ct_eq(&kept.hash).into()
    }
}

/// Whether a text may name a token.
pub(super) fn is_id(text: &str) -> bool {
    text.len() == ID && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

fn hash(secret: &str) -> [u8; 32] {
    Sha256::digest(secret).into()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
mod tests {
    use secrecy::ExposeSecret;

    use super::*;

    #[test]
    fn a_token_is_itself_and_no_other() {
        let one = mint(Holder::Operator, 1, None).unwrap();
        let two = mint(Holder::Agent("ada".to_owned()), 1, None).unwrap();
        assert!(one.text.expose_secret().starts_with("bso_"));
        assert!(two.text.expose_secret().starts_with("bsa_"));
        let presented = Presented::read(one.text.expose_secret()).unwrap();
        assert_eq!(presented.id, one.kept.id);
        assert!(presented.is(&one.kept));
        assert!(!presented.is(&two.kept));
    }

    #[test]
    fn what_is_kept_does_not_hold_the_secret() {
        let minted = mint(Holder::Operator, 1, None).unwrap();
        let secret = minted.text.expose_secret().rsplit('_').next().unwrap();
        assert!(!format!("{:?}", minted.kept).contains(secret));
        assert_ne!(hex(&minted.kept.hash), secret);
    }

    #[test]
    fn whatever_text_comes_is_a_token_or_none() {
        let good = mint(Holder::Operator, 1, None).unwrap();
        let good = good.text.expose_secret();
        for text in [
            "",
            "bso",
            "bso__",
            "bsx_0000000000000000_00",
            &good[..good.len() - 1],
            &format!("{good}0"),
            &format!("{good}_"),
            &good.replace("bso", "BSO"),
            &good.replace('_', "-"),
            &format!("bso_{}_{}", "ä".repeat(8), "0".repeat(64)),
        ] {
            assert!(Presented::read(text).is_err(), "{text}");
        }
    }
}
