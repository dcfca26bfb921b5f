//! Matches and records made by hand.

use broadside_cli::notation::parse_move;
use broadside_proto::v1::{log_entry::Entry, *};

use super::{
    fake::MATCH,
    samples::{self, fleet},
};

/// Three seconds past midnight of 1 December 2026.
const CREATED_MS: u64 = 1_796_083_203_000;

pub fn named(name: &str) -> Player {
    Player {
        agent: Some(player::Agent::Name(name.to_owned())),
    }
}

/// A match of a variant that is being played.
pub fn running(variant: Variant) -> Match {
    Match {
        match_id: MATCH,
        options: Some(samples::options(variant)),
        players: vec![named("hunter"), named("evil\u{1b}[2J")],
        time_control: Some(TimeControl {
            budget_ms: Some(300_000),
            increment_ms: Some(2000),
            turn_cap_ms: Some(10_000),
            deployment_ms: Some(60_000),
            lag_allowance_ms: Some(50),
        }),
        strikes: 3,
        state: MatchState::Running.into(),
        create_time_ms: CREATED_MS,
        start_time_ms: CREATED_MS + 1000,
        moves: 12,
        ..Match::default()
    }
}

/// The same, won by seat 1.
pub fn over(variant: Variant) -> Match {
    Match {
        state: MatchState::Over.into(),
        end_time_ms: CREATED_MS + 60_000,
        outcome: Some(won()),
        ..running(variant)
    }
}

pub fn won() -> Outcome {
    Outcome {
        result: MatchResult::SeatOneWins.into(),
        termination: Termination::WonByPlay.into(),
        at_fault: Seat::Unspecified.into(),
        ending: Ending::FleetSunk.into(),
        message: "Every ship of seat 2 is sunk.".to_owned(),
        ..Outcome::default()
    }
}

pub fn resigned(seat: Seat) -> Outcome {
    let (result, message) = match seat {
        Seat::Two => (MatchResult::SeatOneWins, "Seat 2 resigned."),
        _ => (MatchResult::SeatTwoWins, "Seat 1 resigned."),
    };
    Outcome {
        result: result.into(),
        termination: Termination::Resigned.into(),
        at_fault: seat.into(),
        message: message.to_owned(),
        ..Outcome::default()
    }
}

pub fn cancelled() -> Outcome {
    Outcome {
        result: MatchResult::Void.into(),
        termination: Termination::Cancelled.into(),
        message: "The match was cancelled.".to_owned(),
        ..Outcome::default()
    }
}

/// Makes a record, an entry each 100 milliseconds.
struct Log {
    variant: Variant,
    entries: Vec<LogEntry>,
    turn: u32,
}

impl Log {
    fn new(variant: Variant, options: Options) -> Self {
        let mut log = Self {
            variant,
            entries: Vec::new(),
            turn: 0,
        };
        log.push(Entry::Created(MatchCreated {
            options: Some(options),
            seat_one_agent: "hunter".to_owned(),
            seat_two_agent: "http://127.0.0.1:5000".to_owned(),
            time_control: running(variant).time_control,
            strikes: 3,
            seed: 7,
            seat_one_dialled: false,
            seat_two_dialled: true,
            request_id: String::new(),
            ..MatchCreated::default()
        }));
        log.push(Entry::Started(MatchStarted {}));
        log
    }

    fn push(&mut self, entry: Entry) {
        let at_us = 100_000 * u64::try_from(self.entries.len()).unwrap();
        self.entries.push(LogEntry {
            at_us,
            entry: Some(entry),
        });
    }

    fn play(&mut self, seat: Seat, phase: Phase, text: &str, answer: Option<answer::Variant>) {
        self.turn += 1;
        self.push(Entry::Accepted(MoveAccepted {
            seat: seat.into(),
            turn_id: self.turn,
            r#move: Some(parse_move(self.variant, phase, text).unwrap()),
            answer: answer.map(|answer| Answer {
                variant: Some(answer),
            }),
            timing: Some(TurnTiming::default()),
            ..MoveAccepted::default()
        }));
    }

