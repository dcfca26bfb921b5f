use broadside_proto::v1::{
    self, advanced_salvo_move, amiral_advanced_move, amiral_move, classic_move, r#move,
    naumachia_move, salvo_move, view,
};
use broadside_rules::{
    Seat, Variant,
    naval::{
        Berth, Cell, Game, Knowledge, Move, Orientation, OwnWaters, PlacedShip, Route, ShipClass,
        View, deal,
    },
};
use rand_chacha::{ChaCha8Rng, rand_core::SeedableRng};

pub(super) fn view(game: &Game, seat: Seat) -> view::Variant {
    let view = game.view(seat);
    let told = view.target;
    let ocean = Some(ocean(&view));
    let afloat = told.enemy_afloat().into();
    let salvo_size = view.salvo_size.unwrap_or(0) as u32;
    let grid = Some(grid(told));
    let hit_classes = told.hit_classes().iter().map(|&class| to_class(class));
    match game.options().variant() {
        Variant::Classic => view::Variant::Classic(v1::ClassicView {
            ocean,
            targets: Some(v1::ClassicTargets {
                grid,
                hit_classes: hit_classes.collect(),
                sunk: sunk(told),
                afloat,
            }),
        }),
        Variant::Salvo => view::Variant::Salvo(v1::SalvoView {
            ocean,
            targets: Some(v1::SalvoTargets {
                grid,
                hit_classes: hit_classes.collect(),
                sunk: sunk(told),
                afloat,
            }),
            salvo_size,
        }),
        Variant::AdvancedSalvo => view::Variant::AdvancedSalvo(v1::AdvancedSalvoView {
            ocean,
            targets: Some(v1::AdvancedSalvoTargets {
                salvos: told
                    .salvos()
                    .map(|salvo| v1::CountedSalvo {
                        cells: numbers(salvo.cells.iter().copied()),
                        hits: salvo.hits.into(),
                        afloat: salvo.enemy_afloat.into(),
                    })
                    .collect(),
                afloat,
            }),
            salvo_size,
        }),
        Variant::Amiral => view::Variant::Amiral(v1::AmiralView {
            ocean,
            targets: Some(v1::AmiralTargets {
                grid,
                sunk: sunk(told),
                afloat,
            }),
        }),
        Variant::AmiralAdvanced => view::Variant::AmiralAdvanced(v1::AmiralAdvancedView {
            ocean,
            targets: Some(advanced_targets(told, view.huntable())),
            berth: view.own.and_then(|own| own.berth).map(to_berth),
            enemy_targets: Some(advanced_targets(view.incoming, None)),
        }),
        Variant::Naumachia => view::Variant::Naumachia(v1::NaumachiaView {
            ocean,
            targets: Some(v1::NaumachiaTargets {
                grid,
                sunk: told
                    .sinkings()
                    .iter()
                    .filter_map(|sinking| sinking.placement().map(to_ship))
                    .collect(),
                marked: numbers(told.marked().iter()),
                afloat,
            }),
        }),
        Variant::Abalone => panic!("abalone is not naval"),
    }
}

fn advanced_targets(told: &Knowledge, huntable: Option<Route>) -> v1::AmiralAdvancedTargets {
    let arms = told.arsenal().expect("amiral-advanced has arms");
    v1::AmiralAdvancedTargets {
        grid: Some(grid(told)),
        sunk: sunk(told),
        afloat: told.enemy_afloat().into(),
        torpedoes: arms
            .torpedoes()
            .iter()
            .map(|torpedo| v1::TorpedoRun {
                route: Some(to_route(torpedo.route)),
                sunk: torpedo.sunk.map(to_class),
            })
            .collect(),
        torpedoes_left: arms.torpedoes_left().into(),
        submarine_in_play: arms.submarine_in_play(),
        hunts: arms
            .hunts()
            .iter()
            .map(|hunt| v1::PastHunt {
                end: Some(to_berth(hunt.end)),
                found: hunt.found,
            })
            .collect(),
        air_strike_spent: arms.air_strike_spent(),
        shot_since_torpedo: arms.shot_since_torpedo(),
        huntable: huntable.map(to_route),
    }
}

fn ocean(view: &View<'_>) -> v1::OceanGrid {
    let ships = view.own.into_iter().flat_map(OwnWaters::ships);
    v1::OceanGrid {
        ships: ships
            .map(|(ship, sunk)| v1::OwnShip {
                ship: Some(to_ship(ship)),
                sunk,
            })
            .collect(),
        fired_at: numbers(view.incoming.called().iter().copied()),
    }
}

fn grid(told: &Knowledge) -> v1::TargetGrid {
    v1::TargetGrid {
        misses: numbers(told.misses()),
        hits: numbers(told.hits()),
    }
}

fn sunk(told: &Knowledge) -> Vec<v1::Sinking> {
    told.sinkings()
        .iter()
        .map(|sinking| v1::Sinking {
            ship_class: to_class(sinking.class),
            hits: sinking.hits.into(),
        })
        .collect()
}

