//! `broadside variants`.

use broadside_proto::v1::{FleetInfo, ListVariantsRequest, ListVariantsResponse, VariantInfo};

use super::show;
use crate::{
    board::style::{self, paint},
    client::Arena,
    error::{Error, Exit},
    names,
    output::Output,
    text::escape,
};

/// Options are described in sentences: these are wrapped.
const WIDTH: u16 = 110;

pub(super) async fn run(arena: &Arena, out: &mut Output) -> Result<Exit, Error> {
    let listed = list(arena).await?;
    if out.json() {
        out.message(&listed)?;
        return Ok(Exit::Done);
    }
    for info in &listed.variants {
        out.text(&variant(info))?;
    }
    if let Some(time) = &listed.default_time_control {
        let time = show::time_control(time);
        out.line(&format!(
            "Without a time control of its own a match has {time}."
        ))?;
    }
    Ok(Exit::Done)
}

/// What the arena says of its variants.
pub(super) async fn list(arena: &Arena) -> Result<ListVariantsResponse, Error> {
    let mut catalog = arena.catalog();
    let call = catalog.list_variants(ListVariantsRequest {});
    arena.call("list the variants", call).await
}

/// A variant: its name and summary, a table of its options, its fleets.
fn variant(info: &VariantInfo) -> String {
    let name = paint(style::TITLE, &escape(&info.slug));
    let mut text = format!("{name}: {}\n", escape(&info.summary));
    let rows: Vec<Vec<String>> = info
        .options
        .iter()
        .map(|option| {
            vec![
                format!("  {}", escape(&option.name)),
                escape(&option.allowed),
                escape(&option.default_value),
                escape(&option.description),
            ]
        })
        .collect();
    if !rows.is_empty() {
        text.push_str(&show::wrapped_table(
            WIDTH,
            &["  OPTION", "RANGE", "DEFAULT", "MEANING"],
            rows,
        ));
    }
    for fleet in &info.fleets {
        text.push_str(&format!("  {}\n", self::fleet(fleet)));
    }
    text.push_str(&format!("  refusals: {}\n\n", info.default_strikes));
    text
}

fn fleet(info: &FleetInfo) -> String {
    let ships: Vec<String> = info
        .ships
        .iter()
        .map(|ship| {
            let name = names::ship_class(ship.ship_class());
            match ship.count {
                1 => format!("{name} {}", ship.length),
                count => format!("{count} x {name} {}", ship.length),
            }
        })
        .collect();
    let ships = ships.join(", ");
    match names::edition(info.edition()) {
        "unknown" => format!("fleet: {ships}"),
        edition => format!("fleet of {edition}: {ships}"),
    }
}
