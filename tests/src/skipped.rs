//! What a machine cannot test.

use std::io::Write;

/// Says that something is not tested for want of what it needs, even where a test's output is not shown; with `CI=true` that is a failure.
///
/// # Errors
/// With `CI=true`.
pub fn skipped(untested: &str, needed: &str) -> anyhow::Result<()> {
    if std::env::var("CI").is_ok_and(|ci| ci == "true") {
        anyhow::bail!("CI must test {untested}, which needs {needed}");
    }
    // Not by `eprintln!`, which the test harness keeps to itself.
    writeln!(
        std::io::stderr(),
        "SKIPPED: {untested} is NOT tested: that needs {needed}"
    )?;
    Ok(())
}
