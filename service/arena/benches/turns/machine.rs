//! Whole matches, from the first turn to the end: a seat's turn is made and handed over, its answer taken, and what comes of that
//! taken out.

use broadside_arena::{convert::Writer, play::Machine, time::Micros};
use broadside_proto::v1;
use broadside_rules::{Seat, Seats, Variant};
use divan::{Bencher, black_box, counter::ItemsCount};
use prost::Message;

use crate::{VARIANTS, script::Script};

const MATCHES: u64 = 16;

/// Turns a second, as messages.
#[divan::bench(args = VARIANTS)]
fn messages(bencher: Bencher, variant: Variant) {
    let scripts = Script::several(variant, MATCHES);
    let matches = || scripts.iter().map(|of| (of.machine(), of.answers()));
    bencher
        .counter(turns(&scripts))
        .with_inputs(|| matches().collect::<Vec<_>>())
        .bench_local_values(|matches| {
            for (mut machine, answers) in matches {
                for (seat, answer, at) in answers {
                    black_box(hand_over(&machine, seat, at));
                    machine.answer(Seats::only(seat), answer, at);
                    black_box(machine.take_step());
                }
                assert!(machine.outcome().is_some(), "the match is over");
            }
        });
}

/// Turns a second, as bytes: the turn is written, and the answer decoded.
#[divan::bench(args = VARIANTS)]
fn bytes(bencher: Bencher, variant: Variant) {
    let scripts = Script::several(variant, MATCHES);
    let answers: Vec<_> = scripts.iter().map(encoded_answers).collect();
    bencher
        .counter(turns(&scripts))
        .with_inputs(|| scripts.iter().map(Script::machine).collect::<Vec<_>>())
        .bench_local_values(|machines| {
            let mut buffer = Vec::new();
            for (mut machine, answers) in machines.into_iter().zip(&answers) {
                for (seat, answer, at) in answers {
                    buffer.clear();
                    let turn = machine.pending_turn(*seat, *at).expect("a turn");
                    turn.handover().stamp(*at);
                    turn.write(false, &mut Writer::new(&mut buffer));
                    black_box(&buffer);
                    let answer = v1::TurnAnswer::decode(answer.as_slice());
                    let answer = answer.expect("it was just encoded");
                    machine.answer(Seats::only(*seat), answer, *at);
                    black_box(machine.take_step());
                }
                assert!(machine.outcome().is_some(), "the match is over");
            }
        });
}

fn encoded_answers(script: &Script) -> Vec<(Seat, Vec<u8>, Micros)> {
    let answers = script.answers().into_iter();
    answers
        .map(|(seat, answer, at)| (seat, answer.encode_to_vec(), at))
        .collect()
}

fn turns(scripts: &[Script]) -> ItemsCount {
    ItemsCount::new(scripts.iter().map(|of| of.answers().len()).sum::<usize>())
}

/// The seat's turn, given to a transport that takes it at once.
fn hand_over(machine: &Machine, seat: Seat, at: Micros) -> v1::Turn {
    let (turn, handover) = machine
        .turn(seat, false, at)
        .expect("who is to act is asked");
    handover.stamp(at);
    turn
}
