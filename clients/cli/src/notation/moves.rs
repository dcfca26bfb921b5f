//! Moves of every variant.

use broadside_proto::v1::{
    AdvancedSalvoMove, AirStrike, AmiralAdvancedDeployment, AmiralAdvancedMove, AmiralMove, Berth,
    Cell, ClassicMove, Deployment, Hunt, Move, NaumachiaMove, Phase, Relocation, Salvo, SalvoMove,
    Shot, Torpedo, Variant, advanced_salvo_move, amiral_advanced_move, amiral_move, classic_move,
    r#move, naumachia_move, salvo_move,
};

use super::{
    Coordinates, NotationError, abalone, berth, deployment, parse_abalone_move, parse_berth,
    parse_deployment, parse_route, quoted, route,
};

/// A move in its variant's notation; `?` for one that has none, such as an unset one.
pub fn move_text(played: &Move) -> String {
    let grid = Coordinates::LetterNumber;
    match &played.variant {
        Some(r#move::Variant::Classic(inner)) => match &inner.r#move {
            Some(classic_move::Move::Deployment(fleet)) => deployment(grid, fleet),
            Some(classic_move::Move::Shot(shot)) => cell(grid, shot.cell),
            None => unset(),
        },
        Some(r#move::Variant::Salvo(inner)) => match &inner.r#move {
            Some(salvo_move::Move::Deployment(fleet)) => deployment(grid, fleet),
            Some(salvo_move::Move::Salvo(salvo)) => cells(&salvo.cells),
            None => unset(),
        },
        Some(r#move::Variant::AdvancedSalvo(inner)) => match &inner.r#move {
            Some(advanced_salvo_move::Move::Deployment(fleet)) => deployment(grid, fleet),
            Some(advanced_salvo_move::Move::Salvo(salvo)) => cells(&salvo.cells),
            None => unset(),
        },
        Some(r#move::Variant::Amiral(inner)) => match &inner.r#move {
            Some(amiral_move::Move::Deployment(fleet)) => deployment(grid, fleet),
            Some(amiral_move::Move::Shot(shot)) => cell(grid, shot.cell),
            None => unset(),
        },
        Some(r#move::Variant::AmiralAdvanced(inner)) => amiral_advanced(inner),
        Some(r#move::Variant::Naumachia(inner)) => match &inner.r#move {
            Some(naumachia_move::Move::Deployment(fleet)) => deployment(Coordinates::Greek, fleet),
            Some(naumachia_move::Move::Shot(shot)) => cell(Coordinates::Greek, shot.cell),
            None => unset(),
        },
        Some(r#move::Variant::Abalone(inner)) => abalone::abalone_move(inner),
        None => unset(),
    }
}

fn amiral_advanced(played: &AmiralAdvancedMove) -> String {
    let grid = Coordinates::LetterNumber;
    let berth_text = |place: &Option<_>| place.as_ref().map_or_else(unset, berth);
    match &played.r#move {
        Some(amiral_advanced_move::Move::Deployment(inner)) => {
            let fleet = inner.fleet.clone().unwrap_or_default();
            format!(
                "{}, berth {}",
                deployment(grid, &fleet),
                berth_text(&inner.berth)
            )
        }
        Some(amiral_advanced_move::Move::Shot(shot)) => cell(grid, shot.cell),
        Some(amiral_advanced_move::Move::Torpedo(torpedo)) => format!(
            "torpedo {}",
            torpedo.route.as_ref().map_or_else(unset, route)
        ),
        Some(amiral_advanced_move::Move::Hunt(hunt)) => format!("hunt {}", berth_text(&hunt.end)),
        Some(amiral_advanced_move::Move::AirStrike(strike)) => {
            format!("strike {}", cell(grid, strike.cell))
        }
        Some(amiral_advanced_move::Move::Relocation(relocation)) => {
            format!("berth {}", berth_text(&relocation.berth))
        }
        None => unset(),
    }
}

fn unset() -> String {
    "?".to_owned()
}

fn cell(coordinates: Coordinates, cell: Option<Cell>) -> String {
    cell.map_or_else(unset, |cell| coordinates.cell(cell))
}

fn cells(cells: &[Cell]) -> String {
    let words: Vec<String> = cells
        .iter()
        .map(|cell| Coordinates::LetterNumber.cell(*cell))
        .collect();
    words.join(" ")
}

/// Reads a move of `variant` in `phase`. A fleet is its ships separated by commas; in amiral-advanced with the
/// submarine's berth as the last of them (`…, berth E`).
///
/// # Errors
/// If it is not in the variant's notation, or is none of the moves of the phase.
pub fn parse_move(variant: Variant, phase: Phase, text: &str) -> Result<Move, NotationError> {
    let text = text.trim();
    let played = match phase {
        Phase::Deployment => parse_fleet(variant, text)?,
        Phase::Battle => parse_battle(variant, text)?,
        Phase::Relocation => r#move::Variant::AmiralAdvanced(AmiralAdvancedMove {
            r#move: Some(amiral_advanced_move::Move::Relocation(Relocation {
                berth: Some(parse_berth(after("berth", text).unwrap_or(text))?),
            })),
        }),
        Phase::Over | Phase::Unspecified => {
            return Err(NotationError::new("There is no move to make now."));
        }
    };
    Ok(Move {
        variant: Some(played),
    })
}

