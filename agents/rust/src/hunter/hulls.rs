//! Every way in which a ship can lie on the grid.

use std::sync::LazyLock;

use broadside_rules::naval::{Cell, CellSet, Orientation, PlacedShip, ShipClass};

/// The longest ship of any fleet.
pub(super) const LONGEST: usize = 5;

/// The cells of a ship that lies somewhere, and the cells in contact with it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hull {
    pub(super) cells: CellSet,
    pub(super) ring: CellSet,
    list: [u8; LONGEST],
    length: u8,
}

impl Hull {
    /// The cells of the hull, each as its number less one.
    pub(super) fn indices(&self) -> impl Iterator<Item = usize> + '_ {
        self.list[..usize::from(self.length)]
            .iter()
            .map(|&index| usize::from(index))
    }
}

/// All hulls of `length` cells; none of a length that no fleet has.
pub(super) fn of_length(length: u8) -> &'static [Hull] {
    static HULLS: LazyLock<[Vec<Hull>; LONGEST + 1]> =
        LazyLock::new(|| std::array::from_fn(|length| all(length as u8)));
    HULLS.get(usize::from(length)).map_or(&[], Vec::as_slice)
}

/// The cell's number less one: its place in an array of a hundred.
pub(super) const fn index(cell: Cell) -> usize {
    cell.number() as usize - 1
}

fn all(length: u8) -> Vec<Hull> {
    let mut orientations = vec![Orientation::Horizontal, Orientation::Vertical];
    if length == 1 {
        orientations.pop();
    }
    let placed = orientations.into_iter().flat_map(|orientation| {
        Cell::all().filter_map(move |cell| {
            let ship = PlacedShip {
                class: ShipClass::Carrier,
                cell,
                orientation,
            };
            ship.cells(length)
        })
    });
    placed.map(hull).collect()
}

fn hull(cells: CellSet) -> Hull {
    let mut list = [0; LONGEST];
    for (slot, cell) in list.iter_mut().zip(cells.iter()) {
        *slot = cell.number() - 1;
    }
    Hull {
        cells,
        ring: cells.ring(),
        list,
        length: cells.len() as u8,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_as_many_hulls_as_can_be_counted() {
        let counts: Vec<_> = (1..=6).map(|length| of_length(length).len()).collect();
        assert_eq!(counts, [100, 180, 160, 140, 120, 0]);
    }
}
