//! Moves, answers and ends in one line of words.

use broadside_proto::v1::{
    AmiralAdvancedAnswer, Answer, Event, IllegalMove, Match, MatchResult, Move, Options, Outcome,
    Player, Seat, ShipClass, Termination, Variant, amiral_advanced_answer, amiral_advanced_move,
    answer, r#move, player,
};

use crate::{
    board::fleet,
    names,
    notation::{Coordinates, deployed, move_text},
    text::{count, escape},
};

/// A player's name or address, safe to print.
pub fn agent(player: &Player) -> String {
    match &player.agent {
        Some(player::Agent::Name(name)) => escape(name),
        Some(player::Agent::Address(address)) => escape(address),
        None => "?".to_owned(),
    }
}

/// Who sits in a seat of a match, safe to print.
pub fn player(played: &Match, seat: Seat) -> Option<String> {
    let player = match seat {
        Seat::Unspecified => None,
        Seat::One => played.players.first(),
        Seat::Two => played.players.get(1),
    };
    player.map(agent)
}

/// Why a match ended: the arena's sentence, or one made from the outcome's fields if it gave none.
pub fn why(outcome: &Outcome) -> String {
    if !outcome.message.is_empty() {
        return escape(&outcome.message);
    }
    let seat = match outcome.at_fault() {
        Seat::Unspecified => "a seat",
        Seat::One => "seat 1",
        Seat::Two => "seat 2",
    };
    match outcome.termination() {
        Termination::Unspecified => "the arena does not say why.".to_owned(),
        Termination::WonByPlay => "won by play.".to_owned(),
        Termination::DrawByRule => "a draw by rule.".to_owned(),
        Termination::IllegalMoves => format!("{seat} had too many moves refused."),
        Termination::Time => format!("{seat} did not answer in time."),
        Termination::NeverConnected => format!("{seat} never connected."),
        Termination::Disconnected => format!("{seat} was disconnected for too long."),
        Termination::Resigned => format!("{seat} resigned."),
        Termination::Cancelled => "the match was cancelled.".to_owned(),
        Termination::PlatformFault => "the arena failed.".to_owned(),
    }
}

/// The same without who won: arenas begin their sentence with the result (`seat 1 wins: …`).
pub(crate) fn reason(outcome: &Outcome) -> String {
    let why = why(outcome);
    let results = ["seat 1 wins: ", "seat 2 wins: ", "a draw: ", "no result: "];
    let stripped = results.iter().find_map(|it| why.strip_prefix(it));
    stripped.map(str::to_owned).unwrap_or(why)
}

/// Whether nobody won, lost or drew: the match is void.
pub fn is_void(outcome: &Outcome) -> bool {
    matches!(
        outcome.result(),
        MatchResult::Void | MatchResult::Unspecified
    )
}

/// Why a move was refused, safe to print.
pub fn refusal(refused: &IllegalMove) -> String {
    if refused.message.is_empty() {
        let reason = refused.reason().as_str_name();
        return reason
            .trim_start_matches("ILLEGAL_MOVE_REASON_")
            .to_lowercase()
            .replace('_', " ");
    }
    escape(&refused.message)
}

