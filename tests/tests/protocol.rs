//! `docs/protocol.md` says what to do on everything that can come: each of its tables is complete, and holds nothing that there is not.
#![allow(
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test that fails panics"
)]

use std::{collections::BTreeSet, fs, path::Path};

use anyhow::Context;
use broadside_arena::{Settings, limits::limits};
use broadside_proto::v1::{FILE_DESCRIPTOR_SET, Limit, LimitUnit};
use prost_reflect::DescriptorPool;

fn page() -> anyhow::Result<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/protocol.md");
    fs::read_to_string(&path).with_context(|| path.display().to_string())
}

fn contract() -> anyhow::Result<DescriptorPool> {
    Ok(DescriptorPool::decode(FILE_DESCRIPTOR_SET)?)
}

/// The first cell of each row of a table of the page that begins with this, in backticks.
fn rows(page: &str, begins: impl Fn(&str) -> bool) -> Vec<String> {
    let cells = page.lines().filter_map(|line| {
        let (cell, rest) = line.strip_prefix("| `")?.split_once("` |")?;
        // Whoever meets it must be told something.
        assert!(
            rest.matches('|').count() >= 2 || rest.trim_end_matches('|').len() > 3,
            "{line}"
        );
        Some(cell.to_owned())
    });
    cells.filter(|cell| begins(cell)).collect()
}

#[test]
fn every_value_of_what_a_bot_is_told_is_in_its_table_once() -> anyhow::Result<()> {
    let (page, contract) = (page()?, contract()?);
    for name in [
        "RejectedReason",
        "SessionEndReason",
        "IllegalMoveReason",
        "Termination",
    ] {
        let described = contract
            .get_enum_by_name(&format!("broadside.v1.{name}"))
            .context(name)?;
        let values = described.values().filter(|value| value.number() != 0);
        let mut values: Vec<_> = values.map(|value| value.name().to_owned()).collect();
        let first = values.first().context("no value")?;
        // As buf has it, values are named after their enum.
        let prefix = described.get_value(0).context("no zero")?;
        let prefix = prefix.name().replace("UNSPECIFIED", "");
        assert!(first.starts_with(&prefix));
        let mut told = rows(&page, |cell| cell.starts_with(&prefix));
        values.sort();
        told.sort();
        assert_eq!(told, values, "{name}");
    }
    Ok(())
}

#[test]
fn every_call_has_its_rows_in_the_table_of_statuses() -> anyhow::Result<()> {
    let (page, contract) = (page()?, contract()?);
    let calls: BTreeSet<_> = contract
        .services()
        .flat_map(|service| {
            let name = service.name().to_owned();
            let methods: Vec<_> = service.methods().collect();
            methods
                .into_iter()
                .map(move |method| format!("{name}.{}", method.name()))
        })
        .collect();
    let told: BTreeSet<_> = rows(&page, |cell| cell.contains("Service."))
        .into_iter()
        .collect();
    assert_eq!(told, calls);
    Ok(())
}

/// A limit as a row of the page.
fn row(limit: &Limit) -> String {
    let unit = match limit.unit() {
        LimitUnit::Unspecified | LimitUnit::Count => "",
        LimitUnit::Bytes => " bytes",
        LimitUnit::Characters => " characters",
        LimitUnit::Milliseconds => " ms",
        LimitUnit::PerSecond => " a second",
    };
    let value = match limit.name.as_str() {
        // It depends on the machine.
        "max_connections" => "80 % of the open files allowed".to_owned(),
        _ => format!("{}{unit}", limit.value),
    };
    format!("| `{}` | {value} | {} |\n", limit.name, limit.description)
}

#[test]
fn every_limit_is_told_with_its_default() -> anyhow::Result<()> {
    let page = page()?;
    let table: String = limits(&Settings::default()).iter().map(row).collect();
    let table = format!("| limit | default | what it limits |\n|---|---|---|\n{table}\n");
    assert!(
        page.contains(&table),
        "docs/protocol.md must have:\n{table}"
    );
    Ok(())
}

#[test]
fn what_a_match_may_be_asked_for_is_told_as_the_contract_has_it() -> anyhow::Result<()> {
    let page = page()?.replace('\n', " ");
    let settings = Settings::default();
    let refused = |field: &str, change: &dyn Fn(&mut broadside_proto::v1::TimeControl)| {
        let mut control = broadside_proto::v1::TimeControl::default();
        change(&mut control);
        let request = broadside_proto::v1::CreateMatchRequest {
            time_control: Some(control),
            ..broadside_tests::request(
                broadside_proto::v1::Variant::Classic,
                broadside_tests::named("one"),
                broadside_tests::named("two"),
            )
        };
        let said = broadside_arena::request::match_from(request, &settings)
            .map(|_| ())
            .unwrap_err()
            .to_string();
        let range = said.split_once(&format!("{field} is ")).unwrap().1;
        let range = range.split_once("it must be ").unwrap().1;
        range.split_once(" milliseconds").unwrap().0.to_owned()
    };
    let most = u64::MAX;
    for (field, range) in [
        (
            "budget_ms",
            refused("budget_ms", &|it| it.budget_ms = Some(most)),
        ),
        (
            "turn_cap_ms",
            refused("turn_cap_ms", &|it| it.turn_cap_ms = Some(most)),
        ),
        (
            "deployment_ms",
            refused("deployment_ms", &|it| it.deployment_ms = Some(most)),
        ),
        (
            "increment_ms",
            refused("increment_ms", &|it| it.increment_ms = Some(most)),
        ),
        (
            "lag_allowance_ms",
            refused("lag_allowance_ms", &|it| it.lag_allowance_ms = Some(most)),
        ),
    ] {
        assert!(
            page.contains(&format!("`{field}` {range}")),
            "`{field}` {range}"
        );
    }
    Ok(())
}
