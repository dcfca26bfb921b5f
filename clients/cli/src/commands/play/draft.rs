//! A fleet while a person places it, ship by ship.
//!
//! Whether a fleet is legal is the arena's to say, and in naumachia it says so by ending the match. So what can be
//! seen here is seen here: classes and counts as the catalogue gives them, the grid's edge, ships that overlap or touch.

use broadside_proto::v1::{
    Berth, Deployment, FleetInfo, Move, Options, PlacedShip, ShipClass, Variant,
};

use crate::{
    board::fleet,
    names,
    notation::{Coordinates, after, deployment_move, parse_berth, parse_ship, ship},
};

/// The ships placed so far, and the submarine's berth.
pub(super) struct Draft {
    options: Options,
    fleet: FleetInfo,
    ships: Vec<PlacedShip>,
    berth: Option<Berth>,
}

impl Draft {
    pub(super) fn new(options: Options, fleet: FleetInfo) -> Self {
        Self {
            options,
            fleet,
            ships: Vec::new(),
            berth: None,
        }
    }

    /// Adds what a line names: ships separated by commas, or `berth E`. What comes before a mistake stays.
    pub(super) fn add(&mut self, line: &str) -> Result<(), String> {
        for part in line.split(',') {
            let part = part.trim();
            if let Some(place) = after("berth", part) {
                if self.variant() != Variant::AmiralAdvanced {
                    return Err("There is no submarine at a berth in this variant.".to_owned());
                }
                self.berth = Some(parse_berth(place).map_err(|error| error.to_string())?);
                continue;
            }
            let placed = parse_ship(self.coordinates(), part).map_err(|error| error.to_string())?;
            self.place(placed)?;
        }
        Ok(())
    }

    fn place(&mut self, placed: PlacedShip) -> Result<(), String> {
        let class = placed.ship_class();
        let name = ship(self.coordinates(), &placed);
        let missing = self.missing();
        if !missing.iter().any(|(missing, _)| *missing == class) {
            let known = self.fleet.ships.iter().any(|it| it.ship_class() == class);
            let why = if known {
                "is placed already: undo takes the last ship back"
            } else {
                "does not belong to this fleet"
            };
            return Err(format!("{name}: a {} {why}.", names::ship_class(class)));
        }
        let cells = fleet::cells(&self.options, &placed);
        let length = fleet::length(&self.options, class);
        if u32::try_from(cells.len()) != Ok(length) {
            return Err(format!(
                "{name}: it has {length} cells, and leaves the grid."
            ));
        }
        for other in &self.ships {
            let near = if self.variant() == Variant::Naumachia {
                fleet::neighbourhood(&self.options, other)
            } else {
                fleet::cells(&self.options, other)
            };
            if let Some(cell) = cells.iter().find(|cell| near.contains(cell)) {
                return Err(format!(
                    "{name}: at {} it {} {}.",
                    self.coordinates().cell(*cell),
                    if self.variant() == Variant::Naumachia {
                        "overlaps or touches"
                    } else {
                        "overlaps"
                    },
                    ship(self.coordinates(), other)
                ));
            }
        }
        self.ships.push(placed);
        Ok(())
    }

    /// Takes the last ship back.
    pub(super) fn undo(&mut self) {
        self.ships.pop();
    }

    /// Takes everything back.
    pub(super) fn clear(&mut self) {
        self.ships.clear();
        self.berth = None;
    }

    pub(super) fn is_empty(&self) -> bool {
        self.ships.is_empty() && self.berth.is_none()
    }

    /// The ships so far.
    pub(super) fn deployment(&self) -> Deployment {
        Deployment {
            ships: self.ships.clone(),
        }
    }

    /// What is still to be named: `cruiser (3 cells), 2 x destroyer (2 cells)`; empty once all is there.
    pub(super) fn still_missing(&self) -> String {
        let mut parts: Vec<String> = self
            .missing()
            .into_iter()
            .map(|(class, count)| {
                let name = names::ship_class(class);
                let length = fleet::length(&self.options, class);
                let cells = crate::text::count(usize::try_from(length).unwrap_or(0), "cell");
                match count {
                    1 => format!("{name} ({cells})"),
                    count => format!("{count} x {name} ({cells})"),
                }
            })
            .collect();
        if self.variant() == Variant::AmiralAdvanced && self.berth.is_none() {
            parts.push("the submarine (berth A-J or 1-10)".to_owned());
        }
        parts.join(", ")
    }

    /// The move, once all is there.
    pub(super) fn finished(&self) -> Option<Move> {
        self.still_missing()
            .is_empty()
            .then(|| deployment_move(self.variant(), self.deployment(), self.berth))
    }

    fn missing(&self) -> Vec<(ShipClass, usize)> {
        let placed = |class| {
            let of_class = self.ships.iter().filter(|it| it.ship_class() == class);
            of_class.count()
        };
        let ships = self.fleet.ships.iter().map(|ship| {
            let count = usize::try_from(ship.count).unwrap_or(usize::MAX);
            let class = ship.ship_class();
            (class, count.saturating_sub(placed(class)))
        });
        ships.filter(|(_, count)| *count > 0).collect()
    }

    fn variant(&self) -> Variant {
        names::variant(&self.options)
    }

    fn coordinates(&self) -> Coordinates {
        Coordinates::of(self.variant())
    }
}
