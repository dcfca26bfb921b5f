//! amiral-advanced, in the contract's words.

use broadside_proto::v1::{self, amiral_advanced_answer, amiral_advanced_move, berth as edge};
use broadside_rules::naval::{
    Answer, Arsenal, Berth, Cell, Hunt, Knowledge, LegalMoves, Move, PublicView, Route, Torpedo,
    View,
};

use super::{Refusal, Writer, naval};

pub(super) fn berth(berth: Berth) -> v1::Berth {
    v1::Berth {
        edge: Some(match berth {
            Berth::Letter(line) => edge::Edge::Letter(line.number().into()),
            Berth::Number(line) => edge::Edge::Number(line.number().into()),
        }),
    }
}

fn berth_from(berth: Option<v1::Berth>, field: &str) -> Result<Berth, Refusal> {
    let v1::Berth { edge } = berth.ok_or_else(|| Refusal::unset(field))?;
    Ok(match edge.ok_or_else(|| Refusal::unset(field))? {
        edge::Edge::Letter(letter) => Berth::letter(letter)?,
        edge::Edge::Number(number) => Berth::number(number)?,
    })
}

fn route(route: Route) -> v1::Route {
    v1::Route {
        letter: route.letter().number().into(),
        number: route.number().number().into(),
    }
}

pub(super) fn move_from(message: v1::AmiralAdvancedMove) -> Result<Move, Refusal> {
    use amiral_advanced_move::Move as Kind;
    let v1::AmiralAdvancedMove { r#move } = message;
    Ok(
        match r#move.ok_or_else(|| Refusal::unset("amiral_advanced.move"))? {
            Kind::Deployment(v1::AmiralAdvancedDeployment { fleet, berth }) => {
                let fleet = fleet.ok_or_else(|| Refusal::unset("deployment.fleet"))?;
                Move::Deploy {
                    ships: naval::ships_from(fleet)?,
                    berth: Some(berth_from(berth, "deployment.berth")?),
                }
            }
            Kind::Shot(shot) => naval::shot_from(shot)?,
            Kind::Torpedo(v1::Torpedo { route }) => {
                let v1::Route { letter, number } =
                    route.ok_or_else(|| Refusal::unset("torpedo.route"))?;
                Move::Torpedo(Route::named(letter, number)?)
            }
            Kind::Hunt(v1::Hunt { end }) => Move::Hunt(berth_from(end, "hunt.end")?),
            Kind::AirStrike(v1::AirStrike { cell }) => {
                let cell = cell.ok_or_else(|| Refusal::unset("air_strike.cell"))?;
                Move::AirStrike(naval::cell_from(cell)?)
            }
            Kind::Relocation(v1::Relocation { berth }) => {
                Move::Relocate(berth_from(berth, "relocation.berth")?)
            }
        },
    )
}

