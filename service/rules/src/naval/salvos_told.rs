use super::{Cell, places::Places};

/// What was told of the cells called, where a salvo is answered with counts alone.
///
/// A count is kept in unary, at the places of the salvo's cells, of which there are enough: no
/// salvo hits more often than it has cells, nor sinks more ships than it hits. Which of them hit is
/// not told, and not here.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct SalvosTold {
    /// The places among the cells called at which salvos begin.
    starts: Places,
    /// From the start of each salvo on, as many places as it hit.
    hits: Places,
    /// From the start of each salvo on, as many places as it sank ships.
    sunk: Places,
}

/// A salvo of advanced salvo, and all that was told of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SalvoReport<'a> {
    /// The cells in the order called.
    pub cells: &'a [Cell],
    /// How many of them hit.
    pub hits: u8,
    /// Enemy ships afloat after it.
    pub enemy_afloat: u8,
}

impl SalvosTold {
    /// A salvo whose first cell was called at place `start`.
    pub(super) const fn record(&mut self, start: usize, hits: u8, sunk: u8) {
        self.starts.insert(start);
        self.hits.insert_all(Places::run(start, hits as usize));
        self.sunk.insert_all(Places::run(start, sunk as usize));
    }

    /// The salvos, in order, of the cells `called`; so many enemies are afloat after the last one.
    pub(super) fn reports<'a>(
        &self,
        called: &'a [Cell],
        enemy_afloat: u8,
    ) -> impl Iterator<Item = SalvoReport<'a>> + use<'a> {
        let Self { starts, hits, sunk } = *self;
        let mut starts = starts;
        let mut afloat = usize::from(enemy_afloat) + sunk.len();
        std::iter::from_fn(move || {
            let start = starts.pop()?;
            let cells = called.get(start..starts.peek().unwrap_or(called.len()))?;
            let of_these = |places: Places| places.run_from(start).min(cells.len());
            afloat -= of_these(sunk);
            Some(SalvoReport {
                cells,
                hits: of_these(hits) as u8,
                enemy_afloat: afloat as u8,
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn salvos_are_told_apart_also_where_all_of_their_cells_hit() {
        let cells: Vec<_> = Cell::all().collect();
        // Cells, hits and ships sunk.
        let salvos = [
            (5, 5, 2),
            (5, 5, 1),
            (4, 0, 0),
            (4, 3, 1),
            (45, 0, 0),
            (3, 3, 3),
            (1, 1, 1),
            (1, 1, 1),
            (1, 0, 0),
        ];
        let mut told = SalvosTold::default();
        let mut reports = Vec::new();
        let (mut called, mut afloat) = (0, 10);
        for (length, hits, sunk) in salvos {
            told.record(called, hits, sunk);
            afloat -= sunk;
            reports.push(SalvoReport {
                cells: &cells[called..called + length],
                hits,
                enemy_afloat: afloat,
            });
            called += length;
            assert!(told.reports(&cells[..called], afloat).eq(reports.clone()));
        }
    }
}
