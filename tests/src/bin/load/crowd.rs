//! todo
use super::args::CrowdArgs;
pub(crate) fn run(_: &CrowdArgs) -> anyhow::Result<()> {
    Ok(())
}
