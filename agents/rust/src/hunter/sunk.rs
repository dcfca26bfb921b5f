//! Which hits are explained by ships that are sunk, where their cells are not told.

use broadside_rules::naval::{Cell, CellSet};

use super::hulls::{Hull, of_length};

/// Positions of sunk ships that are tried before the question is given up.
const MAX_TRIED: usize = 20_000;

/// A ship sunk by shots.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wreck {
    pub(super) length: u8,
    /// Its cells are among the first so many hits.
    pub(super) hits: usize,
    /// And one of them among the last so many of those: the shots that were answered together with the sinking.
    pub(super) together: usize,
}

/// The hits that belong to wrecks in every way in which the wrecks can lie; none if there is no telling.
pub(super) fn explained(hits: &[Cell], wrecks: &[Wreck]) -> CellSet {
    let mut places: Vec<_> = wrecks.iter().map(|wreck| places(hits, wreck)).collect();
    // The surest first: the search stays small.
    places.sort_by_key(Vec::len);
    let mut search = Search {
        places: &places,
        tried: 0,
        common: None,
    };
    search.lay(0, CellSet::EMPTY);
    if search.tried > MAX_TRIED {
        return CellSet::EMPTY;
    }
    search.common.unwrap_or_default()
}

/// Where a wreck may lie, other wrecks aside.
pub(super) fn places(hits: &[Cell], wreck: &Wreck) -> Vec<&'static Hull> {
    let first = hits.len().min(wreck.hits);
    let known: CellSet = hits[..first].iter().copied().collect();
    let last: CellSet = hits[first.saturating_sub(wreck.together)..first]
        .iter()
        .copied()
        .collect();
    of_length(wreck.length)
        .iter()
        .filter(|hull| hull.cells.is_subset(known) && !(hull.cells & last).is_empty())
        .collect()
}

struct Search<'a> {
    places: &'a [Vec<&'static Hull>],
    tried: usize,
    /// What all complete ways so far have in common.
    common: Option<CellSet>,
}

impl Search<'_> {
    fn lay(&mut self, wreck: usize, taken: CellSet) {
        self.tried += 1;
        if self.tried > MAX_TRIED {
            return;
        }
        let Some(places) = self.places.get(wreck) else {
            self.common = Some(self.common.map_or(taken, |common| common & taken));
            return;
        };
        for hull in places {
            if (hull.cells & taken).is_empty() {
                self.lay(wreck + 1, taken | hull.cells);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cells(list: &[(u32, u32)]) -> Vec<Cell> {
        list.iter()
            .map(|&(row, column)| Cell::new(row, column).unwrap())
            .collect()
    }

    const fn wreck(length: u8, hits: usize) -> Wreck {
        Wreck {
            length,
            hits,
            together: 1,
        }
    }

    #[test]
    fn a_ship_that_can_only_lie_in_one_way_explains_its_hits() {
        let hits = cells(&[(5, 4), (5, 5), (5, 6)]);
        assert_eq!(
            explained(&hits, &[wreck(2, 3)]),
            hits[1..].iter().copied().collect()
        );
    }

    #[test]
    fn only_what_all_ways_have_in_common_is_explained() {
        // The last hit sank a ship of two, which lies in the row or in the column.
        let hits = cells(&[(5, 5), (6, 6), (5, 6)]);
        let sure = CellSet::only(hits[2]);
        assert_eq!(explained(&hits, &[wreck(2, 3)]), sure);
        // A second wreck of three takes the column.
        let hits = cells(&[(5, 5), (6, 6), (5, 6), (7, 6), (8, 6)]);
        let all = hits.iter().copied().collect();
        assert_eq!(explained(&hits, &[wreck(2, 3), wreck(3, 5)]), all);
    }

    #[test]
    fn contradictions_explain_nothing() {
        assert_eq!(explained(&cells(&[(1, 1)]), &[wreck(2, 1)]), CellSet::EMPTY);
        assert_eq!(explained(&[], &[]), CellSet::EMPTY);
    }
}
