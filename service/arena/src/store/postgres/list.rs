//! Lists of matches, a page at a time.
//!
//! Every combination of state, variant and privacy that a list asks for stands in order in an index; a page is merged from
//! the first few of each. So it costs the same however many matches there are, and however few are asked for.

use std::collections::BTreeSet;

use broadside_proto::v1;
use deadpool_postgres::Client;

use super::{Unread, read::summary_of, text, unsigned};
use crate::store::{ListPage, ListQuery, Reader};

/// Of all agents: those that anybody asking may read, and the private ones of the agent that asks ($6, or NULL).
const OF_ALL: &str = "
    SELECT found.place FROM unnest($1::int[]) s(state), unnest($2::int[]) v(variant), unnest($3::bool[]) p(private),
    LATERAL (SELECT m.place FROM match m
        WHERE m.state = s.state AND m.variant = v.variant AND m.private = p.private AND m.place < $4
        ORDER BY m.place DESC LIMIT $5) found
    UNION ALL
    SELECT found.place FROM unnest($1::int[]) s(state), unnest($2::int[]) v(variant),
    LATERAL (SELECT a.place FROM match_agent a
        WHERE a.agent = $6 AND a.state = s.state AND a.variant = v.variant AND a.private AND a.place < $4
        ORDER BY a.place DESC LIMIT $5) found";

/// Of one agent ($7): those that anybody asking may read, and the private ones in which the agent that asks plays too.
const OF_ONE: &str = "
    SELECT found.place FROM unnest($1::int[]) s(state), unnest($2::int[]) v(variant), unnest($3::bool[]) p(private),
    LATERAL (SELECT a.place FROM match_agent a
        WHERE a.agent = $7 AND a.state = s.state AND a.variant = v.variant AND a.private = p.private AND a.place < $4
        ORDER BY a.place DESC LIMIT $5) found
    UNION ALL
    SELECT found.place FROM unnest($1::int[]) s(state), unnest($2::int[]) v(variant),
    LATERAL (SELECT a.place FROM match_agent a
        WHERE a.agent = $7 AND a.state = s.state AND a.variant = v.variant AND a.private AND a.place < $4
        AND EXISTS (SELECT FROM match_agent b WHERE b.place = a.place AND b.agent = $6)
        ORDER BY a.place DESC LIMIT $5) found";

fn statement(places: &str) -> String {
    format!(
        "WITH listed AS ({places}), page AS (SELECT place FROM listed ORDER BY place DESC LIMIT $5)
        SELECT m.place, m.match_id, m.summary, (SELECT event.moves FROM match_event event
            WHERE event.match_id = m.match_id ORDER BY event.seq DESC LIMIT 1)
        FROM page JOIN match m USING (place) ORDER BY m.place DESC"
    )
}

/// A page.
pub(super) async fn list(client: &Client, query: &ListQuery) -> Result<ListPage, Unread> {
    let states: Vec<i32> = if query.states.is_empty() {
        states().collect()
    } else {
        distinct(query.states.iter().map(|state| *state as i32))
    };
    let variants: Vec<i32> = if query.variants.is_empty() {
        variants().collect()
    } else {
        distinct(query.variants.iter().map(|variant| *variant as i32))
    };
    let (private, reader): (&[bool], Option<&str>) = match &query.reader {
        Reader::Operator => (&[false, true], None),
        Reader::Agent(agent) => (&[false], text(agent)),
        Reader::Public => (&[false], None),
    };
    let before = query
        .after
        .map_or(i64::MAX, |place| i64::try_from(place).unwrap_or(i64::MAX));
    let limit = i64::try_from(query.limit)
        .unwrap_or(i64::MAX)
        .saturating_add(1);
    let rows = match &query.agent {
        None => {
            let statement = client.prepare_cached(&statement(OF_ALL)).await?;
            client
                .query(
                    &statement,
                    &[&states, &variants, &private, &before, &limit, &reader],
                )
                .await?
        }
        Some(agent) => {
            let Some(agent) = text(agent) else {
                return Ok(ListPage::default());
            };
            let statement = client.prepare_cached(&statement(OF_ONE)).await?;
            client
                .query(
                    &statement,
                    &[
                        &states, &variants, &private, &before, &limit, &reader, &agent,
                    ],
                )
                .await?
        }
    };
    let mut page = ListPage::default();
    let mut last = before;
    for row in &rows {
        if page.matches.len() == query.limit {
            page.next = Some(unsigned(last));
            break;
        }
        last = row.try_get(0)?;
        page.matches.push(summary_of(row, 1)?);
    }
    Ok(page)
}

fn distinct(numbers: impl Iterator<Item = i32>) -> Vec<i32> {
    numbers.collect::<BTreeSet<_>>().into_iter().collect()
}

/// The numbers of all states.
pub(super) fn states() -> impl Iterator<Item = i32> {
    (0..).take_while(|number| v1::MatchState::try_from(*number).is_ok())
}

/// The numbers of all variants.
fn variants() -> impl Iterator<Item = i32> {
    (0..).take_while(|number| v1::Variant::try_from(*number).is_ok())
}
