//! The rules that a bot is graded by.

use broadside_proto::v1::Variant;
use serde::Serialize;

/// How much a rule binds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Level {
    /// A bot that breaks it loses matches, or does harm.
    Must,
    /// A bot that breaks it is a worse peer than it could be.
    Should,
}

impl Level {
    /// As it is printed.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Must => "MUST",
            Self::Should => "SHOULD",
        }
    }
}

/// Who dials whom.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Way {
    /// The bot dials the arena.
    DialsIn,
    /// The arena dials the bot.
    Dialled,
}

/// One rule.
#[derive(Debug)]
pub struct Rule {
    /// Its stable name.
    pub id: &'static str,
    /// How much it binds.
    pub level: Level,
    /// The only way for which it holds; none: both.
    pub way: Option<Way>,
    /// What it demands.
    pub text: &'static str,
}

impl Rule {
    /// Whether it holds for bots that are reached in this way.
    #[must_use]
    pub fn holds(&self, way: Way) -> bool {
        self.way.is_none_or(|only| only == way)
    }
}

const fn must(id: &'static str, text: &'static str) -> Rule {
    Rule {
        id,
        level: Level::Must,
        way: None,
        text,
    }
}

const fn should(id: &'static str, text: &'static str) -> Rule {
    Rule {
        level: Level::Should,
        ..must(id, text)
    }
}

const fn when(way: Way, rule: Rule) -> Rule {
    Rule {
        way: Some(way),
        ..rule
    }
}

pub(crate) const PROFILE: &str = "profile";
pub(crate) const LAST_MOVE: &str = "plays-to-the-end";
pub(crate) const IN_TIME: &str = "within-time";
pub(crate) const ASKED: &str = "answers-what-was-asked";
pub(crate) const ONCE: &str = "answers-once";
pub(crate) const WELL_FORMED: &str = "well-formed";
pub(crate) const DECIDES: &str = "decides";
pub(crate) const INFORMED: &str = "takes-information";
pub(crate) const UNKNOWN_FIELDS: &str = "unknown-fields";
pub(crate) const UNKNOWN_MESSAGES: &str = "unknown-messages";
pub(crate) const REDELIVERED: &str = "redelivered-turn";
pub(crate) const REFUSAL: &str = "after-refusal";
pub(crate) const ANOTHER_MOVE: &str = "another-move-after-refusal";
pub(crate) const CANCELLED: &str = "cancelled-match";
pub(crate) const STATELESS: &str = "needs-no-memory";
pub(crate) const BOTH_SEATS: &str = "both-seats";
pub(crate) const MANY: &str = "many-matches";
pub(crate) const NO_MIX_UP: &str = "no-mix-up";
pub(crate) const READS: &str = "reads-without-delay";
pub(crate) const HEARTBEAT: &str = "heartbeat";
pub(crate) const RECONNECTS: &str = "reconnects";
pub(crate) const RECONNECTS_SOON: &str = "reconnects-soon";
pub(crate) const RESUME_TOKEN: &str = "resume-token";
pub(crate) const PENDING: &str = "pending-turn";
pub(crate) const NO_HAMMERING: &str = "no-hammering";
pub(crate) const WAITS_GROW: &str = "waits-grow";
pub(crate) const COMES_BACK: &str = "comes-back";
pub(crate) const DIALLED: &str = "dialled-by-the-arena";
pub(crate) const LEAVES: &str = "leaves";
pub(crate) const LEAVES_IN_ORDER: &str = "leaves-in-order";
pub(crate) const TAKEN_OVER: &str = "taken-over";

