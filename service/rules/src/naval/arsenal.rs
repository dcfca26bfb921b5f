use arrayvec::ArrayVec;

use super::{Berth, Route, ShipClass, amiral_advanced::TORPEDOES};

/// A torpedo, as everybody heard it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Torpedo {
    /// Its route.
    pub route: Route,
    /// The ship that it sank, if it met one.
    pub sunk: Option<ShipClass>,
}

/// A submarine hunt, as everybody heard it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hunt {
    /// Where it looked.
    pub end: Berth,
    /// Whether the submarine lay there.
    pub found: bool,
}

/// What a seat has beside its guns (rules.md, amiral-advanced), so far as it is public: all of it
/// but the berth.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arsenal {
    torpedoes: ArrayVec<Torpedo, TORPEDOES>,
    hunts: ArrayVec<Hunt, TORPEDOES>,
    submarine_in_play: bool,
    shot_since_torpedo: bool,
    latest_hunted: bool,
    air_strike_spent: bool,
}

impl Default for Arsenal {
    fn default() -> Self {
        Self {
            torpedoes: ArrayVec::new(),
            hunts: ArrayVec::new(),
            submarine_in_play: true,
            shot_since_torpedo: true,
            latest_hunted: false,
            air_strike_spent: false,
        }
    }
}

impl Arsenal {
    /// The torpedoes that this seat has fired, in order.
    #[must_use]
    pub fn torpedoes(&self) -> &[Torpedo] {
        &self.torpedoes
    }

    /// Torpedoes not fired, 0-3; of no use once the submarine is out of play.
    #[must_use]
    pub fn torpedoes_left(&self) -> u8 {
        self.torpedoes.remaining_capacity() as u8
    }

    /// The hunts that this seat has made for the enemy's submarine, in order.
    #[must_use]
    pub fn hunts(&self) -> &[Hunt] {
        &self.hunts
    }

    /// Whether this seat's submarine is neither sunk nor withdrawn.
    #[must_use]
    pub const fn submarine_in_play(&self) -> bool {
        self.submarine_in_play
    }

    /// Whether no plain shot is needed before the next torpedo: one was fired since the last
    /// torpedo, or there was none.
    #[must_use]
    pub const fn shot_since_torpedo(&self) -> bool {
        self.shot_since_torpedo
    }

    /// Whether this seat has made its air strike.
    #[must_use]
    pub const fn air_strike_spent(&self) -> bool {
        self.air_strike_spent
    }

    /// The route at either end of which the *enemy* may hunt this seat's submarine now.
    #[must_use]
    pub fn huntable(&self) -> Option<Route> {
        let latest = self.torpedoes.last()?;
        (self.submarine_in_play && !self.latest_hunted).then_some(latest.route)
    }

    pub(super) const fn record_plain_shot(&mut self) {
        self.shot_since_torpedo = true;
    }

    /// The submarine withdraws with its last torpedo.
    pub(super) fn record_torpedo(&mut self, route: Route, sunk: Option<ShipClass>) {
        self.torpedoes.push(Torpedo { route, sunk });
        self.shot_since_torpedo = false;
        self.latest_hunted = false;
        if self.torpedoes.is_full() {
            self.submarine_in_play = false;
        }
    }

    pub(super) fn record_hunt(&mut self, end: Berth, found: bool) {
        self.hunts.push(Hunt { end, found });
    }

    /// The enemy has hunted this seat's submarine.
    pub(super) const fn record_hunted(&mut self, found: bool) {
        self.latest_hunted = true;
        if found {
            self.submarine_in_play = false;
        }
    }

    pub(super) const fn record_air_strike(&mut self) {
        self.air_strike_spent = true;
    }
}
