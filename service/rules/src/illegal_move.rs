use std::fmt;

use thiserror::Error;

use crate::{
    Phase, Seat, Seats, Variant, abalone,
    naval::{self, Berth, Route, ShipClass},
};

/// Why a move is refused; nothing of the game has changed.
///
/// A reason holds what the mover named and what the mover may know, no more. It is for the mover's
/// eyes: [`BerthNotOnRoute`](Self::BerthNotOnRoute), for one, speaks of the mover's own secret.
/// Where more than one thing is wrong, any one of them is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum IllegalMove {
    /// The game has ended.
    #[error("the game is over: no more moves are taken")]
    GameOver,
    /// It is not for this seat, or not in this phase, to make such a move.
    #[error(
        "{seat} may not make {attempted} now: the phase is {phase}, and it is for {to_act} to act"
    )]
    OutOfTurn {
        /// Who tried.
        seat: Seat,
        /// What it tried.
        attempted: MoveKind,
        /// The game's phase.
        phase: Phase,
        /// Who is to act.
        to_act: Seats,
    },
    /// The variant has no such move.
    #[error("{variant} has no such move as {attempted}")]
    MoveNotOfVariant {
        /// What was tried.
        attempted: MoveKind,
        /// The variant that is played.
        variant: Variant,
    },

    /// A cell outside the 10 x 10 grid, or an air strike that reaches over its edge.
    #[error("(row {row}, column {column}) is off the grid: rows and columns go from 1 to 10")]
    OffGrid {
        /// As given.
        row: u32,
        /// As given.
        column: u32,
    },
    /// A deployment has too many or too few ships of a class.
    #[error("the fleet has {placed} of {class}: {variant} takes exactly {required}")]
    WrongFleet {
        /// The class that is wrong.
        class: ShipClass,
        /// How many were placed.
        placed: usize,
        /// How many there must be.
        required: usize,
        /// The variant that is played.
        variant: Variant,
    },
    /// A ship lies wholly or partly outside the grid.
    #[error(
        "the {class} at (row {row}, column {column}) is off the grid: all its cells must have rows \
         and columns from 1 to 10"
    )]
    ShipOffGrid {
        /// The ship.
        class: ShipClass,
        /// Row of its top-left cell, as given.
        row: u32,
        /// Column of its top-left cell, as given.
        column: u32,
    },
    /// Two ships of one deployment share a cell.
    #[error("the {first} and the {second} both cover {cell}: no cell may be used twice")]
    ShipsOverlap {
        /// The ship given first.
        first: ShipClass,
        /// The ship given later.
        second: ShipClass,
        /// A cell that both cover.
        cell: naval::Cell,
    },
    /// Two ships of one deployment touch, in a variant that forbids it.
    #[error("the {second} touches the {first} at {cell}: ships may not meet by side or corner")]
    ShipsTouch {
        /// The ship given first.
        first: ShipClass,
        /// The ship given later.
        second: ShipClass,
        /// A cell of the later ship that is next to the first.
        cell: naval::Cell,
    },
    /// A berth that does not exist, is missing, or is given in a variant without submarines.
    #[error("the berth is not right: {0}")]
    BadBerth(BerthFault),
    /// The mover has fired at the cell before.
    #[error("{cell} was fired at before: name a cell not yet fired at")]
    AlreadyFired {
        /// The cell, or the top-left cell of an air strike whose four cells were all fired at.
        cell: naval::Cell,
    },
    /// The cell is known to be water, next to a ship that the mover has sunk (naumachia).
    #[error("{cell} is marked as water beside a sunk ship: name a cell that is not marked")]
    MarkedWater {
        /// The cell.
        cell: naval::Cell,
    },
    /// A salvo has too many or too few cells.
    #[error("the salvo names {named} cells: it must name exactly {required}")]
    WrongSalvoSize {
        /// How many cells were named.
        named: usize,
        /// The mover's ships afloat, or the cells left to fire at if they are fewer.
        required: usize,
    },
    /// A salvo names a cell twice.
    #[error("{cell} is named twice: the cells of a salvo must differ")]
    DuplicateCell {
        /// The cell.
        cell: naval::Cell,
    },
    /// A letter and a number that are not the two ends of one diagonal.
    #[error(
        "letter {letter} and number {number} are no route: letter i (counted from 1) goes with \
         number i or 11 - i"
    )]
    NotARoute {
        /// As given: A is 1.
        letter: u32,
        /// As given.
        number: u32,
    },
    /// The mover's submarine is sunk or has withdrawn.
    #[error("your submarine is out of play: it was sunk, or has fired its three torpedoes")]
    NoSubmarine,
    /// A second torpedo without a plain shot since the first.
    #[error("a plain shot must be fired between two torpedoes: fire one first")]
    NeedsShotFirst,
    /// The submarine does not lie at either end of the route. Tells of a secret of the mover.
    #[error("your submarine lies at berth {berth}, which is no end of route {route}")]
    BerthNotOnRoute {
        /// Where the mover's submarine lies.
        berth: Berth,
        /// The route named.
        route: Route,
    },
    /// No enemy torpedo's route is open to a hunt.
    #[error(
        "there is nothing to hunt: a hunt follows an enemy torpedo, once each, while the submarine \
         that fired it is in play"
    )]
    NothingToHunt,
    /// The hunt names a berth that is no end of the enemy's most recent route.
    #[error("berth {end} is no end of route {route}, the only one that may be hunted now")]
    NotARouteEnd {
        /// The berth named.
        end: Berth,
        /// The enemy's most recent route.
        route: Route,
    },
    /// The mover's air strike was made before.
    #[error("the air strike is spent: it may be made once a game")]
    StrikeSpent,
    /// An air strike before two enemy ships are sunk.
    #[error("an air strike needs two enemy ships sunk: {sunk} so far")]
    TooFewSunk {
        /// Enemy ships sunk; submarines do not count.
        sunk: usize,
    },
    /// An air strike with a carrier that was hit or sunk.
    #[error("an air strike needs a carrier without a hit: yours was hit")]
    CarrierHit,

    /// A cell that is not one of the 61 of the abalone board.
    #[error(
        "(row {row}, number {number}) is off the board: row a is 1-5, b 1-6, c 1-7, d 1-8, e 1-9, \
         f 2-9, g 3-9, h 4-9 and i 5-9, the rows counted from 1"
    )]
    OffBoard {
        /// As given: a is 1.
        row: u32,
        /// As given.
        number: u32,
    },
    /// The cells named are not one, two or three side by side in one straight line.
    #[error(
        "the {named} cells named are no group: name one, two or three different cells, side by \
         side in one straight line"
    )]
    NotAGroup {
        /// How many cells were named.
        named: usize,
    },
    /// A cell of the group does not hold a marble of the mover.
    #[error("{cell} holds no marble of yours: move your own marbles only")]
    NotOwnMarble {
        /// The cell.
        cell: abalone::Cell,
    },
    /// A marble of the mover would leave the board.
    #[error("your marble on {cell} would leave the board: move it to a cell")]
    OwnMarbleOffBoard {
        /// The cell that it stands on.
        cell: abalone::Cell,
    },
    /// A cell that the group would move to, sideways or behind what is pushed, is taken.
    #[error("{cell} is taken: it must be empty for this move")]
    CellTaken {
        /// The cell in the way.
        cell: abalone::Cell,
    },
    /// Not enough marbles to push those ahead.
    #[error(
        "{pushing} marbles cannot push {ahead} or more: a group pushes fewer than its own size"
    )]
    TooWeak {
        /// Size of the group.
        pushing: u8,
        /// Enemy marbles in line ahead, counted up to the group's size.
        ahead: u8,
    },
}

