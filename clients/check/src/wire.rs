//! Messages as they go to the bot, with fields of a newer contract if that is wanted.

use broadside_proto::v1::{
    self, ConnectResponse, Turn, choose_move_response::Decision, connect_response::Message,
};
use bytes::Bytes;
use prost::{
    Message as _,
    encoding::{WireType, encode_key, encode_varint},
};

/// Fields that no version of the contract has: a number of more than one byte, and of every wire type.
const NEW_FIELD: u32 = 15_000;
/// A field of the contract's `ConnectResponse`, some day.
const NEW_MESSAGE: u32 = 900;

/// Whether messages hold fields that the bot cannot know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Spice {
    /// As the arena sends them.
    Plain,
    /// With a field of each wire type added, to the message and to those in it.
    Unknown,
}

pub(crate) fn response(message: Message, spice: Spice) -> Bytes {
    if spice == Spice::Plain {
        let message = Some(message);
        return ConnectResponse { message }.encode_to_vec().into();
    }
    let (number, inner) = match &message {
        Message::Welcome(it) => (1, it.encode_to_vec()),
        Message::MatchStart(it) => (2, it.encode_to_vec()),
        Message::Turn(it) => (3, spiced_turn(it)),
        Message::Accepted(it) => (4, it.encode_to_vec()),
        Message::Rejected(it) => (5, it.encode_to_vec()),
        Message::MatchEnd(it) => (6, it.encode_to_vec()),
        Message::Heartbeat(it) => (7, it.encode_to_vec()),
        Message::SessionEnd(it) => (8, it.encode_to_vec()),
    };
    let mut bytes = Vec::new();
    add_message(&mut bytes, number, &spiced(inner));
    spiced(bytes).into()
}

/// A request that holds one message, as its field 1: StartMatch, ChooseMove, EndMatch.
pub(crate) fn request(message: &Message, spice: Spice) -> Bytes {
    let inner = match message {
        Message::Turn(turn) if spice == Spice::Unknown => spiced_turn(turn),
        Message::Turn(it) => it.encode_to_vec(),
        Message::MatchStart(it) => it.encode_to_vec(),
        Message::MatchEnd(it) => it.encode_to_vec(),
        _ => Vec::new(),
    };
    let mut bytes = Vec::new();
    match spice {
        Spice::Plain => add_message(&mut bytes, 1, &inner),
        Spice::Unknown => {
            add_message(&mut bytes, 1, &spiced(inner));
            bytes = spiced(bytes);
        }
    }
    bytes.into()
}

/// A `ConnectResponse` of a kind that the bot cannot know, with so many bytes in it.
pub(crate) fn unknown_message(size: usize) -> Bytes {
    let mut inner = Vec::new();
    add_message(&mut inner, 1, &vec![b'?'; size]);
    let mut bytes = Vec::new();
    add_message(&mut bytes, NEW_MESSAGE, &inner);
    bytes.into()
}

fn spiced_turn(turn: &Turn) -> Vec<u8> {
    let Turn {
        view,
        events,
        refusal,
        legal_moves,
        options,
        ..
    } = turn;
    let bare = Turn {
        view: None,
        events: Vec::new(),
        refusal: None,
        legal_moves: None,
        options: None,
        ..turn.clone()
    };
    let mut bytes = bare.encode_to_vec();
    let mut add = |number, message: Vec<u8>| add_message(&mut bytes, number, &spiced(message));
    if let Some(view) = view {
        add(5, view.encode_to_vec());
    }
    for event in events {
        add(6, event.encode_to_vec());
    }
    if let Some(refusal) = refusal {
        add(12, refusal.encode_to_vec());
    }
    if let Some(legal) = legal_moves {
        add(13, legal.encode_to_vec());
    }
    if let Some(options) = options {
        add(14, options.encode_to_vec());
    }
    bytes
}

fn spiced(mut bytes: Vec<u8>) -> Vec<u8> {
    encode_key(NEW_FIELD, WireType::Varint, &mut bytes);
    encode_varint(u64::MAX, &mut bytes);
    encode_key(NEW_FIELD + 1, WireType::SixtyFourBit, &mut bytes);
    bytes.extend([0xff; 8]);
    encode_key(NEW_FIELD + 2, WireType::ThirtyTwoBit, &mut bytes);
    bytes.extend([0xff; 4]);
    add_message(&mut bytes, NEW_FIELD + 3, "a newer field".as_bytes());
    bytes
}

fn add_message(bytes: &mut Vec<u8>, number: u32, message: &[u8]) {
    encode_key(number, WireType::LengthDelimited, bytes);
    encode_varint(message.len() as u64, bytes);
    bytes.extend_from_slice(message);
}

/// What a dialled bot decided, as a bot that dials in would say it.
pub(crate) fn decided(
    turn: (u64, u32),
    response: v1::ChooseMoveResponse,
) -> v1::connect_request::Message {
    use v1::connect_request::Message as Said;
    let (match_id, turn_id) = turn;
    match response.decision {
        Some(Decision::Resignation(it)) => Said::Resignation(v1::Resignation { match_id, ..it }),
        Some(Decision::Dispute(_)) => Said::Dispute(v1::Dispute { match_id, turn_id }),
        Some(Decision::Move(it)) => Said::Answer(v1::TurnAnswer {
            match_id,
            turn_id,
            r#move: Some(it),
        }),
        None => Said::Answer(v1::TurnAnswer {
            match_id,
            turn_id,
            r#move: None,
        }),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that fails panics")]
mod tests {
    use super::*;

    fn turn() -> Turn {
        Turn {
            match_id: 7,
            turn_id: 3,
            view: Some(v1::View::default()),
            events: vec![v1::Event::default()],
            refusal: Some(v1::IllegalMove::default()),
            legal_moves: Some(v1::LegalMoves::default()),
            options: Some(v1::Options::default()),
            ..Turn::default()
        }
    }

    #[test]
    fn a_message_with_unknown_fields_means_the_same() {
        let plain = response(Message::Turn(turn()), Spice::Plain);
        let spiced = response(Message::Turn(turn()), Spice::Unknown);
        assert!(spiced.len() > plain.len() + 100);
        assert_eq!(
            ConnectResponse::decode(plain).unwrap(),
            ConnectResponse::decode(spiced).unwrap()
        );
        for spice in [Spice::Plain, Spice::Unknown] {
            let asked =
                v1::ChooseMoveRequest::decode(request(&Message::Turn(turn()), spice)).unwrap();
            assert_eq!(asked.turn, Some(turn()));
        }
    }

    #[test]
    fn an_unknown_message_is_none_of_the_contract() {
        let decoded = ConnectResponse::decode(unknown_message(10)).unwrap();
        assert_eq!(decoded.message, None);
    }
}
