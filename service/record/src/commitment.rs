//! Commitments to deployments: a salted hash that everybody sees at once, and that the record opens.

use broadside_proto::v1;
use prost::Message;
use sha2::{Digest, Sha256};

/// A commitment.
pub type Commitment = [u8; 32];

/// The commitment to a deployment, of a match with this commitment key and for this turn.
pub fn commitment(key: &[u8], turn_id: u32, deployment: &v1::Move) -> Commitment {
    commitment_to_bytes(key, turn_id, &deployment.encode_to_vec())
}

/// The same, for a deployment that is encoded.
pub fn commitment_to_bytes(key: &[u8], turn_id: u32, deployment: &[u8]) -> Commitment {
    let salt = Sha256::new()
        .chain_update(key)
        .chain_update(turn_id.to_be_bytes())
        .finalize();
    Sha256::new()
        .chain_update(salt)
        .chain_update(deployment)
        .finalize()
        .into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn key_turn_and_move_all_count() {
        let plain = v1::Move::default();
        let other = v1::Move {
            variant: Some(v1::r#move::Variant::Classic(v1::ClassicMove::default())),
        };
        let first = commitment(&[1; 32], 1, &plain);
        assert_eq!(first, commitment(&[1; 32], 1, &plain));
        assert_ne!(first, commitment(&[2; 32], 1, &plain));
        assert_ne!(first, commitment(&[1; 32], 2, &plain));
        assert_ne!(first, commitment(&[1; 32], 1, &other));
    }
}
