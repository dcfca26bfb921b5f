//! The naval variants: two grids, what each side has done, and a legend.

use broadside_proto::v1::{
    Deployment, OceanGrid, Options, Reveal, Seat, ShipClass, Variant, public_view, view,
};

use super::{
    fleet,
    grid::{Glyph, Grid, side_by_side},
    lines::{self, Side},
    reveal,
    style::paint,
    told::{self, Told},
};
use crate::{names, notation::Coordinates};

/// What everybody may know; both fleets too, once they are revealed.
pub(super) fn spectators(
    options: &Options,
    view: &public_view::Variant,
    open: Option<&Reveal>,
) -> String {
    let variant = names::variant(options);
    let [one, two] = Told::of_both(view);
    let fleet = |seat| match (open, seat) {
        (Some(open), Seat::One) => open.seat_one_fleet.as_ref(),
        (Some(open), Seat::Two) => open.seat_two_fleet.as_ref(),
        _ => None,
    };
    let waters = |title: &str, told: &Told, fleet: Option<&Deployment>| {
        let mut grid = Grid::new(title, Coordinates::of(variant));
        match fleet {
            Some(fleet) => paint_open(&mut grid, options, told, fleet),
            None => paint_told(&mut grid, options, told),
        }
        grid
    };
    let left = waters("Seat 1's waters", &two, fleet(Seat::One));
    let right = waters("Seat 2's waters", &one, fleet(Seat::Two));
    let mut drawn = side_by_side(&left, &right);
    for (side, told) in [(Side::Seat(Seat::One), &one), (Side::Seat(Seat::Two), &two)] {
        drawn.push_str(&lines::summary(options, side, told));
        drawn.push_str(&lines::last_salvos(told));
        drawn.push_str(&lines::arms(side, told));
    }
    if let Some(open) = open {
        drawn.push_str(&lines::berths(open));
    }
    let shown = fleet(Seat::One).is_some() || fleet(Seat::Two).is_some();
    drawn.push_str(&legend(options, shown, !shown));
    drawn
}

/// What one player may know. Nothing for abalone, which is drawn elsewhere.
pub(super) fn player(options: &Options, view: &view::Variant) -> String {
    use view::Variant as View;
    let mut extra = String::new();
    let (ocean, told): (_, Told) = match view {
        View::Classic(view) => (&view.ocean, view.targets.as_ref().into()),
        View::Salvo(view) => {
            extra = lines::salvo_size(view.salvo_size);
            (&view.ocean, view.targets.as_ref().into())
        }
        View::AdvancedSalvo(view) => {
            extra = lines::salvo_size(view.salvo_size);
            (&view.ocean, view.targets.as_ref().into())
        }
        View::Amiral(view) => (&view.ocean, view.targets.as_ref().into()),
        View::AmiralAdvanced(view) => {
            let enemy: Told = view.enemy_targets.as_ref().into();
            extra = lines::own_berth(view.berth.as_ref());
            extra.push_str(&lines::arms(Side::Enemy, &enemy));
            (&view.ocean, view.targets.as_ref().into())
        }
        View::Naumachia(view) => (&view.ocean, view.targets.as_ref().into()),
        View::Abalone(_) => return String::new(),
    };
    let coordinates = Coordinates::of(names::variant(options));
    let own = ocean.clone().unwrap_or_default();
    let mut left = Grid::new("Your waters", coordinates);
    paint_ocean(&mut left, options, &own);
    let mut right = Grid::new("The enemy's waters", coordinates);
    paint_told(&mut right, options, &told);

    let mut drawn = side_by_side(&left, &right);
    drawn.push_str(&lines::summary(options, Side::You, &told));
    drawn.push_str(&lines::all_salvos(&told));
    drawn.push_str(&lines::arms(Side::You, &told));
    drawn.push_str(&lines::own_fleet(&own));
    drawn.push_str(&extra);
    drawn.push_str(&legend(options, true, true));
    drawn
}

/// A fleet on a grid of its own.
pub(super) fn fleet_alone(options: &Options, deployment: &Deployment) -> String {
    let mut grid = Grid::new("Your waters", Coordinates::of(names::variant(options)));
    for ship in &deployment.ships {
        let glyph = Glyph::Ship(ship.ship_class());
        grid.fill(fleet::cells(options, ship), glyph);
    }
    grid.draw()
}

/// What was said of the enemy's waters.
fn paint_told(grid: &mut Grid, options: &Options, told: &Told) {
    grid.fill(told.unknown(), Glyph::Unknown);
    grid.fill(told.marked.iter().copied(), Glyph::Marked);
    grid.fill(told.misses.iter().copied(), Glyph::Miss);
    grid.fill(told.hits.iter().copied(), Glyph::Hit);
    grid.fill(told.sunk_cells(options), Glyph::Sunk);
}

/// What was said, over the fleet that lay there. A shot at a ship that a torpedo had sunk stays a miss.
fn paint_open(grid: &mut Grid, options: &Options, told: &Told, fleet: &Deployment) {
    let ships = reveal::open(options, told, &fleet.ships);
    grid.fill(told.marked.iter().copied(), Glyph::Marked);
    grid.fill(told.unknown(), Glyph::Miss);
    grid.fill(told.misses.iter().copied(), Glyph::Miss);
    let withheld: Vec<_> = told.unknown().collect();
    for open in &ships {
        grid.fill(
            open.cells.iter().copied(),
            if open.sunk {
                Glyph::Sunk
            } else {
                Glyph::Ship(open.ship.ship_class())
            },
        );
        if !open.sunk {
            let hit = |cell: &_| told.hits.contains(cell) || withheld.contains(cell);
            grid.fill(open.cells.iter().copied().filter(hit), Glyph::Hit);
        }
    }
}

/// A player's own waters.
fn paint_ocean(grid: &mut Grid, options: &Options, ocean: &OceanGrid) {
    let fired: Vec<_> = told::cells(&ocean.fired_at).collect();
    grid.fill(fired.iter().copied(), Glyph::Miss);
    for own in &ocean.ships {
        let Some(ship) = own.ship else { continue };
        for cell in fleet::cells(options, &ship) {
            let glyph = if own.sunk {
                Glyph::Sunk
            } else if fired.contains(&cell) {
                Glyph::Hit
            } else {
                Glyph::Ship(ship.ship_class())
            };
            grid.fill([cell], glyph);
        }
    }
}

/// What the characters mean: those that a variant can show.
fn legend(options: &Options, ships: bool, withheld: bool) -> String {
    let variant = names::variant(options);
    let mut glyphs = vec![Glyph::Water];
    if variant == Variant::AdvancedSalvo && withheld {
        glyphs.push(Glyph::Unknown);
    }
    if variant != Variant::AdvancedSalvo || ships {
        glyphs.extend([Glyph::Miss, Glyph::Hit, Glyph::Sunk]);
    }
    if variant == Variant::Naumachia {
        glyphs.push(Glyph::Marked);
    }
    let entry = |glyph: Glyph, meaning: &str| {
        let symbol = paint(glyph.style(), &glyph.symbol().to_string());
        format!("{symbol} {meaning}")
    };
    let glyphs = glyphs
        .into_iter()
        .map(|glyph| entry(glyph, glyph.meaning()));
    let mut lines = join(glyphs);
    if ships {
        let ship = |class: &ShipClass| entry(Glyph::Ship(*class), names::ship_class(*class));
        lines.push_str(&join(fleet::classes(options).iter().map(ship)));
    }
    lines
}

fn join(entries: impl Iterator<Item = String>) -> String {
    entries.collect::<Vec<_>>().join("  ") + "\n"
}
