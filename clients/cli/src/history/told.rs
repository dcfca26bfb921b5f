//! What a side learns from each answer, put into its targets.

use broadside_proto::v1::{
    AdvancedSalvoAnswer, AdvancedSalvoTargets, AmiralAdvancedAnswer, AmiralAdvancedMove,
    AmiralAdvancedTargets, AmiralAnswer, AmiralTargets, ClassicAnswer, ClassicTargets,
    CountedSalvo, NaumachiaAnswer, NaumachiaTargets, Options, PastHunt, Salvo, SalvoAnswer,
    SalvoTargets, Shot, Sinking, TargetGrid, TorpedoRun, amiral_advanced_answer::Answer,
    amiral_advanced_move::Move,
};

use crate::board::fleet;

const TORPEDOES: u32 = 3;

/// One shot's answer, put on the grid.
fn shoot(grid: &mut Option<TargetGrid>, shot: Shot, hit: bool) {
    let grid = grid.get_or_insert_default();
    let number = fleet::number(shot.cell.unwrap_or_default());
    if hit {
        grid.hits.push(number);
    } else {
        grid.misses.push(number);
    }
}

/// A sinking, noted with the hits that there were.
fn sink(grid: &Option<TargetGrid>, sunk: &mut Vec<Sinking>, afloat: &mut u32, class: i32) {
    let hits = grid.as_ref().map_or(0, |grid| grid.hits.len());
    sunk.push(Sinking {
        ship_class: class,
        hits: u32::try_from(hits).unwrap_or(u32::MAX),
    });
    *afloat = afloat.saturating_sub(1);
}

pub(super) fn classic(targets: &mut ClassicTargets, shot: Shot, answer: ClassicAnswer) {
    shoot(&mut targets.grid, shot, answer.hit);
    targets.hit_classes.extend(answer.ship_class);
    if let Some(class) = answer.sunk {
        sink(&targets.grid, &mut targets.sunk, &mut targets.afloat, class);
    }
}

pub(super) fn salvo(targets: &mut SalvoTargets, salvo: &Salvo, answer: &SalvoAnswer) {
    for (cell, said) in salvo.cells.iter().zip(&answer.shots) {
        shoot(&mut targets.grid, Shot { cell: Some(*cell) }, said.hit);
        targets.hit_classes.extend(said.ship_class);
    }
    for class in &answer.sunk {
        sink(
            &targets.grid,
            &mut targets.sunk,
            &mut targets.afloat,
            *class,
        );
    }
}

pub(super) fn advanced_salvo(
    targets: &mut AdvancedSalvoTargets,
    salvo: &Salvo,
    answer: AdvancedSalvoAnswer,
) {
    targets.salvos.push(CountedSalvo {
        cells: salvo
            .cells
            .iter()
            .map(|cell| fleet::number(*cell))
            .collect(),
        hits: answer.hits,
        afloat: answer.afloat,
    });
    targets.afloat = answer.afloat;
}

pub(super) fn amiral(targets: &mut AmiralTargets, shot: Shot, answer: AmiralAnswer) {
    shoot(&mut targets.grid, shot, answer.hit);
    if let Some(class) = answer.sunk {
        sink(&targets.grid, &mut targets.sunk, &mut targets.afloat, class);
    }
}

pub(super) fn naumachia(
    options: &Options,
    targets: &mut NaumachiaTargets,
    shot: Shot,
    answer: NaumachiaAnswer,
) {
    shoot(&mut targets.grid, shot, answer.hit);
    let Some(ship) = answer.sunk else { return };
    targets.sunk.push(ship);
    targets.afloat = targets.afloat.saturating_sub(1);
    let grid = targets.grid.clone().unwrap_or_default();
    for cell in fleet::neighbourhood(options, &ship) {
        let number = fleet::number(cell);
        let known = [&grid.misses, &grid.hits, &targets.marked];
        if !known.iter().any(|known| known.contains(&number)) {
            targets.marked.push(number);
        }
    }
    targets.marked.sort_unstable();
}

/// What a side of amiral-advanced has at the start.
pub(super) fn arm(targets: &mut AmiralAdvancedTargets) {
    targets.torpedoes_left = TORPEDOES;
    targets.submarine_in_play = true;
    targets.shot_since_torpedo = true;
}

pub(super) fn amiral_advanced(
    own: &mut AmiralAdvancedTargets,
    enemy: &mut AmiralAdvancedTargets,
    played: &AmiralAdvancedMove,
    answer: &AmiralAdvancedAnswer,
) {
    match (&played.r#move, &answer.answer) {
        (Some(Move::Shot(shot)), Some(Answer::Shot(answer))) => {
            own.shot_since_torpedo = true;
            shoot(&mut own.grid, *shot, answer.hit);
            if let Some(class) = answer.sunk {
                sink(&own.grid, &mut own.sunk, &mut own.afloat, class);
            }
        }
        (Some(Move::Torpedo(torpedo)), Some(Answer::Torpedo(answer))) => {
            own.shot_since_torpedo = false;
            own.torpedoes_left = own.torpedoes_left.saturating_sub(1);
            own.torpedoes.push(TorpedoRun {
                route: torpedo.route,
                sunk: answer.sunk,
            });
            if let Some(class) = answer.sunk {
                sink(&own.grid, &mut own.sunk, &mut own.afloat, class);
            }
            own.submarine_in_play = own.torpedoes_left > 0;
            enemy.huntable = torpedo.route.filter(|_| own.submarine_in_play);
        }
        (Some(Move::Hunt(hunt)), Some(Answer::Hunt(answer))) => {
            own.huntable = None;
            own.hunts.push(PastHunt {
                end: hunt.end,
                found: answer.found,
            });
            if answer.found {
                enemy.submarine_in_play = false;
            }
        }
        (Some(Move::AirStrike(_)), Some(Answer::AirStrike(answer))) => {
            own.air_strike_spent = true;
            let grid = own.grid.get_or_insert_default();
            grid.hits.extend(&answer.hits);
            grid.misses.extend(&answer.misses);
            for class in &answer.sunk {
                sink(&own.grid, &mut own.sunk, &mut own.afloat, *class);
            }
        }
        _ => {}
    }
}
