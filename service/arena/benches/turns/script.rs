//! Matches of random moves, put down once so that they can be played again without picking moves.

use broadside_arena::{
    play::{AgentId, Limits, Machine, MatchSpec, TimeControl},
    time::Micros,
};
use broadside_proto::v1::{self, r#move, salvo_move};
use broadside_rules::{Game, Options, Seat, Seats, Variant};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

const CREATED: Micros = Micros(1 << 52);
/// From each answer to the next one, in microseconds.
const PACE_US: u64 = 100;

/// The answers of one match from its start to its end.
pub(crate) struct Script {
    spec: MatchSpec,
    answers: Vec<(Seat, v1::TurnAnswer)>,
}

/// A match when it is half over.
pub(crate) struct Middle {
    /// As the referee has it.
    pub(crate) game: Game,
    /// Who is to act.
    pub(crate) seat: Seat,
    /// What that seat is told, without its legal moves.
    pub(crate) turn: v1::Turn,
    /// What it answers.
    pub(crate) answer: v1::TurnAnswer,
}

impl Script {
    /// So many matches of a variant with the options it has when none are given, always the same ones.
    pub(crate) fn several(variant: Variant, count: u64) -> Vec<Self> {
        (1..=count)
            .map(|match_id| Self::drawn(spec(variant, match_id)))
            .collect()
    }

    fn drawn(spec: MatchSpec) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(spec.match_id);
        let mut machine = started(spec.clone());
        let mut answers = Vec::new();
        while let Some(seat) = machine.game().to_act().iter().next() {
            let now = moment(answers.len());
            let (turn, _) = machine
                .turn(seat, true, now)
                .expect("who is to act is asked");
            let legal = turn.legal_moves.expect("legal moves were asked for");
            let answer = v1::TurnAnswer {
                match_id: turn.match_id,
                turn_id: turn.turn_id,
                r#move: Some(pick(legal, &mut rng)),
            };
            machine.answer(Seats::only(seat), answer.clone(), now);
            machine.take_step();
            answers.push((seat, answer));
        }
        Self { spec, answers }
    }

    /// The match just started.
    pub(crate) fn machine(&self) -> Machine {
        started(self.spec.clone())
    }

    /// Who answered, what, and when, in order.
    pub(crate) fn answers(&self) -> Vec<(Seat, v1::TurnAnswer, Micros)> {
        let numbered = self.answers.iter().enumerate();
        numbered
            .map(|(number, (seat, answer))| (*seat, answer.clone(), moment(number)))
            .collect()
    }

    /// The match when half of the answers are given.
    pub(crate) fn middle(&self) -> Middle {
        let mut machine = self.machine();
        let mut answers = self.answers();
        let later = answers.split_off(answers.len() / 2);
        for (seat, answer, at) in answers {
            machine.answer(Seats::only(seat), answer, at);
        }
        let (seat, answer, at) = later.into_iter().next().expect("half of the match");
        let (turn, _) = machine
            .turn(seat, false, at)
            .expect("who is to act is asked");
        Middle {
            game: machine.game().clone(),
            seat,
            turn,
            answer,
        }
    }

    /// All that the match logs after its creation.
    pub(crate) fn log(&self) -> Vec<v1::LogEntry> {
        let mut machine = self.machine();
        for (seat, answer, at) in self.answers() {
            machine.answer(Seats::only(seat), answer, at);
        }
        machine.take_step().log
    }
}

fn moment(answers: usize) -> Micros {
    CREATED.plus(answers as u64 * PACE_US)
}

fn started(spec: MatchSpec) -> Machine {
    let limits = Limits {
        grace_us: 30_000_000,
        delivery_us: 30_000_000,
        note_us: 1_000_000,
    };
    let mut machine = Machine::new(spec, limits, CREATED);
    machine.start(CREATED);
    machine
}

fn spec(variant: Variant, match_id: u64) -> MatchSpec {
    MatchSpec {
        match_id,
        options: Options::default_of(variant),
        agents: ["ann", "bob"].map(|name| AgentId::Named(name.into())),
        time_control: TimeControl {
            budget_us: Some(60_000_000),
            increment_us: 100_000,
            turn_cap_us: None,
            deployment_us: 10_000_000,
            lag_allowance_us: 5_000,
        },
        strikes: variant.default_strikes(),
        seed: match_id,
        request_id: String::new(),
        commitment_key: [3; 32],
        private: false,
    }
}

/// One of the legal moves.
fn pick(legal: v1::LegalMoves, rng: &mut ChaCha8Rng) -> v1::Move {
    let v1::LegalMoves { mut moves, salvo } = legal;
    let Some(v1::SalvoChoice { mut cells, size }) = salvo else {
        return moves.swap_remove(rng.random_range(0..moves.len()));
    };
    let drawn = (0..size).map(|_| cells.swap_remove(rng.random_range(0..cells.len())));
    let salvo = v1::Salvo {
        cells: drawn.collect(),
    };
    v1::Move {
        variant: Some(r#move::Variant::Salvo(v1::SalvoMove {
            r#move: Some(salvo_move::Move::Salvo(salvo)),
        })),
    }
}