fn parse_fleet(variant: Variant, text: &str) -> Result<r#move::Variant, NotationError> {
    let (ships, place) = if variant == Variant::AmiralAdvanced {
        let (ships, last) = text.rsplit_once(',').unwrap_or(("", text));
        let Some(place) = after("berth", last.trim()) else {
            return Err(NotationError::new(
                "The submarine's berth is missing: name it after the ships, as in \", berth E\".",
            ));
        };
        (ships.trim(), Some(parse_berth(place)?))
    } else {
        (text, None)
    };
    let fleet = match (ships, place) {
        ("", Some(_)) => Deployment::default(),
        _ => parse_deployment(Coordinates::of(variant), ships)?,
    };
    deployment_move(variant, fleet, place)
        .variant
        .ok_or_else(|| NotationError::new("There is no fleet in this variant."))
}

/// The move that deploys a fleet, with the submarine's berth in amiral-advanced; unset in abalone.
pub(crate) fn deployment_move(variant: Variant, fleet: Deployment, berth: Option<Berth>) -> Move {
    let played = match variant {
        Variant::Classic => Some(r#move::Variant::Classic(ClassicMove {
            r#move: Some(classic_move::Move::Deployment(fleet)),
        })),
        Variant::Salvo => Some(r#move::Variant::Salvo(SalvoMove {
            r#move: Some(salvo_move::Move::Deployment(fleet)),
        })),
        Variant::AdvancedSalvo => Some(r#move::Variant::AdvancedSalvo(AdvancedSalvoMove {
            r#move: Some(advanced_salvo_move::Move::Deployment(fleet)),
        })),
        Variant::Amiral => Some(r#move::Variant::Amiral(AmiralMove {
            r#move: Some(amiral_move::Move::Deployment(fleet)),
        })),
        Variant::AmiralAdvanced => {
            let fleet = Some(fleet);
            let deployment = AmiralAdvancedDeployment { fleet, berth };
            Some(r#move::Variant::AmiralAdvanced(AmiralAdvancedMove {
                r#move: Some(amiral_advanced_move::Move::Deployment(deployment)),
            }))
        }
        Variant::Naumachia => Some(r#move::Variant::Naumachia(NaumachiaMove {
            r#move: Some(naumachia_move::Move::Deployment(fleet)),
        })),
        Variant::Abalone | Variant::Unspecified => None,
    };
    Move { variant: played }
}

/// The fleet that a move deploys, if it deploys one.
pub(crate) fn deployed(played: &r#move::Variant) -> Option<&Deployment> {
    match played {
        r#move::Variant::Classic(played) => match &played.r#move {
            Some(classic_move::Move::Deployment(fleet)) => Some(fleet),
            _ => None,
        },
        r#move::Variant::Salvo(played) => match &played.r#move {
            Some(salvo_move::Move::Deployment(fleet)) => Some(fleet),
            _ => None,
        },
        r#move::Variant::AdvancedSalvo(played) => match &played.r#move {
            Some(advanced_salvo_move::Move::Deployment(fleet)) => Some(fleet),
            _ => None,
        },
        r#move::Variant::Amiral(played) => match &played.r#move {
            Some(amiral_move::Move::Deployment(fleet)) => Some(fleet),
            _ => None,
        },
        r#move::Variant::AmiralAdvanced(played) => match &played.r#move {
            Some(amiral_advanced_move::Move::Deployment(deployment)) => deployment.fleet.as_ref(),
            _ => None,
        },
        r#move::Variant::Naumachia(played) => match &played.r#move {
            Some(naumachia_move::Move::Deployment(fleet)) => Some(fleet),
            _ => None,
        },
        r#move::Variant::Abalone(_) => None,
    }
}

