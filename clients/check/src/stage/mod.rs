//! The script of the check, part by part.

mod calm;
mod ends;
mod many;
mod memory;
mod network;
mod strange;
mod trouble;

use broadside_proto::v1::Variant;

use crate::{
    bench::{Bench, Broken, How, Met, Wanted},
    moves,
    rules::{self, RULES, Way},
    summary,
};

pub(crate) use ends::{leave, taken_over};

/// A bot that left the turns of so many parts unanswered is not asked any more.
const GIVE_UP: usize = 2;

/// How a part of the check went.
pub(crate) enum Done {
    /// What it is about was put to the test. What failed is noted.
    Tested,
    /// It was not, and why.
    Skipped(String),
}

/// A part of the check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stage {
    /// A match of a variant, as it usually goes.
    Calm(Variant),
    UnknownFields,
    UnknownMessages,
    Reads,
    Redelivered,
    Refusal,
    Cancelled,
    Stateless,
    BothSeats,
    Many,
    Heartbeat,
    Cut,
    ArenaStops,
    Dialled,
    Leaves,
    TakenOver,
}

const AFTER_CALM: [Stage; 15] = [
    Stage::UnknownFields,
    Stage::UnknownMessages,
    Stage::Reads,
    Stage::Redelivered,
    Stage::Refusal,
    Stage::Cancelled,
    Stage::Stateless,
    Stage::BothSeats,
    Stage::Many,
    Stage::Heartbeat,
    Stage::Cut,
    Stage::ArenaStops,
    Stage::Dialled,
    Stage::Leaves,
    Stage::TakenOver,
];

impl Stage {
    /// The rules that it puts to the test, the one that is broken if it breaks off first.
    fn rules(self) -> Vec<&'static str> {
        match self {
            Self::Calm(variant) => vec![rules::legal_moves(variant)],
            Self::UnknownFields => vec![rules::UNKNOWN_FIELDS],
            Self::UnknownMessages => vec![rules::UNKNOWN_MESSAGES],
            Self::Reads => vec![rules::READS],
            Self::Redelivered => vec![rules::REDELIVERED],
            Self::Refusal => vec![rules::REFUSAL, rules::ANOTHER_MOVE],
            Self::Cancelled => vec![rules::CANCELLED],
            Self::Stateless => vec![rules::STATELESS],
            Self::BothSeats => vec![rules::BOTH_SEATS],
            Self::Many => vec![rules::MANY, rules::NO_MIX_UP],
            Self::Heartbeat => vec![rules::HEARTBEAT],
            Self::Cut => vec![
                rules::PENDING,
                rules::RECONNECTS,
                rules::RECONNECTS_SOON,
                rules::RESUME_TOKEN,
            ],
            Self::ArenaStops => vec![rules::COMES_BACK, rules::NO_HAMMERING, rules::WAITS_GROW],
            Self::Dialled => vec![rules::DIALLED],
            Self::Leaves => vec![rules::LEAVES, rules::LEAVES_IN_ORDER],
            Self::TakenOver => vec![rules::TAKEN_OVER],
        }
    }

    /// Whether there is anything in it for bots that are reached in this way.
    fn holds(self, way: Way) -> bool {
        let holds = |id: &&str| rules::rule(id).is_some_and(|rule| rule.holds(way));
        self.rules().iter().any(holds)
    }

    /// Whether it needs the bot to be there.
    fn needs_it(self) -> bool {
        self != Self::Heartbeat
    }

    async fn run(self, bench: &mut Bench) -> Result<Done, Broken> {
        match self {
            Self::Calm(variant) => calm::play(bench, variant).await,
            Self::UnknownFields => strange::unknown_fields(bench).await,
            Self::UnknownMessages => strange::unknown_messages(bench).await,
            Self::Reads => strange::reads(bench).await,
            Self::Redelivered => strange::redelivered(bench).await,
            Self::Refusal => trouble::refusal(bench).await,
            Self::Cancelled => trouble::cancelled(bench).await,
            Self::Stateless => memory::stateless(bench).await,
            Self::BothSeats => memory::both_seats(bench).await,
            Self::Many => many::play(bench).await,
            Self::Heartbeat => ends::heartbeat(bench).await,
            Self::Cut => network::cut(bench).await,
            Self::ArenaStops => network::arena_stops(bench).await,
            Self::Dialled => ends::dialled(bench).await,
            Self::Leaves => leave(bench).await,
            Self::TakenOver => taken_over(bench).await,
        }
    }
}

