//! What one side has been told of the other's waters, in one form for all naval variants.

use broadside_proto::v1::{
    AdvancedSalvoTargets, AmiralAdvancedTargets, AmiralTargets, Cell, ClassicTargets, CountedSalvo,
    NaumachiaTargets, Options, PlacedShip, SalvoTargets, ShipClass, Sinking, TargetGrid,
    public_view,
};

use super::fleet;

/// What one side has been told.
#[derive(Default)]
pub(super) struct Told {
    pub(super) misses: Vec<Cell>,
    pub(super) hits: Vec<Cell>,
    /// The class of the ship hit, for each of `hits`; empty where it is not named.
    pub(super) hit_classes: Vec<ShipClass>,
    /// Known to be water without a shot.
    pub(super) marked: Vec<Cell>,
    pub(super) sinkings: Vec<Sinking>,
    /// Sunk ships of which it was said where they lay.
    pub(super) located: Vec<PlacedShip>,
    /// Salvos answered with a number only; none where each shot is answered.
    pub(super) salvos: Vec<CountedSalvo>,
    pub(super) afloat: u32,
    /// Submarine, torpedoes and air strike of the side that was told.
    pub(super) arms: Option<AmiralAdvancedTargets>,
}

impl Told {
    /// What seat 1 and what seat 2 has been told; nothing in abalone.
    pub(super) fn of_both(view: &public_view::Variant) -> [Self; 2] {
        use public_view::Variant;
        match view {
            Variant::Classic(view) => {
                [&view.seat_one_targets, &view.seat_two_targets].map(|told| told.as_ref().into())
            }
            Variant::Salvo(view) => {
                [&view.seat_one_targets, &view.seat_two_targets].map(|told| told.as_ref().into())
            }
            Variant::AdvancedSalvo(view) => {
                [&view.seat_one_targets, &view.seat_two_targets].map(|told| told.as_ref().into())
            }
            Variant::Amiral(view) => {
                [&view.seat_one_targets, &view.seat_two_targets].map(|told| told.as_ref().into())
            }
            Variant::AmiralAdvanced(view) => {
                [&view.seat_one_targets, &view.seat_two_targets].map(|told| told.as_ref().into())
            }
            Variant::Naumachia(view) => {
                [&view.seat_one_targets, &view.seat_two_targets].map(|told| told.as_ref().into())
            }
            Variant::Abalone(_) => [Self::default(), Self::default()],
        }
    }

    /// Cells of counted salvos: fired at, the answer withheld.
    pub(super) fn unknown(&self) -> impl Iterator<Item = Cell> {
        self.salvos.iter().flat_map(|salvo| cells(&salvo.cells))
    }

    /// How many cells were fired at.
    pub(super) fn shots(&self) -> usize {
        self.misses.len() + self.hits.len() + self.unknown().count()
    }

    /// How many of them hit.
    pub(super) fn hit_count(&self) -> usize {
        let counted = self.salvos.iter().map(|salvo| super::usize_of(salvo.hits));
        self.hits.len() + counted.sum::<usize>()
    }

    /// Classes of the ships sunk, in the order announced.
    pub(super) fn sunk(&self) -> Vec<ShipClass> {
        let announced = self.sinkings.iter().map(|sinking| sinking.ship_class());
        announced
            .chain(self.located.iter().map(|ship| ship.ship_class()))
            .collect()
    }

    /// The cells that are known to be a sunk ship's: those that were said, and those whose hits were named (no fleet
    /// of a variant that names hits has two ships of a class).
    pub(super) fn sunk_cells(&self, options: &Options) -> Vec<Cell> {
        let located = self
            .located
            .iter()
            .flat_map(|ship| fleet::cells(options, ship));
        let named = self.hits.iter().zip(&self.hit_classes);
        let named = named.filter(|(_, class)| {
            self.sinkings
                .iter()
                .any(|sinking| sinking.ship_class() == **class)
        });
        located.chain(named.map(|(cell, _)| *cell)).collect()
    }

    /// Named hits on ships afloat: each class with its cells.
    pub(super) fn named_hits(&self) -> Vec<(ShipClass, Vec<Cell>)> {
        let sunk = self.sunk();
        let mut named: Vec<(ShipClass, Vec<Cell>)> = Vec::new();
        for (cell, class) in self.hits.iter().zip(&self.hit_classes) {
            if sunk.contains(class) {
                continue;
            }
            match named.iter_mut().find(|(known, _)| known == class) {
                Some((_, cells)) => cells.push(*cell),
                None => named.push((*class, vec![*cell])),
            }
        }
        named
    }

    fn with_grid(grid: Option<&TargetGrid>) -> Self {
        let mut told = Self::default();
        if let Some(grid) = grid {
            told.misses = cells(&grid.misses).collect();
            told.hits = cells(&grid.hits).collect();
        }
        told
    }
}

/// The cells that a view's numbers stand for.
pub(super) fn cells(numbers: &[u32]) -> impl Iterator<Item = Cell> {
    numbers.iter().filter_map(|number| fleet::numbered(*number))
}

impl From<Option<&ClassicTargets>> for Told {
    fn from(targets: Option<&ClassicTargets>) -> Self {
        let Some(targets) = targets else {
            return Self::default();
        };
        Self {
            hit_classes: targets.hit_classes().collect(),
            sinkings: targets.sunk.clone(),
            afloat: targets.afloat,
            ..Self::with_grid(targets.grid.as_ref())
        }
    }
}

impl From<Option<&SalvoTargets>> for Told {
    fn from(targets: Option<&SalvoTargets>) -> Self {
        let Some(targets) = targets else {
            return Self::default();
        };
        Self {
            hit_classes: targets.hit_classes().collect(),
            sinkings: targets.sunk.clone(),
            afloat: targets.afloat,
            ..Self::with_grid(targets.grid.as_ref())
        }
    }
}

impl From<Option<&AdvancedSalvoTargets>> for Told {
    fn from(targets: Option<&AdvancedSalvoTargets>) -> Self {
        let Some(targets) = targets else {
            return Self::default();
        };
        Self {
            salvos: targets.salvos.clone(),
            afloat: targets.afloat,
            ..Self::default()
        }
    }
}

impl From<Option<&AmiralTargets>> for Told {
    fn from(targets: Option<&AmiralTargets>) -> Self {
        let Some(targets) = targets else {
            return Self::default();
        };
        Self {
            sinkings: targets.sunk.clone(),
            afloat: targets.afloat,
            ..Self::with_grid(targets.grid.as_ref())
        }
    }
}

impl From<Option<&AmiralAdvancedTargets>> for Told {
    fn from(targets: Option<&AmiralAdvancedTargets>) -> Self {
        let Some(targets) = targets else {
            return Self::default();
        };
        Self {
            sinkings: targets.sunk.clone(),
            afloat: targets.afloat,
            arms: Some(targets.clone()),
            ..Self::with_grid(targets.grid.as_ref())
        }
    }
}

impl From<Option<&NaumachiaTargets>> for Told {
    fn from(targets: Option<&NaumachiaTargets>) -> Self {
        let Some(targets) = targets else {
            return Self::default();
        };
        Self {
            marked: cells(&targets.marked).collect(),
            located: targets.sunk.clone(),
            afloat: targets.afloat,
            ..Self::with_grid(targets.grid.as_ref())
        }
    }
}
