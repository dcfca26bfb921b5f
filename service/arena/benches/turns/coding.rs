//! A turn and its answer to bytes and back, when the match is half over.

use broadside_proto::v1;
use broadside_rules::Variant;
use divan::{
    Bencher, black_box,
    counter::{BytesCount, ItemsCount},
};
use prost::Message;

use crate::{
    VARIANTS,
    script::{Middle, Script},
};

const MATCHES: u64 = 16;

/// Turns a second.
#[divan::bench(args = VARIANTS)]
fn encode_turn(bencher: Bencher, variant: Variant) {
    encode(bencher, variant, |middle| middle.turn);
}

/// Turns a second.
#[divan::bench(args = VARIANTS)]
fn decode_turn(bencher: Bencher, variant: Variant) {
    decode::<v1::Turn>(bencher, variant, |middle| middle.turn);
}

/// Answers a second.
#[divan::bench(args = VARIANTS)]
fn encode_answer(bencher: Bencher, variant: Variant) {
    encode(bencher, variant, |middle| middle.answer);
}

/// Answers a second.
#[divan::bench(args = VARIANTS)]
fn decode_answer(bencher: Bencher, variant: Variant) {
    decode::<v1::TurnAnswer>(bencher, variant, |middle| middle.answer);
}

/// Into a buffer that has room, as a stream's has.
fn encode<M: Message>(bencher: Bencher, variant: Variant, of: fn(Middle) -> M) {
    let messages = messages(variant, of);
    let mut buffer = Vec::with_capacity(bytes(&messages));
    bencher
        .counter(ItemsCount::new(messages.len()))
        .counter(BytesCount::new(bytes(&messages)))
        .bench_local(|| {
            buffer.clear();
            for message in black_box(&messages) {
                message.encode(&mut buffer).expect("a vector grows");
            }
            black_box(&buffer);
        });
}

fn decode<M: Message + Default>(bencher: Bencher, variant: Variant, of: fn(Middle) -> M) {
    let messages = messages(variant, of);
    let encoded: Vec<_> = messages.iter().map(Message::encode_to_vec).collect();
    bencher
        .counter(ItemsCount::new(messages.len()))
        .counter(BytesCount::new(bytes(&messages)))
        .bench_local(|| {
            for body in black_box(&encoded) {
                let message = M::decode(body.as_slice()).expect("it was just encoded");
                drop(black_box(message));
            }
        });
}

fn messages<M>(variant: Variant, of: fn(Middle) -> M) -> Vec<M> {
    let scripts = Script::several(variant, MATCHES);
    scripts.iter().map(|script| of(script.middle())).collect()
}

fn bytes(messages: &[impl Message]) -> usize {
    messages.iter().map(Message::encoded_len).sum()
}
