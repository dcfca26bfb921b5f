//! What the naval variants share: cells, ships, fleets and grids.

use broadside_proto::v1;
use broadside_rules::naval::{
    Cell, FleetEntry, Knowledge, Move, Orientation, OwnWaters, PlacedShip, ShipClass, Sinking,
};

use super::{Refusal, Writer};

pub(super) fn cell(cell: Cell) -> v1::Cell {
    v1::Cell {
        row: cell.row().into(),
        column: cell.column().into(),
    }
}

pub(super) fn cell_from(cell: v1::Cell) -> Result<Cell, Refusal> {
    let v1::Cell { row, column } = cell;
    Ok(Cell::named(row, column)?)
}

/// A cell as the grids of the contract number it.
pub(super) fn number(cell: Cell) -> u32 {
    cell.number().into()
}

pub(super) fn ship_class(class: ShipClass) -> v1::ShipClass {
    match class {
        ShipClass::Carrier => v1::ShipClass::Carrier,
        ShipClass::Battleship => v1::ShipClass::Battleship,
        ShipClass::Cruiser => v1::ShipClass::Cruiser,
        ShipClass::Destroyer => v1::ShipClass::Destroyer,
        ShipClass::Submarine => v1::ShipClass::Submarine,
        ShipClass::PatrolBoat => v1::ShipClass::PatrolBoat,
        ShipClass::AssaultBoat => v1::ShipClass::AssaultBoat,
        ShipClass::TorpedoBoat => v1::ShipClass::TorpedoBoat,
    }
}

/// An optional class as an optional enum field holds it.
pub(super) fn optional_class(class: Option<ShipClass>) -> Option<i32> {
    class.map(|class| ship_class(class).into())
}

/// A list of classes as a repeated enum field holds it.
pub(super) fn classes<'a>(classes: impl IntoIterator<Item = &'a ShipClass>) -> Vec<i32> {
    classes
        .into_iter()
        .map(|&class| ship_class(class).into())
        .collect()
}

fn ship_class_from(value: i32, field: &str) -> Result<ShipClass, Refusal> {
    match v1::ShipClass::try_from(value) {
        Ok(v1::ShipClass::Carrier) => Ok(ShipClass::Carrier),
        Ok(v1::ShipClass::Battleship) => Ok(ShipClass::Battleship),
        Ok(v1::ShipClass::Cruiser) => Ok(ShipClass::Cruiser),
        Ok(v1::ShipClass::Destroyer) => Ok(ShipClass::Destroyer),
        Ok(v1::ShipClass::Submarine) => Ok(ShipClass::Submarine),
        Ok(v1::ShipClass::PatrolBoat) => Ok(ShipClass::PatrolBoat),
        Ok(v1::ShipClass::AssaultBoat) => Ok(ShipClass::AssaultBoat),
        Ok(v1::ShipClass::TorpedoBoat) => Ok(ShipClass::TorpedoBoat),
        Ok(v1::ShipClass::Unspecified) | Err(_) => Err(Refusal::enumeration(field, value)),
    }
}

fn orientation_from(value: i32, field: &str) -> Result<Orientation, Refusal> {
    match v1::Orientation::try_from(value) {
        Ok(v1::Orientation::Horizontal) => Ok(Orientation::Horizontal),
        Ok(v1::Orientation::Vertical) => Ok(Orientation::Vertical),
        Ok(v1::Orientation::Unspecified) | Err(_) => Err(Refusal::enumeration(field, value)),
    }
}

fn orientation(orientation: Orientation) -> v1::Orientation {
    match orientation {
        Orientation::Horizontal => v1::Orientation::Horizontal,
        Orientation::Vertical => v1::Orientation::Vertical,
    }
}

pub(super) fn placed_ship(ship: PlacedShip) -> v1::PlacedShip {
    v1::PlacedShip {
        ship_class: ship_class(ship.class).into(),
        cell: Some(cell(ship.cell)),
        orientation: orientation(ship.orientation).into(),
    }
}

pub(super) fn write_placed_ship(ship: PlacedShip, to: &mut Writer<'_>) {
    to.number(1, class_byte(ship.class));
    to.nested(2, |cell| {
        cell.number(1, ship.cell.row());
        cell.number(2, ship.cell.column());
    });
    to.number(3, orientation(ship.orientation) as u8);
}

/// A class as the one byte that its enum takes.
pub(super) fn class_byte(class: ShipClass) -> u8 {
    ship_class(class) as u8
}