fn wrap(kind: amiral_advanced_move::Move) -> v1::AmiralAdvancedMove {
    v1::AmiralAdvancedMove { r#move: Some(kind) }
}

pub(super) fn deployment(fleet: v1::Deployment, lies: Option<Berth>) -> v1::AmiralAdvancedMove {
    wrap(amiral_advanced_move::Move::Deployment(
        v1::AmiralAdvancedDeployment {
            fleet: Some(fleet),
            berth: lies.map(berth),
        },
    ))
}

/// All legal moves of the battle and of the relocation.
pub(super) fn legal_moves(legal: &LegalMoves) -> impl Iterator<Item = v1::AmiralAdvancedMove> {
    use amiral_advanced_move::Move as Kind;
    let cell = |cell: Cell| Some(naval::cell(cell));
    let shots = legal
        .targets
        .iter()
        .map(move |target| Kind::Shot(v1::Shot { cell: cell(target) }));
    let torpedoes = legal.torpedoes.iter().map(|&along| {
        Kind::Torpedo(v1::Torpedo {
            route: Some(route(along)),
        })
    });
    let hunts = legal.hunts.iter().map(|&end| {
        Kind::Hunt(v1::Hunt {
            end: Some(berth(end)),
        })
    });
    let strikes = legal
        .air_strikes
        .iter()
        .map(move |block| Kind::AirStrike(v1::AirStrike { cell: cell(block) }));
    let relocations = legal.berths.iter().map(|&to| {
        Kind::Relocation(v1::Relocation {
            berth: Some(berth(to)),
        })
    });
    shots
        .chain(torpedoes)
        .chain(hunts)
        .chain(strikes)
        .chain(relocations)
        .map(wrap)
}

pub(super) fn answer(answer: &Answer) -> v1::AmiralAdvancedAnswer {
    use amiral_advanced_answer::Answer as Kind;
    let kind = match answer {
        Answer::Shot { hit, sunk, .. } => Some(Kind::Shot(v1::AmiralAdvancedShotAnswer {
            hit: *hit,
            sunk: naval::optional_class(sunk.map(|sunk| sunk.class)),
        })),
        Answer::Torpedo { sunk } => Some(Kind::Torpedo(v1::TorpedoAnswer {
            sunk: naval::optional_class(*sunk),
        })),
        Answer::Hunt { found } => Some(Kind::Hunt(v1::HuntAnswer { found: *found })),
        Answer::AirStrike { struck, sunk } => {
            let cells = |hit: bool| {
                let told = struck.iter().filter(move |(_, was_hit)| *was_hit == hit);
                told.map(|(cell, _)| naval::number(*cell)).collect()
            };
            Some(Kind::AirStrike(v1::AirStrikeAnswer {
                misses: cells(false),
                hits: cells(true),
                sunk: naval::classes(sunk),
            }))
        }
        _ => None,
    };
    v1::AmiralAdvancedAnswer { answer: kind }
}

/// What the player with `told` knows of the enemy; `enemy` is the enemy's side of it, for the route that may be hunted at.
fn targets(told: &Knowledge, enemy: &Knowledge) -> v1::AmiralAdvancedTargets {
    let grid = v1::AmiralAdvancedTargets {
        grid: Some(naval::target_grid(told)),
        sunk: naval::sinkings(told),
        afloat: told.enemy_afloat().into(),
        ..Default::default()
    };
    let Some(arsenal) = told.arsenal() else {
        return grid;
    };
    v1::AmiralAdvancedTargets {
        torpedoes: arsenal.torpedoes().iter().map(torpedo_run).collect(),
        torpedoes_left: arsenal.torpedoes_left().into(),
        submarine_in_play: arsenal.submarine_in_play(),
        hunts: arsenal.hunts().iter().map(past_hunt).collect(),
        air_strike_spent: arsenal.air_strike_spent(),
        shot_since_torpedo: arsenal.shot_since_torpedo(),
        huntable: enemy.arsenal().and_then(Arsenal::huntable).map(route),
        ..grid
    }
}

fn torpedo_run(torpedo: &Torpedo) -> v1::TorpedoRun {
    v1::TorpedoRun {
        route: Some(route(torpedo.route)),
        sunk: naval::optional_class(torpedo.sunk),
    }
}

fn past_hunt(hunt: &Hunt) -> v1::PastHunt {
    v1::PastHunt {
        end: Some(berth(hunt.end)),
        found: hunt.found,
    }
}

pub(super) fn view(view: &View<'_>) -> v1::AmiralAdvancedView {
    v1::AmiralAdvancedView {
        ocean: Some(naval::ocean(view.own, view.incoming)),
        targets: Some(targets(view.target, view.incoming)),
        berth: view.own.and_then(|own| own.berth).map(berth),
        enemy_targets: Some(targets(view.incoming, view.target)),
    }
}

fn write_targets(told: &Knowledge, enemy: &Knowledge, to: &mut Writer<'_>) {
    to.nested(1, |grid| naval::write_target_grid(told, grid));
    naval::write_sinkings(2, told, to);
    to.number(3, told.enemy_afloat());
    let Some(arsenal) = told.arsenal() else {
        return;
    };
    for torpedo in arsenal.torpedoes() {
        to.message(4, &torpedo_run(torpedo));
    }
    to.number(5, arsenal.torpedoes_left());
    to.number(6, arsenal.submarine_in_play());
    for hunt in arsenal.hunts() {
        to.message(7, &past_hunt(hunt));
    }
    to.number(8, arsenal.air_strike_spent());
    to.number(9, arsenal.shot_since_torpedo());
    if let Some(huntable) = enemy.arsenal().and_then(Arsenal::huntable) {
        to.message(10, &route(huntable));
    }
}

pub(super) fn write_view(view: &View<'_>, to: &mut Writer<'_>) {
    to.nested(1, |ocean| {
        naval::write_ocean(view.own, view.incoming, ocean)
    });
    to.nested(2, |targets| {
        write_targets(view.target, view.incoming, targets)
    });
    if let Some(own) = view.own.and_then(|own| own.berth) {
        to.message(3, &berth(own));
    }
    to.nested(4, |targets| {
        write_targets(view.incoming, view.target, targets)
    });
}

pub(super) fn public_view(view: &PublicView<'_>) -> v1::AmiralAdvancedPublicView {
    let [one, two] = view.told;
    v1::AmiralAdvancedPublicView {
        seat_one_targets: Some(targets(one, two)),
        seat_two_targets: Some(targets(two, one)),
    }
}
