//! The arena's signature under a record.

use std::fmt;

use ed25519_dalek::{Signature, Signer, SigningKey, VerifyingKey};

use crate::chain::Link;

const DOMAIN: &[u8; 28] = b"broadside record signature 1";

/// The arena's key.
#[derive(Clone)]
pub struct Signatory(SigningKey);

impl fmt::Debug for Signatory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Signatory({:02x?}…)", &self.public_key()[..4])
    }
}

/// A signature that does not hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadSignature {
    /// The key is none.
    #[error("the public key is not an ed25519 key of 32 bytes")]
    Key,
    /// The signature is none.
    #[error("the signature is not one of 64 bytes")]
    Form,
    /// It is of another key or another log.
    #[error("the signature is not that of this key under this log")]
    Wrong,
}

impl Signatory {
    /// The key with this secret.
    pub fn new(secret: &[u8; 32]) -> Self {
        Self(SigningKey::from_bytes(secret))
    }

    /// What signatures are verified with.
    pub fn public_key(&self) -> [u8; 32] {
        self.0.verifying_key().to_bytes()
    }

    /// Signs a log that ends with this value of its chain.
    pub fn sign(&self, last: &Link) -> [u8; 64] {
        self.0.sign(&message(last)).to_bytes()
    }
}

/// Whether a log that ends with this value of its chain was signed with that key.
///
/// # Errors
/// If it was not.
pub fn verify(public_key: &[u8], last: &Link, signature: &[u8]) -> Result<(), BadSignature> {
    let key = public_key.try_into().map_err(|_| BadSignature::Key)?;
    let key = VerifyingKey::from_bytes(key).map_err(|_| BadSignature::Key)?;
    let signature = Signature::from_slice(signature).map_err(|_| BadSignature::Form)?;
    key.verify_strict(&message(last), &signature)
        .map_err(|_| BadSignature::Wrong)
}

fn message(last: &Link) -> [u8; 60] {
    let mut message = [0; 60];
    message[..28].copy_from_slice(DOMAIN);
    message[28..].copy_from_slice(last);
    message
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_key_that_signed_and_the_log_that_was_signed_verify() {
        let arena = Signatory::new(&[1; 32]);
        let other = Signatory::new(&[2; 32]);
        let signature = arena.sign(&[3; 32]);
        assert_eq!(verify(&arena.public_key(), &[3; 32], &signature), Ok(()));
        assert_eq!(
            verify(&other.public_key(), &[3; 32], &signature),
            Err(BadSignature::Wrong)
        );
        assert_eq!(
            verify(&arena.public_key(), &[4; 32], &signature),
            Err(BadSignature::Wrong)
        );
        assert_eq!(verify(&[], &[3; 32], &signature), Err(BadSignature::Key));
        assert_eq!(
            verify(&arena.public_key(), &[3; 32], &[0; 3]),
            Err(BadSignature::Form)
        );
    }
}
