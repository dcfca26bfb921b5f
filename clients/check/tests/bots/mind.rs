//! What a bot that is bad on purpose thinks: the same however it is reached.

use std::{
    collections::{HashMap, HashSet},
    time::Duration,
};

use broadside_agents::{Agent, Random, Seed};
use broadside_proto::v1::{
    self, Cell, Move, Phase, Shot, Turn, classic_move, r#move::Variant as Of,
    options::Variant as Options,
};

/// The time that the tests give for a turn.
pub(crate) const CAP: Duration = Duration::from_secs(2);
/// More than that.
const TOO_LONG: Duration = Duration::from_millis(2_400);

/// Little time for a turn.
pub(crate) const SHORT: Duration = Duration::from_millis(300);

/// In what a bot is bad.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// In nothing.
    None,
    ShootsOffTheGrid,
    IsSlow,
    AnswersTwice,
    AnswersTurnsItWasNotAsked,
    AnswersOtherMatchesToo,
    MixesMatchesUp,
    DiesOfUnknownFields,
    DiesOfUnknownMessages,
    PlaysTheSameAfterARefusal,
    IgnoresRefusals,
    DiesOfARedeliveredTurn,
    FightsATakeover,
    NeverReconnects,
    ReconnectsWithoutAPause,
    ReconnectsAtAFixedPace,
    ForgetsItsToken,
    ForgetsThePendingTurn,
    PlaysOneMatchAtATime,
    ThinksOfOneMatchAtATime,
    CrashesOnACancelledMatch,
    HasABadName,
    TakesNoMatches,
    NeverLeaves,
    LeavesWithAnError,
    NeedsItsMemory,
    PlaysOneSeat,
    ReadsSlowly,
    SaysHelloTwice,
    Resigns,
    HangsUp,
    PromisesAHeartbeat,
    AnswersNothing,
    SaysNothing,
    SaysGarbage,
    SaysNoHelloFirst,
    FailsToDecide,
    FailsAtTheEnd,
    /// Plays amiral alone, takes twice the time of `SHORT` for each turn.
    PlaysAmiralAloneAndSlowly,
    LeavesAfterAMatch,
    /// Which is no fault.
    DisputesRefusals,
    SendsALongMessage,
    SendsTooMuch,
}

/// What it does about a turn.
pub(crate) enum Does {
    /// Plays this, after so long.
    Plays(Move, Duration),
    Resigns,
    Nothing,
    Hangs,
    Disputes,
    Fails,
    Dies,
}

pub(crate) struct Mind {
    pub(crate) fault: Fault,
    random: Random,
    /// The matches that it was told of, and the seat it was told last.
    told: HashMap<u64, i32>,
    last: Option<(u64, Move)>,
    answered: HashSet<(u64, u32)>,
    /// The refusals that it disputed: the turn, and how many refusals were left.
    disputed: HashSet<(u64, u32, u32)>,
    /// The one match that it plays.
    only: Option<u64>,
    waiting: Vec<Turn>,
    turns: usize,
    pub(crate) thinks_until: Option<tokio::time::Instant>,
}

impl Mind {
    pub(crate) fn new(fault: Fault) -> Self {
        Self {
            fault,
            random: Random::new(Seed(3)),
            told: HashMap::new(),
            last: None,
            answered: HashSet::new(),
            disputed: HashSet::new(),
            only: None,
            waiting: Vec::new(),
            turns: 0,
            thinks_until: None,
        }
    }

    pub(crate) fn is_thinking(&self) -> bool {
        self.thinks_until
            .is_some_and(|until| until > tokio::time::Instant::now())
    }

    pub(crate) fn profile(&self) -> v1::AgentProfile {
        let mut profile: v1::AgentProfile =
            broadside_agents::profile::every_variant("bad-on-purpose", 12)
                .with_legal_moves()
                .into();
        match self.fault {
            Fault::HasABadName => profile.name = "-x\u{1b}[31m".to_owned(),
            Fault::TakesNoMatches => profile.max_matches = 0,
            Fault::PlaysAmiralAloneAndSlowly => {
                profile.variants = vec![v1::Variant::Amiral.into()];
            }
            _ => {}
        }
        profile
    }