/// An accepted move and what was announced: `Seat 1: D4: hit, carrier; sunk carrier`.
pub fn event(options: &Options, event: &Event) -> String {
    let name = names::seat(names::variant(options), event.seat());
    format!(
        "{name}: {}",
        move_and_answer(options, event.r#move.as_ref(), event.answer.as_ref())
    )
}

/// The same without who moved. A secret move is said to have been made.
pub fn move_and_answer(
    options: &Options,
    played: Option<&Move>,
    answer: Option<&Answer>,
) -> String {
    let Some(played) = played else {
        return match names::variant(options) {
            Variant::AmiralAdvanced => "has deployed, or said where its submarine goes".to_owned(),
            _ => "has deployed".to_owned(),
        };
    };
    let text = move_text(played);
    if is_secret(played) {
        return text;
    }
    let said = answer
        .and_then(|answer| answer.variant.as_ref())
        .map(|answer| self::answer(options, answer))
        .unwrap_or_default();
    if said.is_empty() {
        text
    } else {
        format!("{text}: {said}")
    }
}

/// Whether a move is one that is not answered: a deployment or a relocation.
fn is_secret(played: &Move) -> bool {
    match &played.variant {
        Some(r#move::Variant::AmiralAdvanced(inner)) => matches!(
            inner.r#move,
            Some(
                amiral_advanced_move::Move::Deployment(_)
                    | amiral_advanced_move::Move::Relocation(_)
            )
        ),
        Some(inner) => deployed(inner).is_some(),
        None => false,
    }
}

fn answer(options: &Options, answer: &answer::Variant) -> String {
    match answer {
        answer::Variant::Classic(answer) => {
            let named = answer.ship_class.map(|_| answer.ship_class());
            join([
                shot(answer.hit, named),
                sunk(answer.sunk.map(|_| answer.sunk())),
            ])
        }
        answer::Variant::Salvo(answer) => {
            let shots: Vec<String> = answer
                .shots
                .iter()
                .map(|one| shot(one.hit, one.ship_class.map(|_| one.ship_class())))
                .collect();
            join([shots.join(", "), sunk(answer.sunk())])
        }
        answer::Variant::AdvancedSalvo(answer) => format!(
            "{}, {} left afloat",
            count(usize::try_from(answer.hits).unwrap_or(usize::MAX), "hit"),
            answer.afloat
        ),
        answer::Variant::Amiral(answer) => join([
            shot(answer.hit, None),
            sunk(answer.sunk.map(|_| answer.sunk())),
        ]),
        answer::Variant::AmiralAdvanced(answer) => armed(answer),
        answer::Variant::Naumachia(answer) => {
            let lost = answer.sunk.map(|ship| {
                let cells: Vec<String> = fleet::cells(options, &ship)
                    .into_iter()
                    .map(|cell| Coordinates::Greek.cell(cell))
                    .collect();
                format!(
                    "sunk {} at {}",
                    names::ship_class(ship.ship_class()),
                    cells.join(" ")
                )
            });
            join([shot(answer.hit, None), lost.unwrap_or_default()])
        }
        answer::Variant::Abalone(answer) => {
            let pushed = match answer.pushed {
                0 => String::new(),
                pushed => format!("pushes {pushed}"),
            };
            let ejected = if answer.ejected { "ejects one" } else { "" };
            join([pushed, ejected.to_owned()])
        }
    }
}

fn armed(answer: &AmiralAdvancedAnswer) -> String {
    match &answer.answer {
        Some(amiral_advanced_answer::Answer::Shot(answer)) => join([
            shot(answer.hit, None),
            sunk(answer.sunk.map(|_| answer.sunk())),
        ]),
        Some(amiral_advanced_answer::Answer::Torpedo(answer)) => match answer.sunk {
            Some(_) => sunk([answer.sunk()]),
            None => "missed".to_owned(),
        },
        Some(amiral_advanced_answer::Answer::Hunt(answer)) => if answer.found {
            "submarine sunk"
        } else {
            "nothing there"
        }
        .to_owned(),
        Some(amiral_advanced_answer::Answer::AirStrike(answer)) => {
            let cells = |numbers: &[u32]| -> String {
                let cells: Vec<String> = numbers
                    .iter()
                    .filter_map(|number| fleet::numbered(*number))
                    .map(|cell| Coordinates::LetterNumber.cell(cell))
                    .collect();
                cells.join(" ")
            };
            let hits = match answer.hits.as_slice() {
                [] => "no hit".to_owned(),
                hits => format!("hit at {}", cells(hits)),
            };
            let misses = match answer.misses.as_slice() {
                [] => String::new(),
                misses => format!("miss at {}", cells(misses)),
            };
            join([hits, misses, sunk(answer.sunk())])
        }
        None => String::new(),
    }
}

fn shot(hit: bool, named: Option<ShipClass>) -> String {
    match (hit, named) {
        (false, _) => "miss".to_owned(),
        (true, None) => "hit".to_owned(),
        (true, Some(class)) => format!("hit {}", names::ship_class(class)),
    }
}

fn sunk(classes: impl IntoIterator<Item = ShipClass>) -> String {
    let classes: Vec<&str> = classes.into_iter().map(names::ship_class).collect();
    if classes.is_empty() {
        String::new()
    } else {
        format!("sunk {}", classes.join(", "))
    }
}

fn join(parts: impl IntoIterator<Item = String>) -> String {
    let parts: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    parts.join("; ")
}
