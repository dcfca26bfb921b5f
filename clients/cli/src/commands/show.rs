//! What several commands print: tables, a match's heading, times.

use std::time::{Duration, UNIX_EPOCH};

use broadside_proto::v1::{Match, Options, Seat, TimeControl};
use comfy_table::{ContentArrangement, Table, presets};

use crate::{board, describe, names, options};

/// A table of one line for each row, however long: for programs too.
pub(super) fn table(header: &[&str], rows: impl IntoIterator<Item = Vec<String>>) -> String {
    wrapped_table(u16::MAX, header, rows)
}

/// A table without borders, its columns two spaces apart and wrapped where they need more than `width` together.
pub(super) fn wrapped_table(
    width: u16,
    header: &[&str],
    rows: impl IntoIterator<Item = Vec<String>>,
) -> String {
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    table.set_content_arrangement(ContentArrangement::Dynamic);
    table.set_width(width);
    table.set_header(header.to_vec());
    for row in rows {
        table.add_row(row);
    }
    for column in table.column_iter_mut() {
        column.set_padding((0, 2));
    }
    table
        .lines()
        .map(|line| format!("{}\n", line.trim_end()))
        .collect()
}

/// `classic (edition=2002, name_ship_on_hit=true)`.
pub(super) fn options_line(options: &Options) -> String {
    let name = names::slug(names::variant(options));
    match options::list(options).as_slice() {
        [] => name.to_owned(),
        list => format!("{name} ({})", list.join(", ")),
    }
}

/// What a match is and who plays it, and how it stands: a few lines.
pub(super) fn heading(played: &Match) -> String {
    let options = played.options.clone().unwrap_or_default();
    let variant = names::variant(&options);
    let mut lines = format!("Match {}: {}\n", played.match_id, options_line(&options));
    for seat in [Seat::One, Seat::Two] {
        let agent = describe::player(played, seat).unwrap_or_else(|| "?".to_owned());
        lines.push_str(&format!("{}: {agent}\n", names::seat(variant, seat)));
    }
    if let Some(time) = &played.time_control {
        lines.push_str(&format!(
            "Time: {}. Refusals: {}.\n",
            time_control(time),
            played.strikes
        ));
    }
    lines.push_str(&format!("Created {}", timestamp(played.create_time_ms)));
    if played.start_time_ms != 0 {
        lines.push_str(&format!(", started {}", timestamp(played.start_time_ms)));
    }
    if played.end_time_ms != 0 {
        lines.push_str(&format!(", ended {}", timestamp(played.end_time_ms)));
    }
    lines + "\n"
}

/// What a match is and who plays it, in one line: a screen is not high.
pub(super) fn headline(played: &Match) -> String {
    let variant = played
        .options
        .as_ref()
        .map(names::variant)
        .unwrap_or_default();
    let agent = |seat| describe::player(played, seat).unwrap_or_else(|| "?".to_owned());
    format!(
        "Match {}: {}, {} against {}\n",
        played.match_id,
        names::slug(variant),
        agent(Seat::One),
        agent(Seat::Two)
    )
}

/// The heading, the position and how it ended.
pub(super) fn whole(played: &Match, position: Option<&broadside_proto::v1::Position>) -> String {
    let options = played.options.clone().unwrap_or_default();
    let mut text = heading(played);
    if let Some(position) = position {
        text.push('\n');
        text.push_str(&board::position(&options, position));
    }
    text + &board::outcome_line(played) + "\n"
}

/// `5m for the match and 2s more a move, at most 10s a turn`.
pub(super) fn time_control(time: &TimeControl) -> String {
    let mut parts = Vec::new();
    if let Some(budget) = time.budget_ms {
        let mut part = format!("{} for the match", duration(budget));
        if let Some(increment) = time.increment_ms.filter(|increment| *increment > 0) {
            part.push_str(&format!(" and {} more a move", duration(increment)));
        }
        parts.push(part);
    }
    if let Some(cap) = time.turn_cap_ms {
        parts.push(format!("at most {} a turn", duration(cap)));
    }
    if let Some(deployment) = time.deployment_ms {
        parts.push(format!("{} to deploy", duration(deployment)));
    }
    if let Some(lag) = time.lag_allowance_ms {
        parts.push(format!("{} of lag allowed", duration(lag)));
    }
    parts.join(", ")
}

/// Milliseconds as `1m 30s`.
pub(super) fn duration(milliseconds: u64) -> String {
    humantime::format_duration(Duration::from_millis(milliseconds)).to_string()
}

/// Milliseconds since 1970 as `2026-11-30T08:00:00Z`.
pub(super) fn timestamp(milliseconds: u64) -> String {
    const YEAR_10000: u64 = 253_402_300_800_000;
    if milliseconds >= YEAR_10000 {
        return "?".to_owned();
    }
    let time = UNIX_EPOCH + Duration::from_millis(milliseconds);
    humantime::format_rfc3339_seconds(time).to_string()
}

/// Names of an agent's variants.
pub(super) fn slugs(variants: impl Iterator<Item = broadside_proto::v1::Variant>) -> String {
    variants.map(names::slug).collect::<Vec<_>>().join(", ")
}
