use crate::{IllegalMove, MoveKind, Outcome, Phase, Seat, Seats, Variant, abalone, naval};

/// What is agreed before a game: its variant and that variant's options.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Options {
    /// One of the six variants of Battleship.
    Naval(naval::Options),
    /// Abalone.
    Abalone(abalone::Options),
}

impl Options {
    /// The options that `variant` has when none are given.
    #[must_use]
    pub fn default_of(variant: Variant) -> Self {
        match naval::Options::default_of(variant) {
            Some(options) => Self::Naval(options),
            None => Self::Abalone(abalone::Options::default()),
        }
    }

    /// The variant they are of.
    #[must_use]
    pub const fn variant(&self) -> Variant {
        match self {
            Self::Naval(options) => options.variant(),
            Self::Abalone(_) => Variant::Abalone,
        }
    }
}

/// One move of any variant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Move {
    /// A move of one of the six variants of Battleship.
    Naval(naval::Move),
    /// A move of marbles.
    Abalone(abalone::Move),
}

/// What everybody is told of an accepted move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// The answer to a naval move.
    Naval(naval::Answer),
    /// The answer to a move of marbles.
    Abalone(abalone::Answer),
}

/// A game of any variant.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(
    clippy::large_enum_variant,
    reason = "a game lies still in its match; a box would only add a hop to each move"
)]
pub enum Game {
    /// One of the six variants of Battleship.
    Naval(naval::Game),
    /// Abalone.
    Abalone(abalone::Game),
}

impl Game {
    /// A game at its start. It may be over at once: an abalone layout in which black cannot move.
    #[must_use]
    pub fn new(options: &Options) -> Self {
        match options {
            Options::Naval(options) => Self::Naval(naval::Game::new(*options)),
            Options::Abalone(options) => Self::Abalone(abalone::Game::new(*options)),
        }
    }

    /// The variant that is played.
    #[must_use]
    pub const fn variant(&self) -> Variant {
        match self {
            Self::Naval(game) => game.options().variant(),
            Self::Abalone(_) => Variant::Abalone,
        }
    }

    /// The options that the game was made with.
    #[must_use]
    pub const fn options(&self) -> Options {
        match self {
            Self::Naval(game) => Options::Naval(game.options()),
            Self::Abalone(game) => Options::Abalone(game.options()),
        }
    }

    /// Who is to act now; nobody once the game is over.
    #[must_use]
    pub fn to_act(&self) -> Seats {
        match self {
            Self::Naval(game) => game.to_act(),
            Self::Abalone(game) => game.to_act(),
        }
    }

    /// Where the game stands.
    #[must_use]
    pub fn phase(&self) -> Phase {
        match self {
            Self::Naval(game) => game.phase(),
            Self::Abalone(game) => game.phase(),
        }
    }

    /// How the game ended, once it has.
    #[must_use]
    pub fn outcome(&self) -> Option<Outcome> {
        match self {
            Self::Naval(game) => game.outcome(),
            Self::Abalone(game) => game.outcome(),
        }
    }

    /// Plays a move of `seat`, and returns what everybody is told of it.
    ///
    /// # Errors
    /// [`IllegalMove`] if it is not legal; the game is then as it was.
    pub fn play(&mut self, seat: Seat, action: &Move) -> Result<Answer, IllegalMove> {
        match (self, action) {
            (Self::Naval(game), Move::Naval(action)) => game.play(seat, action).map(Answer::Naval),
            (Self::Abalone(game), Move::Abalone(action)) => {
                game.play(seat, *action).map(Answer::Abalone)
            }
            (game, action) => Err(IllegalMove::MoveNotOfVariant {
                attempted: action.kind(),
                variant: game.variant(),
            }),
        }
    }

    /// Whether [`play`](Self::play) would accept the move, and if not, why.
    ///
    /// # Errors
    /// The [`IllegalMove`] that `play` would return.
    pub fn check(&self, seat: Seat, action: &Move) -> Result<(), IllegalMove> {
        match (self, action) {
            (Self::Naval(game), Move::Naval(action)) => game.check(seat, action),
            (Self::Abalone(game), Move::Abalone(action)) => game.check(seat, *action),
            (game, action) => Err(IllegalMove::MoveNotOfVariant {
                attempted: action.kind(),
                variant: game.variant(),
            }),
        }
    }
}

impl Move {
    /// What kind of move it is.
    #[must_use]
    pub const fn kind(&self) -> MoveKind {
        match self {
            Self::Naval(action) => action.kind(),
            Self::Abalone(_) => MoveKind::Marbles,
        }
    }
}
