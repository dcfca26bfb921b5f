//! Between the contract's types and those of the rules, as far as the hunter needs them. What cannot be converted is
//! left out: the arena's views hold nothing of the kind.

use broadside_proto::v1;
use broadside_rules::naval::{
    Berth, Cell, CellSet, Edition, Orientation, PlacedShip, Route, Ruleset, ShipClass, classic,
};

/// The cells of these numbers, in their order.
pub(super) fn cells(numbers: &[u32]) -> Vec<Cell> {
    numbers
        .iter()
        .filter_map(|&number| Cell::from_number(number))
        .collect()
}

/// The cells of these numbers.
pub(super) fn cell_set(numbers: &[u32]) -> CellSet {
    numbers
        .iter()
        .filter_map(|&number| Cell::from_number(number))
        .collect()
}

pub(super) fn to_cell(cell: Cell) -> v1::Cell {
    v1::Cell {
        row: cell.row().into(),
        column: cell.column().into(),
    }
}

pub(super) const fn class(class: v1::ShipClass) -> Option<ShipClass> {
    Some(match class {
        v1::ShipClass::Unspecified => return None,
        v1::ShipClass::Carrier => ShipClass::Carrier,
        v1::ShipClass::Battleship => ShipClass::Battleship,
        v1::ShipClass::Cruiser => ShipClass::Cruiser,
        v1::ShipClass::Destroyer => ShipClass::Destroyer,
        v1::ShipClass::Submarine => ShipClass::Submarine,
        v1::ShipClass::PatrolBoat => ShipClass::PatrolBoat,
        v1::ShipClass::AssaultBoat => ShipClass::AssaultBoat,
        v1::ShipClass::TorpedoBoat => ShipClass::TorpedoBoat,
    })
}

/// The cells of a ship that is shown, by the lengths of `rules`.
pub(super) fn hull(rules: &Ruleset, ship: &v1::PlacedShip) -> Option<CellSet> {
    let class = class(ship.ship_class())?;
    let orientation = match ship.orientation() {
        v1::Orientation::Unspecified => return None,
        v1::Orientation::Horizontal => Orientation::Horizontal,
        v1::Orientation::Vertical => Orientation::Vertical,
    };
    let cell = ship.cell.as_ref()?;
    let ship = PlacedShip {
        class,
        cell: Cell::new(cell.row, cell.column)?,
        orientation,
    };
    ship.cells(rules.entry(class)?.length)
}

pub(super) fn to_ship(ship: PlacedShip) -> v1::PlacedShip {
    let class = match ship.class {
        ShipClass::Carrier => v1::ShipClass::Carrier,
        ShipClass::Battleship => v1::ShipClass::Battleship,
        ShipClass::Cruiser => v1::ShipClass::Cruiser,
        ShipClass::Destroyer => v1::ShipClass::Destroyer,
        ShipClass::Submarine => v1::ShipClass::Submarine,
        ShipClass::PatrolBoat => v1::ShipClass::PatrolBoat,
        ShipClass::AssaultBoat => v1::ShipClass::AssaultBoat,
        ShipClass::TorpedoBoat => v1::ShipClass::TorpedoBoat,
    };
    let orientation = match ship.orientation {
        Orientation::Horizontal => v1::Orientation::Horizontal,
        Orientation::Vertical => v1::Orientation::Vertical,
    };
    v1::PlacedShip {
        ship_class: class.into(),
        cell: Some(to_cell(ship.cell)),
        orientation: orientation.into(),
    }
}

pub(super) fn berth(berth: &v1::Berth) -> Option<Berth> {
    match berth.edge? {
        v1::berth::Edge::Letter(letter) => Berth::letter(letter).ok(),
        v1::berth::Edge::Number(number) => Berth::number(number).ok(),
    }
}

pub(super) fn to_berth(berth: Berth) -> v1::Berth {
    let edge = match berth {
        Berth::Letter(line) => v1::berth::Edge::Letter(line.number().into()),
        Berth::Number(line) => v1::berth::Edge::Number(line.number().into()),
    };
    v1::Berth { edge: Some(edge) }
}

pub(super) fn route(route: v1::Route) -> Option<Route> {
    Route::named(route.letter, route.number).ok()
}

pub(super) fn to_route(route: Route) -> v1::Route {
    v1::Route {
        letter: route.letter().number().into(),
        number: route.number().number().into(),
    }
}

/// Whose fleet is played. A view does not say; one's own fleet does, since both sides have the same.
pub(super) fn edition(ocean: Option<&v1::OceanGrid>) -> Edition {
    let ships = ocean.map_or(&[][..], |ocean| &ocean.ships);
    let older = ships
        .iter()
        .filter_map(|own| class(own.ship.as_ref()?.ship_class()))
        .any(|class| classic::FLEET_2002.iter().all(|entry| entry.class != class));
    if older {
        Edition::Edition1967
    } else {
        Edition::Edition2002
    }
}
