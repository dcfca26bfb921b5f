//! Move generation: all leaders, or all heads, of one kind of move at a time.
//!
//! One walk over the kinds of move serves three visitors: one that counts, one that lists, and one
//! that builds each position that follows.

use super::{
    Cell, Direction, Group, Line, Marbles, Move, MoveList,
    marbles::{EAST, NORTH_EAST, NORTH_WEST, SOUTH_EAST, SOUTH_WEST, WEST},
};

/// Leaders of the moves in line of one size in one direction, by what lies ahead of them. No
/// marble is in two of these sets.
#[derive(Clone, Copy)]
pub(super) struct Leaders {
    /// An empty cell.
    pub(super) free: Marbles,
    /// One enemy marble that gives way.
    pub(super) push_one: Marbles,
    /// Two enemy marbles that give way.
    pub(super) push_two: Marbles,
}

pub(super) trait Visitor {
    /// Moves of `SIZE` marbles in line in direction `D`.
    fn in_line<const D: usize, const SIZE: usize>(&mut self, leaders: Leaders);

    /// Moves of `SIZE` marbles sideways in direction `D`; the marbles are the head, and those
    /// behind it against line `L`.
    fn broadside<const D: usize, const L: usize, const SIZE: usize>(&mut self, heads: Marbles);
}

/// Shows `visitor` every legal move of the side whose marbles are `mine`.
#[inline(always)]
pub(super) fn visit(mine: Marbles, theirs: Marbles, visitor: &mut impl Visitor) {
    let board = Sides {
        mine,
        theirs,
        empty: !(mine | theirs),
    };
    // The const parameters: the direction, and the two lines across it.
    board.visit::<EAST, NORTH_EAST, NORTH_WEST>(visitor);
    board.visit::<NORTH_EAST, EAST, NORTH_WEST>(visitor);
    board.visit::<NORTH_WEST, EAST, NORTH_EAST>(visitor);
    board.visit::<WEST, NORTH_EAST, NORTH_WEST>(visitor);
    board.visit::<SOUTH_WEST, EAST, NORTH_WEST>(visitor);
    board.visit::<SOUTH_EAST, EAST, NORTH_EAST>(visitor);
}

struct Sides {
    mine: Marbles,
    theirs: Marbles,
    empty: Marbles,
}

impl Sides {
    #[inline(always)]
    fn visit<const D: usize, const L1: usize, const L2: usize>(&self, visitor: &mut impl Visitor) {
        let before_empty = self.empty.shift_back::<D>();
        // Enemy marbles that give way if pushed from behind: alone, and as the first of two.
        let alone = self.theirs & (before_empty | Marbles::edge::<D>());
        let before_alone = alone.shift_back::<D>();
        let before_two = (self.theirs & before_alone).shift_back::<D>();

        let free = self.mine & before_empty;
        let second = self.mine & self.mine.shift::<D>();
        let third = second & second.shift::<D>();
        visitor.in_line::<D, 1>(Leaders {
            free,
            push_one: Marbles::EMPTY,
            push_two: Marbles::EMPTY,
        });
        visitor.in_line::<D, 2>(Leaders {
            free: second & before_empty,
            push_one: second & before_alone,
            push_two: Marbles::EMPTY,
        });
        visitor.in_line::<D, 3>(Leaders {
            free: third & before_empty,
            push_one: third & before_alone,
            push_two: third & before_two,
        });

        Self::visit_line::<D, L1>(free, visitor);
        Self::visit_line::<D, L2>(free, visitor);
    }

    /// Broadsides of the marbles that are free to step in direction `D`.
    #[inline(always)]
    fn visit_line<const D: usize, const L: usize>(free: Marbles, visitor: &mut impl Visitor) {
        let second = free & free.shift::<L>();
        visitor.broadside::<D, L, 2>(second);
        visitor.broadside::<D, L, 3>(second & second.shift::<L>());
    }
}

