use super::{
    Marbles, Position,
    generate::{count, each_child},
    position::EJECTIONS_TO_WIN,
};

impl Position {
    /// Counts the leaves of all legal play to `depth` plies; a position with six ejections has no
    /// moves. The last ply is counted without being played.
    #[must_use]
    pub fn perft(&self, depth: u32) -> u64 {
        self.walk().leaves(depth)
    }

    /// As [`perft`](Self::perft), but builds every leaf.
    #[must_use]
    pub fn perft_building(&self, depth: u32) -> u64 {
        self.walk().built_leaves(depth)
    }

    fn walk(&self) -> Walk {
        let (me, them) = (self.to_move.index(), self.to_move.other().index());
        Walk {
            mine: self.mine(),
            theirs: self.theirs(),
            my_ejections: self.ejected_by[me],
            their_ejections: self.ejected_by[them],
        }
    }
}

/// A position as the side to move sees it: a walk need not know who that is.
#[derive(Clone, Copy)]
struct Walk {
    mine: Marbles,
    theirs: Marbles,
    my_ejections: u8,
    their_ejections: u8,
}

impl Walk {
    fn is_over(self) -> bool {
        self.my_ejections.max(self.their_ejections) >= EJECTIONS_TO_WIN
    }

    #[inline(always)]
    fn each_child(self, mut f: impl FnMut(Self)) {
        each_child(self.mine, self.theirs, |mine, theirs, ejected| {
            f(Self {
                mine: theirs,
                theirs: mine,
                my_ejections: self.their_ejections,
                their_ejections: self.my_ejections + u8::from(ejected),
            });
        });
    }

    fn leaves(self, depth: u32) -> u64 {
        match depth {
            0 => 1,
            _ if self.is_over() => 0,
            1 => count(self.mine, self.theirs).into(),
            _ => {
                let mut leaves = 0;
                self.each_child(|child| leaves += child.leaves(depth - 1));
                leaves
            }
        }
    }

    fn built_leaves(self, depth: u32) -> u64 {
        match depth {
            0 => 1,
            _ if self.is_over() => 0,
            1 => {
                let mut leaves = 0;
                self.each_child(|child| {
                    std::hint::black_box(child);
                    leaves += 1;
                });
                leaves
            }
            _ => {
                let mut leaves = 0;
                self.each_child(|child| leaves += child.built_leaves(depth - 1));
                leaves
            }
        }
    }
}