    /// Both sides deploy the sample fleet.
    fn deploy(&mut self, berths: bool) {
        let coordinates = broadside_cli::notation::Coordinates::of(self.variant);
        let mut text = broadside_cli::notation::deployment(coordinates, &fleet(self.variant));
        if berths {
            text += ", berth J";
        }
        for seat in [Seat::One, Seat::Two] {
            self.play(seat, Phase::Deployment, &text, None);
        }
    }

    fn end(mut self, outcome: Outcome) -> MatchRecord {
        self.push(Entry::Ended(MatchEnded {
            outcome: Some(outcome),
            seat_one_timing: None,
            seat_two_timing: None,
            ..MatchEnded::default()
        }));
        MatchRecord {
            format_version: 1,
            match_id: MATCH,
            create_time_ms: CREATED_MS,
            entries: self.entries,
            ..MatchRecord::default()
        }
    }
}

pub fn classic() -> MatchRecord {
    let mut log = Log::new(Variant::Classic, samples::options(Variant::Classic));
    log.deploy(false);
    let said = |hit, sunk: bool| {
        Some(answer::Variant::Classic(ClassicAnswer {
            hit,
            ship_class: hit.then_some(ShipClass::PatrolBoat.into()),
            sunk: sunk.then_some(ShipClass::PatrolBoat.into()),
        }))
    };
    log.play(Seat::One, Phase::Battle, "C4", said(true, false));
    log.play(Seat::Two, Phase::Battle, "B10", said(false, false));
    log.push(Entry::Refused(MoveRefused {
        seat: Seat::One.into(),
        turn_id: 5,
        r#move: Some(parse_move(Variant::Classic, Phase::Battle, "C4").unwrap()),
        illegal_move: Some(IllegalMove {
            reason: IllegalMoveReason::AlreadyFired.into(),
            message: "C4 was fired at before.".to_owned(),
        }),
        timing: None,
    }));
    log.push(Entry::Disconnected(SeatDisconnected {
        seat: Seat::One.into(),
        message: "the stream\nbroke".to_owned(),
    }));
    log.push(Entry::Reconnected(SeatReconnected {
        seat: Seat::One.into(),
    }));
    log.play(Seat::One, Phase::Battle, "C5", said(true, true));
    log.end(resigned(Seat::Two))
}

pub fn advanced_salvo() -> MatchRecord {
    let variant = Variant::AdvancedSalvo;
    let mut log = Log::new(variant, samples::options(variant));
    log.deploy(false);
    let said = |hits, afloat| {
        Some(answer::Variant::AdvancedSalvo(AdvancedSalvoAnswer {
            hits,
            afloat,
        }))
    };
    log.play(Seat::One, Phase::Battle, "C4 C5 A1 J1 J2", said(3, 4));
    log.play(Seat::Two, Phase::Battle, "B1 B2 B3 B4", said(0, 5));
    log.end(resigned(Seat::Two))
}

pub fn salvo() -> MatchRecord {
    let variant = Variant::Salvo;
    let mut log = Log::new(variant, samples::options(variant));
    log.deploy(false);
    let shot = |class: Option<ShipClass>| ShotAnswer {
        hit: class.is_some(),
        ship_class: class.map(i32::from),
    };
    let said = answer::Variant::Salvo(SalvoAnswer {
        shots: vec![
            shot(Some(ShipClass::PatrolBoat)),
            shot(Some(ShipClass::PatrolBoat)),
            shot(Some(ShipClass::Carrier)),
            shot(None),
            shot(None),
        ],
        sunk: vec![ShipClass::PatrolBoat.into()],
    });
    log.play(Seat::One, Phase::Battle, "C4 C5 A1 J1 J2", Some(said));
    log.end(resigned(Seat::Two))
}

