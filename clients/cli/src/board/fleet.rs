//! What a ship looks like on the grid: its length and cells, as the contract's comments on `ShipClass` give them.

use broadside_proto::v1::{
    Cell, Edition, Options, Orientation, PlacedShip, ShipClass, Variant, options,
};

use crate::names;

/// How many cells a ship of a class has; 0 for an unknown class.
pub fn length(options: &Options, class: ShipClass) -> u32 {
    let variant = names::variant(options);
    match class {
        ShipClass::Unspecified => 0,
        ShipClass::Carrier => 5,
        ShipClass::Battleship => 4,
        ShipClass::Cruiser => match variant {
            Variant::Amiral | Variant::AmiralAdvanced => 4,
            _ => 3,
        },
        ShipClass::Destroyer => {
            if variant == Variant::Naumachia || edition(options) == Edition::Edition1967 {
                2
            } else {
                3
            }
        }
        ShipClass::Submarine => 3,
        ShipClass::PatrolBoat | ShipClass::AssaultBoat => 2,
        ShipClass::TorpedoBoat => 1,
    }
}

/// The edition that is played, 2002 where the options leave it open or have none.
pub fn edition(options: &Options) -> Edition {
    let edition = match &options.variant {
        Some(options::Variant::Classic(options)) => options.edition,
        Some(options::Variant::Salvo(options)) => options.edition,
        Some(options::Variant::AdvancedSalvo(options)) => options.edition,
        _ => None,
    };
    match edition.and_then(|edition| Edition::try_from(edition).ok()) {
        Some(Edition::Edition1967) => Edition::Edition1967,
        _ => Edition::Edition2002,
    }
}

/// The classes that sail in a variant, longest first.
pub(crate) fn classes(options: &Options) -> &'static [ShipClass] {
    use ShipClass::{
        AssaultBoat, Battleship, Carrier, Cruiser, Destroyer, PatrolBoat, Submarine, TorpedoBoat,
    };
    match names::variant(options) {
        Variant::Classic | Variant::Salvo | Variant::AdvancedSalvo => match edition(options) {
            Edition::Edition1967 => &[Carrier, Battleship, Cruiser, Submarine, Destroyer],
            _ => &[Carrier, Battleship, Destroyer, Submarine, PatrolBoat],
        },
        Variant::Amiral | Variant::AmiralAdvanced => &[Carrier, Cruiser, Destroyer, AssaultBoat],
        Variant::Naumachia => &[Battleship, Cruiser, Destroyer, TorpedoBoat],
        Variant::Abalone | Variant::Unspecified => &[],
    }
}

/// The cells of a ship, those that are on the grid.
pub fn cells(options: &Options, ship: &PlacedShip) -> Vec<Cell> {
    let Some(start) = ship.cell else {
        return Vec::new();
    };
    (0..length(options, ship.ship_class()))
        .map(|step| match ship.orientation() {
            Orientation::Vertical => Cell {
                row: start.row.saturating_add(step),
                column: start.column,
            },
            Orientation::Horizontal | Orientation::Unspecified => Cell {
                row: start.row,
                column: start.column.saturating_add(step),
            },
        })
        .filter(|cell| on_grid(*cell))
        .collect()
}

/// Whether a cell is on the 10 x 10 grid.
pub fn on_grid(cell: Cell) -> bool {
    (1..=10).contains(&cell.row) && (1..=10).contains(&cell.column)
}

/// The cell that a view's number stands for, 1-100; none for any other number.
pub fn numbered(number: u32) -> Option<Cell> {
    (1..=100).contains(&number).then(|| Cell {
        row: (number - 1) / 10 + 1,
        column: (number - 1) % 10 + 1,
    })
}

/// The number of a cell in a view.
pub fn number(cell: Cell) -> u32 {
    cell.row
        .saturating_sub(1)
        .saturating_mul(10)
        .saturating_add(cell.column)
}

/// The cells in contact with a ship by side or corner, and those of the ship itself.
pub(crate) fn neighbourhood(options: &Options, ship: &PlacedShip) -> Vec<Cell> {
    let mut around = Vec::new();
    for cell in cells(options, ship) {
        for row in cell.row.saturating_sub(1)..=cell.row + 1 {
            for column in cell.column.saturating_sub(1)..=cell.column + 1 {
                let near = Cell { row, column };
                if on_grid(near) && !around.contains(&near) {
                    around.push(near);
                }
            }
        }
    }
    around.sort_by_key(|cell| number(*cell));
    around
}

/// The letter of a class on the grid.
pub(crate) fn symbol(class: ShipClass) -> char {
    match class {
        ShipClass::Unspecified => '!',
        ShipClass::Carrier => 'C',
        ShipClass::Battleship => 'B',
        ShipClass::Cruiser => 'R',
        ShipClass::Destroyer => 'D',
        ShipClass::Submarine => 'S',
        ShipClass::PatrolBoat => 'P',
        ShipClass::AssaultBoat => 'A',
        ShipClass::TorpedoBoat => 'T',
    }
}
