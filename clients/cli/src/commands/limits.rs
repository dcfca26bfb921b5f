//! `broadside limits`.

use broadside_proto::v1::{GetLimitsRequest, Limit, LimitUnit};

use super::show;
use crate::{
    client::Arena,
    error::{Error, Exit},
    output::Output,
    text::escape,
};

pub(super) async fn run(arena: &Arena, out: &mut Output) -> Result<Exit, Error> {
    let mut catalog = arena.catalog();
    let call = catalog.get_limits(GetLimitsRequest {});
    let limits = arena.call("read the limits", call).await?;
    if out.json() {
        out.message(&limits)?;
    } else {
        let header = ["LIMIT", "MOST", "WHAT"];
        out.text(&show::table(&header, limits.limits.iter().map(row)))?;
    }
    Ok(Exit::Done)
}

fn row(limit: &Limit) -> Vec<String> {
    let unit = match limit.unit() {
        LimitUnit::Unspecified | LimitUnit::Count => "",
        LimitUnit::Bytes => " bytes",
        LimitUnit::Characters => " characters",
        LimitUnit::Milliseconds => " ms",
        LimitUnit::PerSecond => " a second",
    };
    vec![
        escape(&limit.name),
        format!("{}{unit}", limit.value),
        escape(&limit.description),
    ]
}
