//! The bench works: small runs of each kind, of which nobody looks at the figures.

use std::process::Command;

use anyhow::{Context, ensure};
use serde_json::Value;

/// Runs the bench with these flags, and reads what it writes as JSON.
fn measured(flags: &[&str]) -> anyhow::Result<Value> {
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("measured.json");
    let ran = Command::new(env!("CARGO_BIN_EXE_broadside-load"))
        .args(flags)
        .arg("--json")
        .arg(&file)
        .output()?;
    ensure!(
        ran.status.success(),
        "{}\n{}",
        String::from_utf8_lossy(&ran.stdout),
        String::from_utf8_lossy(&ran.stderr)
    );
    Ok(serde_json::from_slice(&std::fs::read(file)?)?)
}

#[test]
fn every_kind_of_place_of_the_table_is_played_without_a_fault_and_compared() -> anyhow::Result<()> {
    for (route, variants, store) in [
        ("stream", "classic,salvo,abalone", "sqlite"),
        ("streams", "classic", "memory"),
        ("dialled", "classic", "memory"),
    ] {
        let table = measured(&[
            "--route",
            route,
            "--variant",
            variants,
            "--store",
            store,
            "--matches",
            "6",
            "--rounds",
            "1",
            "--seconds",
            "0.5",
        ])?;
        let rows = table.as_array().context("a table")?;
        assert_eq!(rows.len(), variants.split(',').count());
        for row in rows {
            assert_eq!(row["time_losses"], 0, "{row}");
            assert_eq!(row["unexpected_ends"], 0, "{row}");
            for figure in [
                "turns_a_second",
                "echoes_a_second",
                "ratio",
                "overhead_p50_us",
            ] {
                let median = row[figure]["median"].as_f64();
                assert!(median.is_some_and(|median| median > 0.0), "{figure}: {row}");
            }
            assert!(
                row["turn_bytes"].as_u64() > row["answer_bytes"].as_u64(),
                "{row}"
            );
        }
    }
    Ok(())
}

#[test]
fn a_crowd_is_counted() -> anyhow::Result<()> {
    let crowd = measured(&[
        "crowd",
        "--idle",
        "20",
        "--running",
        "8",
        "--newcomers",
        "3",
    ])?;
    assert_eq!(crowd["time_losses"], 0, "{crowd}");
    assert_eq!(crowd["unexpected_ends"], 0, "{crowd}");
    assert_eq!(crowd["newcomers"]["pairs"], 3, "{crowd}");
    Ok(())
}

#[test]
fn a_long_run_reaches_its_turns() -> anyhow::Result<()> {
    for store in ["memory", "sqlite"] {
        let run = measured(&[
            "endurance",
            "--turns",
            "5000",
            "--matches",
            "8",
            "--store",
            store,
        ])?;
        assert_eq!(run["time_losses"], 0, "{run}");
        assert_eq!(run["unexpected_ends"], 0, "{run}");
        let parts = run["parts"].as_array().context("parts")?;
        assert_eq!(parts.len(), 10);
        assert!(parts[9]["turns"].as_u64() >= Some(5000), "{run}");
    }
    Ok(())
}

#[test]
fn what_cannot_be_measured_is_refused_with_what_could_be() -> anyhow::Result<()> {
    for (flags, right) in [
        (["--matches", "0"], "1 to 4096"),
        (["--matches", "5000"], "1 to 4096"),
        (["--seconds", "NaN"], "0.01 to 3600"),
        (["--seconds=-1", "--no-echo"], "0.01 to 3600"),
        (["--rounds", "0"], "1..=1000"),
    ] {
        let ran = Command::new(env!("CARGO_BIN_EXE_broadside-load"))
            .args(flags)
            .output()?;
        assert_eq!(ran.status.code(), Some(2), "{flags:?}");
        let told = String::from_utf8_lossy(&ran.stderr);
        assert!(told.contains(right), "{flags:?}: {told}");
    }
    Ok(())
}
