//! Positions drawn for a terminal: plain text with ANSI styles, each fact told by its character and its colour alike.
//!
//! Everything returned here is styled. Print it through [`anstream`], which takes the styles off where they do not
//! belong, or take them off yourself with [`plain`]. Lines end in `\n`, the last one too.
//!
//! ```
//! use broadside_proto::v1::{Options, Position, AbaloneOptions, options};
//!
//! let options = Options { variant: Some(options::Variant::Abalone(AbaloneOptions::default())) };
//! let drawn = broadside_cli::board::position(&options, &Position::default());
//! assert_eq!(broadside_cli::board::plain(&drawn), "Nothing is known of the position.\n");
//! ```

mod abalone;
pub mod fleet;
mod grid;
mod lines;
mod naval;
mod reveal;
pub(crate) mod style;
mod told;

use broadside_proto::v1::{
    Deployment, Match, MatchResult, MatchState, Options, Phase, Position, Seat, View, public_view,
    view,
};

use crate::{describe, names};

/// Where a match stands, as everybody may know it: what each side has been told of the other's waters; once the match
/// is over both fleets besides. Then whose turn it is, what each side has done, and what the characters mean.
pub fn position(options: &Options, position: &Position) -> String {
    let view = position
        .view
        .as_ref()
        .and_then(|view| view.variant.as_ref());
    let Some(view) = view else {
        return "Nothing is known of the position.\n".to_owned();
    };
    let drawn = match view {
        public_view::Variant::Abalone(view) => abalone::draw(view),
        _ => naval::spectators(options, view, position.reveal.as_ref()),
    };
    drawn + &to_act(options, position)
}

/// What one player may know: its own waters and what it has been told of the enemy's.
pub fn view(options: &Options, seat: Seat, view: &View) -> String {
    match &view.variant {
        None => "Nothing is known of the position.\n".to_owned(),
        Some(view::Variant::Abalone(view)) => {
            let name = names::seat(names::variant(options), seat);
            format!("{}You are {name}.\n", abalone::draw(view))
        }
        Some(view) => naval::player(options, view),
    }
}

/// A fleet as it is placed, before anything is fired at it.
pub fn deployment(options: &Options, fleet: &Deployment) -> String {
    naval::fleet_alone(options, fleet)
}

/// One line on how a match ended, or that it has not.
pub fn outcome_line(played: &Match) -> String {
    let Some(outcome) = &played.outcome else {
        let line = match played.state() {
            MatchState::Waiting => "Waiting for its agents.".to_owned(),
            MatchState::Running => {
                format!(
                    "Running: {} so far.",
                    crate::text::count(usize_of(played.moves), "move")
                )
            }
            MatchState::Over | MatchState::Unspecified => "Nothing is known of its end.".to_owned(),
        };
        return line;
    };
    let style = match outcome.result() {
        MatchResult::SeatOneWins | MatchResult::SeatTwoWins => style::WIN,
        MatchResult::Draw => style::DRAW,
        MatchResult::Void | MatchResult::Unspecified => style::VOID,
    };
    let winner = match outcome.result() {
        MatchResult::SeatOneWins => winner(played, Seat::One),
        MatchResult::SeatTwoWins => winner(played, Seat::Two),
        MatchResult::Draw => "Draw".to_owned(),
        MatchResult::Void | MatchResult::Unspecified => "No result".to_owned(),
    };
    format!(
        "{}: {}",
        style::paint(style, &winner),
        describe::reason(outcome)
    )
}

fn winner(played: &Match, seat: Seat) -> String {
    let variant = played
        .options
        .as_ref()
        .map(names::variant)
        .unwrap_or_default();
    let name = names::seat(variant, seat);
    match describe::player(played, seat) {
        Some(agent) => format!("{name} ({agent}) wins"),
        None => format!("{name} wins"),
    }
}

/// A drawing without its styles.
pub fn plain(styled: &str) -> String {
    anstream::adapter::strip_str(styled).to_string()
}

fn to_act(options: &Options, position: &Position) -> String {
    let variant = names::variant(options);
    let seats: Vec<&str> = position
        .to_act()
        .map(|seat| names::seat(variant, seat))
        .collect();
    let seats = seats.join(" and ");
    match position.phase() {
        Phase::Over => "The game is over.\n".to_owned(),
        _ if seats.is_empty() => String::new(),
        Phase::Deployment => format!("{seats} to deploy.\n"),
        Phase::Relocation => format!("{seats} to say where the submarine goes.\n"),
        Phase::Battle | Phase::Unspecified => format!("{seats} to move.\n"),
    }
}

/// A count on the wire as a length; what does not fit is more than there can be.
fn usize_of(number: u32) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}
