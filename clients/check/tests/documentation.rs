//! The documentation lists the rules as they are.
#![allow(clippy::unwrap_used, reason = "a test that fails panics")]

use std::path::Path;

use broadside_check::rules::{RULES, Rule, Way};

fn row(rule: &Rule) -> String {
    let way = match rule.way {
        None => "both",
        Some(Way::DialsIn) => "dials in",
        Some(Way::Dialled) => "dialled",
    };
    format!(
        "| `{}` | {} | {way} | {} |",
        rule.id,
        rule.level.name(),
        rule.text
    )
}

#[test]
fn every_rule_is_in_the_documentation_word_for_word_and_in_order() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/check.md");
    let text = std::fs::read_to_string(path).unwrap();
    let listed: Vec<&str> = text
        .lines()
        .filter(|line| line.starts_with("| `"))
        .collect();
    let rules: Vec<String> = RULES.iter().map(row).collect();
    assert_eq!(
        listed,
        rules,
        "docs/check.md must list:\n{}",
        rules.join("\n")
    );
}