    pub(crate) fn started(&mut self, start: &v1::MatchStart) {
        self.told.insert(start.match_id, start.seat);
    }

    /// A match is over. Returns turns that have waited for that.
    pub(crate) fn ended(&mut self, match_id: u64) -> Vec<Turn> {
        self.told.remove(&match_id);
        self.waiting.retain(|turn| turn.match_id != match_id);
        if self.only == Some(match_id) {
            self.only = None;
            return std::mem::take(&mut self.waiting);
        }
        Vec::new()
    }

    pub(crate) fn decide(&mut self, turn: &Turn) -> Does {
        self.turns += 1;
        let key = (turn.match_id, turn.turn_id);
        let again = !self.answered.insert(key) && turn.refusal.is_none();
        let mut chosen = self.random.choose(turn).expect("a legal move");
        let mut after = Duration::ZERO;
        match self.fault {
            Fault::ShootsOffTheGrid if every(3, self.turns) && first_in_classic(turn) => {
                chosen = off_the_grid();
            }
            Fault::IsSlow if is_amiral(turn) => after = TOO_LONG,
            Fault::PlaysAmiralAloneAndSlowly => after = SHORT * 2,
            Fault::MixesMatchesUp => {
                let other = self.last.replace((turn.match_id, chosen.clone()));
                if let Some((match_id, other)) = other
                    && match_id != turn.match_id
                    && self.told.len() > 2
                {
                    chosen = other;
                }
            }
            Fault::PlaysTheSameAfterARefusal => {
                chosen = turn
                    .legal_moves
                    .as_ref()
                    .and_then(|legal| legal.moves.first().cloned())
                    .unwrap_or(chosen);
            }
            Fault::DisputesRefusals
                if turn.refusal.is_some()
                    && self.disputed.insert((key.0, key.1, turn.refusals_left)) =>
            {
                return Does::Disputes;
            }
            Fault::AnswersNothing => return Does::Nothing,
            Fault::IgnoresRefusals if turn.refusal.is_some() => return Does::Nothing,
            Fault::DiesOfARedeliveredTurn if again => return Does::Dies,
            Fault::ForgetsThePendingTurn if again => return Does::Nothing,
            Fault::PlaysOneMatchAtATime
                if *self.only.get_or_insert(turn.match_id) != turn.match_id =>
            {
                self.waiting.push(turn.clone());
                return Does::Hangs;
            }
            Fault::CrashesOnACancelledMatch if turn.phase() == Phase::Deployment => {
                after = Duration::from_millis(150);
            }
            Fault::NeedsItsMemory if !self.told.contains_key(&turn.match_id) => {
                return Does::Nothing;
            }
            Fault::PlaysOneSeat
                if self
                    .told
                    .get(&turn.match_id)
                    .is_some_and(|it| *it != turn.seat) =>
            {
                return Does::Nothing;
            }
            Fault::Resigns if is_abalone(turn) && turn.turn_id > 60 => return Does::Resigns,
            Fault::HangsUp if is_abalone(turn) && turn.turn_id == 61 => return Does::Dies,
            Fault::FailsToDecide if every(7, self.turns) && first_in_classic(turn) => {
                return Does::Fails;
            }
            _ => {}
        }
        Does::Plays(chosen, after)
    }
}

fn every(nth: usize, turns: usize) -> bool {
    turns.is_multiple_of(nth)
}

/// Whether a turn is of a battle in classic, and was not refused before.
fn first_in_classic(turn: &Turn) -> bool {
    turn.phase() == Phase::Battle
        && matches!(variant(turn), Some(Options::Classic(_)))
        && turn.refusal.is_none()
}

fn is_amiral(turn: &Turn) -> bool {
    matches!(variant(turn), Some(Options::Amiral(_)))
}

pub(crate) fn is_abalone(turn: &Turn) -> bool {
    matches!(variant(turn), Some(Options::Abalone(_)))
}

fn variant(turn: &Turn) -> Option<&Options> {
    turn.options.as_ref()?.variant.as_ref()
}

fn off_the_grid() -> Move {
    let cell = Some(Cell { row: 11, column: 1 });
    Move {
        variant: Some(Of::Classic(v1::ClassicMove {
            r#move: Some(classic_move::Move::Shot(Shot { cell })),
        })),
    }
}