/// How many legal moves there are.
pub(super) fn count(mine: Marbles, theirs: Marbles) -> u32 {
    struct Count(u32);

    impl Visitor for Count {
        #[inline(always)]
        fn in_line<const D: usize, const SIZE: usize>(&mut self, leaders: Leaders) {
            self.0 += (leaders.free | leaders.push_one | leaders.push_two).len();
        }

        #[inline(always)]
        fn broadside<const D: usize, const L: usize, const SIZE: usize>(&mut self, heads: Marbles) {
            self.0 += heads.len();
        }
    }

    let mut count = Count(0);
    visit(mine, theirs, &mut count);
    count.0
}

/// Every legal move.
pub(super) fn list(mine: Marbles, theirs: Marbles) -> MoveList {
    struct List(MoveList);

    impl Visitor for List {
        fn in_line<const D: usize, const SIZE: usize>(&mut self, leaders: Leaders) {
            let direction = Direction::ALL[D];
            let line = Line::ALL[D % 3];
            for leader in (leaders.free | leaders.push_one | leaders.push_two).iter() {
                // A line is counted upwards: its first cell is the tail of a move that goes up.
                let first = if D < 3 {
                    back(leader, line, SIZE)
                } else {
                    leader
                };
                self.push(first, line, SIZE, direction);
            }
        }

        fn broadside<const D: usize, const L: usize, const SIZE: usize>(&mut self, heads: Marbles) {
            let line = Line::ALL[L];
            for head in heads.iter() {
                self.push(back(head, line, SIZE), line, SIZE, Direction::ALL[D]);
            }
        }
    }

    impl List {
        fn push(&mut self, first: Cell, line: Line, size: usize, direction: Direction) {
            let group = Group::vouched(first, line, size as u8);
            // A list has room for far more than any board allows: nothing is ever left off.
            let _ = self.0.try_push(Move { group, direction });
        }
    }

    fn back(head: Cell, line: Line, size: usize) -> Cell {
        let backwards = line.direction().opposite();
        (1..size).fold(head, |cell, _| cell.step(backwards).unwrap_or(cell))
    }

    let mut list = List(MoveList::new());
    visit(mine, theirs, &mut list);
    list.0
}

/// Builds each position that a legal move leads to, and gives it as (mine, theirs, whether a marble
/// was ejected).
#[inline(always)]
pub(super) fn each_child(mine: Marbles, theirs: Marbles, f: impl FnMut(Marbles, Marbles, bool)) {
    struct Children<F> {
        mine: Marbles,
        theirs: Marbles,
        f: F,
    }

    impl<F: FnMut(Marbles, Marbles, bool)> Visitor for Children<F> {
        #[inline(always)]
        fn in_line<const D: usize, const SIZE: usize>(&mut self, leaders: Leaders) {
            for leader in leaders.free.singles() {
                let mine = self.mine ^ tail::<D, SIZE>(leader) ^ leader.shift::<D>();
                (self.f)(mine, self.theirs, false);
            }
            for leader in leaders.push_one.singles() {
                let front = leader.shift::<D>();
                let behind = front.shift::<D>();
                let mine = self.mine ^ tail::<D, SIZE>(leader) ^ front;
                (self.f)(mine, self.theirs ^ front ^ behind, behind.is_empty());
            }
            for leader in leaders.push_two.singles() {
                let front = leader.shift::<D>();
                let behind = front.shift::<D>().shift::<D>();
                let mine = self.mine ^ tail::<D, SIZE>(leader) ^ front;
                (self.f)(mine, self.theirs ^ front ^ behind, behind.is_empty());
            }
        }

        #[inline(always)]
        fn broadside<const D: usize, const L: usize, const SIZE: usize>(&mut self, heads: Marbles) {
            for head in heads.singles() {
                let group = match SIZE {
                    2 => head | tail::<L, 2>(head),
                    _ => head | tail::<L, 2>(head) | tail::<L, 3>(head),
                };
                (self.f)(self.mine ^ group ^ group.shift::<D>(), self.theirs, false);
            }
        }
    }

    visit(mine, theirs, &mut Children { mine, theirs, f });
}

/// The last marble of a group of `SIZE` in line, of which `leader` is the first.
#[inline(always)]
fn tail<const D: usize, const SIZE: usize>(leader: Marbles) -> Marbles {
    match SIZE {
        1 => leader,
        2 => leader.shift_back::<D>(),
        _ => leader.shift_back::<D>().shift_back::<D>(),
    }
}