/// Every rule, in the order in which they are graded.
pub const RULES: &[Rule] = &[
    must(
        PROFILE,
        "Its hello, or its answer to GetProfile, is acceptable: protocol version, name, variants, matches at once.",
    ),
    must("legal-moves-classic", "Plays only legal moves in classic."),
    must("legal-moves-salvo", "Plays only legal moves in salvo."),
    must(
        "legal-moves-advanced-salvo",
        "Plays only legal moves in advanced-salvo.",
    ),
    must("legal-moves-amiral", "Plays only legal moves in amiral."),
    must(
        "legal-moves-amiral-advanced",
        "Plays only legal moves in amiral-advanced.",
    ),
    must(
        "legal-moves-naumachia",
        "Plays only legal moves in naumachia.",
    ),
    must("legal-moves-abalone", "Plays only legal moves in abalone."),
    must(
        LAST_MOVE,
        "Plays a match to its end: does not give it up, does not leave it, and is there for the next one.",
    ),
    must(
        IN_TIME,
        "Answers every turn before its time is up, of a match that goes its usual way.",
    ),
    when(
        Way::DialsIn,
        must(
            ASKED,
            "Answers turns that it was sent, by their own match id and turn id, and no others.",
        ),
    ),
    when(
        Way::DialsIn,
        must(
            ONCE,
            "Answers a turn at most as often as it was sent that turn.",
        ),
    ),
    when(
        Way::DialsIn,
        must(
            WELL_FORMED,
            "Sends what the contract has, and within its limits: one hello, then answers, resignations, disputes and heartbeats.",
        ),
    ),
    when(
        Way::Dialled,
        must(
            DECIDES,
            "Answers ChooseMove with a decision, and not with an error.",
        ),
    ),
    when(
        Way::Dialled,
        should(
            INFORMED,
            "Answers StartMatch and EndMatch; UNIMPLEMENTED is a fine answer.",
        ),
    ),
    must(UNKNOWN_FIELDS, "Ignores fields that it does not know."),
    when(
        Way::DialsIn,
        must(
            UNKNOWN_MESSAGES,
            "Ignores messages of a kind that it does not know.",
        ),
    ),
    must(
        REDELIVERED,
        "Answers a turn that it is sent twice, once or twice, and plays on.",
    ),
    must(
        REFUSAL,
        "After a refusal, answers the same turn again, with a legal move.",
    ),
    should(
        ANOTHER_MOVE,
        "After a refusal, plays another move than the one that it played: three refusals may pass until it does.",
    ),
    must(
        CANCELLED,
        "Plays its other matches on when one is cancelled in the middle of its turn.",
    ),
    must(
        STATELESS,
        "Plays a legal move in the middle of a match of which it has seen nothing but that turn.",
    ),
    must(
        BOTH_SEATS,
        "Plays both seats of a match against itself, each by what that seat knows.",
    ),
    must(
        MANY,
        "Answers in time the turns of forty matches that are all due at once, or of as many as its profile takes.",
    ),
    must(
        NO_MIX_UP,
        "Answers each of those matches with a move of that match, and no other's.",
    ),
    when(
        Way::DialsIn,
        must(
            READS,
            "Reads its stream without delay: 4 MiB that mean nothing to it do not keep it from a turn.",
        ),
    ),
    when(
        Way::DialsIn,
        must(
            HEARTBEAT,
            "Sends something as often as the heartbeat interval of its hello promises.",
        ),
    ),
    must(
        RECONNECTS,
        "Is there again after its connection was cut, within 20 s.",
    ),
    should(
        RECONNECTS_SOON,
        "Is there again after its connection was cut, within 10 s.",
    ),
    when(
        Way::DialsIn,
        must(
            RESUME_TOKEN,
            "Sends the resume token of its welcome when it comes back.",
        ),
    ),
    must(
        PENDING,
        "Answers the turns that were pending when its connection was cut, when they are sent again: up to three.",
    ),
    when(
        Way::DialsIn,
        must(
            NO_HAMMERING,
            "Pauses before it dials again: never more than ten times in a second.",
        ),
    ),
    when(
        Way::DialsIn,
        should(
            WAITS_GROW,
            "Waits longer before each attempt to come back, while the arena does not take it.",
        ),
    ),
    when(
        Way::DialsIn,
        should(
            COMES_BACK,
            "Comes back after the arena has stopped and started again.",
        ),
    ),
    when(
        Way::Dialled,
        must(
            DIALLED,
            "Plays a match for which the arena dials it, with nothing in between.",
        ),
    ),
    must(LEAVES, "Ends within 5 s of SIGTERM."),
    should(
        LEAVES_IN_ORDER,
        "Leaves with exit status 0, and ends its stream, if it has one, instead of breaking it.",
    ),
    when(
        Way::DialsIn,
        must(
            TAKEN_OVER,
            "Does not dial again when another bot has taken its session over: watched for 3 s.",
        ),
    ),
];

/// The rule of this name.
#[must_use]
pub fn rule(id: &str) -> Option<&'static Rule> {
    RULES.iter().find(|rule| rule.id == id)
}

/// The rule of legal moves in a variant.
pub(crate) const fn legal_moves(variant: Variant) -> &'static str {
    match variant {
        Variant::Classic | Variant::Unspecified => "legal-moves-classic",
        Variant::Salvo => "legal-moves-salvo",
        Variant::AdvancedSalvo => "legal-moves-advanced-salvo",
        Variant::Amiral => "legal-moves-amiral",
        Variant::AmiralAdvanced => "legal-moves-amiral-advanced",
        Variant::Naumachia => "legal-moves-naumachia",
        Variant::Abalone => "legal-moves-abalone",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_has_a_name_of_its_own() {
        for (index, rule) in RULES.iter().enumerate() {
            let plain = |c: char| c.is_ascii_lowercase() || c == '-';
            assert!(rule.id.chars().all(plain), "{}", rule.id);
            assert!(
                RULES[..index].iter().all(|other| other.id != rule.id),
                "{}",
                rule.id
            );
        }
    }

    #[test]
    fn every_variant_has_its_rule_of_legal_moves() {
        for (variant, name) in broadside_agents::profile::VARIANTS {
            assert_eq!(legal_moves(variant), format!("legal-moves-{name}"));
            assert!(rule(legal_moves(variant)).is_some());
        }
    }
}