pub(super) fn legal_moves(game: &Game, seat: Seat, seed: u64) -> v1::LegalMoves {
    let variant = game.options().variant();
    if game.deployment(seat).is_none() {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let dealt = deal(game.ruleset(), &mut rng).expect("a fleet fits");
        let ships = dealt.ships().iter().copied().map(to_ship).collect();
        let deployment = v1::Deployment { ships };
        let berth = dealt.berth().map(to_berth);
        return v1::LegalMoves {
            moves: vec![deployed(variant, deployment, berth)],
            salvo: None,
        };
    }
    let legal = game.legal_moves(seat);
    if let Some(size) = legal.salvo_size {
        return v1::LegalMoves {
            moves: Vec::new(),
            salvo: Some(v1::SalvoChoice {
                cells: legal.targets.iter().map(to_cell).collect(),
                size: size as u32,
            }),
        };
    }
    let shots = legal.targets.iter().map(|cell| shot(variant, cell));
    let special = legal
        .torpedoes
        .iter()
        .map(|&route| {
            amiral_advanced_move::Move::Torpedo(v1::Torpedo {
                route: Some(to_route(route)),
            })
        })
        .chain(legal.hunts.iter().map(|&end| {
            amiral_advanced_move::Move::Hunt(v1::Hunt {
                end: Some(to_berth(end)),
            })
        }))
        .chain(legal.air_strikes.iter().map(|cell| {
            amiral_advanced_move::Move::AirStrike(v1::AirStrike {
                cell: Some(to_cell(cell)),
            })
        }))
        .chain(legal.berths.iter().map(|&berth| {
            amiral_advanced_move::Move::Relocation(v1::Relocation {
                berth: Some(to_berth(berth)),
            })
        }));
    v1::LegalMoves {
        moves: shots.chain(special.map(advanced)).collect(),
        salvo: None,
    }
}

fn advanced(chosen: amiral_advanced_move::Move) -> v1::Move {
    of(r#move::Variant::AmiralAdvanced(v1::AmiralAdvancedMove {
        r#move: Some(chosen),
    }))
}

const fn of(variant: r#move::Variant) -> v1::Move {
    v1::Move {
        variant: Some(variant),
    }
}

fn shot(variant: Variant, cell: Cell) -> v1::Move {
    let shot = v1::Shot {
        cell: Some(to_cell(cell)),
    };
    match variant {
        Variant::Classic => of(r#move::Variant::Classic(v1::ClassicMove {
            r#move: Some(classic_move::Move::Shot(shot)),
        })),
        Variant::Amiral => of(r#move::Variant::Amiral(v1::AmiralMove {
            r#move: Some(amiral_move::Move::Shot(shot)),
        })),
        Variant::Naumachia => of(r#move::Variant::Naumachia(v1::NaumachiaMove {
            r#move: Some(naumachia_move::Move::Shot(shot)),
        })),
        _ => advanced(amiral_advanced_move::Move::Shot(shot)),
    }
}

fn deployed(variant: Variant, fleet: v1::Deployment, berth: Option<v1::Berth>) -> v1::Move {
    of(match variant {
        Variant::Classic => r#move::Variant::Classic(v1::ClassicMove {
            r#move: Some(classic_move::Move::Deployment(fleet)),
        }),
        Variant::Salvo => r#move::Variant::Salvo(v1::SalvoMove {
            r#move: Some(salvo_move::Move::Deployment(fleet)),
        }),
        Variant::AdvancedSalvo => r#move::Variant::AdvancedSalvo(v1::AdvancedSalvoMove {
            r#move: Some(advanced_salvo_move::Move::Deployment(fleet)),
        }),
        Variant::Amiral => r#move::Variant::Amiral(v1::AmiralMove {
            r#move: Some(amiral_move::Move::Deployment(fleet)),
        }),
        Variant::AmiralAdvanced => r#move::Variant::AmiralAdvanced(v1::AmiralAdvancedMove {
            r#move: Some(amiral_advanced_move::Move::Deployment(
                v1::AmiralAdvancedDeployment {
                    fleet: Some(fleet),
                    berth,
                },
            )),
        }),
        Variant::Naumachia => r#move::Variant::Naumachia(v1::NaumachiaMove {
            r#move: Some(naumachia_move::Move::Deployment(fleet)),
        }),
        Variant::Abalone => panic!("no fleet in abalone"),
    })
}

