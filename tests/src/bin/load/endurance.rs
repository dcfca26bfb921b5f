//! todo
use super::args::EnduranceArgs;
pub(crate) fn run(_: &EnduranceArgs) -> anyhow::Result<()> {
    Ok(())
}
