//! Which ships of an open fleet are sunk: told from what was announced, since a reveal says only where they lay.

use broadside_proto::v1::{Cell, Options, PlacedShip, Route};

use super::{fleet, told::Told};

/// A ship of an open fleet.
pub(super) struct OpenShip {
    pub(super) cells: Vec<Cell>,
    pub(super) ship: PlacedShip,
    pub(super) sunk: bool,
}

/// The fleet that `told` was told of, ship by ship.
pub(super) fn open(options: &Options, told: &Told, ships: &[PlacedShip]) -> Vec<OpenShip> {
    let hits: Vec<Cell> = told.hits.iter().copied().chain(told.unknown()).collect();
    let mut open: Vec<OpenShip> = ships
        .iter()
        .map(|ship| {
            let cells = fleet::cells(options, ship);
            let sunk = !cells.is_empty() && cells.iter().all(|cell| hits.contains(cell));
            OpenShip {
                cells,
                ship: *ship,
                sunk,
            }
        })
        .collect();
    let torpedoes = told.arms.iter().flat_map(|arms| &arms.torpedoes);
    for run in torpedoes.filter(|run| run.sunk.is_some()) {
        let path = run.route.map(path).unwrap_or_default();
        let struck = open
            .iter()
            .enumerate()
            .filter(|(_, open)| !open.sunk && open.ship.ship_class() == run.sunk())
            .filter_map(|(index, open)| {
                let reached = path.iter().position(|cell| open.cells.contains(cell))?;
                Some((reached, index))
            })
            .min();
        if let Some(ship) = struck.and_then(|(_, index)| open.get_mut(index)) {
            ship.sunk = true;
        }
    }
    open
}

/// The cells a torpedo passes, from the letter's end to the number's.
fn path(route: Route) -> Vec<Cell> {
    (0..route.letter.min(10))
        .map(|step| Cell {
            row: route.letter - step,
            column: if route.letter == route.number {
                step + 1
            } else {
                10_u32.saturating_sub(step)
            },
        })
        .collect()
}
