//! A 10 x 10 grid of characters, and two of them side by side.

use anstyle::Style;
use broadside_proto::v1::{Cell, ShipClass};

use super::{
    fleet::symbol,
    style::{self, paint},
};
use crate::notation::Coordinates;

/// What is drawn in a cell.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Glyph {
    /// Nothing is there, and nothing was fired at it.
    Water,
    /// A ship that was not hit here.
    Ship(ShipClass),
    /// A hit.
    Hit,
    /// A ship that is sunk.
    Sunk,
    /// A miss.
    Miss,
    /// Known to be water without a shot.
    Marked,
    /// Fired at, the answer withheld.
    Unknown,
}

impl Glyph {
    pub(super) fn symbol(self) -> char {
        match self {
            Self::Water => '.',
            Self::Ship(class) => symbol(class),
            Self::Hit => 'X',
            Self::Sunk => '#',
            Self::Miss => 'o',
            Self::Marked => '~',
            Self::Unknown => '?',
        }
    }

    pub(super) fn style(self) -> Style {
        match self {
            Self::Water => style::WATER,
            Self::Ship(_) => style::SHIP,
            Self::Hit => style::HIT,
            Self::Sunk => style::SUNK,
            Self::Miss => style::MISS,
            Self::Marked => style::MARKED,
            Self::Unknown => style::UNKNOWN,
        }
    }

    /// What it means, for a legend.
    pub(super) fn meaning(self) -> &'static str {
        match self {
            Self::Water => "not fired at",
            Self::Ship(_) => "ship",
            Self::Hit => "hit",
            Self::Sunk => "sunk",
            Self::Miss => "miss",
            Self::Marked => "known water",
            Self::Unknown => "fired at, unknown",
        }
    }
}

/// A grid with a title.
pub(super) struct Grid {
    title: String,
    coordinates: Coordinates,
    glyphs: [[Glyph; 10]; 10],
}

/// Two for the row's label, two for each cell, one for the second digit of the last column's label.
const WIDTH: usize = 23;
const ROW_WIDTH: usize = 22;
const GAP: &str = "     ";

impl Grid {
    pub(super) fn new(title: impl Into<String>, coordinates: Coordinates) -> Self {
        Self {
            title: title.into(),
            coordinates,
            glyphs: [[Glyph::Water; 10]; 10],
        }
    }

    /// Draws `glyph` into each of these cells; cells off the grid are left out.
    pub(super) fn fill(&mut self, cells: impl IntoIterator<Item = Cell>, glyph: Glyph) {
        for cell in cells {
            let at = |number: u32| usize::try_from(number).ok()?.checked_sub(1);
            let (Some(row), Some(column)) = (at(cell.row), at(cell.column)) else {
                continue;
            };
            if let Some(place) = self.glyphs.get_mut(row).and_then(|row| row.get_mut(column)) {
                *place = glyph;
            }
        }
    }

    /// The grid alone.
    pub(super) fn draw(&self) -> String {
        self.lines(0).into_iter().map(|line| line + "\n").collect()
    }

    /// The title, the columns' labels, and the ten rows, each filled up to a width.
    fn lines(&self, width: usize) -> Vec<String> {
        let columns: String = (1..=10)
            .map(|column| format!(" {}", self.coordinates.column(column)))
            .collect();
        let columns = format!("  {}", columns.trim_end());
        let mut lines = vec![
            paint(style::TITLE, &format!("{:<width$}", self.title)),
            paint(style::LABEL, &format!("{columns:<width$}")),
        ];
        for (row, glyphs) in (1..).zip(&self.glyphs) {
            let label = format!("{:>2}", self.coordinates.row(row));
            let mut line = paint(style::LABEL, &label);
            for glyph in glyphs {
                line.push(' ');
                line.push_str(&paint(glyph.style(), &glyph.symbol().to_string()));
            }
            line.extend(std::iter::repeat_n(' ', width.saturating_sub(ROW_WIDTH)));
            lines.push(line);
        }
        lines
    }
}

/// Two grids side by side.
pub(super) fn side_by_side(left: &Grid, right: &Grid) -> String {
    let mut drawn = String::new();
    for (left, right) in left.lines(WIDTH).into_iter().zip(right.lines(0)) {
        drawn.push_str(&left);
        drawn.push_str(GAP);
        drawn.push_str(&right);
        drawn.push('\n');
    }
    drawn
}