/// Goes through the script. Says why, if it ended before its end.
pub(crate) async fn run(bench: &mut Bench) -> Option<Broken> {
    let played = bench.bot.as_ref().map(|bot| bot.variants.clone());
    let calm = played.unwrap_or_default().into_iter().map(Stage::Calm);
    let mut silent = 0;
    // Whether what is graded already says that the bot is gone.
    let mut told = false;
    let mut absent: Option<String> = None;
    for stage in calm.chain(AFTER_CALM) {
        if !stage.holds(bench.way) {
            continue;
        }
        if silent >= GIVE_UP {
            skip(bench, stage, "the bot does not answer any more");
            continue;
        }
        if let Some(why) = &absent {
            skip(bench, stage, why);
            continue;
        }
        if stage.needs_it() {
            match bench.meet_again().await {
                Ok(Met::Here) => {}
                Ok(Met::NotLetIn) => {
                    // Its profile has failed for that.
                    told = true;
                    skip(bench, stage, "the bot was not let in again");
                    continue;
                }
                Ok(Met::Nobody(why)) => {
                    let why = format!("the bot is not there any more: {why}");
                    if !told {
                        is_gone(bench, &why);
                    }
                    skip(bench, stage, &why);
                    absent = Some(why);
                    continue;
                }
                Err(broken) => return Some(broken),
            }
        }
        let ended = one(bench, stage).await;
        if stage.needs_it() {
            told = matches!(&ended, Err(broken) if broken.how == How::Gone)
                || bench.grades.failed(rules::RECONNECTS);
        }
        match ended {
            Ok(()) => {}
            Err(broken) if broken.how == How::Silent => {
                silent += 1;
                // What it still has to read or to think about is not to be in the way of the next part.
                bench.kill().await;
            }
            Err(broken) if matches!(broken.how, How::Interrupted | How::Checker) => {
                return Some(broken);
            }
            Err(_) => {}
        }
    }
    None
}

/// One part of the script: what it breaks off with is noted, and returned.
async fn one(bench: &mut Bench, stage: Stage) -> Result<(), Broken> {
    let title = match stage {
        Stage::Calm(variant) => format!("a match of {}", summary::variant(variant)),
        _ => stage.rules().join(", "),
    };
    bench.transcript.note(format!("-- {title}"));
    let done = stage.run(bench).await;
    let ended = match done {
        Ok(Done::Tested) => {
            // The calm matches say themselves what they have shown, and so do those that test several rules.
            if let (false, [only]) = (matches!(stage, Stage::Calm(_)), &*stage.rules()) {
                bench.grades.pass(only);
            }
            Ok(())
        }
        Ok(Done::Skipped(why)) => {
            skip(bench, stage, &why);
            Ok(())
        }
        Err(broken) => {
            note(bench, stage, &broken);
            Err(broken)
        }
    };
    // What is left is cleared away in any case; why that fails is the next part's to find.
    let cleared = bench.clear().await;
    ended.and(cleared)
}

/// Notes that the bot went away without being asked to, and does not come again.
fn is_gone(bench: &mut Bench, why: &str) {
    let mut lines: Vec<usize> = bench.loss.iter().map(|loss| loss.line).collect();
    lines.push(bench.transcript.note(why));
    bench.grades.fail(rules::LAST_MOVE, why, lines);
}

fn skip(bench: &mut Bench, stage: Stage, why: &str) {
    for id in stage.rules() {
        bench.grades.skip(id, why);
    }
}

/// Which rule is broken when a part breaks off.
fn note(bench: &mut Bench, stage: Stage, broken: &Broken) {
    let Broken {
        how,
        message,
        lines,
    } = broken;
    let rules = stage.rules();
    if matches!(how, How::Interrupted | How::Checker) {
        skip(bench, stage, &broken.why());
        return;
    }
    let rule = match (stage, how) {
        (Stage::Calm(_), How::Silent) => rules::IN_TIME,
        (Stage::Calm(_), How::Failed) => rules::DECIDES,
        // The answer that went astray is what is wrong.
        (_, How::Otherwise) if bench.grades.failed(rules::ASKED) => rules::ASKED,
        (Stage::Calm(_), _) => rules::LAST_MOVE,
        (_, How::Failed) if bench.grades.failed(rules::DECIDES) => rules::DECIDES,
        // Which of its answers was meant, there is no telling.
        (Stage::Refusal | Stage::Redelivered | Stage::Cut, _)
            if bench.grades.failed(rules::ONCE) =>
        {
            rules::ONCE
        }
        (_, How::Resigned) if bench.grades.failed(rules::LAST_MOVE) => rules::LAST_MOVE,
        _ => rules.first().copied().unwrap_or(rules::LAST_MOVE),
    };
    bench.grades.fail(rule, message.clone(), lines.clone());
    for id in rules {
        if id != rule {
            bench
                .grades
                .skip(id, "what comes before it did not go well");
        }
    }
}

/// A match of a variant in which the bot has the first seat.
fn wanted(variant: Variant) -> Wanted {
    Wanted {
        options: moves::options(variant, 0),
        first: true,
        alone: false,
        hidden: false,
    }
}

/// The variant for what can be tested in any: one that forgives refused moves, if the bot plays one.
fn any_variant(bench: &Bench) -> Variant {
    let played = bench.bot.as_ref().map_or(&[][..], |bot| &bot.variants);
    let forgiving = played.iter().find(|it| **it != Variant::Naumachia);
    forgiving.or(played.first()).copied().unwrap_or_default()
}

/// Says of every rule that was never reached why it was not.
pub(crate) fn skip_rest(bench: &mut Bench, why: &str) {
    for rule in RULES {
        bench.grades.skip(rule.id, why);
    }
}
