use super::{Answer, Board, Marbles, Move, MoveList, generate};
use crate::{IllegalMove, Seat};

/// Enemy marbles that must be ejected to win.
pub const EJECTIONS_TO_WIN: u8 = 6;

/// A board, who is to move, and what each side has ejected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Position {
    pub(super) board: Board,
    pub(super) to_move: Seat,
    pub(super) ejected_by: [u8; 2],
}

impl Position {
    /// A position; `ejected_by` says how many marbles each seat has ejected, by [`Seat::index`].
    #[must_use]
    pub const fn new(board: Board, to_move: Seat, ejected_by: [u8; 2]) -> Self {
        Self {
            board,
            to_move,
            ejected_by,
        }
    }

    /// The marbles on the board.
    #[must_use]
    pub const fn board(&self) -> &Board {
        &self.board
    }

    /// Who is to move.
    #[must_use]
    pub const fn to_move(&self) -> Seat {
        self.to_move
    }

    /// Marbles that each seat has ejected, by [`Seat::index`].
    #[must_use]
    pub const fn ejected_by(&self) -> [u8; 2] {
        self.ejected_by
    }

    /// Who has ejected six.
    #[must_use]
    pub fn winner(&self) -> Option<Seat> {
        Seat::ALL
            .into_iter()
            .find(|seat| self.ejected_by[seat.index()] >= EJECTIONS_TO_WIN)
    }

    /// Every legal move; none once six are ejected.
    #[must_use]
    pub fn legal_moves(&self) -> MoveList {
        if self.winner().is_some() {
            return MoveList::new();
        }
        generate::list(self.mine(), self.theirs())
    }

    /// How many legal moves there are, without listing them.
    #[must_use]
    pub fn count_legal_moves(&self) -> u32 {
        if self.winner().is_some() {
            return 0;
        }
        generate::count(self.mine(), self.theirs())
    }

    /// The position after `action`, and what it did (rules.md, abalone, "Move").
    ///
    /// # Errors
    /// [`IllegalMove`] if the side to move may not make it.
    pub fn after(&self, action: Move) -> Result<(Self, Answer), IllegalMove> {
        if self.winner().is_some() {
            return Err(IllegalMove::GameOver);
        }
        self.check_own(action)?;
        let (theirs, answer) = if action.group.moves_in_line(action.direction) {
            self.push(action)?
        } else {
            self.check_broadside(action)?;
            (self.theirs(), Answer::default())
        };
        let group = action.group.marbles();
        let mine = (self.mine() & !group) | group.shifted(action.direction);
        Ok((self.next(mine, theirs, answer.ejected), answer))
    }

    /// The marbles of the side to move.
    pub(super) const fn mine(&self) -> Marbles {
        self.board.marbles(self.to_move)
    }

    /// The marbles of the other side.
    pub(super) const fn theirs(&self) -> Marbles {
        self.board.marbles(self.to_move.other())
    }

    fn next(&self, mine: Marbles, theirs: Marbles, ejected: bool) -> Self {
        let mut next = Self {
            board: Board::vouched(match self.to_move {
                Seat::One => [mine, theirs],
                Seat::Two => [theirs, mine],
            }),
            to_move: self.to_move.other(),
            ejected_by: self.ejected_by,
        };
        next.ejected_by[self.to_move.index()] += u8::from(ejected);
        next
    }

    fn check_own(&self, action: Move) -> Result<(), IllegalMove> {
        match action
            .group
            .cells()
            .find(|&cell| !self.mine().contains(cell))
        {
            Some(cell) => Err(IllegalMove::NotOwnMarble { cell }),
            None => Ok(()),
        }
    }

    fn check_broadside(&self, action: Move) -> Result<(), IllegalMove> {
        for cell in action.group.cells() {
            let target = cell
                .step(action.direction)
                .ok_or(IllegalMove::OwnMarbleOffBoard { cell })?;
            if self.board.at(target).is_some() {
                return Err(IllegalMove::CellTaken { cell: target });
            }
        }
        Ok(())
    }

    /// The enemy's marbles after a move in line, and what it did to them.
    fn push(&self, action: Move) -> Result<(Marbles, Answer), IllegalMove> {
        let Move { group, direction } = action;
        let leader = (group.marbles() & !group.marbles().shifted(direction.opposite())).sole();
        let Some(leader) = leader else {
            return Err(IllegalMove::NotAGroup {
                named: group.size().into(),
            });
        };
        let mut ahead = leader
            .step(direction)
            .ok_or(IllegalMove::OwnMarbleOffBoard { cell: leader })
            .map(Some)?;
        let mut pushed = 0;
        while let Some(cell) = ahead {
            match self.board.at(cell) {
                Some(seat) if seat == self.to_move => return Err(IllegalMove::CellTaken { cell }),
                Some(_) => pushed += 1,
                None => break,
            }
            if pushed == group.size() {
                return Err(IllegalMove::TooWeak {
                    pushing: group.size(),
                    ahead: pushed,
                });
            }
            ahead = cell.step(direction);
        }
        // A row of pushed marbles moves as one: its first cell is left and the one behind taken.
        let front = Marbles::only(leader).shifted(direction);
        let theirs = match (pushed, ahead) {
            (0, _) => self.theirs(),
            (_, Some(behind)) => (self.theirs() & !front) | Marbles::only(behind),
            (_, None) => self.theirs() & !front,
        };
        let ejected = pushed > 0 && ahead.is_none();
        Ok((theirs, Answer { pushed, ejected }))
    }
}
