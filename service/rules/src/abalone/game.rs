use super::{Answer, Board, Move, MoveList, Options, Position};
use crate::{Ending, IllegalMove, MoveKind, Outcome, Phase, Seat, Seats};

/// A game of abalone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Game {
    options: Options,
    position: Position,
    plies: u32,
    /// Every position since the last ejection, this one included: no earlier one can come again.
    stood: Vec<Position>,
    repetitions: u32,
    outcome: Option<Outcome>,
}

impl Game {
    /// A game at its start; it is over at once if black cannot move.
    #[must_use]
    pub fn new(options: Options) -> Self {
        let position = Position::new(options.layout().board(), Seat::One, [0, 0]);
        let mut game = Self {
            options,
            position,
            plies: 0,
            stood: vec![position],
            repetitions: 1,
            outcome: None,
        };
        game.outcome = game.ended();
        game
    }

    /// The options that the game was made with.
    #[must_use]
    pub const fn options(&self) -> Options {
        self.options
    }

    /// The position on the board.
    #[must_use]
    pub const fn position(&self) -> &Position {
        &self.position
    }

    /// Who is to act now.
    #[must_use]
    pub const fn to_act(&self) -> Seats {
        match self.outcome {
            None => Seats::only(self.position.to_move()),
            Some(_) => Seats::NONE,
        }
    }

    /// Battle, until it is over.
    #[must_use]
    pub const fn phase(&self) -> Phase {
        match self.outcome {
            None => Phase::Battle,
            Some(_) => Phase::Over,
        }
    }

    /// How the game ended, once it has.
    #[must_use]
    pub const fn outcome(&self) -> Option<Outcome> {
        self.outcome
    }

    /// Plays a move of `seat`, and says what it did.
    ///
    /// # Errors
    /// [`IllegalMove`] if it is not legal; the game is then as it was.
    pub fn play(&mut self, seat: Seat, action: Move) -> Result<Answer, IllegalMove> {
        let (position, answer) = self.after(seat, action)?;
        self.position = position;
        self.plies += 1;
        if answer.ejected {
            self.stood.clear();
        }
        self.stood.push(position);
        let times = self.stood.iter().filter(|&&earlier| earlier == position);
        self.repetitions = times.count() as u32;
        self.outcome = self.ended();
        Ok(answer)
    }

    /// Whether [`play`](Self::play) would accept the move, and if not, why.
    ///
    /// # Errors
    /// The [`IllegalMove`] that `play` would return.
    pub fn check(&self, seat: Seat, action: Move) -> Result<(), IllegalMove> {
        self.after(seat, action).map(drop)
    }

    /// Whether the move may be played now.
    #[must_use]
    pub fn is_legal(&self, seat: Seat, action: Move) -> bool {
        self.check(seat, action).is_ok()
    }

    /// The legal moves of `seat`: none if it is not to act.
    #[must_use]
    pub fn legal_moves(&self, seat: Seat) -> MoveList {
        if self.to_act().contains(seat) {
            self.position.legal_moves()
        } else {
            MoveList::new()
        }
    }

    /// What both players and spectators see: nothing is hidden.
    #[must_use]
    pub const fn view(&self) -> View {
        View {
            board: *self.position.board(),
            to_act: self.to_act(),
            ejected_by: self.position.ejected_by(),
            plies: self.plies,
            repetitions: self.repetitions,
        }
    }

    fn after(&self, seat: Seat, action: Move) -> Result<(Position, Answer), IllegalMove> {
        if self.outcome.is_some() {
            return Err(IllegalMove::GameOver);
        }
        if !self.to_act().contains(seat) {
            return Err(IllegalMove::OutOfTurn {
                seat,
                attempted: MoveKind::Marbles,
                phase: self.phase(),
                to_act: self.to_act(),
            });
        }
        self.position.after(action)
    }

    /// The end, if this position is one. What the board decides comes before what is counted: six
    /// ejected, then a player who cannot move, then the last ply, then repetition.
    fn ended(&self) -> Option<Outcome> {
        let ended = |winner, ending| Some(Outcome { winner, ending });
        let to_move = self.position.to_move();
        if let Some(winner) = self.position.winner() {
            return ended(Some(winner), Ending::SixEjected);
        }
        if self.position.count_legal_moves() == 0 {
            return ended(Some(to_move.other()), Ending::NoLegalMove);
        }
        if self.plies >= self.options.max_plies() {
            return ended(self.leader(), Ending::MaxPlies);
        }
        let limit = self.options.repetition_limit();
        if limit != 0 && self.repetitions >= limit {
            return ended(None, Ending::Repetition);
        }
        None
    }

    /// Who has ejected more.
    fn leader(&self) -> Option<Seat> {
        let [black, white] = self.position.ejected_by();
        match black.cmp(&white) {
            std::cmp::Ordering::Greater => Some(Seat::One),
            std::cmp::Ordering::Less => Some(Seat::Two),
            std::cmp::Ordering::Equal => None,
        }
    }
}

/// All that there is to see of a game of abalone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct View {
    /// The marbles on the board: black is seat 1.
    pub board: Board,
    /// Who is to move; nobody once it is over.
    pub to_act: Seats,
    /// Marbles that each seat has ejected, by [`Seat::index`].
    pub ejected_by: [u8; 2],
    /// Moves made by both sides.
    pub plies: u32,
    /// How often this position has stood with the same side to move, this time included.
    pub repetitions: u32,
}
