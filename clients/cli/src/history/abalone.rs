//! Abalone, followed: groups step, and what they push steps with them.

use broadside_proto::v1::{
    AbaloneAnswer, AbaloneCell, AbaloneDirection, AbaloneView, Options, Seat, answer, r#move,
    options,
};

use super::layouts;
use crate::notation::{abalone_cell, numbers, on_board};

/// The marbles on the board.
pub(super) struct Abalone {
    black: Vec<AbaloneCell>,
    white: Vec<AbaloneCell>,
    ejected: [u32; 2],
    plies: u32,
    /// Every position that has stood, with the side to move: its marbles in order.
    stood: Vec<(Seat, Vec<u32>, Vec<u32>)>,
}

impl Abalone {
    pub(super) fn new(options: &Options) -> Option<Self> {
        let Some(options::Variant::Abalone(options)) = &options.variant else {
            return None;
        };
        let rows = layouts::rows(options)?;
        if rows.len() != 9 {
            return None;
        }
        let (mut black, mut white) = (Vec::new(), Vec::new());
        for (row, text) in (1..=9).rev().zip(&rows) {
            if text.chars().count() != numbers(row).count() {
                return None;
            }
            for (number, marble) in numbers(row).zip(text.chars()) {
                match marble {
                    'b' => black.push(AbaloneCell { row, number }),
                    'w' => white.push(AbaloneCell { row, number }),
                    '.' => {}
                    _ => return None,
                }
            }
        }
        let mut start = Self {
            black,
            white,
            ejected: [0, 0],
            plies: 0,
            stood: Vec::new(),
        };
        start.remember(Seat::One);
        Some(start)
    }

    pub(super) fn play(
        &mut self,
        seat: Seat,
        played: &r#move::Variant,
        answer: Option<&answer::Variant>,
    ) -> Result<(), String> {
        let r#move::Variant::Abalone(played) = played else {
            return Err("the move is of another variant".to_owned());
        };
        let answer = match answer {
            Some(answer::Variant::Abalone(answer)) => *answer,
            None => AbaloneAnswer::default(),
            Some(_) => return Err("the answer is of another variant".to_owned()),
        };
        let step = step(played.direction()).ok_or("the move has no direction")?;
        let (own, enemy, next) = match seat {
            Seat::Two => (&mut self.white, &mut self.black, Seat::One),
            _ => (&mut self.black, &mut self.white, Seat::Two),
        };
        self.ejected[usize::from(seat == Seat::Two)] += push(enemy, &played.group, step, answer)?;
        for cell in &played.group {
            let place = own.iter().position(|marble| marble == cell);
            let place = place.ok_or_else(|| {
                format!("no marble of the mover's lies at {}", abalone_cell(*cell))
            })?;
            own.swap_remove(place);
        }
        for cell in &played.group {
            let target = moved(*cell, step, 1).filter(|cell| on_board(*cell));
            let target =
                target.ok_or_else(|| format!("{} would leave the board", abalone_cell(*cell)))?;
            if own.contains(&target) || enemy.contains(&target) {
                return Err(format!("{} is taken", abalone_cell(target)));
            }
            own.push(target);
        }
        self.plies += 1;
        self.remember(next);
        Ok(())
    }

    fn remember(&mut self, to_move: Seat) {
        self.stood
            .push((to_move, numbered(&self.black), numbered(&self.white)));
    }

    pub(super) fn view(&self) -> AbaloneView {
        let now = self.stood.last();
        let stood = self.stood.iter().filter(|stood| Some(*stood) == now);
        AbaloneView {
            black: numbered(&self.black),
            white: numbered(&self.white),
            ejected_by_black: self.ejected[0],
            ejected_by_white: self.ejected[1],
            plies: self.plies,
            repetitions: u32::try_from(stood.count()).unwrap_or(u32::MAX),
        }
    }
}

/// Moves on the enemy marbles that the answer says were pushed; how many of them left the board.
fn push(
    enemy: &mut Vec<AbaloneCell>,
    group: &[AbaloneCell],
    step: (i32, i32),
    answer: AbaloneAnswer,
) -> Result<u32, String> {
    if answer.pushed == 0 {
        return Ok(0);
    }
    // The leading marble is the one that has none of its group ahead of it.
    let leading = group
        .iter()
        .find(|cell| moved(**cell, step, 1).is_none_or(|ahead| !group.contains(&ahead)));
    let leading = *leading.ok_or("the move has no marbles")?;
    let mut ejected = 0;
    for distance in (1..=answer.pushed.min(9)).rev() {
        let from = moved(leading, step, distance).ok_or("a pushed marble lies off the board")?;
        let place = enemy.iter().position(|marble| *marble == from);
        let place = place
            .ok_or_else(|| format!("no marble of the other side lies at {}", abalone_cell(from)))?;
        enemy.swap_remove(place);
        match moved(from, step, 1).filter(|cell| on_board(*cell)) {
            Some(to) => enemy.push(to),
            None => ejected += 1,
        }
    }
    if ejected != u32::from(answer.ejected) {
        return Err("the marbles pushed off the board are not those of the answer".to_owned());
    }
    Ok(ejected)
}

/// A direction's step of row and number.
fn step(direction: AbaloneDirection) -> Option<(i32, i32)> {
    Some(match direction {
        AbaloneDirection::Unspecified => return None,
        AbaloneDirection::East => (0, 1),
        AbaloneDirection::NorthEast => (1, 1),
        AbaloneDirection::NorthWest => (1, 0),
        AbaloneDirection::West => (0, -1),
        AbaloneDirection::SouthWest => (-1, -1),
        AbaloneDirection::SouthEast => (-1, 0),
    })
}

/// The cell so many steps on, which need not be on the board; none below row or number 0.
fn moved(cell: AbaloneCell, step: (i32, i32), distance: u32) -> Option<AbaloneCell> {
    let along = |from: u32, by: i32| from.checked_add_signed(by * i32::try_from(distance).ok()?);
    Some(AbaloneCell {
        row: along(cell.row, step.0)?,
        number: along(cell.number, step.1)?,
    })
}

/// Marbles as the view numbers them, in order.
fn numbered(marbles: &[AbaloneCell]) -> Vec<u32> {
    let mut numbers: Vec<u32> = marbles
        .iter()
        .map(|cell| 10 * cell.row + cell.number)
        .collect();
    numbers.sort_unstable();
    numbers
}