pub(super) fn deployment<'a>(ships: impl IntoIterator<Item = &'a PlacedShip>) -> v1::Deployment {
    v1::Deployment {
        ships: ships.into_iter().map(|&ship| placed_ship(ship)).collect(),
    }
}

/// The ships of a deployment as they were named; whether they make a legal fleet is the referee's to say.
pub(super) fn ships_from(deployment: v1::Deployment) -> Result<Vec<PlacedShip>, Refusal> {
    let v1::Deployment { ships } = deployment;
    ships
        .into_iter()
        .enumerate()
        .map(|(index, ship)| {
            let v1::PlacedShip {
                ship_class,
                cell,
                orientation,
            } = ship;
            let field = |name: &str| format!("deployment.ships[{index}].{name}");
            let class = ship_class_from(ship_class, &field("ship_class"))?;
            let v1::Cell { row, column } = cell.ok_or_else(|| Refusal::unset(&field("cell")))?;
            let orientation = orientation_from(orientation, &field("orientation"))?;
            Ok(PlacedShip::named(class, row, column, orientation)?)
        })
        .collect()
}

/// The deployment of a variant without a submarine.
pub(super) fn deploy_from(deployment: v1::Deployment) -> Result<Move, Refusal> {
    Ok(Move::Deploy {
        ships: ships_from(deployment)?,
        berth: None,
    })
}

pub(super) fn shot_from(shot: v1::Shot) -> Result<Move, Refusal> {
    let v1::Shot { cell } = shot;
    let cell = cell.ok_or_else(|| Refusal::unset("shot.cell"))?;
    Ok(Move::Shot(cell_from(cell)?))
}

pub(super) fn salvo_from(salvo: v1::Salvo) -> Result<Move, Refusal> {
    let v1::Salvo { cells } = salvo;
    let cells: Result<_, _> = cells.into_iter().map(cell_from).collect();
    Ok(Move::Salvo(cells?))
}

/// A player's own waters; empty before its deployment.
pub(super) fn ocean(own: Option<OwnWaters<'_>>, incoming: &Knowledge) -> v1::OceanGrid {
    let ships = own.map_or_else(Vec::new, |own| {
        own.ships()
            .map(|(ship, sunk)| v1::OwnShip {
                ship: Some(placed_ship(ship)),
                sunk,
            })
            .collect()
    });
    v1::OceanGrid {
        ships,
        fired_at: incoming.called().iter().copied().map(number).collect(),
    }
}

pub(super) fn write_ocean(own: Option<OwnWaters<'_>>, incoming: &Knowledge, to: &mut Writer<'_>) {
    for (ship, sunk) in own.into_iter().flat_map(OwnWaters::ships) {
        to.nested(1, |own| {
            own.nested(1, |to| write_placed_ship(ship, to));
            own.number(2, sunk);
        });
    }
    to.bytes(2, incoming.called().iter().map(|cell| cell.number()));
}

pub(super) fn target_grid(told: &Knowledge) -> v1::TargetGrid {
    v1::TargetGrid {
        misses: told.misses().map(number).collect(),
        hits: told.hits().map(number).collect(),
    }
}

pub(super) fn write_target_grid(told: &Knowledge, to: &mut Writer<'_>) {
    to.bytes(1, told.misses().map(Cell::number));
    to.bytes(2, told.hits().map(Cell::number));
}

pub(super) fn write_sinkings(field: u32, told: &Knowledge, to: &mut Writer<'_>) {
    for sinking in told.sinkings() {
        to.nested(field, |to| {
            to.number(1, class_byte(sinking.class));
            to.number(2, sinking.hits);
        });
    }
}

pub(super) fn sinkings(told: &Knowledge) -> Vec<v1::Sinking> {
    let sinking = |sinking: &Sinking| v1::Sinking {
        ship_class: ship_class(sinking.class).into(),
        hits: sinking.hits.into(),
    };
    told.sinkings().iter().map(sinking).collect()
}

/// A fleet as the catalogue shows it.
pub fn fleet_info(edition: v1::Edition, fleet: &[FleetEntry]) -> v1::FleetInfo {
    v1::FleetInfo {
        edition: edition.into(),
        ships: fleet
            .iter()
            .map(|entry| v1::FleetShip {
                ship_class: ship_class(entry.class).into(),
                length: entry.length.into(),
                count: entry.count.into(),
            })
            .collect(),
    }
}