/// The referee's move; none if something is unset or on no board.
pub(super) fn action(chosen: &v1::Move) -> Option<broadside_rules::Move> {
    let action = match chosen.variant.clone()? {
        r#move::Variant::Classic(chosen) => match chosen.r#move? {
            classic_move::Move::Deployment(fleet) => deploy(&fleet, None)?,
            classic_move::Move::Shot(shot) => Move::Shot(cell(shot.cell?)?),
        },
        r#move::Variant::Salvo(chosen) => match chosen.r#move? {
            salvo_move::Move::Deployment(fleet) => deploy(&fleet, None)?,
            salvo_move::Move::Salvo(salvo) => cells(&salvo)?,
        },
        r#move::Variant::AdvancedSalvo(chosen) => match chosen.r#move? {
            advanced_salvo_move::Move::Deployment(fleet) => deploy(&fleet, None)?,
            advanced_salvo_move::Move::Salvo(salvo) => cells(&salvo)?,
        },
        r#move::Variant::Amiral(chosen) => match chosen.r#move? {
            amiral_move::Move::Deployment(fleet) => deploy(&fleet, None)?,
            amiral_move::Move::Shot(shot) => Move::Shot(cell(shot.cell?)?),
        },
        r#move::Variant::AmiralAdvanced(chosen) => match chosen.r#move? {
            amiral_advanced_move::Move::Deployment(chosen) => {
                deploy(&chosen.fleet?, Some(berth(&chosen.berth?)?))?
            }
            amiral_advanced_move::Move::Shot(shot) => Move::Shot(cell(shot.cell?)?),
            amiral_advanced_move::Move::Torpedo(torpedo) => {
                let route = torpedo.route?;
                Move::Torpedo(Route::named(route.letter, route.number).ok()?)
            }
            amiral_advanced_move::Move::Hunt(hunt) => Move::Hunt(berth(&hunt.end?)?),
            amiral_advanced_move::Move::AirStrike(strike) => Move::AirStrike(cell(strike.cell?)?),
            amiral_advanced_move::Move::Relocation(moved) => Move::Relocate(berth(&moved.berth?)?),
        },
        r#move::Variant::Naumachia(chosen) => match chosen.r#move? {
            naumachia_move::Move::Deployment(fleet) => deploy(&fleet, None)?,
            naumachia_move::Move::Shot(shot) => Move::Shot(cell(shot.cell?)?),
        },
        r#move::Variant::Abalone(_) => return None,
    };
    Some(broadside_rules::Move::Naval(action))
}

fn deploy(fleet: &v1::Deployment, berth: Option<Berth>) -> Option<Move> {
    let ships: Option<_> = fleet.ships.iter().map(ship).collect();
    Some(Move::Deploy {
        ships: ships?,
        berth,
    })
}

fn cells(salvo: &v1::Salvo) -> Option<Move> {
    let cells: Option<_> = salvo.cells.iter().copied().map(cell).collect();
    Some(Move::Salvo(cells?))
}

const fn cell(cell: v1::Cell) -> Option<Cell> {
    Cell::new(cell.row, cell.column)
}

fn berth(berth: &v1::Berth) -> Option<Berth> {
    match berth.edge? {
        v1::berth::Edge::Letter(line) => Berth::letter(line).ok(),
        v1::berth::Edge::Number(line) => Berth::number(line).ok(),
    }
}

fn ship(ship: &v1::PlacedShip) -> Option<PlacedShip> {
    // Both enums list the classes in the same order; the contract's starts with Unspecified.
    let class = *ShipClass::ALL.get(usize::try_from(ship.ship_class).ok()?.checked_sub(1)?)?;
    let orientation = match ship.orientation() {
        v1::Orientation::Unspecified => return None,
        v1::Orientation::Horizontal => Orientation::Horizontal,
        v1::Orientation::Vertical => Orientation::Vertical,
    };
    Some(PlacedShip {
        class,
        cell: cell(ship.cell?)?,
        orientation,
    })
}

fn to_ship(ship: PlacedShip) -> v1::PlacedShip {
    let orientation = match ship.orientation {
        Orientation::Horizontal => v1::Orientation::Horizontal,
        Orientation::Vertical => v1::Orientation::Vertical,
    };
    v1::PlacedShip {
        ship_class: to_class(ship.class),
        cell: Some(to_cell(ship.cell)),
        orientation: orientation.into(),
    }
}

fn to_class(class: ShipClass) -> i32 {
    let place = ShipClass::ALL.iter().position(|&other| other == class);
    place.expect("every class is listed") as i32 + 1
}

fn to_cell(cell: Cell) -> v1::Cell {
    v1::Cell {
        row: cell.row().into(),
        column: cell.column().into(),
    }
}

fn to_berth(berth: Berth) -> v1::Berth {
    v1::Berth {
        edge: Some(match berth {
            Berth::Letter(line) => v1::berth::Edge::Letter(line.number().into()),
            Berth::Number(line) => v1::berth::Edge::Number(line.number().into()),
        }),
    }
}

fn to_route(route: Route) -> v1::Route {
    v1::Route {
        letter: route.letter().number().into(),
        number: route.number().number().into(),
    }
}

fn numbers(cells: impl Iterator<Item = Cell>) -> Vec<u32> {
    cells.map(|cell| cell.number().into()).collect()
}
