//! Abalone: a hexagon with the rows' letters at the left and the diagonals' numbers at the lower right.

use broadside_proto::v1::{AbaloneCell, AbaloneView};

use super::style::{self, paint};
use crate::notation::{numbers, row_letter};

pub(super) fn draw(view: &AbaloneView) -> String {
    let mut drawn = String::new();
    for row in (1..=9).rev() {
        drawn.push_str(&row_line(view, row));
        drawn.push('\n');
    }
    let below: Vec<String> = (1..=5).map(|number| number.to_string()).collect();
    let label = paint(style::LABEL, &below.join(" "));
    drawn.push_str(&format!("{:7}{label}\n", ""));
    drawn.push_str(&score(view));
    let black = paint(style::BLACK, "B");
    let white = paint(style::WHITE, "W");
    let empty = paint(style::LABEL, ".");
    drawn.push_str(&format!("{black} black  {white} white  {empty} empty\n"));
    drawn
}

/// A row: its letter, its cells, and the number of the diagonal whose lowest cell is the last of the row above.
fn row_line(view: &AbaloneView, row: u32) -> String {
    let indent = super::usize_of(row.abs_diff(5));
    let letter = row_letter(row).map(String::from).unwrap_or_default();
    let mut line = format!("{:indent$}{}", "", paint(style::LABEL, &letter));
    for number in numbers(row) {
        line.push(' ');
        line.push_str(&marble(view, AbaloneCell { row, number }));
    }
    if row < 5 {
        let diagonal = (row + 5).to_string();
        line.push(' ');
        line.push_str(&paint(style::LABEL, &diagonal));
    }
    line
}

fn marble(view: &AbaloneView, cell: AbaloneCell) -> String {
    let number = 10 * cell.row + cell.number;
    if view.black.contains(&number) {
        paint(style::BLACK, "B")
    } else if view.white.contains(&number) {
        paint(style::WHITE, "W")
    } else {
        paint(style::LABEL, ".")
    }
}

fn score(view: &AbaloneView) -> String {
    let mut line = format!(
        "Ejected: Black {}, White {} (six win). {} played",
        view.ejected_by_black,
        view.ejected_by_white,
        match view.plies {
            1 => "1 ply".to_owned(),
            plies => format!("{plies} plies"),
        }
    );
    if view.repetitions > 1 {
        line.push_str(&format!(
            "; this position stands for the {} time",
            ordinal(view.repetitions)
        ));
    }
    line + ".\n"
}

fn ordinal(number: u32) -> String {
    match number {
        2 => "second".to_owned(),
        3 => "third".to_owned(),
        _ => format!("{number}th"),
    }
}
