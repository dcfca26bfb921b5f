//! What is known in the end.

use serde::Serialize;

use crate::{
    bench::{Bench, Broken, How},
    rules::{Level, RULES, Rule, Way},
    summary,
    transcript::Line,
};

/// Whether a rule is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// It is, as far as was seen.
    Passed,
    /// It is not.
    Failed,
    /// It was not put to the test.
    Skipped,
}

impl Verdict {
    /// As it is printed.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Passed => "passed",
            Self::Failed => "FAILED",
            Self::Skipped => "skipped",
        }
    }
}

/// One failing of a rule.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Finding {
    /// What was wrong.
    pub message: String,
    /// The lines of the transcript that show it.
    pub lines: Vec<Line>,
}

/// What is known of one rule.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Grade {
    /// The rule's name.
    pub id: &'static str,
    /// How much it binds.
    pub level: Level,
    /// What it demands.
    pub text: &'static str,
    /// Whether it is kept.
    pub verdict: Verdict,
    /// Why it was not put to the test.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// How often it was broken.
    pub failings: usize,
    /// The first of those failings.
    pub findings: Vec<Finding>,
}

/// The grades of a bot.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Report {
    /// The bot's name.
    pub bot: String,
    /// How it was reached.
    pub way: Way,
    /// The variants that it plays.
    pub variants: Vec<&'static str>,
    /// How many matches it takes at once.
    pub max_matches: usize,
    /// Whether every MUST that was put to the test is kept.
    pub passed: bool,
    /// Whether the check was ended before its end.
    pub interrupted: bool,
    /// Why the check could not go on to its end, for no fault of the bot.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub broken: Option<String>,
    /// Each rule that holds for such a bot.
    pub rules: Vec<Grade>,
}

impl Report {
    pub(crate) fn of(bench: &Bench, ended: Option<&Broken>) -> Self {
        let ended = |how| ended.filter(|it| it.how == how);
        let rules: Vec<Grade> = RULES
            .iter()
            .filter(|rule| rule.holds(bench.way))
            .map(|rule| grade(bench, rule))
            .collect();
        let bot = bench.bot.as_ref();
        Self {
            bot: bot.map_or_else(String::new, |bot| bot.name.clone()),
            way: bench.way,
            variants: bot.map_or_else(Vec::new, |bot| {
                bot.variants
                    .iter()
                    .map(|it| summary::variant(*it))
                    .collect()
            }),
            max_matches: bot.map_or(0, |bot| bot.max_matches),
            passed: !rules
                .iter()
                .any(|it| it.verdict == Verdict::Failed && it.level == Level::Must),
            interrupted: ended(How::Interrupted).is_some(),
            broken: ended(How::Checker).map(|it| it.message.clone()),
            rules,
        }
    }

    /// How many rules of a level have this verdict.
    #[must_use]
    pub fn count(&self, level: Level, verdict: Verdict) -> usize {
        self.rules
            .iter()
            .filter(|it| it.level == level && it.verdict == verdict)
            .count()
    }

    /// The names of the rules of a level that have this verdict.
    #[must_use]
    pub fn ids(&self, level: Level, verdict: Verdict) -> Vec<&'static str> {
        self.rules
            .iter()
            .filter(|it| it.level == level && it.verdict == verdict)
            .map(|it| it.id)
            .collect()
    }
}

fn grade(bench: &Bench, rule: &'static Rule) -> Grade {
    let known = bench.grades.get(rule.id);
    let failings = known.map_or(0, |it| it.count);
    let verdict = match known {
        _ if failings > 0 => Verdict::Failed,
        Some(it) if it.passed => Verdict::Passed,
        _ => Verdict::Skipped,
    };
    let findings = known.map_or(&[][..], |it| &it.failings);
    let why = match verdict {
        Verdict::Skipped => {
            let why = known.and_then(|it| it.skipped.clone());
            Some(why.unwrap_or_else(|| reason(rule)))
        }
        _ => None,
    };
    Grade {
        id: rule.id,
        level: rule.level,
        text: rule.text,
        verdict,
        why,
        failings,
        findings: findings
            .iter()
            .map(|it| Finding {
                message: it.message.clone(),
                lines: bench.transcript.lines(&it.lines),
            })
            .collect(),
    }
}

/// Why a rule was not put to the test of which nothing is known.
fn reason(rule: &Rule) -> String {
    match rule.id.strip_prefix("legal-moves-") {
        Some(_) => "it does not play this variant".to_owned(),
        None => "nothing that was seen bears on it".to_owned(),
    }
}