pub fn naumachia() -> MatchRecord {
    let variant = Variant::Naumachia;
    let mut log = Log::new(variant, samples::options(variant));
    log.deploy(false);
    let boat = fleet(variant).ships.into_iter().nth(7);
    let said = |hit, sunk| Some(answer::Variant::Naumachia(NaumachiaAnswer { hit, sunk }));
    log.play(Seat::One, Phase::Battle, "Θ5", said(true, boat));
    log.play(Seat::One, Phase::Battle, "Α1", said(true, None));
    log.play(Seat::One, Phase::Battle, "Α2", said(false, None));
    log.play(Seat::Two, Phase::Battle, "Κ10", said(false, None));
    log.end(resigned(Seat::Two))
}

pub fn amiral_advanced() -> MatchRecord {
    let variant = Variant::AmiralAdvanced;
    let mut log = Log::new(variant, samples::options(variant));
    log.deploy(true);
    let said = |answer| {
        Some(answer::Variant::AmiralAdvanced(AmiralAdvancedAnswer {
            answer: Some(answer),
        }))
    };
    use amiral_advanced_answer::Answer;
    log.play(
        Seat::One,
        Phase::Battle,
        "torpedo J1",
        said(Answer::Torpedo(TorpedoAnswer {
            sunk: Some(ShipClass::Destroyer.into()),
        })),
    );
    log.play(
        Seat::Two,
        Phase::Battle,
        "hunt 1",
        said(Answer::Hunt(HuntAnswer { found: false })),
    );
    log.play(Seat::One, Phase::Relocation, "berth 3", None);
    log.play(
        Seat::One,
        Phase::Battle,
        "A1",
        said(Answer::Shot(AmiralAdvancedShotAnswer {
            hit: true,
            sunk: None,
        })),
    );
    log.play(
        Seat::Two,
        Phase::Battle,
        "strike B4",
        said(Answer::AirStrike(AirStrikeAnswer {
            misses: vec![14, 15],
            hits: vec![24, 25],
            sunk: vec![ShipClass::AssaultBoat.into()],
        })),
    );
    log.end(resigned(Seat::Two))
}

/// Black steps, white steps broadside, and from a layout of one's own black pushes two and ejects one.
pub fn abalone() -> MatchRecord {
    let options = Options {
        variant: Some(options::Variant::Abalone(AbaloneOptions {
            start: Some(abalone_options::Start::Rows(AbaloneRows {
                rows: "...../....../......./......../bbbww..../......../......./ww..../ww..."
                    .split('/')
                    .map(str::to_owned)
                    .collect(),
            })),
            max_plies: Some(400),
            repetition_limit: Some(3),
        })),
    };
    let mut log = Log::new(Variant::Abalone, options);
    let said = |pushed, ejected| Some(answer::Variant::Abalone(AbaloneAnswer { pushed, ejected }));
    log.play(Seat::One, Phase::Battle, "e1 e2 e3 e", said(2, false));
    log.play(Seat::Two, Phase::Battle, "b1 b2 nw", said(0, false));
    log.play(Seat::One, Phase::Battle, "e2 e3 e4 e", said(2, false));
    log.play(Seat::Two, Phase::Battle, "c1 c2 se", said(0, false));
    log.play(Seat::One, Phase::Battle, "e3 e4 e5 e", said(2, false));
    log.play(Seat::Two, Phase::Battle, "b1 b2 nw", said(0, false));
    log.play(Seat::One, Phase::Battle, "e4 e5 e6 e", said(2, false));
    log.play(Seat::Two, Phase::Battle, "c1 c2 se", said(0, false));
    log.play(Seat::One, Phase::Battle, "e5 e6 e7 e", said(2, true));
    log.end(Outcome {
        result: MatchResult::Draw.into(),
        termination: Termination::DrawByRule.into(),
        ending: Ending::Repetition.into(),
        ..Outcome::default()
    })
}