fn parse_battle(variant: Variant, text: &str) -> Result<r#move::Variant, NotationError> {
    Ok(match variant {
        Variant::Classic => r#move::Variant::Classic(ClassicMove {
            r#move: Some(classic_move::Move::Shot(parse_shot(variant, text)?)),
        }),
        Variant::Salvo => r#move::Variant::Salvo(SalvoMove {
            r#move: Some(salvo_move::Move::Salvo(parse_salvo(text)?)),
        }),
        Variant::AdvancedSalvo => r#move::Variant::AdvancedSalvo(AdvancedSalvoMove {
            r#move: Some(advanced_salvo_move::Move::Salvo(parse_salvo(text)?)),
        }),
        Variant::Amiral => r#move::Variant::Amiral(AmiralMove {
            r#move: Some(amiral_move::Move::Shot(parse_shot(variant, text)?)),
        }),
        Variant::AmiralAdvanced => r#move::Variant::AmiralAdvanced(AmiralAdvancedMove {
            r#move: Some(parse_armed(text)?),
        }),
        Variant::Naumachia => r#move::Variant::Naumachia(NaumachiaMove {
            r#move: Some(naumachia_move::Move::Shot(parse_shot(variant, text)?)),
        }),
        Variant::Abalone => r#move::Variant::Abalone(parse_abalone_move(text)?),
        Variant::Unspecified => {
            return Err(NotationError::new("There are no moves without a variant."));
        }
    })
}

fn parse_armed(text: &str) -> Result<amiral_advanced_move::Move, NotationError> {
    if let Some(ends) = after("torpedo", text) {
        return Ok(amiral_advanced_move::Move::Torpedo(Torpedo {
            route: Some(parse_route(ends)?),
        }));
    }
    if let Some(end) = after("hunt", text) {
        return Ok(amiral_advanced_move::Move::Hunt(Hunt {
            end: Some(parse_berth(end)?),
        }));
    }
    if let Some(corner) = after("strike", text) {
        return Ok(amiral_advanced_move::Move::AirStrike(AirStrike {
            cell: Some(Coordinates::LetterNumber.parse(corner)?),
        }));
    }
    parse_shot(Variant::AmiralAdvanced, text)
        .map(amiral_advanced_move::Move::Shot)
        .map_err(|_| {
            NotationError::new(format!(
                "{} is no move: a move is a shot (E5), torpedo E5, hunt E or hunt 5, or strike B1.",
                quoted(text)
            ))
        })
}

fn parse_shot(variant: Variant, text: &str) -> Result<Shot, NotationError> {
    let cell = Coordinates::of(variant).parse(text)?;
    Ok(Shot { cell: Some(cell) })
}

fn parse_salvo(text: &str) -> Result<Salvo, NotationError> {
    let mut cells: Vec<Cell> = Vec::new();
    for word in text.split_whitespace() {
        let cell = Coordinates::LetterNumber.parse(word)?;
        if cells.contains(&cell) {
            return Err(NotationError::new(format!(
                "{} is named twice.",
                Coordinates::LetterNumber.cell(cell)
            )));
        }
        cells.push(cell);
    }
    if cells.is_empty() {
        return Err(NotationError::new(
            "A salvo is its cells with spaces between them, such as D4 E5 F6.",
        ));
    }
    Ok(Salvo { cells })
}

/// What follows the first word of `text`, if that is `keyword`.
pub(crate) fn after<'a>(keyword: &str, text: &'a str) -> Option<&'a str> {
    let (first, rest) = text.split_once(char::is_whitespace)?;
    first.eq_ignore_ascii_case(keyword).then(|| rest.trim())
}