impl IllegalMove {
    /// The reason's name in records and vectors, such as `already_fired`.
    #[must_use]
    pub const fn slug(self) -> &'static str {
        match self {
            Self::GameOver => "game_over",
            Self::OutOfTurn { .. } => "out_of_turn",
            Self::MoveNotOfVariant { .. } => "move_not_of_variant",
            Self::OffGrid { .. } => "off_grid",
            Self::WrongFleet { .. } => "wrong_fleet",
            Self::ShipOffGrid { .. } => "ship_off_grid",
            Self::ShipsOverlap { .. } => "ships_overlap",
            Self::ShipsTouch { .. } => "ships_touch",
            Self::BadBerth(_) => "bad_berth",
            Self::AlreadyFired { .. } => "already_fired",
            Self::MarkedWater { .. } => "marked_water",
            Self::WrongSalvoSize { .. } => "wrong_salvo_size",
            Self::DuplicateCell { .. } => "duplicate_cell",
            Self::NotARoute { .. } => "not_a_route",
            Self::NoSubmarine => "no_submarine",
            Self::NeedsShotFirst => "needs_shot_first",
            Self::BerthNotOnRoute { .. } => "berth_not_on_route",
            Self::NothingToHunt => "nothing_to_hunt",
            Self::NotARouteEnd { .. } => "not_a_route_end",
            Self::StrikeSpent => "strike_spent",
            Self::TooFewSunk { .. } => "too_few_sunk",
            Self::CarrierHit => "carrier_hit",
            Self::OffBoard { .. } => "off_board",
            Self::NotAGroup { .. } => "not_a_group",
            Self::NotOwnMarble { .. } => "not_own_marble",
            Self::OwnMarbleOffBoard { .. } => "own_marble_off_board",
            Self::CellTaken { .. } => "cell_taken",
            Self::TooWeak { .. } => "too_weak",
        }
    }
}

/// What is wrong with a berth.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum BerthFault {
    /// Not one of A-J and 1-10.
    #[error("line {0} is not one of the ten (letters A-J count from 1 to 10)")]
    NoSuchLine(u32),
    /// A deployment without the berth that the variant needs.
    #[error("the deployment must name one")]
    Missing,
    /// A berth in a variant that has no submarine.
    #[error("{0} has no submarine, so that none may be named")]
    NotOfVariant(Variant),
}

/// The kinds of move there are, over all variants.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MoveKind {
    /// Placing the fleet.
    Deploy,
    /// One shot.
    Shot,
    /// As many shots as ships afloat.
    Salvo,
    /// A torpedo along a route.
    Torpedo,
    /// A hunt at one end of a route.
    Hunt,
    /// Naming the berth after a hunt.
    Relocate,
    /// An air strike on 2 x 2 cells.
    AirStrike,
    /// Moving marbles.
    Marbles,
}

impl fmt::Display for MoveKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Deploy => "a deployment",
            Self::Shot => "a shot",
            Self::Salvo => "a salvo",
            Self::Torpedo => "a torpedo",
            Self::Hunt => "a submarine hunt",
            Self::Relocate => "a relocation",
            Self::AirStrike => "an air strike",
            Self::Marbles => "a move of marbles",
        })
    }
}
