use arrayvec::ArrayVec;

use super::{Berth, CellSet, Route};

/// The legal moves of one seat. All is empty when it is not to act, and while fleets are placed:
/// any legal deployment may then be given.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LegalMoves {
    /// The cells that may be fired at: by a shot, or together by a salvo.
    pub targets: CellSet,
    /// How many different cells a salvo must name; none where turns are single shots.
    pub salvo_size: Option<usize>,
    /// The routes along which the submarine may fire.
    pub torpedoes: ArrayVec<Route, 2>,
    /// The ends at which the enemy's submarine may be hunted.
    pub hunts: ArrayVec<Berth, 2>,
    /// The top-left cells of the air strikes that may be made.
    pub air_strikes: CellSet,
    /// The berths that may be named in a relocation.
    pub berths: ArrayVec<Berth, 20>,
}
